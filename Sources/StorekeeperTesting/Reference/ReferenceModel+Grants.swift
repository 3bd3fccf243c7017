import Storekeeper

extension ReferenceModel {
    /// Returns the grants of the given subjects that give access at an instant.
    private func active(_ subjects: [AccessGrant.Subject], at instant: Instant) -> [AccessGrant] {
        grants.filter { grant in
            guard subjects.contains(grant.subject), grant.grantedAt <= instant, instant < grant.until else {
                return false
            }
            guard let revocation = grant.revocation else { return true }
            return instant < revocation.at
        }
    }

    /// Returns whether a grant gives access to a product at an instant.
    func isGranted(_ id: Product.ID, at instant: Instant) -> Bool { !active([.product(id)], at: instant).isEmpty }

    /// Returns the answer about a feature at an instant according to grants; `nil` if no grant gives access.
    ///
    /// If several grants give access, the grant that ends last decides. Of grants with equal ends, the grant that was
    /// made last decides. Of grants that were also made at the same instant, a grant of a product precedes a grant of
    /// the feature, and products are in the order of the catalog.
    func grantedFeature(_ id: Feature.ID, at instant: Instant) -> ReferenceFeatureAnswer? {
        let products = (catalog.feature(id)?.productIDs ?? []).filter { !isConflicting($0) }
        let subjects = products.map { AccessGrant.Subject.product($0) } + [.feature(id)]
        func end(_ grant: AccessGrant) -> Instant { min(grant.until, grant.revocation?.at ?? grant.until) }
        func precedes(_ left: AccessGrant, _ right: AccessGrant) -> Bool {
            if end(left) != end(right) { return end(left) > end(right) }
            return left.grantedAt > right.grantedAt
        }
        var best: AccessGrant?
        for subject in subjects {
            for grant in active([subject], at: instant) {
                if let known = best, !precedes(grant, known) { continue }
                best = grant
            }
        }
        guard let best else { return nil }
        var by: Product.ID?
        if case .product(let product) = best.subject { by = product }
        return ReferenceFeatureAnswer(answer: "entitled", reason: "granted", by: by)
    }

    /// The instants at which grants begin and end.
    var grantInstants: [Instant] {
        grants.flatMap { [$0.grantedAt, $0.until] + ($0.revocation.map { [$0.at] } ?? []) }
    }
}
