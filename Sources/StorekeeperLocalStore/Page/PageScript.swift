import StorekeeperPages

/// The script of the page, which refreshes the page, advances time continuously, and handles the keyboard.
///
/// Without the script, the page works with ordinary links and forms, which reload the page.
enum PageScript {
    static let text =
        TimelineScript.text + "\"use strict\";\n(() => {\n" + swapping + ClipboardScript.text + sending + freshness
        + folding + playing + TableScript.text + StoryScript.text + KeyboardScript.text + "})();\n"

    /// Initially collapses the clock and the list of customers if the window is narrow.
    private static let folding = #"""
        const narrow = matchMedia("(max-width: 40rem)");
        const fold = () => $$("details.drawer").forEach((one) => { one.open = !narrow.matches; });
        if (narrow.matches) fold();
        narrow.addEventListener("change", fold);

        """#

    /// Replaces the content of the page, but restores the user's open sections, typed texts and focus.
    private static let swapping = #"""
        const $ = (selector, root = document) => root.querySelector(selector);
        const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
        const key = (element) => element && (element.id ? `#${CSS.escape(element.id)}`
          : element.dataset && element.dataset.key ? `[data-key="${CSS.escape(element.dataset.key)}"]` : null);

        // Returns a function that restores the open sections, typed texts and scroll positions of an element.
        function memory(root, sent) {
          const open = new Map($$("details[id]", root).map((one) => [one.id, one.open]));
          const typed = $$("input[id], select[id], textarea[id]", root).filter((one) => one.form !== sent && isTouched(one))
            .map((one) => [one.id, one.value, one.checked]);
          const scrolled = $$("[id]", root).filter((one) => one.scrollTop || one.scrollLeft)
            .map((one) => [one.id, one.scrollTop, one.scrollLeft]);
          const focus = document.activeElement;
          const focused = root.contains(focus) ? key(focus) : null;
          const caret = focused && "selectionStart" in focus && focus.type !== "number" && focus.tagName !== "SELECT"
            ? [focus.selectionStart, focus.selectionEnd] : null;
          return () => {
            for (const [id, isOpen] of open) {
              const one = document.getElementById(id);
              if (one && one.tagName === "DETAILS") one.open = isOpen;
            }
            for (const [id, value, checked] of typed) {
              const one = document.getElementById(id);
              if (one && one.type === "checkbox") one.checked = checked;
              else if (one && one.type !== "file" && one.type !== "hidden") one.value = value;
            }
            for (const [id, top, left] of scrolled) {
              const one = document.getElementById(id);
              if (one) [one.scrollTop, one.scrollLeft] = [top, left];
            }
            const one = focused && $(focused);
            if (!one || one === document.activeElement) return;
            one.focus({ preventScroll: true });
            if (caret && one.setSelectionRange) one.setSelectionRange(...caret);
          };
        }

        function isTouched(field) {
          if (field.tagName === "SELECT") {
            const byItself = [...field.options].find((one) => one.defaultSelected) || field.options[0];
            return byItself && field.value !== byItself.value;
          }
          if (field.type === "checkbox") return field.checked !== field.defaultChecked;
          return field.type !== "file" && field.value !== field.defaultValue;
        }

        // Updates only the elements with `data-live`.
        function takeLive(fresh) {
          document.body.dataset.version = fresh.body.dataset.version;
          // Copies the token and the return URL of the fresh page to all forms. Each page has its own token, so that
          // the server processes a form only once.
          for (const name of ["token", "back"]) {
            const news = $(`input[name=${name}]`, fresh);
            for (const one of news ? $$(`input[name=${name}]`) : []) one.setAttribute("value", news.value);
          }
          // If a live element is new, such as the timeline after a first purchase, the whole page is updated.
          const parts = (root) => $$("[data-live]", root).map((one) => one.id).join();
          if (parts(fresh) !== parts(document)) return takeWhole(fresh);
          const selection = document.getSelection();
          // All elements are read before any element is replaced. Reading a scroll position after a change would make
          // the browser lay out the whole page immediately.
          const changes = [];
          for (const part of $$("[data-live]")) {
            const news = fresh.getElementById(part.id);
            if (!news) continue;
            // An element that contains a text selection is not replaced until the selection is gone.
            if (selection && !selection.isCollapsed && selection.containsNode(part, true)) {
              document.body.dataset.version = "";
              continue;
            }
            if (!part.isEqualNode(news)) changes.push({ part, news, remember: memory(part) });
          }
          for (const { part, news } of changes) replaceContent(part, news);
          for (const { remember } of changes) remember();
          dress();
        }

