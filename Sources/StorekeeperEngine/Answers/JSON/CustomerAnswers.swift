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
    fileprivate let isVerified: Bool
    fileprivate let nextChange: Instant?
    fileprivate let products: [ProductRow]
    fileprivate let groups: [GroupRow]
    fileprivate let features: [FeatureRow]
    fileprivate let balances: [BalanceTotals]?
    /// The diagnostics of the evidence.
    package var diagnostics: [Diagnostic]

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
    ///   - balances: The totals of each balance; `nil` if the balances of the instant are not known.
    ///   - diagnostics: The diagnostics to include.
    ///   - isWanted: Returns whether a product is included, depending on its answer.
    ///   - product: Returns the answer about a product.
    ///   - feature: Returns the answer about a feature.
    ///   - status: Returns a status as it is printed.
    package init(
        _ resolution: Resolution, at instant: Instant, isVerified: Bool, nextChange: Instant?,
        balances: [BalanceTotals]?,
        diagnostics: [Diagnostic] = [], where isWanted: (EntitlementAnswer) -> Bool = { _ in true },
        product: (ProductTimeline) -> Answer, feature: (FeatureTimeline) -> Answer,
        status: (SubscriptionStatus) -> SubscriptionStatus = { $0 }
    ) {
        at = instant
        self.isVerified = isVerified
        self.nextChange = nextChange
        self.balances = balances
        self.diagnostics = diagnostics
        products = resolution.products.map { ($0, product($0)) }.filter { isWanted($0.1.answer) }.map {
            ProductRow(product: $0, answer: $1, resolution: resolution, at: instant)
        }
        groups = resolution.groups.map { group in
            GroupRow(
                id: group.group.id,
                highest: group.highest(at: instant).map {
                    DatedStatus(status($0), at: nil, isOutline: true)
                },
                statuses: group.statuses(at: instant).map { DatedStatus(status($0), at: instant) })
        }
        features = resolution.features.map {
            FeatureRow(id: $0.id, answer: feature($0), grant: resolution.grant(ofFeature: $0.id, at: instant))
        }
    }
}

extension CustomerAnswers: JSONShaped {
    package static let shape = JSONShape<CustomerAnswers>(
        "Entitlements",
        [
            .member("at") { $0.at }, .member("verified") { $0.isVerified }, .member("nextChange") { $0.nextChange },
            .member("products") { $0.products }, .member("groups") { $0.groups },
            .member("features") { $0.features }, .member("consumables", isRequired: true) { $0.balances },
            .member("diagnostics") { $0.diagnostics },
        ])

    /// The schema of the end of a grant.
    fileprivate static let grantEnd = JSONSchema(type: "string", ["format": .string("date-time")])
        .noted("The end of access that was granted without a purchase; absent if none was, or it has ended.")
        .named("GrantEnd")

    /// The answer about a product.
    fileprivate struct ProductRow: JSONShaped {
        let product: ProductTimeline
        let answer: Answer
        let resolution: Resolution
        let at: Instant

        private var transaction: Transaction? { answer.answer.basis?.transaction }

        static let shape = JSONShape<Self>(
            "ProductAnswer", with: EntitlementAnswer.shape.members { $0.answer.answer },
            [
                .member("id") { $0.product.id }, .member("type") { $0.product.type?.word },
                .member("ownership") { $0.transaction?.ownershipType.word },
                .member("originalTransactionID") { $0.transaction?.originalID },
                .member("since") { $0.answer.since }, .member("until") { $0.answer.until },
                .member("environment") { $0.transaction?.environment.rawValue },
                .member("subscriptionGroupID") { $0.resolution.group(containing: $0.product.id)?.id },
                .member("groupLevel") { $0.resolution.catalog.product($0.product.id)?.subscription?.groupLevel },
                .member("offer") { $0.transaction?.offer },
                .member("grantedUntil", as: grantEnd) {
                    $0.resolution.grant(ofProduct: $0.product.id, at: $0.at)?.endsAt
                },
            ])
    }

    /// The statuses of a subscription group.
    fileprivate struct GroupRow: JSONShaped {
        let id: SubscriptionGroup.ID
        let highest: DatedStatus?
        let statuses: [DatedStatus]

        static let shape = JSONShape<Self>(
            "GroupAnswer",
            [.member("id") { $0.id }, .member("highest") { $0.highest }, .member("statuses") { $0.statuses }])
    }

    /// The answer about a feature.
    fileprivate struct FeatureRow: JSONShaped {
        let id: Feature.ID
        let answer: Answer
        let grant: AccessGrant?

        static let shape = JSONShape<Self>(
            "FeatureAnswer", with: EntitlementAnswer.outline.members { $0.answer.answer },
            [
                .member("id") { $0.id }, .member("by", "The product that decides.") { $0.answer.by },
                .member("until") { $0.answer.until },
                .member("grantedUntil", as: grantEnd) { $0.grant?.endsAt },
            ])
    }
}

/// The features of a customer at an instant, as a part of all answers.
package struct FeatureAnswers: JSONShaped {
    private let answers: CustomerAnswers

    package init(_ answers: CustomerAnswers) { self.answers = answers }

    package static let shape = JSONShape<Self>(
        "FeatureAnswers", with: CustomerAnswers.shape.members(only: ["at", "verified", "features"]) { $0.answers }, [])
}

/// The statuses of a customer's subscriptions at an instant, as a part of all answers.
package struct GroupAnswers: JSONShaped {
    private let answers: CustomerAnswers

    package init(_ answers: CustomerAnswers) { self.answers = answers }

    package static let shape = JSONShape<Self>(
        "GroupAnswers", with: CustomerAnswers.shape.members(only: ["at", "verified", "groups"]) { $0.answers }, [])
}

/// The totals of a balance.
package struct BalanceTotals: JSONShaped {
    private let id: String
    private let credited: Int64
    private let spent: Int64
    private let clawedBack: Int64
    private let restored: Int64
    private let balance: Int64

    package init(
        id: String, credited: Int64, spent: Int64, clawedBack: Int64, restored: Int64, balance: Int64
    ) {
        (self.id, self.credited, self.spent) = (id, credited, spent)
        (self.clawedBack, self.restored, self.balance) = (clawedBack, restored, balance)
    }

    package static let shape = JSONShape<Self>(
        "Account",
        [
            .member("id") { $0.id }, .member("credited") { $0.credited }, .member("spent") { $0.spent },
            .member("clawedBack") { $0.clawedBack }, .member("restored") { $0.restored },
            .member("balance") { $0.balance },
        ])
}

extension CustomerAnswers: CustomStringConvertible {
    /// The JSON on one line, with the members in order of name.
    public var description: String { json.text() }
}
