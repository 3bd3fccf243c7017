extension ExplanationNarrator {
    static let grantRule =
        "Access without a purchase lasts until its given end or its revocation; a purchase that gives access comes first."

    /// The steps about access to the product that was granted without a purchase.
    var grants: [RankedStep] {
        Self.steps(of: state.grants.all, to: .product(productID), through: asked) { effect(at: $0) }
    }

    /// Returns the steps about grants of access to a product or feature that were made up to an instant.
    ///
    /// - Parameter effect: Returns, in words, the effect of a grant on the answer at an instant.
    static func steps(
        of grants: [AccessGrant], to subject: AccessGrant.Subject, through asked: Instant, effect: (Instant) -> String
    ) -> [RankedStep] {
        grants.filter { $0.subject == subject && $0.grantedAt <= asked && $0.grantedAt < $0.endsAt }.flatMap { grant in
            let by = grant.recordedBy.map { " by \($0)" } ?? ""
            var steps = [
                RankedStep(
                    .request, at: grant.grantedAt,
                    "access to \(subject) was granted\(by) until \(grant.until) (\(grant.id)): \(grant.reason)",
                    effect: effect(grant.grantedAt), rule: grantRule)
            ]
            guard grant.endsAt <= asked else { return steps }
            let end: String
            if let revocation = grant.revocation, revocation.at < grant.until {
                let by = revocation.recordedBy.map { " by \($0)" } ?? ""
                end = "the grant \(grant.id) was revoked\(by): \(revocation.reason)"
            } else {
                end = "the grant \(grant.id) has ended"
            }
            steps.append(RankedStep(.end, at: grant.endsAt, end, effect: effect(grant.endsAt), rule: grantRule))
            return steps
        }
    }
}

extension Resolution {
    /// Explains the answer about a feature if a grant of access to the feature itself decides the answer.
    ///
    /// - Returns: `nil` if a product decides the answer. In this case
    ///   ``EntitlementResolver/explain(_:in:at:pending:grants:doubt:)`` explains the answer about that product.
    package func explainGrant(of id: Feature.ID, at instant: Instant) -> Explanation? {
        guard let timeline = feature(id)?.timeline, case .granted = timeline.value(at: instant).answer,
            timeline.value(at: instant).productID == nil
        else { return nil }
        let steps = ExplanationNarrator.steps(of: grants, to: .feature(id), through: instant) { at in
            let (answer, run) = (timeline.value(at: at).answer, timeline.run(at: at))
            let end = answer.isEntitled ? run.to.map { " until \($0)" } ?? "" : ""
            return (run.from == at ? "" : "still ") + "\(answer)\(end)"
        }
        return Explanation(
            productID: catalog.feature(id)?.productIDs.first ?? Product.ID(id.rawValue), at: instant,
            answer: timeline.value(at: instant).answer,
            steps: steps.map(\.step).enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
                .map(\.element),
            next: timeline.run(at: instant).to.map {
                Explanation.Change(at: $0, answer: timeline.value(at: $0).answer)
            })
    }
}
