/// The styles of tables, detail panes and lists.
enum PartsStyle {
    static let text = tables + inspector + lists

    private static let tables = """
        .panel { background: var(--panel); border: 1px solid var(--line); border-radius: var(--radius-large); padding: var(--space-4) var(--space-4); }
        .buying { margin: var(--space-3) 0 var(--space-4); display: flex; flex-wrap: wrap; gap: var(--space-3) var(--space-6); align-items: flex-end; }
        .buying > * { min-width: 0; max-width: 100%; }
        .buying > .more { margin: 0; }
        .buying > .act:has(> .more[open]), .buying > .more[open] { flex: 1 0 100%; }
        .scroll { position: relative; overflow-x: auto; background: var(--panel); border: 1px solid var(--line); border-radius: var(--radius-large); }
        .list { border-collapse: collapse; width: 100%; }
        .list th, .list td { text-align: left; padding: var(--space-2) var(--space-4); vertical-align: baseline;
          border-top: 1px solid var(--line); white-space: nowrap; }
        .list thead th { font-size: var(--type-note); font-weight: 600; color: var(--soft); background: var(--sunken); }
        .list thead a { color: inherit; text-decoration: none; display: block; margin: calc(-1 * var(--space-2)) calc(-1 * var(--space-4));
          padding: var(--space-2) var(--space-4); }
        .list thead a:hover { color: var(--ink); text-decoration: underline; }
        .list thead th[aria-sort] { color: var(--ink); }
        .list tbody th { font-weight: 500; }
        .list tbody tr:hover { background: var(--sunken); }
        #notifications :is(th, td) { vertical-align: top; }
        #notifications th, .list td.attempts { white-space: normal; }
        .list tbody :is(.column-person, .column-about) { white-space: normal; overflow-wrap: anywhere; }
        .list td.attempts .attempt { white-space: normal; overflow-wrap: anywhere; }
        .answer-form { display: inline-block; position: relative; z-index: 1; margin: var(--space-1) var(--space-2) var(--space-1) 0; }
        .column-product:has(.answer-form) { white-space: normal; }
        .plain { list-style: none; padding: 0; margin: var(--space-2) 0 var(--space-4); }
        .list tbody tr.selected { background: var(--selected); box-shadow: inset 3px 0 var(--link); }
        .list tbody tr:has(.row-link) { position: relative; }
        .row-link { color: var(--ink); text-decoration: none; }
        .row-link::after { content: ""; position: absolute; inset: 0; }
        tr:hover .row-link, .row-link:focus-visible { text-decoration: underline; }
        .row-link:focus-visible { outline: none; }
        .row-link:focus-visible::after { outline: 2px solid var(--focus); outline-offset: -2px; border-radius: var(--radius-small); }
        .list td.reason { white-space: normal; min-width: 11rem; }
        .list .none td { white-space: normal; color: var(--soft); padding: var(--space-6) var(--space-4); text-align: center; }
        .note { font-size: var(--type-small); color: var(--over); background: var(--over-ground); border-radius: var(--radius);
          padding: .05rem var(--space-2); margin-left: var(--space-1); font-weight: 400; }
        .column-id { font-size: var(--type-note); color: var(--soft); }
        .state, .answer, .attempt { display: inline-block; border-radius: var(--radius); padding: .05rem var(--space-3); font-size: var(--type-note);
          font-weight: 550; white-space: nowrap; color: var(--over); background: var(--over-ground); }
        .state.purchased, .state.subscribed, .answer.entitled, .attempt.good { color: var(--good);
          background: var(--good-ground); }
        .state.grace, .state.inGracePeriod { color: var(--warn); background: var(--warn-ground); }
        .state.retry, .state.inBillingRetryPeriod, .state.refunded, .state.revoked, .state.failed, .state.declined, .answer.lapsed, .attempt.bad { color: var(--bad);
          background: var(--bad-ground); }
        .state.pending, .state.interrupted, .answer.pending, .answer.unknown { color: var(--waiting);
          background: var(--waiting-ground); }
        @media (max-width: 40rem) {
          .list { font-size: var(--type-small); }
          .list th, .list td { padding: var(--space-2) var(--space-1); white-space: normal; vertical-align: top; }
          .list tbody th, .list .number, .list code, #timeline .list td, #branches .list td {
            white-space: normal; overflow-wrap: anywhere; }
          .list :is(.state, .answer) { white-space: normal; }
          .list thead a { margin: calc(-1 * var(--space-2)) calc(-1 * var(--space-1)); padding: var(--space-2) var(--space-1); }
          #transactions { font-size: var(--type-note); }
          #transactions td:is(.column-purchased, .column-expires) { font-size: var(--type-small); }
          #products .list :is(th, td):nth-child(5),
          #subscriptions .list :is(th, td):is(:first-child, :nth-child(4)) { display: none; }
          #answers .list td.reason { min-width: 5rem; }
          #answers .stacked .list :is(th, td) { padding: 0; border: 0; min-width: 0; }
          #answers [aria-labelledby="products-heading"] .list :is(th, td):nth-child(6),
          #answers [aria-labelledby="statuses-heading"] .list :is(th, td):is(:first-child, :nth-child(4), :nth-child(6)) {
            display: none; }
          #transactions .state, #notifications td:nth-child(2) { white-space: nowrap; }
          /* Rows of many columns become blocks, so that words are not broken. */
          #runs .list, #transactions, #notifications, .stacked .list,
          :is(#runs, #transactions, #notifications, .stacked) :is(thead, tbody) { display: block; }
          #runs thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          :is(#runs, #transactions, #notifications, .stacked) tr { display: flex; flex-wrap: wrap; gap: 0 var(--space-4); align-items: baseline;
            padding: var(--space-2) var(--space-3); border-top: 1px solid var(--line); }
          :is(#runs, #transactions, #notifications, .stacked .list) :is(th, td, thead a) { border: 0; padding: 0; margin: 0; min-width: 0; }
          #runs td.reason, :is(#transactions, #notifications) tbody th, #transactions .none td, .stacked .list td.reason { flex: 1 0 100%; }
          :is(#transactions, #notifications, .stacked) thead tr { background: var(--sunken); }
          #transactions .earlier { padding-left: var(--space-6); }
          #runs td:last-child::before { content: "– " / ""; }
          .list .note { margin-left: 0; white-space: normal; }
          #transactions .column-id, #transactions .column-expires, #branches .list :is(th, td):nth-child(3) { display: none; }
          #branches .branch { display: grid; }
          #branches .branch input { width: 4rem; min-width: 0; }
        }

        """

