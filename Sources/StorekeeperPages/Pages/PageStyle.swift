/// The style sheet and the icon of the pages; the style sheet loads nothing from other servers.
package enum PageStyle {
    package static let text =
        PagePalette.text + PageScale.text + base + frame + controls + PartsStyle.text + TableStyle.text
        + TimelineStyle.text + print

    package static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="5" fill="#0a58c2"/>\
        <path d="M5.5 9h13l-1 10h-11z" fill="#fff"/>\
        <path d="M9 8.6V7.3a3 3 0 0 1 6 0v1.3" fill="none" stroke="#fff" stroke-width="1.6"/></svg>

        """

    /// The rules for text and for visually hidden elements.
    private static let base = """
        *, ::before, ::after { box-sizing: border-box; }
        html { font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
          -webkit-text-size-adjust: 100%; scroll-padding-top: var(--space-5); }
        body { display: flex; flex-direction: column; min-height: 100vh; margin: 0; background: var(--page); color: var(--ink); font-variant-numeric: tabular-nums;
          overflow-wrap: break-word; }
        h1, h2, h3, h4, p, dl, dd, ol, ul { margin: 0; padding: 0; }
        h1 { font-size: var(--type-title); line-height: 1.25; }
        h2 { font-size: var(--type-title); line-height: 1.3; }
        h3 { font-size: 1rem; margin: var(--space-5) 0 var(--space-2); }
        h4 { font-size: var(--type-note); margin: var(--space-4) 0 var(--space-2); }
        ul, .story { list-style: none; }
        a { color: var(--link); text-underline-offset: .15em; }
        code, pre, .number, .claims dt, .claims dd { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono",
          monospace; font-size: var(--type-note); }
        .soft { color: var(--soft); }
        .count { color: var(--soft); padding: var(--space-2) var(--space-4); }
        .unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%);
          white-space: nowrap; }
        [hidden] { display: none !important; }
        .skip { position: absolute; left: .5rem; top: -4rem; padding: var(--space-3) var(--space-4); background: var(--panel); z-index: 3;
          border-radius: var(--radius); }
        .skip:focus { top: .5rem; }
        :focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: var(--radius-small); }
        main:focus, .inspector:focus, .why:focus { outline: none; }
        .inspector:focus-visible, .why:focus-visible { outline: 2px solid var(--focus); }
        ::selection { background: var(--primary); color: var(--on-primary); }

        """

    /// The rules for printing, which must come after the rules that they override.
    private static let print = """
        @media print {
          :root { color-scheme: light; --page: white; }
          .bar .clock, .side, .views, .skip, .told, .buying, .filter, .refold, .close, .timeline-parts, .timeline-section form,
          .near, .acts { display: none; }
          body, .frame { display: block; }
          .frame > main { border: 0; }
        }

        """

    /// The rules for the bar with the clock, the list of customers, and the area of the views.
    private static let frame = """
        .bar { display: flex; flex-wrap: wrap; gap: var(--space-3) var(--space-6); align-items: center; justify-content: space-between;
          padding: var(--space-3) var(--space-5); background: var(--panel); border-bottom: 1px solid var(--line); }
        .brand { display: flex; gap: var(--space-4); align-items: center; min-width: 0; }
        .brand p { font-size: var(--type-note); overflow-wrap: anywhere; }
        .brand h1 { overflow-wrap: anywhere; }
        .logo { width: 2.1rem; height: 2.1rem; flex: none; fill: var(--link); }
        .logo .line { fill: none; stroke: var(--link); stroke-width: 1.6; }
        .clock { display: flex; flex-wrap: wrap; gap: var(--space-3) var(--space-4); align-items: center; }
        .clock .now { font-size: var(--type-title); font-weight: 650; line-height: 1.2; }
        .clock .now .soft { font-size: var(--type-note); font-weight: 400; }
        .clock .face { width: 26rem; max-width: 100%; }
        .next-event { width: 100%; justify-content: space-between; gap: var(--space-3); height: 1.7rem; padding: .1rem var(--space-3); margin-top: var(--space-1); font-size: var(--type-note); }
        .next-event .words { overflow: hidden; text-overflow: ellipsis; }
        .clock .jump, .clock .play { display: flex; gap: var(--space-2); }
        .clock .moves { display: flex; flex-wrap: wrap; gap: var(--space-3) var(--space-4); align-items: center; }
        .drawer > summary { display: none; }
        .group { display: inline-flex; flex-wrap: wrap; gap: var(--space-2); }
        .frame { display: grid; grid-template: "side main" auto "story main" 1fr / 13.5rem minmax(0, 1fr); flex: 1; }
        .side { grid-area: side; padding: var(--space-5) var(--space-3) var(--space-5) var(--space-5); }
        .frame > main { grid-area: main; border-left: 1px solid var(--line); }
        .side form { margin-top: var(--space-3); }
        .side h2 { font-size: var(--type-note); margin-bottom: var(--space-2); }
        .people { max-height: 70vh; overflow-y: auto; margin: 0 calc(-1 * var(--space-2)); padding: var(--space-1) var(--space-2); }
        .people a { display: block; padding: var(--space-2) var(--space-3); border-radius: var(--radius); color: var(--ink);
          text-decoration: none; overflow-wrap: anywhere; }
        .people a:hover { background: var(--over-ground); }
        .people a .soft { display: block; font-size: var(--type-small); }
        .people a[aria-current] { background: var(--selected); font-weight: 600; box-shadow: inset 3px 0 var(--link); }
        .people a[aria-current] .soft { font-weight: 400; }
        main { padding: var(--space-4) var(--space-5) 2rem; min-width: 0; }
        .views { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-1); margin: calc(-1 * var(--space-1)) 0 var(--space-4);
          border-bottom: 1px solid var(--line); }
        .views a { padding: var(--space-2) var(--space-4) var(--space-3); color: var(--soft); text-decoration: none; border-radius: var(--radius) var(--radius) 0 0;
          border-bottom: 3px solid transparent; margin-bottom: -1px; }
        .views a:hover { color: var(--ink); background: var(--over-ground); }
        .views a[aria-current] { color: var(--ink); font-weight: 600; border-bottom-color: var(--link); }
        .views .keys { margin-left: auto; align-self: center; }
        .offline { background: var(--bad-ground); color: var(--bad); padding: var(--space-2) var(--space-5); font-weight: 600; }
        .notice { border: 1px solid var(--line); border-left: 4px solid; border-radius: var(--radius); padding: var(--space-3) var(--space-4);
          margin-bottom: var(--space-4); overflow-wrap: anywhere; }
        .told { position: sticky; bottom: .6rem; max-height: 40vh; overflow-y: auto; margin-top: var(--space-5); z-index: 2; }
        html:has(.told .notice, .told .question) { scroll-padding-bottom: calc(40vh + var(--space-5)); }
        #notices .notice { margin-bottom: 0; box-shadow: 0 2px 8px rgb(0 0 0 / .25); }
        .question { background: var(--waiting-ground); color: var(--waiting); border-radius: var(--radius); padding: var(--space-2) var(--space-4);
          margin-bottom: var(--space-3); }
        .question a { color: inherit; font-weight: 600; }
        button:disabled { color: var(--soft); background: none; border: 1px dashed var(--line); cursor: default; }
        .confirm { display: inline-flex; gap: var(--space-2); align-items: center; min-height: 2rem; }
        .confirm input { width: 1.1rem; height: 1.1rem; min-width: 0; accent-color: var(--primary); }
        .notice .heading { font-weight: 650; }
        .notice.success { border-left-color: var(--good); background: var(--good-ground); }
        .notice.success .heading { color: var(--good); }
        .notice.success .heading::before { content: "✓ " / ""; }
        .notice.failure { border-left-color: var(--bad); background: var(--bad-ground); }
        .notice.failure .heading { color: var(--bad); }
        .notice.failure .heading::before { content: "✕ " / ""; }
        .complaint { color: var(--bad); background: var(--bad-ground); border-radius: var(--radius); padding: var(--space-2) var(--space-4);
          margin: var(--space-2) 0; }
        @media (max-width: 40rem) {
          .drawer > summary { display: list-item; color: var(--link); width: fit-content; }
          .side > h2 { display: none; }
        }
        @media (min-width: 112rem) {
          .frame { grid-template: "side main story" 1fr / 16rem minmax(0, 1fr) auto; }
        }
        @media (max-width: 60rem) {
          .frame { grid-template: "side" auto "story" auto "main" 1fr / minmax(0, 1fr); }
          .frame > main { border-left: 0; }
          .side { border-bottom: 1px solid var(--line); padding: var(--space-4) var(--space-5); }
          .people { display: flex; flex-wrap: wrap; gap: var(--space-1); max-height: 8.5rem; }
          .people a[aria-current] { box-shadow: inset 0 -3px var(--link); }
        }

        """

    /// The rules for buttons, form fields and dialogs.
    private static let controls = """
        button, .button, input, select, textarea { font: inherit; color: var(--ink); background: var(--panel);
          border: 1px solid var(--border); border-radius: var(--radius); padding: var(--space-2) var(--space-3); height: 2rem; max-width: 100%; }
        button, .button { display: inline-flex; align-items: center; cursor: pointer; text-decoration: none;
          line-height: 1.2; white-space: nowrap; }
        button:hover, .button:hover { background: var(--over-ground); }
        .primary { background: var(--primary); border-color: var(--primary); color: var(--on-primary); font-weight: 600; }
        .primary:hover { background: var(--primary); text-decoration: underline; }
        .danger { color: var(--bad); border-color: var(--bad); }
        .danger:hover { background: var(--bad-ground); }
        button[aria-pressed="true"] { background: var(--selected); font-weight: 600; }
        input::placeholder, textarea::placeholder { color: var(--soft); opacity: 1; font-style: italic; }
        input[type="number"] { width: 6rem; }
        textarea, input[type="file"] { height: auto; }
        input[type="file"] { padding: var(--space-1); }
        ::file-selector-button { font: inherit; color: var(--ink); background: var(--over-ground); border: 0;
          border-radius: var(--radius-small); padding: var(--space-1) var(--space-3); margin-right: var(--space-3); cursor: pointer; }
        input:user-invalid { border-color: var(--bad); border-width: 2px; }
        textarea { width: 100%; font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: var(--type-note); }
        form { margin: 0; }
        .field { display: inline-flex; flex-direction: column; gap: .1rem; min-width: 0; }
        .field label { font-size: var(--type-small); color: var(--soft); }
        .field select, .field input:not([type="number"]) { min-width: 7rem; }
        .act, .filter { display: flex; flex-wrap: wrap; gap: var(--space-3) var(--space-3); align-items: flex-end; }
        .act.tall { flex-direction: column; align-items: stretch; }
        .act.tall button { align-self: flex-start; }
        .filter { padding: .1rem 0 var(--space-3); }
        details > summary { cursor: pointer; overflow-wrap: anywhere; padding: var(--space-2) var(--space-1); border-radius: var(--radius); }
        .more { margin-top: var(--space-3); }
        .act > .more > .act { margin: var(--space-2) 0 0; }
        .more > summary { color: var(--link); width: fit-content; }
        .more > .act, .more > dl { margin: var(--space-3) 0; }
        .act > .more { margin: 0; flex: 1 0 auto; align-self: flex-end; }
        .act > .more[open] { flex-basis: 100%; }
        .acts { border: 1px solid var(--line); border-radius: var(--radius); margin-top: var(--space-2); }
        .acts > details + details { border-top: 1px solid var(--line); }
        .acts summary { padding: var(--space-2) var(--space-4); }
        .acts summary .soft { font-size: var(--type-note); margin-left: var(--space-2); }
        .acts details[open] > summary { background: var(--sunken); font-weight: 600; }
        .acts details[open] > summary .soft { font-weight: 400; }
        .acts form { padding: var(--space-2) var(--space-4) var(--space-4); background: var(--sunken); }
        .near { display: flex; flex-wrap: wrap; gap: var(--space-2); align-items: center; }
        dialog { color: var(--ink); background: var(--panel); border: 1px solid var(--border); border-radius: var(--radius-large);
          padding: var(--space-5) var(--space-5); max-width: min(28rem, calc(100vw - 2rem)); }
        dialog::backdrop { background: rgb(0 0 0 / .45); }
        dialog dl { display: grid; grid-template-columns: auto 1fr; gap: var(--space-2) var(--space-4); margin: var(--space-4) 0; }
        kbd { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: var(--type-note);
          border: 1px solid var(--border); border-bottom-width: 2px; border-radius: var(--radius); padding: .05rem var(--space-2); }
        .check { display: flex; gap: var(--space-3); align-items: center; margin-bottom: var(--space-4); }
        .check input { width: 1.1rem; height: 1.1rem; accent-color: var(--primary); }

        """
}
