/// The styles of tables, inspectors and lists.
enum PartsStyle {
    static let text = tables + inspector + lists

    private static let tables = """
        .panel { background: var(--panel); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem .9rem; }
        .buying { margin: .5rem 0 .9rem; }
        .scroll { position: relative; overflow-x: auto; background: var(--panel); border: 1px solid var(--line); border-radius: .5rem; }
        .list { border-collapse: collapse; width: 100%; }
        .list th, .list td { text-align: left; padding: .38rem .75rem; vertical-align: baseline;
          border-top: 1px solid var(--line); white-space: nowrap; }
        .list thead th { font-size: .86rem; font-weight: 600; color: var(--soft); background: var(--sunken); }
        .list thead a { color: inherit; text-decoration: none; display: block; margin: -.38rem -.75rem;
          padding: .38rem .75rem; }
        .list thead a:hover { color: var(--ink); text-decoration: underline; }
        .list thead th[aria-sort] { color: var(--ink); }
        .list tbody th { font-weight: 500; }
        .list tbody tr:hover { background: var(--sunken); }
        #notifications th, .list td.attempts { white-space: normal; }
        .list td.attempts .attempt { white-space: normal; overflow-wrap: anywhere; }
        .answer-form { display: inline-block; position: relative; z-index: 1; margin: .15rem .3rem .15rem 0; }
        .column-product:has(.answer-form) { white-space: normal; }
        .plain { list-style: none; padding: 0; margin: .3rem 0 .8rem; }
        .list tbody tr.selected { background: var(--selected); box-shadow: inset 3px 0 var(--link); }
        .list tbody tr:has(.row-link) { position: relative; }
        .row-link { color: var(--ink); text-decoration: none; }
        .row-link::after { content: ""; position: absolute; inset: 0; }
        tr:hover .row-link, .row-link:focus-visible { text-decoration: underline; }
        .row-link:focus-visible { outline: none; }
        .row-link:focus-visible::after { outline: 2px solid var(--focus); outline-offset: -2px; border-radius: .2rem; }
        .list .none td { white-space: normal; color: var(--soft); padding: 1.4rem .75rem; text-align: center; }
        .note { font-size: .79rem; color: var(--over); background: var(--over-ground); border-radius: .3rem;
          padding: .05rem .35rem; margin-left: .25rem; font-weight: 400; }
        .column-id { font-size: .86rem; color: var(--soft); }
        .state, .answer, .attempt { display: inline-block; border-radius: .35rem; padding: .05rem .45rem; font-size: .88rem;
          font-weight: 550; white-space: nowrap; color: var(--over); background: var(--over-ground); }
        .state.purchased, .state.subscribed, .answer.entitled, .attempt.good { color: var(--good);
          background: var(--good-ground); }
        .state.grace, .state.inGracePeriod, .state.retry, .state.inBillingRetryPeriod { color: var(--warn);
          background: var(--warn-ground); }
        .state.refunded, .state.revoked, .state.failed, .state.declined, .answer.lapsed, .attempt.bad { color: var(--bad);
          background: var(--bad-ground); }
        .state.pending, .state.interrupted, .answer.pending, .answer.unknown { color: var(--waiting);
          background: var(--waiting-ground); }
        @media (max-width: 40rem) {
          .list th, .list td { padding: .4rem .35rem; }
          #transactions th, #transactions td { white-space: normal; }
          .list thead a { margin: -.4rem -.35rem; padding: .4rem .35rem; }
          #transactions { font-size: .93rem; }
          #transactions td.column-purchased { font-size: .82rem; min-width: 5.9rem; }
          #notifications .column-about { display: none; }
          .list .note { margin-left: 0; white-space: nowrap; }
          #transactions .column-id, #transactions .column-expires { display: none; }
        }

        """

