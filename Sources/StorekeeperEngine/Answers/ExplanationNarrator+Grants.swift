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
