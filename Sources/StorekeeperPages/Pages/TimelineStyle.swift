/// The styles of the timeline in a page.
enum TimelineStyle {
    static let text = """
        .timeline-section { margin-bottom: var(--space-5); container: timeline / inline-size; }
        .timeline-section header { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-5); align-items: center;
          justify-content: space-between; margin-bottom: var(--space-3); }
        .timeline-section header :is(h2, h3) { overflow-wrap: anywhere; min-width: 0; margin: 0; }
        .timeline-parts { display: flex; flex-wrap: wrap; gap: var(--space-1); }
        .timeline-parts .button[aria-current] { background: var(--selected); font-weight: 600; }
        .timeline-frame { position: relative; background: var(--panel); border: 1px solid var(--line);
          border-radius: var(--radius-large); padding: var(--space-3) var(--space-4) var(--space-2); }
        svg.timeline { display: block; overflow: visible; touch-action: pan-y; user-select: none; cursor: crosshair;
          font-family: inherit; }
        svg.timeline.moving { overflow: hidden; cursor: grabbing; }
        .timeline .ink { fill: var(--ink); }
        .timeline .soft { fill: var(--soft); }
        .timeline .grid { stroke: var(--line); }
        .timeline .now { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 4 3; }
        .timeline .next { stroke: var(--soft); stroke-dasharray: 1 3; }
        .timeline .focus { stroke: var(--link); stroke-width: 2; }
        .timeline .access { fill: var(--good); stroke: var(--good); }
        .timeline .trial { fill: var(--good); fill-opacity: .5; stroke: var(--good); stroke-width: 1.2;
          stroke-dasharray: 1 2; }
        .timeline .grace { fill: var(--warn); stroke: var(--warn); }
        .timeline .pending { fill: var(--waiting); stroke: var(--waiting); }
        .timeline .retry { fill: var(--bad); stroke: var(--bad); }
        .timeline .lapsed { fill: var(--border); stroke: var(--border); }
        .timeline .unknown { fill: var(--over); stroke: var(--over); }
        .timeline rect { stroke-width: 0; }
        .timeline .several { fill-opacity: .55; }
        .timeline .expected { fill-opacity: .25; stroke-width: 1.2; stroke-dasharray: 4 3; }
        .timeline .event { fill: var(--ink); stroke: var(--panel); stroke-width: 1.4; paint-order: stroke; }
        .timeline .marker { pointer-events: none; }
        .timeline .bar { cursor: pointer; outline-offset: 1px; }
        .timeline .bar:hover rect, .timeline .bar:focus-visible rect { stroke: var(--ink); stroke-width: 2;
          stroke-dasharray: none; }
        .timeline .bar:focus-visible { outline: 2px solid var(--focus); }
        .timeline .tick:not(.narrow) { display: none; }
        @container timeline (min-width: 40rem) {
          .timeline .tick { display: none; }
          .timeline .tick.medium { display: inline; }
        }
        @container timeline (min-width: 80rem) {
          .timeline .tick.medium { display: none; }
          .timeline .tick.wide { display: inline; }
        }
        svg.sample { display: inline-block; flex: none; cursor: auto; }
        .legend { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-5); margin: var(--space-3) 0; font-size: var(--type-note);
          color: var(--soft); }
        .legend li { display: flex; gap: var(--space-2); align-items: center; white-space: nowrap; }
        .timeline-foot { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-5); align-items: center;
          justify-content: space-between; margin-bottom: var(--space-2); }
        .timeline-foot p { overflow-wrap: anywhere; min-width: 0; }
        .timeline-foot .act { align-items: center; }
        .timeline-foot label { color: var(--soft); font-size: var(--type-note); }
        .moment { margin-bottom: var(--space-3); border-color: var(--link); border-left-width: 4px; }
        .moment-answers { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-5); margin-top: var(--space-2); }
        .moment .news { margin-top: var(--space-2); color: var(--warn); }
        .tip { position: absolute; z-index: 2; max-width: min(26rem, 92%); white-space: pre-line; margin: 0;
          padding: var(--space-2) var(--space-3); background: var(--panel); color: var(--ink); border: 1px solid var(--border);
          border-radius: var(--radius); box-shadow: 0 2px 8px rgb(0 0 0 / .25); overflow-wrap: anywhere; pointer-events: none; }
        .tip::first-line { font-weight: 600; }
        @media (forced-colors: active) {
          .timeline .ink, .timeline .soft { fill: CanvasText; }
          .timeline .now, .timeline .next, .timeline .grid { stroke: CanvasText; }
          .timeline .focus { stroke: Highlight; }
          .timeline .access, .timeline .retry, .timeline .lapsed { fill: CanvasText; stroke: CanvasText; }
          .timeline .trial, .timeline .grace, .timeline .pending, .timeline .unknown { fill: Canvas; stroke: CanvasText; stroke-width: 1.5; }
          .timeline .expected { fill: Canvas; }
          .timeline .event { fill: CanvasText; stroke: Canvas; }
        }
        #runs td.reason { white-space: normal; min-width: 12rem; }
        @media print {
          .timeline-parts, .timeline-section form, .timeline-section details:not([open]) { display: none; }
        }

        """
}
