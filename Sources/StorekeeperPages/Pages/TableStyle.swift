/// The styles of the table of transactions and of the catalog.
enum TableStyle {
    static let text = """
        .find { flex: 1 1 20rem; max-width: 44rem; }
        .find input { width: 100%; }
        .filter .complaint { font-size: var(--type-small); max-width: 22rem; margin: .1rem 0 0; }
        input[aria-invalid="true"], select[aria-invalid="true"] { border-color: var(--bad); border-width: 2px; }
        .field .complaint { font-size: var(--type-small); margin: .1rem 0 0; max-width: 22rem; }
        #inspector-heading .soft { font-weight: 400; font-size: var(--type-note); }
        .refold { margin-left: var(--space-3); }
        .line .column-product { white-space: normal; min-width: 13rem; }
        .line .column-product > .soft { font-weight: 400; font-size: var(--type-note); overflow-wrap: anywhere; }
        .remarks { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-3); align-items: baseline; font-weight: 400;
          font-size: var(--type-note); color: var(--soft); }
        .remarks .note { margin-left: 0; white-space: normal; }
        .amount { color: var(--ink); white-space: nowrap; }
        .fold { position: relative; z-index: 1; text-decoration: none; }
        .fold:hover { text-decoration: underline; }
        .asked { display: block; position: relative; z-index: 1; font-weight: 400; font-size: var(--type-note);
          color: var(--waiting); margin-top: var(--space-1); }
        .asked button { height: 1.7rem; padding: .1rem var(--space-3); }
        .ago { display: block; font-size: var(--type-small); color: var(--soft); }
        .note.waiting { color: var(--waiting); background: var(--waiting-ground); }
        .note.warn { color: var(--warn); background: var(--warn-ground); }
        .note.bad { color: var(--bad); background: var(--bad-ground); }
        .list .earlier th, .list .earlier td { border-top-style: dotted; }
        .list .earlier th:first-child, .list .earlier td:first-child { padding-left: 2rem; }
        .group-title { font-weight: 600; }
        .group-rows { margin-bottom: var(--space-4); }
        .catalog { background: var(--panel); border: 1px solid var(--line); border-radius: var(--radius-large); }
        .catalog li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .1rem var(--space-4); padding: var(--space-3) var(--space-4);
          overflow-wrap: anywhere; }
        .catalog li + li { border-top: 1px solid var(--line); }
        .catalog .item { font-weight: 550; }
        .catalog .item .soft { font-weight: 400; font-size: var(--type-note); }
        .catalog .about { grid-column: 1 / -1; font-size: var(--type-note); }
        .catalog .chosen { background: var(--selected); box-shadow: inset 3px 0 var(--link); }
        .offer { padding-left: var(--space-4); border-left: 2px solid var(--line); }
        .catalog li:target, .offer:target, .group-rows:target { outline: 2px solid var(--focus); outline-offset: 2px; }
        @media (max-width: 40rem) {
          .line .column-product { min-width: 0; }
          .list .ago { white-space: normal; }
          #transactions.of-one .column-person { display: none; }
          #transactions.of-one .column-expires { display: block; }
        }
        @media (min-width: 72rem) {
          .split.inspecting .line .ago { white-space: normal; }
          .split.inspecting .line .column-product { min-width: 10rem; }
        }

        """
}
