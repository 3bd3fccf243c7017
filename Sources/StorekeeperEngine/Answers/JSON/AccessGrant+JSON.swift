extension AccessGrant: JSONDescribed, JSONShaped {
    /// The grant as JSON; members about the revocation are present only if the grant was revoked.
    package static let shape = JSONShape<AccessGrant>(
        "AccessGrant", note: "Access without a purchase; it has a productID or a feature.",
        with: Subject.shape.members { $0.subject },
        [
            .member("key") { $0.id }, .member("grantedAt") { $0.grantedAt }, .member("until") { $0.until },
            .member("reason") { $0.reason },
            .member("recordedBy", "The name of the key that granted it.") { $0.recordedBy },
            .member("revokedAt") { $0.revocation?.at }, .member("revocationReason") { $0.revocation?.reason },
            .member("revokedBy", "The name of the key that revoked it.") { $0.revocation?.recordedBy },
        ])
}

extension AccessGrant.Subject {
    /// A single member, which names the product or the feature.
    package static let shape = JSONShape<AccessGrant.Subject>([
        .member("productID") { subject -> Product.ID? in if case .product(let id) = subject { id } else { nil } },
        .member("feature") { subject -> Feature.ID? in if case .feature(let id) = subject { id } else { nil } },
    ])
}