    private static let inspector = """
        .split { display: grid; grid-template-columns: minmax(0, 1fr); gap: var(--space-5); align-items: start; }
        .inspector { min-width: 0; }
        .inspector header, .why header { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-3); align-items: center; }
        .inspector header h2 { overflow-wrap: anywhere; min-width: 0; }
        .inspector header .state { min-width: 7.5rem; text-align: center; }
        .inspector .close, .why .close { margin-left: auto; }
        .why header h3 { margin: 0; }
        .facts > div { display: grid; grid-template-columns: minmax(7.5rem, 38%) minmax(0, 1fr); gap: var(--space-1) var(--space-4);
          padding: var(--space-1) 0; border-top: 1px solid var(--line); }
        .facts > div:first-child { border-top: 0; }
        .facts dt { color: var(--soft); overflow-wrap: anywhere; }
        .facts dd { overflow-wrap: anywhere; }
        .facts.claims > div { grid-template-columns: minmax(0, 11fr) minmax(0, 12fr); align-items: baseline; }
        .claims .soft, .price, .column-product .note { white-space: nowrap; }
        .facts.inline { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-6); }
        .head { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-6); align-items: center; margin-bottom: var(--space-4); }
        .head .near { margin: 0; }
        .switch { gap: 0; }
        .switch > .soft { margin-right: var(--space-3); }
        .switch button { border-radius: var(--radius) 0 0 var(--radius); }
        .switch form + form button { border-radius: 0 var(--radius) var(--radius) 0; margin-left: -1px; }
        .switch button:disabled { color: var(--ink); border: 1px solid var(--border); background: var(--selected); }
        .facts.inline > div { display: flex; gap: var(--space-3); border: 0; }
        .payload { border-top: 1px solid var(--line); padding: var(--space-1) 0; }
        .payload > summary { font-weight: 600; }
        .payload .claims { margin: var(--space-1) 0 var(--space-2); }
        pre { margin: var(--space-2) 0; padding: var(--space-3) var(--space-4); background: var(--sunken); border: 1px solid var(--line);
          border-radius: var(--radius); overflow: auto; max-height: 22rem; line-height: 1.4; }
        pre.jws { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 9rem; color: var(--soft); }
        .copyable { position: relative; }
        .copyable .copy { position: absolute; right: .5rem; top: .5rem; min-height: 1.7rem; padding: .1rem var(--space-3);
          font-size: var(--type-small); }
        .why { margin: var(--space-4) 0; }
        @media (min-width: 72rem) {
          .split.inspecting { grid-template-columns: minmax(0, 1fr) minmax(18rem, 22rem); }
          .split.inspecting .column-id, .split.inspecting .of-one .column-person { display: none; }
          .split.inspecting .column-product, .split.inspecting .column-product .note { white-space: normal; }
          .split.inspecting > .inspector { position: sticky; top: .8rem; max-height: calc(100vh - 1.6rem); overflow-y: auto; }
          .split.inspecting .list th, .split.inspecting .list td { padding-left: var(--space-3); padding-right: var(--space-3); }
          .split.inspecting .list thead a { margin-left: calc(-1 * var(--space-3)); margin-right: calc(-1 * var(--space-3)); padding-left: var(--space-3); }
        }
        @media (max-width: 71.99rem) {
          .split.inspecting > section:not(.inspector) { display: none; }
        }

        """

