/// Explains answers about one customer at an instant.
struct Explainer {
    let state: ResolutionState
    let history: PurchaseHistory
    let instant: Instant
    let pending: [PendingPurchase]
    let doubt: EntitlementAnswer.UnknownReason?
    /// The answers, on the assumption that evidence may be missing if there is a ``doubt``.
    let resolution: Resolution

    init(
        _ resolver: EntitlementResolver, _ history: PurchaseHistory, at instant: Instant, pending: [PendingPurchase],
        grants: [AccessGrant], doubt: EntitlementAnswer.UnknownReason?
    ) {
        let state = ResolutionState(
            resolver: resolver, rule: .grant, history: history, pending: PendingSources(pending),
            grants: GrantSources(grants))
        self.state = state
        self.history = history
        self.instant = instant
        self.pending = pending
        self.doubt = doubt
        resolution = doubt.map { state.resolution.incomplete(because: $0) } ?? state.resolution
    }

    /// Explains the answer about a product.
    func explain(_ id: Product.ID) -> Explanation {
        let timeline = timeline(of: id)
        return explanation(of: .product(id), by: id, timeline, steps: narrator(of: id, timeline).steps)
    }

    /// Explains the answer about a feature.
    func explain(_ feature: Feature) -> Explanation {
        let answers = resolution.feature(feature.id)?.timeline ?? resolution.noAnswer
        let timeline = answers.mapped({ $0.answer }, joins: { $0.isEquivalent(to: $1) })
        let own = ExplanationNarrator.steps(of: state.grants.all, to: .feature(feature.id), through: instant) {
            effect(at: $0, in: timeline)
        }
        return explain(
            .feature(feature.id), answers, timeline, products: feature.productIDs,
            besides: own + paidAppSteps(of: feature, timeline) + uncountedTrials(feature))
    }

    /// Explains the answer about a group; `nil` if no group has the id or name.
    func explain(group name: String) -> Explanation? {
        guard let group = resolution.group(name)?.group else { return nil }
        let answers = resolution.access(to: group)
        let timeline = answers.mapped({ $0.answer }, joins: { $0.isEquivalent(to: $1) })
        return explain(.group(group.id), answers, timeline, products: group.productIDs, besides: [])
    }

    /// Explains the answer about several products.
    ///
    /// The facts of the product that decides the answer are listed, and the choice among the products. If no product
    /// decides the answer, the facts of all products that were ever bought are listed.
    ///
    /// - Parameter others: The steps about reasons other than the products.
    private func explain(
        _ subject: Explanation.Subject, _ answers: Timeline<FeatureTimeline.Answer>,
        _ timeline: Timeline<EntitlementAnswer>, products: [Product.ID],
        besides others: [ExplanationNarrator.RankedStep]
    ) -> Explanation {
        let decider = answers.value(at: instant).productID
        let told = decider.map { [$0] } ?? products.filter { resolution.product($0)?.timeline.isNeverOnly == false }
        let facts = told.flatMap { id in
            narrator(of: id, self.timeline(of: id)).rankedSteps
        }
        let choice = choice(among: products, for: subject, answers)
        var steps = facts + others + choice
        if steps.isEmpty { steps = [silence(of: subject, products)] }
        return explanation(of: subject, by: decider, timeline, steps: ExplanationNarrator.sorted(steps))
    }

    private func explanation(
        of subject: Explanation.Subject, by productID: Product.ID?, _ timeline: Timeline<EntitlementAnswer>,
        steps: [Explanation.Step]
    ) -> Explanation {
        let run = timeline.run(at: instant)
        return Explanation(
            subject: subject, productID: productID, at: instant, answer: timeline.value(at: instant), run: run,
            steps: steps, next: run.to.map { Explanation.Change(at: $0, answer: timeline.value(at: $0)) },
            upcoming: upcoming(for: subject))
    }

    private func upcoming(for subject: Explanation.Subject) -> Upcoming? {
        switch subject {
        case .product(let id): resolution.upcoming(for: id, at: instant)
        case .feature(let id): resolution.upcoming(forFeature: id, at: instant)
        case .group(let id): resolution.group(id.rawValue).flatMap { resolution.upcoming(for: $0.group, at: instant) }
        }
    }

    /// Returns the answers about a product, which may be in neither the catalog nor the evidence.
    private func timeline(of id: Product.ID) -> Timeline<EntitlementAnswer> {
        let silence = doubt.map { EntitlementAnswer.unknown($0) } ?? .never
        return resolution.product(id)?.timeline
            ?? Timeline(history.doubtfulProductIDs.contains(id) ? .unknown(.unverified) : silence)
    }

    private func narrator(of id: Product.ID, _ timeline: Timeline<EntitlementAnswer>) -> ExplanationNarrator {
        ExplanationNarrator(
            state: state, history: history, productID: id, timeline: timeline, asked: instant,
            pending: pending.filter {
                $0.productID == id && $0.startedAt <= instant && $0.startedAt < $0.endsAt
            },
            doubt: doubt)
    }

    /// Returns, in words, the answer from an instant on.
    private func effect(at instant: Instant, in timeline: Timeline<EntitlementAnswer>) -> String {
        let (answer, run) = (timeline.value(at: instant), timeline.run(at: instant))
        let end = answer.isEntitled ? run.to.map { " until \($0)" } ?? "" : ""
        return (run.from == instant ? "" : "still ") + "\(answer)\(end)"
    }

    // MARK: The choice among products

