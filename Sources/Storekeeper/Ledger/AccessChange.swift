/// A change of a customer's access without a purchase.
///
/// An entry of the account records each change, so that nothing is granted or revoked twice.
public enum AccessChange: Hashable, Sendable, Codable {
    /// Grants access; a repeated grant with the same key changes nothing.
    case grant(AccessGrant)
    /// Revokes the grant with the given id; a grant that is already revoked does not change.
    case revoke(AccessGrant.ID, AccessGrant.Revocation)

    /// The id of the grant, which is the idempotency key of the request that made the grant.
    public var key: AccessGrant.ID {
        switch self {
        case .grant(let grant): grant.id
        case .revoke(let id, _): id
        }
    }
}

/// The result of granting or revoking access.
public struct AccessReceipt: Hashable, Sendable {
    /// The customer.
    public let customer: CustomerID
    /// The grant as it is recorded now.
    public let grant: AccessGrant
    /// Whether the same request had been carried out before.
    public let isReplay: Bool

    /// Creates a receipt.
    package init(customer: CustomerID, grant: AccessGrant, isReplay: Bool) {
        self.customer = customer
        self.grant = grant
        self.isReplay = isReplay
    }
}

extension AccessReceipt: JSONDescribed, JSONShaped {
    /// The receipt as `storekeeper vault grant` and `vault revoke-grant` print it.
    package static let shape = JSONShape<AccessReceipt>(
        "GrantReceipt",
        [
            .member("customer") { $0.customer.rawValue }, .member("grant") { $0.grant },
            .member("replayed") { $0.isReplay },
        ])
}

extension [AccessGrant] {
    /// Returns the grants after a change; a change that was made before, or that revokes an unknown grant, has no
    /// effect.
    package func applying(_ change: AccessChange) -> [AccessGrant] {
        var grants = self
        let index = firstIndex { $0.id == change.key }
        switch (change, index) {
        case (.grant(let grant), nil): grants.append(grant)
        case (.revoke(_, let revocation), let index?):
            if grants[index].revocation == nil { grants[index].revocation = revocation }
        case (.grant, _?), (.revoke, nil): break
        }
        return grants
    }

    /// Creates the grants that the entries of an account record.
    ///
    /// - Parameter entries: Entries of one customer, in order; entries that record no change of access are skipped.
    package init(recordedIn entries: some Sequence<LedgerEntry>) {
        self = entries.lazy.compactMap(\.accessChange).reduce(into: []) { $0 = $0.applying($1) }
    }
}

extension LedgerEntry {
    /// The change of access that the entry records; `nil` for an entry that changes a balance.
    package var accessChange: AccessChange? {
        switch cause {
        case .access(let subject, let until, let key, let reason):
            .grant(
                AccessGrant(
                    id: key.accessGrantID, subject: subject, grantedAt: at, until: until, reason: reason,
                    recordedBy: recordedBy))
        case .revocation(let key, let reason):
            .revoke(key.accessGrantID, AccessGrant.Revocation(at: at, reason: reason, recordedBy: recordedBy))
        case .transaction, .request, .transfer: nil
        }
    }
}

extension LedgerRequest.Key {
    /// The id of the grant that a request with this key makes.
    var accessGrantID: AccessGrant.ID { AccessGrant.ID(rawValue) }
}

extension AccessGrant {
    /// The idempotency key of the request that made the grant; unique among all requests of the customer.
    package var key: LedgerRequest.Key { LedgerRequest.Key(id.rawValue) }
}
