package import Storekeeper
import StorekeeperCharts

/// The engine's answers about a customer, with explanations.
package struct AnswersContent {
    struct Answer {
        let id: String
        let word: String
        let reasonWord: String
        let mark: String
        let since: String
        let until: String
        let transactionID: String?
        /// The address of the transaction's details, if they can be shown.
        let transactionAddress: String?
        let whyAddress: String
        let isExplained: Bool
    }

    struct Feature {
        let id: String
        let word: String
        let reasonWord: String
        let mark: String
        let by: String
        let until: String
    }

    struct Status {
        let group: String
        let stateWord: String
        let product: String
        let level: String
        let ends: String
        let renews: String
        let access: String
    }

    package struct BalanceRow {
        let id: String
        let units: String
        let bought: String
        let takenBack: String
        /// The units granted; `nil` if only the App Store's data is available, which does not include them.
        var granted: String?
        /// The units spent; `nil` likewise.
        var spent: String?

        package init(
            id: String, units: String, bought: String, takenBack: String, granted: String? = nil, spent: String? = nil
        ) {
            self.id = id
            self.units = units
            self.bought = bought
            self.takenBack = takenBack
            self.granted = granted
            self.spent = spent
        }
    }

    struct Reason {
        let time: String
        let isLater: Bool
        let fact: String
        let effect: String
        let rule: String
    }

    struct Why {
        let product: String
        let word: String
        let reasonWord: String
        let mark: String
        let since: String?
        let decider: String?
        let reasons: [Reason]
        let next: String?
        let closeAddress: String
    }

    /// The addresses that the answers link to.
    package struct Links {
        /// Returns the address of a product's explanation.
        let why: (Product.ID) -> String
        /// Returns the address of a transaction's details, if they can be shown.
        let transaction: (Transaction.ID) -> String?
        /// The address that closes an explanation.
        let close: String
        /// The address of the timeline as a file.
        let picture: String

        package init(
            why: @escaping (Product.ID) -> String, transaction: @escaping (Transaction.ID) -> String?, close: String,
            picture: String
        ) {
            self.why = why
            self.transaction = transaction
            self.close = close
            self.picture = picture
        }
    }

    let customer: String
    let at: String
    let nextChange: String?
    let refusals: [String]
    /// Notes about the evidence, for the user.
    let diagnostics: [String]
    /// The text shown if the customer never owned a product.
    let absence: String
    let products: [Answer]
    let neverBought: [PageLink]
    let features: [Feature]
    let statuses: [Status]
    let balances: [BalanceRow]
    /// A note about the balances, if any.
    let balancesNote: String?
    /// Whether the rows include grants and spends, so that they add up.
    let hasAccount: Bool
    let timeline: TimelineContent?
    let why: Why?
}

extension AnswersContent {
    /// Makes the answers about a customer at an instant.
    ///
    /// - Parameters:
    ///   - refusals: The evidence that failed verification, with the reasons.
    ///   - diagnostics: Notes about the evidence, for the user.
    ///   - balances: The rows of balances.
    ///   - hasAccount: Whether the rows include grants and spends.
    ///   - explanation: The answer to be explained.
    ///   - timeline: The timeline above the answers; `nil`: one without links.
    package init(
        _ customer: CustomerID, _ resolution: Resolution, at now: Instant, refusals: [String] = [],
        diagnostics: [Diagnostic] = [], balances: [BalanceRow], balancesNote: String? = nil, hasAccount: Bool = false,
        explanation: Explanation?, timeline: TimelineContent? = nil, links: Links
    ) {
        let (bought, never) = resolution.products.reduce(into: ([ProductTimeline](), [ProductTimeline]())) {
            lists, product in
            if case .never = product.timeline.value(at: now) {
                lists.1.append(product)
            } else {
                lists.0.append(product)
            }
        }
        self.init(
            customer: customer.rawValue, at: now.toSeconds.replacing("T", with: " ").replacing("Z", with: ""),
            nextChange: resolution.nextChange(after: now).map { RelativeTime.text($0, at: now) }, refusals: refusals,
            diagnostics: diagnostics.map(\.description), absence: Self.absence(in: resolution, at: now),
            products: bought.map { Self.answer($0, at: now, explained: explanation?.productID, links) },
            neverBought: never.map { product in
                PageLink(
                    label: product.id.rawValue, address: links.why(product.id),
                    isCurrent: explanation?.productID == product.id)
            }, features: resolution.features.map { Self.feature($0, at: now) },
            statuses: resolution.groups.flatMap { group in
                group.statuses(at: now).map { Self.status($0, of: group.group, at: now) }
            }, balances: balances, balancesNote: balancesNote, hasAccount: hasAccount,
            timeline: timeline
                ?? TimelineContent(customer, TimelineChart(ofAll: resolution, marking: now), file: links.picture),
            why: explanation.map { Self.why($0, in: resolution, links) })
    }

