/// The styles of the table of transactions and of the catalog.
enum TableStyle {
    static let text = """
        .find { flex: 1 1 20rem; max-width: 44rem; }
        .find input { width: 100%; }
        .filter .complaint { font-size: .82rem; max-width: 22rem; margin: .1rem 0 0; }
        input[aria-invalid="true"], select[aria-invalid="true"] { border-color: var(--bad); border-width: 2px; }
        .field .complaint { font-size: .82rem; margin: .1rem 0 0; max-width: 22rem; }
        #inspector-heading .soft { font-weight: 400; font-size: .93rem; }
        .refold { margin-left: .6rem; }
        .line .column-product { white-space: normal; min-width: 13rem; }
        .line .column-product > .soft { font-weight: 400; font-size: .86rem; overflow-wrap: anywhere; }
        .remarks { display: flex; flex-wrap: wrap; gap: .15rem .5rem; align-items: baseline; font-weight: 400;
          font-size: .86rem; color: var(--soft); }
        .remarks .note { margin-left: 0; white-space: normal; }
        .amount { color: var(--ink); white-space: nowrap; }
        .fold { position: relative; z-index: 1; text-decoration: none; }
        .fold:hover { text-decoration: underline; }
        .asked { display: block; position: relative; z-index: 1; font-weight: 400; font-size: .86rem;
          color: var(--waiting); margin-top: .15rem; }
        .asked button { height: 1.7rem; padding: .1rem .6rem; }
        .ago { display: block; font-size: .82rem; color: var(--soft); }
        .note.waiting { color: var(--waiting); background: var(--waiting-ground); }
        .note.warn { color: var(--warn); background: var(--warn-ground); }
        .note.bad { color: var(--bad); background: var(--bad-ground); }
        .list .earlier th, .list .earlier td { border-top-style: dotted; }
        .list .earlier th:first-child, .list .earlier td:first-child { padding-left: 2rem; }
        .group-title { font-weight: 600; }
        .group-rows { margin-bottom: .8rem; }
        .catalog { background: var(--panel); border: 1px solid var(--line); border-radius: .5rem; }
        .catalog li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .1rem .8rem; padding: .45rem .75rem;
          overflow-wrap: anywhere; }
        .catalog li + li { border-top: 1px solid var(--line); }
        .catalog .item { font-weight: 550; }
        .catalog .item .soft { font-weight: 400; font-size: .86rem; }
        .catalog .about { grid-column: 1 / -1; font-size: .93rem; }
        .catalog .chosen { background: var(--selected); box-shadow: inset 3px 0 var(--link); }
        .offer { padding-left: .8rem; border-left: 2px solid var(--line); }
        .catalog li:target, .offer:target, .group-rows:target { outline: 2px solid var(--focus); outline-offset: 2px; }
        @media (max-width: 40rem) {
          .line .column-product { min-width: 0; }
          .list .earlier th:first-child, .list .earlier td:first-child { padding-left: 1rem; }
          .list .ago { white-space: normal; }
        }
        @media (min-width: 72rem) {
          .split.inspecting .line td { white-space: normal; }
          .split.inspecting .line .column-product { min-width: 11rem; }
        }

        """
}