        // Updates the whole page, for example after the user sends a form or follows a link.
        function takeWhole(fresh, sent) {
          const remember = memory(document.body, sent);
          const before = document.activeElement;
          const [left, top] = [scrollX, scrollY];
          document.title = fresh.title;
          document.body.dataset.version = fresh.body.dataset.version;
          document.body.replaceChildren(...fresh.body.childNodes, voice);
          remember();
          dress();
          scrollTo(left, top);
          const place = $("#why") || $("#inspector") || $("#main");
          if (before !== document.body && document.activeElement === document.body) place.focus({ preventScroll: true });
        }

        // Shows the controls that work only with the script.
        function dress() {
          for (const one of $$(".copy, #play, .keys")) one.hidden = false;
          const button = $("#play-button");
          if (!button) return;
          button.setAttribute("aria-pressed", String(isPlaying));
          button.textContent = isPlaying ? "❚❚ Pause" : "▶ Play";
          const speed = $("#speed");
          if (speed && playedSpeed) speed.value = playedSpeed;
        }

        // Announces the result of an action to screen readers.
        const voice = document.createElement("p");
        voice.id = "voice";
        voice.className = "unseen";
        voice.setAttribute("role", "status");

        """#

    /// Submits forms and follows links without reloading the whole page.
    private static let sending = #"""
        let turn = 0;
        let isSending = false;
        let lastForm = null;
        let lastSentAt = 0;

        async function visit(url, { form = null, body = null, keeps = true } = {}) {
          const mine = ++turn;
          if (!body) lastForm = null;
          document.body.setAttribute("aria-busy", "true");
          try {
            const answer = await fetch(url, body ? { method: "POST", body } : {});
            const text = await answer.text();
            const fresh = new DOMParser().parseFromString(text, "text/html");
            if (mine !== turn) return answer.ok;
            if (!fresh.getElementById("main")) {
              refuse(answer.status, text);
              return false;
            }
            if (keeps && (answer.ok || !body)) history[body ? "replaceState" : "pushState"](null, "", answer.url);
            // A refused form keeps its typed texts; an accepted form is cleared.
            takeWhole(fresh, form);
            const notice = $("#notices .notice");
            if (notice && body) {
              voice.textContent = notice.innerText;
            }
            reachable(true);
            return answer.ok;
          } catch {
            reachable(false);
            return false;
          } finally {
            document.body.removeAttribute("aria-busy");
          }
        }

        // Shows the server's text if the response is not a page.
        function refuse(status, text) {
          const notice = document.createElement("section");
          notice.className = "notice failure";
          notice.setAttribute("role", "alert");
          const words = document.createElement("p");
          words.className = "heading";
          words.textContent = `${text.trim().slice(0, 500) || "The request was refused."} (status ${status})`;
          notice.append(words);
          $("#notices").replaceChildren(notice);
          reachable(true);
        }

        function reachable(isSo) {
          const line = $("#offline");
          if (line) line.hidden = isSo;
        }

        document.addEventListener("submit", (event) => {
          const form = event.target;
          const url = new URL(form.action);
          if (url.origin !== location.origin || form.method === "dialog" || "download" in form.dataset) return;
          event.preventDefault();
          const data = new FormData(form, event.submitter);
          if (form.method === "get") return void visit(`${url.pathname}?${new URLSearchParams(
            [...data].filter(([, value]) => value !== ""))}`, { form });
          const isUpload = form.enctype === "multipart/form-data";
          const body = isUpload ? data : new URLSearchParams([...data]);
          // A double click must cause only one action. Only the names of the forms are compared, because the second
          // click may submit the cleared form of the page that the first click loaded.
          const isTime = form.closest(".clock, #story-form");
          // After an action on a purchase, another button may be at the place of the pressed one.
          const name = form.closest("#near") ? "near" : form.id || form.ariaLabel;
          if (isSending || (name === lastForm && !isTime && performance.now() - lastSentAt < 600)) return;
          isSending = true;
          visit(url, { form, body }).finally(() => {
            isSending = false;
            [lastForm, lastSentAt] = [name, performance.now()];
          });
        });

