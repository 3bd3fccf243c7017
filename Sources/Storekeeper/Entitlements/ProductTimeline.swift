/// What a customer has of one product, over time.
public struct ProductTimeline: Sendable, Equatable {
    /// The product.
    public let id: Product.ID
    /// Its type: that of the evidence, else of the catalog.
    public let type: Product.ProductType?
    /// The answer at each instant; a run is of equal answer and reason, across transactions.
    public let timeline: Timeline<EntitlementAnswer>

    /// Makes a timeline.
    public init(id: Product.ID, type: Product.ProductType?, timeline: Timeline<EntitlementAnswer>) {
        self.id = id
        self.type = type
        self.timeline = timeline
    }

    /// The best of what several sources give, each a list of pieces in order that do not overlap.
    static func best(of sources: [[Overlay.Piece<EntitlementAnswer>]]) -> Timeline<EntitlementAnswer> {
        if sources.count == 1, let pieces = sources.first, isOneAfterAnother(pieces) {
            var timeline = Timeline(EntitlementAnswer.never)
            timeline.reserveCapacity(pieces.count + 1)
            for piece in pieces where piece.from < piece.to {
                timeline.append(piece.value, from: piece.from) { $0.saysTheSame(as: $1) }
            }
            return timeline
        }
        return Overlay.best(
            of: sources.flatMap { $0 }, background: .never, key: ServiceLevel.key(of:), isBetter: ServiceLevel.isBetter,
            joins: { $0.saysTheSame(as: $1) })
    }

    /// Whether each piece ends where the next begins, and the last never.
    private static func isOneAfterAnother(_ pieces: [Overlay.Piece<EntitlementAnswer>]) -> Bool {
        var end: Instant?
        for piece in pieces where piece.from < piece.to {
            guard end == nil || end == piece.from else { return false }
            end = piece.to
        }
        return end == .distantFuture
    }
}

/// Whether a customer has a feature, over time.
public struct FeatureTimeline: Sendable, Equatable {
    /// The answer of a feature and the product that gives it.
    public struct Answer: Sendable, Equatable {
        /// The best answer of the feature's products.
        public let answer: EntitlementAnswer
        /// The product that gives it; `nil` for `never`.
        public let productID: Product.ID?
        /// Where the product stands in the feature's list; settles what nothing else does.
        let position: Int
    }

    /// The feature.
    public let id: Feature.ID
    /// The answer at each instant; a run is of equal answer and reason, whichever product gives it.
    public let timeline: Timeline<Answer>

    init(_ feature: Feature, products: [Product.ID: ProductTimeline]) {
        id = feature.id
        timeline = Self.best(of: feature.productIDs, products: products)
    }

    /// The best of several products.
    static func best(of productIDs: [Product.ID], products: [Product.ID: ProductTimeline]) -> Timeline<Answer> {
        let none = Answer(answer: .never, productID: nil, position: .max)
        let pieces = productIDs.enumerated().flatMap { position, id -> [Overlay.Piece<Answer>] in
            guard let timeline = products[id]?.timeline else { return [] }
            return timeline.pieces { answer in
                if case .never = answer { nil } else { Answer(answer: answer, productID: id, position: position) }
            }
        }
        return Overlay.best(
            of: pieces, background: none, key: { ServiceLevel.keyForFeature(of: $0.answer) },
            isBetter: { left, right in
                if ServiceLevel.isBetterForFeature(left.answer, right.answer) { return true }
                if ServiceLevel.isBetterForFeature(right.answer, left.answer) { return false }
                return left.position < right.position
            },
            joins: { $0.answer.saysTheSame(as: $1.answer) })
    }
}

extension Timeline {
    /// The values and when they hold, as far as a transformation wants them.
    func pieces<Result: Sendable>(_ transform: (Value) -> Result?) -> [Overlay.Piece<Result>] {
        entries.indices.compactMap { index in
            transform(entries[index].value).map { value in
                Overlay.Piece(
                    from: entries[index].from,
                    to: index + 1 < entries.count ? entries[index + 1].from : .distantFuture, value: value)
            }
        }
    }
}
