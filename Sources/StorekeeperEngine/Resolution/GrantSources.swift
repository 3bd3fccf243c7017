/// The access that was granted without a purchase, as sources of the timelines of products and features.
///
/// A source is a timeline of answers. At each instant, the timeline of a product contains the best of the answers of
/// its sources.
struct GrantSources: Sendable {
    /// All grants, in the order in which they were made.
    let all: [AccessGrant]
    /// The grants that give access at some time, by the product or feature (the subject) that they unlock; the grant
    /// that ends last comes first.
    private var bySubject: [AccessGrant.Subject: [AccessGrant]] = [:]

    init(_ grants: [AccessGrant] = []) {
        all = grants
        for grant in grants where grant.grantedAt < grant.endsAt { bySubject[grant.subject, default: []].append(grant) }
        // Sorting ensures that the timelines do not depend on the order in which the grants are passed.
        for subject in Array(bySubject.keys) { bySubject[subject]?.sort(by: Self.precedes) }
    }

    /// The products to which access is granted.
    var productIDs: [Product.ID] {
        bySubject.keys.compactMap { subject in if case .product(let id) = subject { id } else { nil } }
    }

    /// Returns the answers of the grants of a subject, one timeline for each grant.
    func timelines(of subject: AccessGrant.Subject) -> [Timeline<EntitlementAnswer>] {
        (bySubject[subject] ?? []).map { grant in
            var answers = Timeline<EntitlementAnswer>(.never)
            answers.append(.granted(grant), from: grant.grantedAt)
            if grant.endsAt < .distantFuture { answers.append(.never, from: grant.endsAt) }
            return answers
        }
    }

    /// Returns the grant of a subject that gives access at an instant; if several grants do, the grant that ends last.
    func active(of subject: AccessGrant.Subject, at instant: Instant) -> AccessGrant? {
        bySubject[subject]?.first { $0.isActive(at: instant) }
    }

    /// Returns whether a grant is sorted before another; grants that end later come first.
    private static func precedes(_ left: AccessGrant, _ right: AccessGrant) -> Bool {
        if left.endsAt != right.endsAt { return left.endsAt > right.endsAt }
        if left.grantedAt != right.grantedAt { return left.grantedAt > right.grantedAt }
        return left.id < right.id
    }
}

extension Resolution {
    /// The access that was granted to the customer without a purchase, in the order in which it was granted, including
    /// ended and revoked grants.
    public var grants: [AccessGrant] { grantSources.all }

    /// Returns the grant of a product that gives access at an instant, whether or not it decides the answer.
    ///
    /// If several grants give access, the grant that ends last is returned. If the evidence and the catalog contradict
    /// each other about the product's type, the result is `nil`, because no grant of the product gives access in this
    /// case.
    package func grant(ofProduct id: Product.ID, at instant: Instant) -> AccessGrant? {
        guard let grant = grantSources.active(of: .product(id), at: instant), isEntitled(id, at: instant) else {
            return nil
        }
        return grant
    }

    /// Returns the grant of a feature or of one of its products that gives access at an instant, whether or not it
    /// decides the answer.
    ///
    /// If several grants give access, the grant that ends last is returned.
    package func grant(ofFeature id: Feature.ID, at instant: Instant) -> AccessGrant? {
        let products = (catalog.feature(id)?.productIDs ?? []).compactMap { grant(ofProduct: $0, at: instant) }
        return (products + [grantSources.active(of: .feature(id), at: instant)].compactMap(\.self)).max {
            $0.endsAt < $1.endsAt
        }
    }
}