    /// The step that names what decides the answer about several products.
    private func choice(
        among products: [Product.ID], for subject: Explanation.Subject, _ answers: Timeline<FeatureTimeline.Answer>
    ) -> [ExplanationNarrator.RankedStep] {
        let decision = answers.value(at: instant)
        guard decision.answer != .never, decision.productID != nil || decision.answer.isEntitled else { return [] }
        let others = products.filter { $0 != decision.productID }.compactMap { id -> String? in
            guard let answer = resolution.product(id)?.timeline.value(at: instant), answer != .never else { return nil }
            return "\(id) (\(answer.word), \(answer.reasonWord))"
        }
        let verb = decision.answer.isEntitled ? "gives access to" : "decides about"
        return [
            ExplanationNarrator.RankedStep(
                .conclusion, at: instant,
                "\(words(of: decision)) \(verb) \(subject.words)"
                    + (others.isEmpty ? "" : "; also bought: \(others.joined(separator: ", "))"),
                effect: "\(decision.answer)",
                rule:
                    "The best answer decides: entitled, pending, unknown, lapsed, never; of several with access a running "
                    + "period comes first, then an own purchase, then the one that lasts longest.")
        ]
    }

    /// Returns, in words, what decides the answer about several products.
    private func words(of decision: FeatureTimeline.Answer) -> String {
        switch decision.answer {
        case .paidApp(let right): return Self.name(of: right.appTransaction)
        case .granted(let grant): return "the grant \(grant.id)"
        default: break
        }
        guard let id = decision.productID else { return "nothing" }
        guard let transaction = decision.answer.basis?.transaction else { return id.rawValue }
        let how =
            switch transaction.ownershipType {
            case .familyShared: ", a copy that the family shares"
            case .assigned: ", a copy that an organisation assigned"
            default: ""
            }
        return "\(id), by transaction \(transaction.id)\(how),"
    }

    private func silence(of subject: Explanation.Subject, _ products: [Product.ID]) -> ExplanationNarrator.RankedStep {
        let names = products.map(\.rawValue).joined(separator: ", ")
        return ExplanationNarrator.RankedStep(
            .remark, at: instant,
            products.isEmpty ? "\(subject.words) has no products" : "no transaction of \(names)",
            effect: doubt == nil ? "never bought" : "the answer is unknown",
            rule: doubt == nil
                ? "A product without evidence of a purchase was not bought."
                : "A missing transaction proves nothing while evidence is missing or unverified.")
    }

    /// The steps about free trials that do not count for a feature.
    private func uncountedTrials(_ feature: Feature) -> [ExplanationNarrator.RankedStep] {
        guard feature.paidPeriods else { return [] }
        return feature.productIDs.compactMap { id in
            guard let answer = resolution.product(id)?.timeline.value(at: instant), answer.isEntitled,
                let transaction = answer.basis?.transaction, transaction.offer?.paymentMode == .freeTrial
            else { return nil }
            return ExplanationNarrator.RankedStep(
                .remark, at: instant, "\(id): transaction \(transaction.id) is a free trial",
                effect: "none: it does not count for the feature",
                rule: "Only periods without a free trial give this feature.")
        }
    }

    // MARK: Customers of the paid app

    /// The steps about app transactions, each with the condition of the feature that it meets or misses.
    private func paidAppSteps(
        of feature: Feature, _ timeline: Timeline<EntitlementAnswer>
    ) -> [ExplanationNarrator.RankedStep] {
        guard feature.isForPaidApp else { return [] }
        return state.resolution.paidApps.all.flatMap { fact -> [ExplanationNarrator.RankedStep] in
            let record = fact.appTransaction
            let since = record.originallyPurchasedAt ?? record.signedAt
            guard since <= instant else { return [] }
            let isGiven = feature.isGiven(by: record)
            var steps = [
                ExplanationNarrator.RankedStep(
                    .purchase, at: since, Self.words(of: record),
                    effect: isGiven ? effect(at: since, in: timeline) : "none: it meets no condition of the feature",
                    rule: Self.rule(of: feature, for: record))
            ]
            if isGiven, let revokedAt = record.revokedAt, max(since, revokedAt) <= instant {
                let at = max(since, revokedAt)
                steps.append(
                    ExplanationNarrator.RankedStep(
                        .revocation, at: at, "the app itself is refunded or taken back",
                        effect: effect(at: at, in: timeline),
                        rule: "A revoked app transaction proves no right from its revocation date on."))
            }
            return steps
        }
    }

    private static func name(of record: AppTransaction) -> String {
        "the app transaction" + (record.appTransactionID.map { " \($0)" } ?? "")
    }

    private static func words(of record: AppTransaction) -> String {
        var text = "\(name(of: record)): the app was first got"
        if let version = record.originalAppVersion { text += " in version \(version)" }
        if record.originallyPurchasedAt == nil { text += ", at an unknown time" }
        return text + " (\(record.environment.rawValue))"
    }

    private static func rule(of feature: Feature, for record: AppTransaction) -> String {
        var conditions: [String] = []
        if let version = feature.originalVersionBefore {
            let kind =
                record.originalPlatform == "macOS"
                ? "the version that customers see, CFBundleShortVersionString" : "the build number, CFBundleVersion"
            conditions.append("in a version before \(version) (\(kind), compared number by number)")
        }
        if let limit = feature.originalPurchaseBefore { conditions.append("before \(limit)") }
        return
            "Customers who got the app \(conditions.joined(separator: " or ")) have the feature until the App Store takes the app back."
    }
}

extension Timeline<EntitlementAnswer> {
    /// Whether the answer is `never` at every instant.
    fileprivate var isNeverOnly: Bool { entryCount == 1 && value(at: .distantPast) == .never }
}

extension Resolution {
    /// The answers about a feature that the catalog does not contain.
    fileprivate var noAnswer: Timeline<FeatureTimeline.Answer> {
        Timeline(FeatureTimeline.Answer(answer: .never, productID: nil, position: .max))
    }
}
