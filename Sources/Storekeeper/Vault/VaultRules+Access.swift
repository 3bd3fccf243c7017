extension VaultRules {
    /// Returns the account entry that records a change of access; `nil` if the change was recorded before.
    ///
    /// - Returns: The entry or `nil`; or a refusal if the idempotency key was used for another request, or if the grant
    ///   to be revoked does not exist.
    /// - Throws: ``VaultError`` with `invalidRequest` for a request that cannot be recorded.
    static func entry(
        of change: AccessChange, for customer: CustomerID, in tables: borrowing some VaultTables
    ) throws(VaultError) -> Result<LedgerDraft?, LedgerRefusal> {
        switch change {
        case .grant(let grant):
            if let entry = try tables.entry(of: customer, key: grant.key) {
                guard case .grant(let known)? = entry.accessChange, known.isRepeated(by: grant) else {
                    return .failure(.keyReused)
                }
                return .success(nil)
            }
            // A stored ``ErasedMark`` shows that the key was used before the customer was erased.
            if try tables.isMarked(.request(customer, key: grant.key)) { return .failure(.keyReused) }
            try grant.check()
            return .success(
                LedgerDraft(
                    customer: customer, at: grant.grantedAt, kind: .grantAccess, balance: "", change: 0, after: 0,
                    cause: .access(grant.subject, until: grant.until, key: grant.key, reason: grant.reason),
                    recordedBy: grant.recordedBy))
        case .revoke(let id, let revocation):
            let grants = [AccessGrant](recordedIn: try tables.accessEntries(of: customer))
            guard let grant = grants.first(where: { $0.id == id }) else { return .failure(.unknownGrant) }
            guard grant.revocation == nil else { return .success(nil) }
            try revocation.check()
            return .success(
                LedgerDraft(
                    customer: customer, at: revocation.at, kind: .revokeAccess, balance: "", change: 0, after: 0,
                    cause: .revocation(key: grant.key, reason: revocation.reason), recordedBy: revocation.recordedBy))
        }
    }
}

extension AccessGrant {
    /// Throws if the grant cannot be recorded.
    ///
    /// - Throws: ``VaultError`` with `invalidRequest`.
    fileprivate func check() throws(VaultError) {
        try key.check()
        guard !subject.name.isEmpty else {
            throw VaultError(.invalidRequest, "the id of the product or feature is empty")
        }
        guard until > grantedAt else {
            throw VaultError(
                .invalidRequest, "the access would end at \(until), which is not in the future; give a later time")
        }
        try Self.check(reason: reason, by: recordedBy)
        try LengthLimit.id.check(id.rawValue, "the key")
        try LengthLimit.id.check(subject.name, "the id of the product or feature")
    }

    fileprivate static func check(reason: String, by caller: String?) throws(VaultError) {
        guard !reason.isEmpty else {
            throw VaultError(.invalidRequest, "the reason is empty; give a reason, which the account shows")
        }
        try LengthLimit.reason.check(reason, "the reason")
        try LengthLimit.id.check(caller ?? "", "the name of the caller")
    }
}

extension AccessGrant.Revocation {
    /// Throws if the revocation cannot be recorded.
    ///
    /// - Throws: ``VaultError`` with `invalidRequest`.
    fileprivate func check() throws(VaultError) { try AccessGrant.check(reason: reason, by: recordedBy) }
}
