/// The keyboard shortcuts of the page.
///
/// The shortcuts can be turned off, as WCAG 2.2, success criterion 2.1.4, requires.
enum KeyboardScript {
    static let text = #"""
        const areKeysOff = () => localStorage.getItem("keys") === "off";

        function help() {
          $("#keys-on").checked = !areKeysOff();
          $("#keys").showModal();
        }

        function step(by) {
          const links = $$(".row-link").filter((one) => one.getClientRects().length);
          if (!links.length) return;
          const at = links.indexOf(document.activeElement);
          const chosen = links.findIndex((one) => one.hasAttribute("aria-current"));
          const from = at >= 0 ? at : chosen >= 0 ? chosen : by > 0 ? -1 : links.length;
          const link = links[Math.min(links.length - 1, Math.max(0, from + by))];
          link.focus({ preventScroll: true });
          link.closest("tr").scrollIntoView({ block: "nearest" });
        }

        document.addEventListener("keydown", (event) => {
          if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return;
          const focus = document.activeElement;
          const isTyping = focus.matches("input:not([type=checkbox]), select, textarea");
          if (event.key === "Escape" && !$("dialog[open]")) {
            if (isTyping) return void focus.blur();
            const close = $(".inspector .close, .why .close");
            if (!close) return;
            event.preventDefault();
            const row = $(".row-link[aria-current]");
            const back = row && key(row);
            return void visit(close.href).then(() => { const link = back && $(back); if (link) link.focus(); });
          }
          if (isTyping || $("dialog[open]")) return;
          const isRow = focus.classList.contains("row-link");
          if (isRow && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
            event.preventDefault();
            return void step(event.key === "ArrowDown" ? 1 : -1);
          }
          // In tab order, the details come after all rows, so Enter moves the focus to them directly.
          if (isRow && event.key === "Enter" && focus.hasAttribute("aria-current")) {
            event.preventDefault();
            return void $("#inspector").focus();
          }
          if (areKeysOff()) return;
          const views = $$(".views a");
          const acts = {
            j: () => step(1), k: () => step(-1), "?": help,
            "/": () => { const field = $("#find"); if (field) { field.focus(); field.select(); } },
            n: () => $("#step-event").click(), p: () => $("#play-button").click(),
          };
          const act = acts[event.key] || (views[event.key - 1] && (() => views[event.key - 1].click()));
          if (!act) return;
          event.preventDefault();
          act();
        });

        document.addEventListener("change", (event) => {
          if (event.target.id === "keys-on") localStorage.setItem("keys", event.target.checked ? "on" : "off");
        });

        document.body.append(voice);
        dress();
        """# + "\n"
}
