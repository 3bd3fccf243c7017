/// Access to a product or feature without a purchase, such as a compensation by support.
///
/// It begins when it is recorded, and ends at a given time or when it is revoked. The App Store does not learn of it.
/// It is not a purchase: it changes no subscription status and no balance, and a purchase that gives access precedes
/// it.
public struct AccessGrant: Hashable, Sendable, Codable, Identifiable {
    /// The idempotency key of the request that granted the access; unique per customer.
    public typealias ID = ByteIdentifier<AccessGrant>

    /// The product or feature to which access is granted.
    public enum Subject: Hashable, Sendable, Codable {
        /// A product, and so the features that it has in the catalog.
        case product(Product.ID)
        /// A feature of the catalog.
        case feature(Feature.ID)

        /// The id, as text.
        public var name: String {
            switch self {
            case .product(let id): id.rawValue
            case .feature(let id): id.rawValue
            }
        }
    }

    /// The revocation of a grant.
    public struct Revocation: Hashable, Sendable, Codable {
        /// When it was revoked, in UTC.
        public let at: Instant
        /// Why.
        public let reason: String
        /// The caller that revoked it, such as the name of its API key; `nil` if the request named none.
        public let recordedBy: String?

        /// Creates a revocation.
        package init(at instant: Instant, reason: String, recordedBy: String? = nil) {
            at = instant
            self.reason = reason
            self.recordedBy = recordedBy
        }
    }

    /// The idempotency key of the request.
    public let id: ID
    /// The product or feature.
    public let subject: Subject
    /// When the access was granted, in UTC: its first instant.
    public let grantedAt: Instant
    /// The end of the access unless it is revoked before, exclusive, in UTC.
    public let until: Instant
    /// Why it was granted.
    public let reason: String
    /// The caller that granted it, such as the name of its API key; `nil` if the request named none.
    public let recordedBy: String?
    /// The revocation; `nil` if it was not revoked.
    public var revocation: Revocation?

    /// Creates a grant.
    package init(
        id: ID, subject: Subject, grantedAt: Instant, until: Instant, reason: String, recordedBy: String? = nil,
        revocation: Revocation? = nil
    ) {
        self.id = id
        self.subject = subject
        self.grantedAt = grantedAt
        self.until = until
        self.reason = reason
        self.recordedBy = recordedBy
        self.revocation = revocation
    }

    /// The end of the access, exclusive, in UTC: its given end or its revocation, whichever comes first.
    public var endsAt: Instant { revocation.map { min($0.at, until) } ?? until }

    /// Returns whether the grant gives access at an instant.
    public func isActive(at instant: Instant) -> Bool { grantedAt <= instant && instant < endsAt }

    /// Returns whether another request with the same key asks for the same access, for the same reason.
    package func isRepeated(by other: AccessGrant) -> Bool {
        subject == other.subject && until == other.until && reason.hasSameBytes(as: other.reason)
    }
}

extension AccessGrant.Subject: CustomStringConvertible {
    /// The id of a product, or the word `feature` and its id.
    public var description: String {
        switch self {
        case .product(let id): id.rawValue
        case .feature(let id): "feature \(id)"
        }
    }
}
