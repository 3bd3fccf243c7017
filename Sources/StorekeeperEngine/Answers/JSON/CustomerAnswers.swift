/// All answers about a customer at an instant, as `storekeeper entitlements` prints them.
///
/// Any encoder encodes the answers as the JSON that the command line prints:
///
/// ```swift
/// let body = try JSONEncoder().encode(store.snapshot.answers(at: now))
/// ```
public struct CustomerAnswers: Sendable, JSONDescribed {
    /// The instant for which the answers were computed, in UTC.
    package let at: Instant
    /// The members of the document.
    package let members: [String: JSONText]
    /// The document.
    package var json: JSONText { .object(members) }

    /// The answer about a product or a feature.
    package struct Answer {
        package let answer: EntitlementAnswer
        /// The product that decides the answer about a feature.
        package let by: Product.ID?
        /// The instant since which the answer has been the same; `nil` if the answer has no beginning.
        package let since: Instant?
        /// The instant until which the answer stays the same; `nil` if the answer has no known end.
        package let until: Instant?

        package init(_ answer: EntitlementAnswer, by: Product.ID?, since: Instant?, until: Instant?) {
            (self.answer, self.by, self.since, self.until) = (answer, by, since, until)
        }

        /// Creates the answer about a product from the product's timeline.
        package init(_ product: ProductTimeline, at instant: Instant) {
            let run = product.timeline.run(at: instant)
            self.init(product.timeline.value(at: instant), by: product.id, since: run.from, until: run.to)
        }

        /// Creates the answer about a feature from the feature's timeline.
        package init(_ feature: FeatureTimeline, at instant: Instant) {
            let (value, run) = (feature.timeline.value(at: instant), feature.timeline.run(at: instant))
            self.init(value.answer, by: value.productID, since: run.from, until: run.to)
        }
    }

    /// Creates the document.
    ///
    /// - Parameters:
    ///   - resolution: The resolution of the customer's evidence.
    ///   - instant: The instant for which the answers are computed.
    ///   - isVerified: Whether every item of the evidence was verified.
    ///   - nextChange: The next instant at which any answer changes.
    ///   - balances: The JSON of each balance; `nil` if the balances of the instant are not known.
    ///   - diagnostics: The diagnostics to include.
    ///   - isWanted: Returns whether a product is included, depending on its answer.
    ///   - product: Returns the answer about a product.
    ///   - feature: Returns the answer about a feature.
    ///   - status: Returns the JSON of a status.
    package init(
        _ resolution: Resolution, at instant: Instant, isVerified: Bool, nextChange: Instant?, balances: [JSONText]?,
        diagnostics: [Diagnostic] = [], where isWanted: (EntitlementAnswer) -> Bool = { _ in true },
        product: (ProductTimeline) -> Answer, feature: (FeatureTimeline) -> Answer,
        status: (SubscriptionStatus) -> SubscriptionStatus = { $0 }
    ) {
        at = instant
        let products = resolution.products.map { ($0, product($0)) }.filter { isWanted($0.1.answer) }
        members = [
            "at": .time(instant), "verified": .bool(isVerified), "nextChange": .time(nextChange),
            "products": .array(products.map { Self.row(of: $0, $1, in: resolution, at: instant) }),
            "groups": .array(resolution.groups.map { Self.row(of: $0, at: instant, status) }),
            "features": .array(resolution.features.map { Self.row(of: $0, feature($0), in: resolution, at: instant) }),
            "consumables": balances.map { JSONText.array($0) } ?? .null, "diagnostics": .array(diagnostics.map(\.json)),
        ]
    }

    private static func row(
        of product: ProductTimeline, _ answer: Answer, in resolution: Resolution, at instant: Instant
    ) -> JSONText {
        let transaction = answer.answer.basis?.transaction
        var members = answer.answer.members
        members["id"] = .string(product.id.rawValue)
        members["type"] = .text(product.type?.word)
        members["ownership"] = .text(transaction?.ownershipType.word)
        members["originalTransactionID"] = .text(transaction?.originalID.rawValue)
        members["since"] = .time(answer.since)
        members["until"] = .time(answer.until)
        members["environment"] = .text(transaction?.environment.rawValue)
        members["subscriptionGroupID"] = .text(resolution.group(containing: product.id)?.id)
        members["groupLevel"] = .whole(resolution.catalog.product(product.id)?.subscription?.groupLevel)
        members["offer"] = transaction?.offer?.json ?? .null
        members["grantedUntil"] = .time(resolution.grant(ofProduct: product.id, at: instant)?.endsAt)
        return .object(members)
    }

    private static func row(
        of group: GroupTimeline, at instant: Instant, _ status: (SubscriptionStatus) -> SubscriptionStatus
    ) -> JSONText {
        .object([
            "id": .string(group.group.id.rawValue),
            "highest": group.highest(at: instant).map { status($0).summary } ?? .null,
            "statuses": .array(group.statuses(at: instant).map { status($0).json(at: instant) }),
        ])
    }

    private static func row(
        of feature: FeatureTimeline, _ answer: Answer, in resolution: Resolution, at instant: Instant
    ) -> JSONText {
        .object([
            "id": .string(feature.id.rawValue), "answer": .string(answer.answer.word),
            "reason": .string(answer.answer.reasonWord), "by": .text(answer.by), "until": .time(answer.until),
            "grantedUntil": .time(resolution.grant(ofFeature: feature.id, at: instant)?.endsAt),
        ])
    }
}

extension CustomerAnswers: CustomStringConvertible {
    /// The JSON on one line, with the members in order of name.
    public var description: String { json.text() }
}
