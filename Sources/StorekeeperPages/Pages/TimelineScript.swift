/// The script of the timeline, which zooms and moves the picture, and shows the text of a bar.
///
/// Without the script, the links of the page have the same effect. While the picture moves, the script places the
/// elements of the picture by their times. After the move, the script fetches the page with the new part of the time
/// axis, for which the server draws the picture again.
package enum TimelineScript {
    package static let text = #"""
        "use strict";
        (() => {
          const frame = () => document.getElementById("timeline-frame");
          const picture = () => frame() && frame().dataset.spanAddress ? frame().querySelector("svg.timeline") : null;
          const iso = (time) => new Date(time).toISOString().replace(".000Z", "Z");
          const shortest = 60000;

          // Opens a URL in the same way as a click on a link.
          function follow(address) {
            const link = document.createElement("a");
            link.href = address;
            link.hidden = true;
            document.body.append(link);
            link.click();
            link.remove();
          }

          // MARK: The part of the axis

          const edges = (svg) => [Number(svg.dataset.from), Number(svg.dataset.to)];

          // Moves all elements of the picture to match a time axis with other ends.
          function place(svg, from, to) {
            const share = (time) => (Number(time) - from) / (to - from) * 100;
            [svg.dataset.from, svg.dataset.to] = [from, to];
            svg.classList.add("moving");
            for (const one of svg.querySelectorAll("[data-at]")) one.setAttribute("x", `${share(one.dataset.at)}%`);
            for (const one of svg.querySelectorAll("rect[data-from]")) {
              const left = share(one.dataset.from);
              one.setAttribute("x", `${left}%`);
              one.setAttribute("width", `${Math.max(share(one.dataset.to) - left, 0.1)}%`);
            }
          }

          // Shows another part of the time axis immediately; shortly afterwards, the server draws the picture again.
          function show(from, to) {
            const svg = picture();
            const { first, last } = frame().dataset;
            const most = (last - first) * 1.2;
            if (to - from > most) {
              const middle = (from + to) / 2;
              [from, to] = [middle - most / 2, middle + most / 2];
            }
            if (to - from < shortest || Math.max(-from, to) > 8.64e15) return;
            moves += 1;
            hideTip();
            place(svg, Math.round(from), Math.round(to));
            settle(150);
          }

          let waiting = 0;
          let moves = 0;
          function settle(delay) {
            clearTimeout(waiting);
            waiting = setTimeout(() => {
              const svg = picture();
              if (!svg || pointers.size) return;
              const [from, to] = edges(svg);
              const { first, last, spanAddress, allAddress } = frame().dataset;
              const isAll = from <= Number(first) && to >= Number(last);
              draw(isAll ? allAddress : spanAddress.replace("span=FROM..TO", `span=${iso(from)}..${iso(to)}`));
            }, delay);
          }

          // Fetches the timeline of a URL; an open table stays open, and the focus does not move.
          async function draw(address) {
            const made = moves;
            const [place, shown] = [location.href, document.getElementById("timeline")];
            try {
              // `fetch` rejects a URL with a user name and a password, so the base is the origin and not the page's
              // URL.
              const text = await (await fetch(new URL(address, location.origin))).text();
              const page = new DOMParser().parseFromString(text, "text/html");
              const fresh = page.getElementById("timeline");
              const old = document.getElementById("timeline");
              // The fetched timeline is outdated if the picture has moved again, or if the page has changed.
              const isSame = made === moves && place === location.href && old === shown;
              if (!fresh || !old || pointers.size || !isSame) return;
              const isOpen = document.getElementById("runs").open;
              const focused = document.activeElement;
              const key = old.contains(focused) ? focused.id || focused.dataset.key : "";
              old.replaceChildren(...fresh.childNodes);
              document.getElementById("runs").open = isOpen;
              const again = key && (document.getElementById(key) || old.querySelector(`[data-key="${CSS.escape(key)}"]`)
                || frame());
              if (again) again.focus({ preventScroll: true });
              // Copies the return URL to the forms, so that the page shows the same part of the time axis after a form
              // is sent.
              const back = page.querySelector("input[name=back]");
              for (const one of back ? document.querySelectorAll("input[name=back]") : []) {
                one.setAttribute("value", back.value);
              }
              history.replaceState(null, "", address);
            } catch {
              // Another script of the page reports that the server does not respond.
            }
          }

          function zoom(factor, share = 0.5) {
            const [from, to] = edges(picture());
            const fixed = from + (to - from) * share;
            show(fixed - (fixed - from) * factor, fixed + (to - fixed) * factor);
          }

          function move(share) {
            const [from, to] = edges(picture());
            show(from + (to - from) * share, to + (to - from) * share);
          }

          function showAll() {
            const { first, last } = frame().dataset;
            show(Number(first), Number(last));
          }

          // MARK: Mouse and touch

          const pointers = new Map();
          let hasMoved = false;

          const shareAt = (x) => {
            const box = picture().getBoundingClientRect();
            return (x - box.left) / box.width;
          };

          document.addEventListener("pointerdown", (event) => {
            hasMoved = false;
            const svg = picture();
            if (!svg || !svg.contains(event.target) || event.button) return;
            pointers.set(event.pointerId, event.clientX);
          });

          document.addEventListener("pointermove", (event) => {
            const svg = picture();
            const before = pointers.get(event.pointerId);
            if (before === undefined || !svg) return;
            if (!hasMoved && Math.abs(event.clientX - before) < 4) return;
            hasMoved = true;
            const width = svg.getBoundingClientRect().width;
            if (pointers.size === 1) {
              pointers.set(event.pointerId, event.clientX);
              return move((before - event.clientX) / width);
            }
            const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
            pointers.set(event.pointerId, event.clientX);
            const [was, is] = [Math.max(Math.abs(before - other), 8), Math.max(Math.abs(event.clientX - other), 8)];
            zoom(was / is, shareAt((event.clientX + other) / 2));
          });

          for (const name of ["pointerup", "pointercancel"]) {
            addEventListener(name, (event) => {
              if (pointers.delete(event.pointerId) && hasMoved && !pointers.size) settle(0);
            });
          }

          // The wheel zooms while Ctrl is pressed or the timeline has the focus; otherwise it scrolls the page.
          document.addEventListener("wheel", (event) => {
            const svg = picture();
            if (!svg || !svg.contains(event.target)) return;
            const isHorizontal = Math.abs(event.deltaX) > Math.abs(event.deltaY);
            const isWanted = event.ctrlKey || event.shiftKey || frame().contains(document.activeElement);
            if (!isHorizontal && !isWanted) return;
            event.preventDefault();
            if (isHorizontal || event.shiftKey) return void move((event.deltaX || event.deltaY) / 1000);
            zoom(event.deltaY > 0 ? 1.25 : 0.8, shareAt(event.clientX));
          }, { passive: false });

          // A click shows the answers at the instant below the pointer.
          document.addEventListener("click", (event) => {
            const svg = picture();
            if (!svg || !svg.contains(event.target) || event.metaKey || event.ctrlKey || event.shiftKey) return;
            event.preventDefault();
            event.stopPropagation();
            if (hasMoved) return;
            const link = event.target.closest("a");
            const isBar = event.target.closest("rect") && !event.target.closest(".several");
            if (link && !(isBar && event.detail)) return void follow(link.href.baseVal);
            const [from, to] = edges(svg);
            const unit = to - from > 5184000000 ? 3600000 : to - from > 172800000 ? 60000 : 1000;
            const time = Math.round((from + (to - from) * shareAt(event.clientX)) / unit) * unit;
            follow(frame().dataset.atAddress.replace("at=INSTANT", `at=${iso(time)}`));
          }, true);

          document.addEventListener("dragstart", (event) => {
            if (picture() && picture().contains(event.target)) event.preventDefault();
          });

          // MARK: Keyboard

          document.addEventListener("keydown", (event) => {
            const tip = document.getElementById("timeline-tip");
            if (event.key === "Escape" && tip && !tip.hidden) {
              event.preventDefault();
              return hideTip();
            }
            if (!picture() || !frame().contains(event.target) || event.metaKey || event.ctrlKey || event.altKey) return;
            const acts = {
              "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), "−": () => zoom(2), 0: showAll,
              ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2),
            };
            if (!acts[event.key]) return;
            event.preventDefault();
            acts[event.key]();
          }, true);

          // MARK: The words of a bar

          function showTip(bar, x) {
            const tip = document.getElementById("timeline-tip");
            const title = bar.querySelector("title");
            if (title) {
              // If the `title` element stayed, the browser would also show its text as a tooltip.
              bar.dataset.words = title.textContent;
              bar.setAttribute("aria-label", title.textContent);
              title.remove();
            }
            tip.textContent = bar.dataset.words;
            tip.hidden = false;
            const [box, around] = [bar.getBoundingClientRect(), frame().getBoundingClientRect()];
            const left = (x === undefined ? Math.max(box.left, around.left) : x - 12) - around.left;
            tip.style.left = `${Math.max(4, Math.min(left, around.width - tip.offsetWidth - 4))}px`;
            tip.style.top = `${box.bottom - around.top + 6}px`;
          }

          function hideTip() {
            const tip = document.getElementById("timeline-tip");
            if (tip) tip.hidden = true;
          }

          for (const name of ["pointerover", "focusin"]) {
            document.addEventListener(name, (event) => {
              const bar = event.target.closest && event.target.closest("#timeline-frame .bar");
              if (bar && !(hasMoved && pointers.size)) showTip(bar, event.clientX);
              else hideTip();
            });
          }
        })();

        """#
}
