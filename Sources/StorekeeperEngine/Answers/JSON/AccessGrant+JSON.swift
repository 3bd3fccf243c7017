extension AccessGrant: JSONDescribed {
    /// The grant as JSON; members about the revocation are present only if the grant was revoked.
    package var json: JSONText {
        var members = subject.members
        members["key"] = .text(id)
        members["grantedAt"] = .time(grantedAt)
        members["until"] = .time(until)
        members["reason"] = .string(reason)
        members["recordedBy"] = .text(recordedBy)
        members["revokedAt"] = .time(revocation?.at)
        members["revocationReason"] = .text(revocation?.reason)
        members["revokedBy"] = .text(revocation?.recordedBy)
        return .object(members)
    }
}

extension AccessGrant.Subject {
    /// A single member, which names the product or the feature.
    package var members: [String: JSONText] {
        switch self {
        case .product(let id): ["productID": .text(id)]
        case .feature(let id): ["feature": .text(id)]
        }
    }
}
