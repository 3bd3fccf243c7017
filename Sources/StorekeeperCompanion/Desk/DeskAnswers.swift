import Storekeeper
import StorekeeperPages

/// The answers about a customer, with explanations, in the language of the desk.
struct DeskAnswers {
    /// The answer about a product or feature.
    struct Answer {
        let id: String
        /// The answer as the HTTP API names it, such as `entitled`; this is also a CSS class.
        let word: String
        let mark: String
        let answer: String
        let reason: String
        /// The answer and its reason, as the HTTP API names them.
        let code: String
        let since: String
        let until: String
        /// The transaction or product that decides the answer.
        let by: String
        let whyAddress: String
        let isExplained: Bool
    }

    /// A row of the table of subscriptions.
    struct Status {
        let group: String
        let stateWord: String
        let state: String
        let product: String
        let level: String
        let ends: String
        let renews: String
        let access: String
    }

    /// A product that was never bought.
    struct Never {
        let id: String
        let whyAddress: String
    }

    /// The explanation of an answer.
    struct Why {
        let heading: String
        let since: String?
        let decides: String?
        /// The step that decides the answer; empty if there is none.
        let deciding: [Step]
        /// The other steps with an effect.
        let earlier: [Step]
        /// The steps without an effect, and their heading.
        let idle: [Step]
        let idleHeading: String
        let next: String
        let closeAddress: String
    }

    /// A step of the explanation: a fact and its effect on the answer, in the engine's words.
    struct Step {
        let time: String
        let isLater: Bool
        let fact: String
        let effect: String
        let rule: String
    }

    /// The maximum number of rows of one table, and of products named in a sentence.
    static let maximumRows = 40

    let products: [Answer]
    let productsNote: String?
    /// The text that is shown if ``products`` is empty.
    let absence: String
    let neverBought: [Never]
    /// The label of ``neverBought``, which depends on whether evidence may be missing.
    let neverLabel: String
    let features: [Answer]
    /// The features and products of which a purchase or grant is known.
    let current: [Answer]
    let statuses: [Status]
    let why: Why?

    init(
        _ resolution: Resolution, at now: Instant, explanation: Explanation?, _ place: DeskPlace, _ format: DeskFormat
    ) {
        let texts = format.texts
        func whyAddress(_ id: Product.ID) -> String { place.address("/desk", [("why", id.rawValue)], fragment: "why") }
        func until(_ instant: Instant?) -> String { instant.map { format.time($0, since: now) } ?? "–" }
        var (bought, never) = ([ProductTimeline](), [ProductTimeline]())
        var isUnsure = false
        for product in resolution.products {
            let answer = product.timeline.value(at: now)
            if answer.lacksPurchase { never.append(product) } else { bought.append(product) }
            if answer.lacksPurchase, answer != .never { isUnsure = true }
        }
        products = bought.prefix(Self.maximumRows).map { product in
            let (answer, run) = (product.timeline.value(at: now), product.timeline.run(at: now))
            return Answer(
                id: product.id.rawValue, word: answer.word, mark: answer.mark,
                answer: texts.word("answer", answer.word), reason: texts.word("reason", answer.reasonKey),
                code: answer.description, since: run.from.map(format.time) ?? "–", until: until(run.to),
                by: answer.basis?.transaction.id.rawValue ?? "", whyAddress: whyAddress(product.id),
                isExplained: explanation?.productID == product.id)
        }
        productsNote =
            bought.count > Self.maximumRows
            ? texts(
                .notAllShown,
                ["count": format.number(Int64(Self.maximumRows)), "all": format.number(Int64(bought.count))]) : nil
        let hasCredits = resolution.balances.contains { $0.totals(at: now).credited > 0 }
        absence = texts(
            hasCredits ? .productsOnlyConsumables : isUnsure ? .productsNoneKnown : .productsNone)
        neverLabel = texts(isUnsure ? .neverKnown : .neverBought)
        neverBought = never.prefix(Self.maximumRows).map {
            Never(id: $0.id.rawValue, whyAddress: whyAddress($0.id))
        }
        features = resolution.features.prefix(Self.maximumRows).map { feature in
            let (value, run) = (feature.timeline.value(at: now), feature.timeline.run(at: now))
            return Answer(
                id: feature.id.rawValue, word: value.answer.word, mark: value.answer.mark,
                answer: texts.word("answer", value.answer.word), reason: texts.word("reason", value.answer.reasonKey),
                code: value.answer.description, since: run.from.map(format.time) ?? "–", until: until(run.to),
                by: value.productID?.rawValue ?? "–", whyAddress: "", isExplained: false)
        }
        let known = resolution.features.filter { !$0.timeline.value(at: now).answer.lacksPurchase }.map(\.id.rawValue)
        current = features.filter { known.contains($0.id) } + products
        statuses = resolution.groups.flatMap { group in
            group.statuses(at: now).map { Self.status($0, of: group, at: now, format) }
        }
        why = explanation.map { Self.why($0, place, format) }
    }

