import StorekeeperPages

/// The style sheet of the desk: the style sheet of all pages, and the rules for the desk.
enum DeskStyle {
    static let text = PageStyle.text + own

    static let own = """
        .list td.sentence { white-space: normal; overflow-wrap: anywhere; min-width: 9rem; }
        .list code { white-space: nowrap; }
        .detail { display: block; font-weight: 400; font-size: var(--type-note); }
        .detail:empty { display: none; }
        #answers > p, section > p { margin: var(--space-2) 0; }
        .summary { font-size: var(--type-title); font-weight: 600; overflow-wrap: anywhere; }
        #answers > .facts { margin: var(--space-5) 0 var(--space-4); }
        .jumps { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-4); margin: var(--space-3) 0; }
        .jumps a { padding: .15rem 0; }
        .list a[rel="noreferrer"] { display: inline-block; padding: .3rem 0; }
        .jumps [aria-current], .bar nav [aria-current] { color: var(--ink); font-weight: 600; text-decoration: none; }
        .bar .group { gap: var(--space-2) var(--space-5); }
        #times { margin-bottom: var(--space-3); display: grid; gap: var(--space-3); }
        #travel { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-3); align-items: center; margin: 0; }
        #travel .near { margin: 0; }
        #travel > .soft { flex: 1 0 100%; }
        #times > *, #travel > * { min-width: 0; overflow-wrap: anywhere; }
        .step, #travel .near { display: flex; flex-wrap: wrap; gap: var(--space-2); align-items: center; }
        .step label { color: var(--soft); font-size: var(--type-note); min-width: 11rem; }
        .then { color: var(--ink); text-decoration-color: var(--border); white-space: nowrap; }
        .panel form, .panel > p + .act { margin-top: var(--space-3); }
        form.panel { margin: var(--space-3) 0; display: grid; gap: var(--space-3); }
        form.panel > button { justify-self: start; }
        .acts form { display: grid; gap: var(--space-3); }
        .acts form > button { justify-self: start; }
        .acts .complaint { margin: var(--space-2) var(--space-4); }
        #grants > form, .notice form { margin-top: var(--space-3); }
        #recent { margin-top: var(--space-5); }
        #recent li { margin: var(--space-2) 0; overflow-wrap: anywhere; }
        .why details { margin-top: var(--space-3); }
        #ticket-text { white-space: pre-wrap; overflow-wrap: anywhere; max-height: none; }
        #copied { align-self: center; color: var(--good); }
        @media (max-width: 40rem) {
          .bar .act { width: 100%; }
          .bar .field { flex: 1 1 12rem; }
          .bar .field input { width: 100%; }
          .step { flex: 1 0 100%; }
          .step label { flex: 1 0 100%; }
          .then { white-space: normal; overflow-wrap: normal; }
          .list td.sentence { min-width: 0; }
          .stacked .list td.sentence { flex: 1 0 100%; order: 1; }
          /* The sentence below the balances repeats their columns. */
          #balances :is(th, td):not(:first-child, :last-child), #features :is(th, td):nth-child(3) {
            display: none; }
        }
        /* The answers are beside the picture. */
        @media (min-width: 112rem) {
          #timeline:has(#times) { display: grid; grid-template: auto auto auto auto 1fr / 31rem minmax(0, 1fr); column-gap: var(--space-5); }
          #timeline:has(#times) > * { grid-column: 2; min-width: 0; }
          #timeline:has(#times) > header { grid-column: 1 / -1; }
          #timeline > #times { grid-area: 2 / 1 / -1 / 2; align-self: start; }
          #times .moment-answers { display: grid; }
          .step label { flex: 1 0 100%; }
        }
        @media print {
          :root { color-scheme: light; --page: #ffffff; --panel: #ffffff; --sunken: #ffffff; --selected: #ffffff;
            --ink: #000000; --soft: #3c434b; --line: #9aa3ad; --link: #000000; --good: #000000; --bad: #000000;
            --warn: #000000; --waiting: #000000; --over: #000000; --good-ground: #ffffff; --bad-ground: #ffffff;
            --warn-ground: #ffffff; --waiting-ground: #ffffff; --over-ground: #ffffff; }
          html { font-size: 10pt; }
          .screen, .skip, .logo { display: none !important; }
          .bar, main { padding: 0; border: 0; }
          .scroll { overflow: visible; border: 0; }
          .list th, .list td { white-space: normal; padding: var(--space-1) var(--space-2) var(--space-1) 0; }
          .list code { white-space: normal; }
          tr, .timeline-frame, .panel { break-inside: avoid; }
          thead { display: table-header-group; }
          h2, h3 { break-after: avoid; }
          a { text-decoration: none; }
        }

        """
}

/// The script of the desk: the script of the timeline, and a script that copies and prints.
///
/// Without the script, all other functions of the desk work.
enum DeskScript {
    static let text = TimelineScript.text + "\"use strict\";\n(() => {\n" + ClipboardScript.text + own

    private static let own = #"""
        const byId = (id) => document.getElementById(id);
        const copied = byId("copied");

        async function copyText(text) {
          await copy(text);
          copied.textContent = copied.dataset.text;
          setTimeout(() => { copied.textContent = ""; }, 4000);
        }

        // The buttons need the script, so that only the script shows them.
        for (const button of document.querySelectorAll("[data-copy]")) {
          button.hidden = false;
          button.addEventListener("click", () => copyText(byId(button.dataset.copy).textContent));
        }
        for (const button of document.querySelectorAll("[data-copy-link]")) {
          button.hidden = false;
          button.addEventListener("click", () => {
            copyText(location.origin + byId(button.dataset.copyLink).getAttribute("href"));
          });
        }
        const print = byId("print");
        if (print) {
          print.hidden = false;
          print.addEventListener("click", () => window.print());
        }

        // A confirmation or an explanation that was asked for gets the focus.
        const target = location.hash.length > 1 && byId(decodeURIComponent(location.hash.slice(1)));
        if (target && target.tagName === "DETAILS") target.open = true;
        })();

        """#
}