    private static let inspector = """
        .split { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; align-items: start; }
        .inspector { min-width: 0; }
        .inspector header, .why header { display: flex; flex-wrap: wrap; gap: .3rem .6rem; align-items: center; }
        .inspector header h2 { overflow-wrap: anywhere; min-width: 0; }
        .inspector header .state { min-width: 7.5rem; text-align: center; }
        .inspector .close, .why .close { margin-left: auto; }
        .why header h3 { margin: 0; }
        .facts > div { display: grid; grid-template-columns: minmax(7.5rem, 38%) minmax(0, 1fr); gap: .2rem .8rem;
          padding: .22rem 0; border-top: 1px solid var(--line); }
        .facts > div:first-child { border-top: 0; }
        .facts dt { color: var(--soft); overflow-wrap: anywhere; }
        .facts dd { overflow-wrap: anywhere; }
        .facts.claims > div { grid-template-columns: minmax(0, 11fr) minmax(0, 12fr); align-items: baseline; }
        .claims .soft, .price, .column-product .note { white-space: nowrap; }
        .facts.inline { display: flex; flex-wrap: wrap; gap: .2rem 1.4rem; }
        .facts.inline > div { display: flex; gap: .5rem; border: 0; }
        .payload { border-top: 1px solid var(--line); padding: .2rem 0; }
        .payload > summary { font-weight: 600; }
        .payload .claims { margin: .2rem 0 .4rem; }
        pre { margin: .3rem 0; padding: .6rem .7rem; background: var(--sunken); border: 1px solid var(--line);
          border-radius: .4rem; overflow: auto; max-height: 22rem; line-height: 1.4; }
        pre.jws { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 9rem; color: var(--soft); }
        .copyable { position: relative; }
        .copyable .copy { position: absolute; right: .5rem; top: .5rem; min-height: 1.7rem; padding: .1rem .5rem;
          font-size: .82rem; }
        .why { margin: .8rem 0; }
        @media (min-width: 72rem) {
          .split.inspecting { grid-template-columns: minmax(0, 1fr) minmax(21rem, 26rem); }
          .split.inspecting > .inspector { position: sticky; top: .8rem; max-height: calc(100vh - 1.6rem); overflow-y: auto; }
          .split.inspecting .list th, .split.inspecting .list td { padding-left: .5rem; padding-right: .5rem; }
          .split.inspecting .list thead a { margin-left: -.5rem; margin-right: -.5rem; padding-left: .5rem; }
        }
        @media (max-width: 71.99rem) {
          .split.inspecting > section:not(.inspector) { display: none; }
        }

        """

    private static let lists = """
        .reasons { margin: .6rem 0; padding-left: 1.6rem; display: grid; gap: .5rem; }
        .reasons li > span { display: block; }
        .reasons .when, .story .when { color: var(--soft); font-size: .86rem; }
        .reasons .effect { font-weight: 600; }
        .reasons .later { border-left: 3px dashed var(--border); padding-left: .6rem; }
        .picture { padding: .4rem; }
        .picture img { display: block; max-width: none; min-width: 40rem; width: 100%; height: auto; }
        .story { background: var(--panel); border: 1px solid var(--line); border-radius: .5rem; }
        .story li { display: grid; grid-template-columns: 9.5rem minmax(0, 1fr); gap: .1rem .9rem; padding: .38rem .75rem;
          overflow-wrap: anywhere; }
        .story li + li { border-top: 1px solid var(--line); }
        .story .who { font-weight: 600; margin-right: .3rem; }
        .columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(27rem, 100%), 1fr)); gap: 1rem 1.6rem; }
        .columns > section { min-width: 0; }
        .columns p { margin: .3rem 0 .6rem; }
        .columns .list td { white-space: normal; }
        #everyone, .near { margin: .6rem 0; }
        .story + .count, .count:has(+ .story) { padding-left: 0; }
        .settings { background: var(--panel); border: 1px solid var(--line); border-radius: .5rem; }
        .setting { align-items: center; padding: .3rem .75rem; flex-wrap: nowrap; }
        .setting + .setting { border-top: 1px solid var(--line); }
        .setting label { flex: 1 1 9rem; min-width: 0; overflow-wrap: anywhere; }
        .setting select, .setting input { flex: 0 1 11rem; min-width: 0; }
        .yaml { max-height: 32rem; }
        @media (max-width: 40rem) {
          .story li { grid-template-columns: minmax(0, 1fr); }
          .bar, main, .side { padding-left: .75rem; padding-right: .75rem; }
          .clock, .clock .face { width: 100%; min-width: 0; }
          .group button { padding: .28rem .5rem; }
          .views .keys { margin-left: 0; }
          .facts > div { grid-template-columns: minmax(6rem, 36%) minmax(0, 1fr); }
        }
        @media (forced-colors: active) {
          .state, .answer, .attempt, .note { border: 1px solid; }
          .list tbody tr.selected { outline: 2px solid Highlight; outline-offset: -2px; }
        }
        @media (prefers-reduced-motion: no-preference) {
          button, .button, .people a, .views a { transition: background-color .12s; }
        }

        """
}
