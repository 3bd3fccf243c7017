/// The style of the story.
enum StoryStyle {
    static let text = """
        .story-side { grid-area: story; padding: var(--space-4) var(--space-3) var(--space-5) var(--space-5); border-top: 1px solid var(--line); }
        .story-side h2 { font-size: var(--type-note); margin-bottom: var(--space-3); }
        .story-side p { margin-top: var(--space-2); }
        .story-side h2 .soft { font-weight: 400; font-size: var(--type-note); overflow-wrap: anywhere; }
        .story-side .path { list-style: none; margin: var(--space-3) calc(-1 * var(--space-2)); }
        .path li.soft { padding: var(--space-1) var(--space-3); font-size: var(--type-small); }
        .path button { display: block; width: 100%; height: auto; text-align: left; white-space: normal; border: 0;
          background: none; padding: var(--space-1) var(--space-3); overflow-wrap: anywhere; border-radius: var(--radius); }
        .path button:hover { background: var(--over-ground); }
        .path button .soft { display: block; font-size: var(--type-small); }
        .path [aria-current] { background: var(--selected); font-weight: 600; box-shadow: inset 3px 0 var(--link); }
        .path [aria-current] .soft { font-weight: 400; }
        .undone .words { font-style: italic; color: var(--soft); text-decoration: line-through; }
        .book { margin-bottom: var(--space-6); }
        .book .story, #story-lines .story { max-width: 90rem; }
        .book .story li { grid-template-columns: 9.5rem minmax(0, 1fr) auto; align-items: center; }
        .book .story li.current { background: var(--selected); box-shadow: inset 3px 0 var(--link); }
        .book .there { min-width: 3rem; text-align: right; }
        .book .there button { height: 1.7rem; padding: .1rem var(--space-3); }
        .book .list td, .book .list th { white-space: normal; overflow-wrap: anywhere; min-width: 6rem; }
        .book .list th .soft, .book .list .time { font-weight: 400; white-space: nowrap; }
        .branch { flex-wrap: nowrap; align-items: center; gap: var(--space-2); }
        .branch input { width: 9rem; flex: 0 1 9rem; min-width: 5rem; }
        .deleted { padding: var(--space-2) var(--space-4); align-items: center; border-top: 1px solid var(--line); }
        .compare { margin: var(--space-4) 0; }
        .comparison header { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-3); align-items: center; }
        .comparison header h3 { margin: 0; }
        .comparison .close { margin-left: auto; }
        .comparison p { margin: var(--space-2) 0 var(--space-3); }
        .comparison .differs { box-shadow: inset 3px 0 var(--warn); }
        @media (min-width: 112rem) {
          .story-side { width: 20rem; border-top: 0; border-left: 1px solid var(--line); padding-top: var(--space-5); }
        }
        @media (max-width: 60rem) {
          .story-side { border-top: 0; border-bottom: 1px solid var(--line); padding: var(--space-3) var(--space-5); }
          .story-side .path { display: none; }
          .story-side form, .story-side h2, .story-side p { display: inline-block; margin: 0 var(--space-4) 0 0; }
        }
        @media (max-width: 40rem) {
          .book .story li { grid-template-columns: minmax(0, 1fr) auto; }
          .book .story .when { grid-column: 1 / -1; }
          .branch { flex-wrap: wrap; }
        }
        @media (forced-colors: active) {
          .path [aria-current], .book .story li.current { outline: 2px solid Highlight; outline-offset: -2px; }
        }
        @media print {
          .story-side, .compare, .there button, .branch { display: none; }
        }

        """
}
