/// Access to a product or feature without a purchase, such as a compensation by support.
///
/// The access begins when the grant is recorded, and ends at a given time or when the grant is revoked. The App Store
/// does not learn of the grant. A grant is not a purchase: it changes no subscription status and no balance. If a
/// purchase gives access at the same time, the purchase decides the answer.
public struct AccessGrant: Hashable, Sendable, Codable, Identifiable {
    /// The idempotency key of the request that granted the access; it is unique among the grants of one customer.
    public typealias ID = ByteIdentifier<AccessGrant>

    /// The product or feature to which access is granted.
    public enum Subject: Hashable, Sendable, Codable {
        /// A product, including the features that the product unlocks according to the catalog.
        case product(Product.ID)
        /// A feature of the catalog.
        case feature(Feature.ID)

        /// The id of the product or feature, as text.
        public var name: String {
            switch self {
            case .product(let id): id.rawValue
            case .feature(let id): id.rawValue
            }
        }
    }

    /// The revocation of a grant.
    public struct Revocation: Hashable, Sendable, Codable {
        /// When the grant was revoked, in UTC.
        public let at: Instant
        /// Why the grant was revoked.
        public let reason: String
        /// The name of the caller that revoked the grant, such as the name of its API key; `nil` if the request named
        /// no caller.
        public let recordedBy: String?

        /// Creates a revocation.
        package init(at instant: Instant, reason: String, recordedBy: String? = nil) {
            at = instant
            self.reason = reason
            self.recordedBy = recordedBy
        }
    }

    /// The idempotency key of the request that granted the access.
    public let id: ID
    /// The product or feature to which access is granted.
    public let subject: Subject
    /// When the access was granted, in UTC; the access begins at this instant.
    public let grantedAt: Instant
    /// The given end of the access, exclusive, in UTC; a revocation may end the access earlier.
    public let until: Instant
    /// Why the access was granted.
    public let reason: String
    /// The name of the caller that granted the access, such as the name of its API key; `nil` if the request named no
    /// caller.
    public let recordedBy: String?
    /// The revocation; `nil` if the grant was not revoked.
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

    /// The end of the access, exclusive, in UTC: ``until`` or the revocation, whichever is earlier.
    public var endsAt: Instant { revocation.map { min($0.at, until) } ?? until }

    /// Returns whether the grant gives access at an instant.
    public func isActive(at instant: Instant) -> Bool { grantedAt <= instant && instant < endsAt }

    /// Returns whether another grant with the same key has the same subject, end and reason, and is therefore a
    /// repetition of this grant.
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
