/// The colors of pictures in files, and the shapes that mark events.
enum PictureStyle {
    /// The style sheet, whose colors differ in lightness as well as hue, so that users without color vision can
    /// distinguish them.
    ///
    /// An expected part of a bar is pale with a dashed edge. In the forced-colors mode of a browser, all shapes have
    /// the color of text, and differ in thickness, edge and form.
    static let text = """
        .page { fill: #ffffff } .ink { fill: #1b1f24 } .soft { fill: #5b6673 } .grid { stroke: #e4e8ee }
        .now { stroke: #1b1f24; stroke-width: 1.5; stroke-dasharray: 4 3 } .focus { stroke: #0a58c2; stroke-width: 2 }
        .next { stroke: #5b6673; stroke-dasharray: 1 3 } .several { fill-opacity: .55 }
        .access { fill: #1f8a5b } .trial { fill: #7cc4a4 } .grace { fill: #e0a526 } .pending { fill: #5b8def } .retry { fill: #c2543a }
        .lapsed { fill: #b9c2cc } .unknown { fill: #7a4fb5 }
        .expected { fill-opacity: .3; stroke-width: 1.2; stroke-dasharray: 4 3 }
        .access.expected { stroke: #1f8a5b } .trial { stroke: #1f8a5b; stroke-width: 1.2; stroke-dasharray: 1 2 }
        .grace.expected { stroke: #a87400 } .pending.expected { stroke: #5b8def }
        .retry.expected { stroke: #c2543a } .lapsed.expected { stroke: #87929d } .unknown.expected { stroke: #7a4fb5 }
        .event { fill: #1b1f24; stroke: #ffffff; stroke-width: 1.4; paint-order: stroke }
        @media (prefers-color-scheme: dark) {
        .page { fill: #0d1117 } .ink { fill: #e6edf3 } .soft { fill: #9aa7b4 } .grid { stroke: #262d36 }
        .now { stroke: #e6edf3 } .focus { stroke: #82b4ff } .next { stroke: #9aa7b4 }
        .access { fill: #35b27a } .trial { fill: #2a5f48; stroke: #35b27a } .grace { fill: #e8b84a } .pending { fill: #7aa5f7 } .retry { fill: #e0735a }
        .lapsed { fill: #57616d } .unknown { fill: #a47be0 }
        .access.expected { stroke: #35b27a } .grace.expected { stroke: #e8b84a } .pending.expected { stroke: #7aa5f7 }
        .retry.expected { stroke: #e0735a } .lapsed.expected { stroke: #8b96a2 } .unknown.expected { stroke: #a47be0 }
        .event { fill: #e6edf3; stroke: #0d1117 }
        }
        @media (forced-colors: active) {
        .page { fill: Canvas } .ink, .soft { fill: CanvasText } .grid { stroke: GrayText }
        .now, .next { stroke: CanvasText } .focus { stroke: Highlight }
        .access, .retry, .lapsed { fill: CanvasText } .trial, .grace, .pending, .unknown { fill: Canvas; stroke: CanvasText }
        .expected.expected { fill: Canvas; stroke: CanvasText } .event { fill: CanvasText; stroke: Canvas }
        }
        """
}

extension TimelineChart.Event.Kind {
    /// The outline of the mark around the origin, about 12 units high; every kind has a different outline, so that
    /// marks can be distinguished without color.
    var outline: String {
        switch self {
        case .gracePeriod: "M0-6 6 5H-6Z"
        case .billingRetry: "M-5-5H5V5H-5ZM-2-2V2H2V-2Z"
        case .refund: "M0-6.5 6.5 0 0 6.5-6.5 0Z"
        case .partialRefund: "M0-6.5 6.5 0 0 6.5-6.5 0ZM-1-3.5-4.5 0-1 3.5Z"
        case .revocation: "M-6-4-4-6 0-2 4-6 6-4 2 0 6 4 4 6 0 2-4 6-6 4-2 0Z"
        case .priceIncrease: "M0-6A6 6 0 1 1 0 6 6 6 0 1 1 0-6ZM0-3A3 3 0 1 0 0 3 3 3 0 1 0 0-3Z"
        case .priceAgreed: "M0-6A6 6 0 1 1 0 6 6 6 0 1 1 0-6Z"
        case .upgrade: "M0-6.5 6 0H2.5V6H-2.5V0H-6Z"
        case .freeTrial: "M0-6A6 6 0 0 1 0 6Z"
        case .offer: "M0-6 2 2 6 0 2 4 0 6-2 4-6 0-2 2Z"
        }
    }
}

extension TimelineChart.SegmentStyle {
    /// The thickness of a bar; access is drawn thickest, so that it can be recognized without color vision.
    var thickness: Int {
        switch self {
        case .access, .trial: 20
        case .grace: 15
        case .pending, .unknown: 12
        case .retry: 9
        case .lapsed, .nothing: 4
        }
    }
}
