import Storekeeper
import StorekeeperSimulator

/// What the engine says of a customer, and why.
struct AnswersContent {
    struct Answer {
        let id: String
        let word: String
        let reasonWord: String
        let mark: String
        let since: String
        let until: String
        let transactionID: String?
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

    struct BalanceRow {
        let id: String
        let units: String
        let bought: String
        let takenBack: String
    }

    /// A run of an answer, for who cannot see the picture.
    struct Run {
        let subject: String
        let from: String
        let to: String
        let caption: String
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

    let customer: String
    let at: String
    let nextChange: String?
    let refusals: [String]
    let products: [Answer]
    let neverBought: [PageContent.Link]
    let features: [Feature]
    let statuses: [Status]
    let balances: [BalanceRow]
    let picture: String?
    let runs: [Run]
    let why: Why?
}

extension PageMaker {
    /// The customer whom the answers are about: where nobody is chosen, the first.
    private var asked: CustomerID? { location.person.map { CustomerID(rawValue: $0) } ?? accounts.first?.name }

    /// - Throws: ``SimulatorError`` where there is no such app; what the cryptographic library throws.
    func answersContent() throws -> AnswersContent? {
        guard let asked else { return nil }
        let inquiry = try CustomerInquiry(of: asked, app: forms.app, in: stage)
        let (resolution, now) = (inquiry.resolution, inquiry.at)
        let (bought, never) = resolution.products.reduce(into: ([ProductTimeline](), [ProductTimeline]())) {
            lists, product in
            if case .never = product.timeline.value(at: now) {
                lists.1.append(product)
            } else {
                lists.0.append(product)
            }
        }
        let chart = inquiry.chart
        var picture = location.showing(.answers)
        picture.person = asked.rawValue
        return AnswersContent(
            customer: asked.rawValue, at: Self.clock(now),
            nextChange: resolution.nextChange(after: now).map { RelativeTime.text($0, at: now) },
            refusals: inquiry.refusals, products: bought.map { answer($0, at: now) },
            neverBought: never.map { product in
                PageContent.Link(
                    label: product.id, address: whyAddress(product.id), isCurrent: location.why == product.id)
            }, features: resolution.features.map { Self.feature($0, at: now) },
            statuses: resolution.groups.flatMap { group in
                group.statuses(at: now).map { Self.status($0, of: group.group) }
            },
            balances: resolution.balances.map { balance in
                let totals = balance.totals(at: now)
                return AnswersContent.BalanceRow(
                    id: balance.id, units: String(totals.balance), bought: String(totals.credited),
                    takenBack: String(totals.clawedBack))
            },
            picture: chart.rows.isEmpty
                ? nil : "/page/timeline.svg?\(picture.query)&version=\(Self.version(of: stage))",
            runs: chart.rows.flatMap { row in
                row.segments.filter { $0.look != .nothing }.map { segment in
                    AnswersContent.Run(
                        subject: row.label, from: segment.from?.brief ?? "ever",
                        to: segment.to?.brief ?? "no end known",
                        caption: segment.caption)
                }
            }, why: location.why.map { why($0, inquiry) })
    }

    private func whyAddress(_ product: Product.ID) -> String { location.with { $0.why = product }.address + "#why" }

    private func answer(_ product: ProductTimeline, at now: Instant) -> AnswersContent.Answer {
        let answer = product.timeline.value(at: now)
        let run = product.timeline.run(at: now)
        let transaction = answer.basis?.transaction.id.rawValue
        return AnswersContent.Answer(
            id: product.id, word: answer.word, reasonWord: answer.reasonWord, mark: answer.mark,
            since: run.from?.brief ?? "–", until: run.to.map { Self.time($0, at: now) } ?? "–",
            transactionID: transaction,
            transactionAddress: transaction.map { id in
                location.showing(.transactions).with { $0.selected = id }.address
            }, whyAddress: whyAddress(product.id), isExplained: location.why == product.id)
    }

    private static func time(_ instant: Instant, at now: Instant) -> String {
        "\(instant.brief) (\(RelativeTime.words(for: instant, at: now)))"
    }

    private static func feature(_ feature: FeatureTimeline, at now: Instant) -> AnswersContent.Feature {
        let answer = feature.timeline.value(at: now)
        return AnswersContent.Feature(
            id: feature.id, word: answer.answer.word, reasonWord: answer.answer.reasonWord, mark: answer.answer.mark,
            by: answer.productID ?? "–", until: feature.timeline.run(at: now).to.map { time($0, at: now) } ?? "–")
    }

    private static func status(_ status: SubscriptionStatus, of group: SubscriptionGroup) -> AnswersContent.Status {
        let next = status.renewalInfo?.autoRenewProductID
        let renews = status.renewalInfo?.autoRenewStatus?.isOn.map { isOn in
            isOn ? next.map { $0 == status.transaction.productID ? "yes" : "as \($0)" } ?? "yes" : "no"
        }
        return AnswersContent.Status(
            group: group.name ?? group.id, stateWord: status.state.rawValue, product: status.transaction.productID,
            level: status.groupLevel.map(String.init) ?? "–",
            ends: (status.gracePeriodExpiresAt ?? status.transaction.expiresAt)?.brief ?? "–", renews: renews ?? "–",
            access: status.isEntitled ? "yes" : "no")
    }

    private func why(_ product: Product.ID, _ inquiry: CustomerInquiry) -> AnswersContent.Why {
        let explanation = inquiry.explanation(of: product)
        let run = inquiry.resolution.product(product)?.timeline.run(at: inquiry.at)
        let transaction = explanation.answer.basis?.transaction
        return AnswersContent.Why(
            product: product, word: explanation.answer.word, reasonWord: explanation.answer.reasonWord,
            mark: explanation.answer.mark, since: run?.from.map { RelativeTime.text($0, at: inquiry.at) },
            decider: transaction.map {
                "\($0.id) (original \($0.originalID), \($0.ownershipType.word), \($0.environment.rawValue))"
            },
            reasons: explanation.steps.map { step in
                AnswersContent.Reason(
                    time: step.at.brief, isLater: step.at > explanation.at, fact: step.fact, effect: step.effect,
                    rule: step.rule)
            },
            next: explanation.next.map { next in
                "\(next.answer.word) (\(next.answer.reasonWord)) at \(RelativeTime.text(next.at, at: explanation.at))"
            }, closeAddress: location.with { $0.why = nil }.address)
    }
}

extension EntitlementAnswer {
    /// A sign that tells the answer without colour.
    var mark: String {
        switch self {
        case .entitled: "✓"
        case .pending: "…"
        case .lapsed: "✕"
        case .never: "–"
        case .unknown: "?"
        }
    }
}