    private static let lists = """
        .reasons { list-style: none; margin: var(--space-3) 0; display: grid; max-width: 110rem; }
        .reasons li { display: grid; grid-template-columns: minmax(0, 1fr); column-gap: var(--space-5); padding: var(--space-2) var(--space-4);
          border-left: 3px solid var(--line); }
        .reasons .when, .story .when { color: var(--soft); font-size: var(--type-note); }
        .reasons .effect { font-weight: 600; }
        .reasons .later { border-left-style: dashed; border-left-color: var(--border); }
        @media (min-width: 60rem) {
          td.attempts { min-width: 10rem; }
          .split:not(.inspecting) td.attempts { min-width: 17rem; }
          .reasons li { grid-template-columns: 9.5rem minmax(0, 4fr) minmax(0, 3fr); align-items: baseline; }
          .reasons .when { grid-row: span 2; }
          .reasons .effect { grid-column: 2; }
          .reasons li > .soft { grid-column: 3; grid-row: 1 / span 2; }
        }
        .picture { padding: var(--space-2); }
        .picture img { display: block; max-width: none; min-width: 40rem; width: 100%; height: auto; }
        .story { background: var(--panel); border: 1px solid var(--line); border-radius: var(--radius-large); }
        .story li { display: grid; grid-template-columns: 9.5rem minmax(0, 1fr); gap: .1rem var(--space-4); padding: var(--space-2) var(--space-4);
          overflow-wrap: anywhere; }
        .story li + li { border-top: 1px solid var(--line); }
        .story .who { font-weight: 600; margin-right: var(--space-2); }
        .columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(27rem, 100%), 1fr)); gap: var(--space-5) var(--space-6); }
        .columns > section { min-width: 0; }
        .columns > :first-child { grid-row: span 2; }
        .columns p { margin: var(--space-2) 0 var(--space-3); }
        .columns .list td { white-space: normal; }
        #everyone, .near { margin: var(--space-3) 0; }
        .story + .count, .count:has(+ .story) { padding-left: 0; }
        .settings { background: var(--panel); border: 1px solid var(--line); border-radius: var(--radius-large); }
        .setting { align-items: center; padding: var(--space-2) var(--space-4); flex-wrap: nowrap; }
        .setting + .setting { border-top: 1px solid var(--line); }
        .setting label { flex: 1 1 9rem; min-width: 0; overflow-wrap: anywhere; }
        .setting select, .setting input { flex: 0 1 11rem; min-width: 0; }
        .yaml { max-height: 32rem; }
        @media (max-width: 40rem) {
          .story li { grid-template-columns: minmax(0, 1fr); }
          .bar, main, .side { padding-left: var(--space-4); padding-right: var(--space-4); }
          .clock, .clock .face { width: 100%; min-width: 0; }
          .group button { padding: var(--space-2) var(--space-3); }
          .views .keys { display: none; }
          .facts > div { grid-template-columns: minmax(6rem, 36%) minmax(0, 1fr); }
          .facts.claims > div { grid-template-columns: minmax(0, 1fr); }
        }
        @media (min-width: 112rem) {
          .split.inspecting { grid-template-columns: minmax(0, 1fr) 36rem; }
          #answers { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 var(--space-6); align-items: start;
            grid-auto-flow: dense; }
          #answers > :not(section), #answers > .why, #answers > #timeline { grid-column: 1 / -1; min-width: 0; }
        }
        @media (forced-colors: active) {
          .state, .answer, .attempt, .note { border: 1px solid; }
          .list tbody tr.selected, .people a[aria-current] { outline: 2px solid Highlight; outline-offset: -2px; }
          .views a:not([aria-current]) { border-bottom-color: Canvas; }
        }
        @media (prefers-reduced-motion: no-preference) {
          button, .button, .people a, .views a { transition: background-color .12s; }
        }

        """
}
