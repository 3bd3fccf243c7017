/// The style of the story.
enum StoryStyle {
    static let text = """
        .story-side { margin-top: 1.4rem; padding-top: .9rem; border-top: 1px solid var(--line); }
        .story-side h2 .soft { font-weight: 400; font-size: .86rem; overflow-wrap: anywhere; }
        .story-side .path { list-style: none; margin: .5rem -.3rem; }
        .path li.soft { padding: .15rem .55rem; font-size: .82rem; }
        .path button { display: block; width: 100%; height: auto; text-align: left; white-space: normal; border: 0;
          background: none; padding: .25rem .55rem; overflow-wrap: anywhere; border-radius: .35rem; }
        .path button:hover { background: var(--over-ground); }
        .path button .soft { display: block; font-size: .82rem; }
        .path [aria-current] { background: var(--selected); font-weight: 600; box-shadow: inset 3px 0 var(--link); }
        .path [aria-current] .soft { font-weight: 400; }
        .undone .words { font-style: italic; color: var(--soft); text-decoration: line-through; }
        .book { margin-bottom: 1.4rem; }
        .book .story li { grid-template-columns: 9.5rem minmax(0, 1fr) auto; align-items: center; }
        .book .story li.current { background: var(--selected); box-shadow: inset 3px 0 var(--link); }
        .book .there { min-width: 3rem; text-align: right; }
        .book .there button { height: 1.7rem; padding: .1rem .6rem; }
        .book .list td, .book .list th { white-space: normal; overflow-wrap: anywhere; min-width: 6rem; }
        .book .list th .soft, .book .list .time { font-weight: 400; white-space: nowrap; }
        .branch { flex-wrap: nowrap; align-items: center; gap: .35rem; }
        .branch input { width: 9rem; flex: 0 1 9rem; min-width: 5rem; }
        .deleted { padding: .35rem .75rem; align-items: center; border-top: 1px solid var(--line); }
        .compare { margin: .8rem 0; }
        .comparison header { display: flex; flex-wrap: wrap; gap: .3rem .6rem; align-items: center; }
        .comparison header h3 { margin: 0; }
        .comparison .close { margin-left: auto; }
        .comparison p { margin: .3rem 0 .6rem; }
        .comparison .differs { box-shadow: inset 3px 0 var(--warn); }
        @media (max-width: 60rem) {
          .story-side { margin-top: .7rem; padding-top: .6rem; }
          .story-side .path { display: none; }
          .story-side form, .story-side h2, .story-side p { display: inline-block; margin: 0 .8rem 0 0; }
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
