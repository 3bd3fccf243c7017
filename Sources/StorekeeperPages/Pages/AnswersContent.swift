package import Storekeeper
import StorekeeperCharts

/// The engine's answers about a customer, with explanations.
package struct AnswersContent {
    struct Answer {
        let id: String
        let word: String
        let reasonWord: String
        /// The reason for the answer, as a sentence.
        let sentence: String
        let mark: String
        let since: String
        let until: String
        let transactionID: String?
        /// The URL of the transaction's details; `nil` if no page shows the details.
        let transactionAddress: String?
        let whyAddress: String
        let isExplained: Bool
    }

    struct Feature {
        let id: String
        let word: String
        let reasonWord: String
        let sentence: String
        let mark: String
        let by: String
        let until: String
    }

    struct Status {
        let group: String
        let stateWord: String
        let sentence: String
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

        package init(id: String, units: String, bought: String, takenBack: String) {
            self.id = id
            self.units = units
            self.bought = bought
            self.takenBack = takenBack
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

    /// The URLs that the answers link to.
    package struct Links {
        /// Returns the URL of the explanation of a product's answer.
        let why: (Product.ID) -> String
        /// Returns the URL of a transaction's details; `nil` if no page shows the details.
        let transaction: (Transaction.ID) -> String?
        /// The URL of the page without an explanation.
        let close: String

        package init(
            why: @escaping (Product.ID) -> String, transaction: @escaping (Transaction.ID) -> String?, close: String
        ) {
            self.why = why
            self.transaction = transaction
            self.close = close
        }
    }

    let customer: String
    let at: String
    let nextChange: String?
    let refusals: [String]
    /// The text that is shown if the customer never owned a product.
    let absence: String
    let products: [Answer]
    let neverBought: [PageLink]
    let features: [Feature]
    let statuses: [Status]
    let balances: [BalanceRow]
    /// A note about the balances; `nil` if no note is needed.
    let balancesNote: String?
    let timeline: TimelineContent?
    let why: Why?
}

extension AnswersContent {
    /// Creates the answers about a customer at an instant.
    ///
    /// - Parameters:
    ///   - refusals: The evidence that failed verification, with the reasons.
    ///   - balances: The rows of balances.
    ///   - explanation: The explanation to show; `nil` if no product is selected.
    ///   - timeline: The timeline above the answers; `nil` if the page has no timeline.
    package init(
        _ customer: CustomerID, _ resolution: Resolution, at now: Instant, refusals: [String],
        balances: [BalanceRow], balancesNote: String?, explanation: Explanation?, timeline: TimelineContent?,
        links: Links
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
            customer: customer.rawValue, at: PageTime.text(now),
            nextChange: resolution.nextChange(after: now).map { PageTime.text($0, at: now) }, refusals: refusals,
            absence: Self.absence(in: resolution, at: now),
            products: bought.map { product in
                Self.answer(
                    product, due: resolution.upcoming(for: product.id, at: now), at: now,
                    explained: explanation?.productID, links)
            },
            neverBought: never.map { product in
                PageLink(
                    label: product.id.rawValue, address: links.why(product.id),
                    isCurrent: explanation?.productID == product.id)
            },
            features: resolution.features.map { feature in
                Self.feature(feature, due: resolution.upcoming(forFeature: feature.id, at: now), at: now)
            },
            statuses: resolution.groups.flatMap { group in
                group.statuses(at: now).map { Self.status($0, of: group, at: now) }
            }, balances: balances, balancesNote: balancesNote, timeline: timeline,
            why: explanation.map { Self.why($0, links) })
    }

    private static func answer(
        _ product: ProductTimeline, due: Upcoming?, at now: Instant, explained: Product.ID?, _ links: Links
    ) -> Answer {
        let answer = product.timeline.value(at: now)
        let run = product.timeline.run(at: now)
        let transaction = answer.basis?.transaction.id
        return Answer(
            id: product.id.rawValue, word: answer.word, reasonWord: answer.reasonWord,
            sentence: answer.sentence, mark: answer.mark,
            since: run.from.map { PageTime.text($0) } ?? "–", until: Self.end(run.to, due: due, at: now),
            transactionID: transaction?.rawValue, transactionAddress: transaction.flatMap(links.transaction),
            whyAddress: links.why(product.id), isExplained: explained == product.id)
    }

    /// Returns the end of an answer, or the renewal that is due: access that renews does not end.
    private static func end(_ end: Instant?, due: Upcoming?, at now: Instant) -> String {
        if let due, due.event == .renewal { return "renews \(PageTime.text(due.at, at: now))" }
        return end.map { PageTime.text($0, at: now) } ?? "–"
    }

    private static func feature(_ feature: FeatureTimeline, due: Upcoming?, at now: Instant) -> Feature {
        let answer = feature.timeline.value(at: now)
        return Feature(
            id: feature.id.rawValue, word: answer.answer.word, reasonWord: answer.answer.reasonWord,
            sentence: answer.answer.sentence, mark: answer.answer.mark,
            by: answer.productID?.rawValue ?? "–",
            until: end(feature.timeline.run(at: now).to, due: due, at: now))
    }

    /// Returns the text for a customer without products; the text mentions consumables if the customer bought some.
    private static func absence(in resolution: Resolution, at now: Instant) -> String {
        resolution.balances.contains { $0.totals(at: now).credited > 0 }
            ? "Only consumables were bought; see the balances." : "Nothing was bought yet."
    }

    private static func status(_ status: SubscriptionStatus, of timeline: GroupTimeline, at now: Instant) -> Status {
        let group = timeline.group
        return Status(
            group: group.name ?? group.id.rawValue, stateWord: status.state.rawValue,
            sentence: sentence(for: status.state),
            product: status.transaction.productID.rawValue,
            level: status.groupLevel.map(String.init) ?? "–",
            ends: (status.gracePeriodExpiresAt ?? status.transaction.expiresAt).map { PageTime.text($0) } ?? "–",
            renews: timeline.upcoming(of: status, at: now)?.phrase { PageTime.text($0, at: now) }
                ?? status.expirationReason?.words ?? "–",
            access: status.isEntitled ? "yes" : "no")
    }

    private static func sentence(for state: RenewalState) -> String {
        switch state {
        case .subscribed: "A period is running."
        case .inGracePeriod: "The payment failed; service continues."
        case .inBillingRetryPeriod: "The payment failed and is tried again."
        case .expired: "The last period is over."
        case .revoked: "It was refunded, or is no longer shared."
        }
    }

    private static func why(_ explanation: Explanation, _ links: Links) -> Why {
        let transaction = explanation.answer.basis?.transaction
        return Why(
            product: explanation.subject.words, word: explanation.answer.word,
            reasonWord: explanation.answer.reasonWord, mark: explanation.answer.mark,
            since: explanation.run.from.map { PageTime.text($0, at: explanation.at) },
            decider: transaction.map {
                "\($0.id) (original \($0.originalID), \($0.ownershipType.word), \($0.environment.rawValue))"
            },
            reasons: explanation.steps.map { step in
                Reason(
                    time: PageTime.text(step.at), isLater: step.at > explanation.at,
                    fact: PageTime.text(inside: step.fact), effect: PageTime.text(inside: step.effect),
                    rule: step.rule)
            },
            next: explanation.upcoming.map { $0.phrase { PageTime.text($0, at: explanation.at) } },
            closeAddress: links.close)
    }
}

extension EntitlementAnswer {
    /// A symbol from which users can recognize the answer even if they do not see its color.
    package var mark: String {
        switch self {
        case .entitled, .granted, .paidApp: "✓"
        case .pending: "…"
        case .lapsed: "✕"
        case .never: "–"
        case .unknown: "?"
        }
    }
}