        // A form that is sent after further input is a new action.
        document.addEventListener("input", () => { lastForm = null; });

        document.addEventListener("click", (event) => {
          const copy = event.target.closest(".copy");
          if (copy) return void copyText(copy);
          if (event.target.closest("#play-button")) return void (isPlaying ? pause() : play());
          if (event.target.closest(".keys")) return void help();
          const link = event.target.closest("a[href]");
          if (!link || link.hasAttribute("download") || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
          const url = new URL(link.href);
          if (url.origin !== location.origin || url.pathname !== "/" || (url.hash && link.classList.contains("skip"))) return;
          event.preventDefault();
          const isOther = link.closest(".views") || link.closest(".people");
          visit(link.href).then(() => {
            const place = url.hash && $(url.hash);
            if (place) place.focus();
            else if (isOther) scrollTo(0, 0);
          });
        });

        addEventListener("popstate", () => visit(location.href, { keeps: false }));

        const labels = new WeakMap();

        async function copyText(button) {
          await copy($(`#${button.dataset.copy}`).textContent);
          // A second click must not save "Copied" as the button's label.
          if (!labels.has(button)) labels.set(button, button.innerHTML);
          button.textContent = "Copied";
          voice.textContent = "Copied";
          setTimeout(() => { button.innerHTML = labels.get(button); }, 1200);
        }

        """#

    /// Polls for changes, including changes by other clients, and updates the page.
    private static let freshness = #"""
        let isAsking = false;

        async function look() {
          if (isAsking || document.hidden || document.body.hasAttribute("aria-busy")) return;
          isAsking = true;
          const mine = turn;
          try {
            const { version } = await (await fetch("/page/version")).json();
            reachable(true);
            const shown = document.body.dataset.version;
            if (version === shown) return;
            const place = location.href;
            const text = await (await fetch(place)).text();
            const began = performance.now();
            const fresh = new DOMParser().parseFromString(text, "text/html");
            // The user has moved to another page in the meantime.
            if (mine !== turn || place !== location.href) return;
            // If another scenario was loaded, forms and lists have also changed, so the whole page is updated.
            if (shown && version.split(".")[0] !== shown.split(".")[0]) takeWhole(fresh);
            else takeLive(fresh);
            // The duration of this update in milliseconds, for measurements.
            document.body.dataset.took = (performance.now() - began).toFixed(1);
          } catch {
            reachable(false);
          } finally {
            isAsking = false;
          }
        }

        setInterval(look, 1000);
        document.addEventListener("visibilitychange", look);

        """#

    /// Advances time continuously.
    private static let playing = #"""
        let isPlaying = false;
        let playedSpeed = "";

        async function play() {
          isPlaying = true;
          dress();
          while (isPlaying) {
            const began = performance.now();
            const body = new URLSearchParams(new FormData($("#step-form")));
            body.set("subject", $("#speed").value);
            const place = location.href;
            try {
              const answer = await fetch("/page/steps", { method: "POST", body });
              const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
              // If the user has moved to another page, the next poll updates that page.
              const isSame = place === location.href;
              if (answer.ok && isSame) {
                // The response's URL shows the present, even if the page showed a time in the past.
                history.replaceState(null, "", answer.url);
                takeLive(fresh);
              } else if (!answer.ok) {
                pause();
                takeWhole(fresh);
              }
            } catch {
              pause();
              reachable(false);
            }
            await new Promise((go) => setTimeout(go, Math.max(100, 1000 - (performance.now() - began))));
          }
        }

        function pause() {
          isPlaying = false;
          dress();
        }

        document.addEventListener("change", (event) => {
          if (event.target.id === "speed") playedSpeed = event.target.value;
        });

        """#
}