    private static func answer(
        _ product: ProductTimeline, at now: Instant, explained: Product.ID?, _ links: Links
    ) -> Answer {
        let answer = product.timeline.value(at: now)
        let run = product.timeline.run(at: now)
        let transaction = answer.basis?.transaction.id
        return Answer(
            id: product.id.rawValue, word: answer.word, reasonWord: answer.reasonWord, mark: answer.mark,
            since: run.from?.brief ?? "–", until: run.to.map { time($0, at: now) } ?? "–",
            transactionID: transaction?.rawValue, transactionAddress: transaction.flatMap(links.transaction),
            whyAddress: links.why(product.id), isExplained: explained == product.id)
    }

    private static func time(_ instant: Instant, at now: Instant) -> String {
        "\(instant.brief) (\(RelativeTime.words(for: instant, at: now)))"
    }

    private static func feature(_ feature: FeatureTimeline, at now: Instant) -> Feature {
        let answer = feature.timeline.value(at: now)
        return Feature(
            id: feature.id.rawValue, word: answer.answer.word, reasonWord: answer.answer.reasonWord,
            mark: answer.answer.mark,
            by: answer.productID?.rawValue ?? "–",
            until: feature.timeline.run(at: now).to.map { time($0, at: now) } ?? "–")
    }

    /// The text shown without rows of products; a customer who bought only consumables has bought something.
    private static func absence(in resolution: Resolution, at now: Instant) -> String {
        resolution.balances.contains { $0.totals(at: now).credited > 0 }
            ? "Only consumables were bought; see the balances." : "Nothing was bought yet."
    }

    private static func status(_ status: SubscriptionStatus, of group: SubscriptionGroup, at now: Instant) -> Status {
        let renews = renewal(of: status, at: now)
        return Status(
            group: group.name ?? group.id.rawValue, stateWord: status.state.rawValue,
            product: status.transaction.productID.rawValue,
            level: status.groupLevel.map(String.init) ?? "–",
            ends: (status.gracePeriodExpiresAt ?? status.transaction.expiresAt)?.brief ?? "–", renews: renews,
            access: status.isEntitled ? "yes" : "no")
    }

    /// Returns whether a subscription will renew; an ended one will not, whatever its renewal info says.
    private static func renewal(of status: SubscriptionStatus, at now: Instant) -> String {
        guard status.state != .revoked, let info = status.renewalInfo, let isOn = info.autoRenewStatus?.isOn else {
            return status.state == .revoked || now >= status.billingRetryEndsAt ? "no" : "–"
        }
        guard isOn, now < status.billingRetryEndsAt else { return "no" }
        // The subscription was set to renew; whether it did is unknown.
        guard status.state != .expired else { return "not known" }
        return info.autoRenewProductID.map { $0 == status.transaction.productID ? "yes" : "as \($0)" } ?? "yes"
    }

    private static func why(_ explanation: Explanation, in resolution: Resolution, _ links: Links) -> Why {
        let run = resolution.product(explanation.productID)?.timeline.run(at: explanation.at)
        let transaction = explanation.answer.basis?.transaction
        return Why(
            product: explanation.productID.rawValue, word: explanation.answer.word,
            reasonWord: explanation.answer.reasonWord, mark: explanation.answer.mark,
            since: run?.from.map { RelativeTime.text($0, at: explanation.at) },
            decider: transaction.map {
                "\($0.id) (original \($0.originalID), \($0.ownershipType.word), \($0.environment.rawValue))"
            },
            reasons: explanation.steps.map { step in
                Reason(
                    time: step.at.brief, isLater: step.at > explanation.at, fact: step.fact, effect: step.effect,
                    rule: step.rule)
            },
            next: explanation.next.map { next in
                "\(next.answer.word) (\(next.answer.reasonWord)) at \(RelativeTime.text(next.at, at: explanation.at))"
            }, closeAddress: links.close)
    }
}

extension EntitlementAnswer {
    /// A symbol that identifies the answer without colour.
    var mark: String {
        switch self {
        case .entitled, .granted: "✓"
        case .pending: "…"
        case .lapsed: "✕"
        case .never: "–"
        case .unknown: "?"
        }
    }
}