    private static func status(
        _ status: SubscriptionStatus, of timeline: GroupTimeline, at now: Instant, _ format: DeskFormat
    ) -> Status {
        let texts = format.texts
        let group = timeline.group
        return Status(
            group: group.name ?? group.id.rawValue, stateWord: status.state.rawValue,
            state: texts.word("state", status.state.rawValue), product: status.transaction.productID.rawValue,
            level: status.groupLevel.map(String.init) ?? "–",
            ends: (status.gracePeriodExpiresAt ?? status.transaction.expiresAt).map(format.time) ?? "–",
            renews: next(of: status, in: timeline, at: now, format), access: texts(status.isEntitled ? .yes : .no))
    }

    /// Returns the text about what is due next for a subscription.
    ///
    /// If the subscription has ended although its renewal info says that it renews, the text mentions the renewal info.
    private static func next(
        of status: SubscriptionStatus, in group: GroupTimeline, at now: Instant, _ format: DeskFormat
    ) -> String {
        if let due = group.upcoming(of: status, at: now) { return format.due(due, since: now) }
        guard status.state == .expired, status.renewalInfo?.willAutoRenew == true else { return "–" }
        return format.texts(now < status.billingRetryEndsAt ? .notKnown : .wasToRenew)
    }

    private static func why(
        _ explanation: Explanation, _ place: DeskPlace, _ format: DeskFormat
    ) -> Why {
        let texts = format.texts
        func name(_ answer: EntitlementAnswer) -> String {
            "\(format.answer(answer.word, answer.reasonKey)) – \(answer)"
        }
        let decidingStep = explanation.decidingStep
        func steps(_ isIncluded: (Int) -> Bool) -> [Step] {
            explanation.steps.indices.filter(isIncluded).map { index in
                let step = explanation.steps[index]
                return Step(
                    time: format.time(step.at), isLater: step.at > explanation.at,
                    fact: PageTime.text(inside: step.fact), effect: PageTime.text(inside: step.effect),
                    rule: step.rule)
            }
        }
        let idle = steps { $0 != decidingStep && explanation.steps[$0].isWithoutEffect }
        return Why(
            heading: texts(
                .whyHeading, ["product": explanation.subject.words, "answer": name(explanation.answer)]),
            since: explanation.run.from.map { texts(.whySince, ["time": format.time($0, since: explanation.at)]) },
            decides: explanation.answer.basis.map { basis in
                texts(
                    .whyDecides,
                    [
                        "transaction": "\(basis.transaction.id) (\(basis.transaction.originalID), "
                            + "\(basis.transaction.ownershipType.word), \(basis.transaction.environment.rawValue))"
                    ])
            },
            deciding: steps { $0 == decidingStep },
            earlier: steps { $0 != decidingStep && !explanation.steps[$0].isWithoutEffect },
            idle: idle, idleHeading: texts(.whyIdle, ["count": format.number(Int64(idle.count))]),
            next: explanation.upcoming.map {
                texts(.whyNext, ["event": format.due($0, since: explanation.at)])
            } ?? texts(.whyNoNext), closeAddress: place.address())
    }
}
