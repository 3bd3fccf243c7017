/// Methods for access without a purchase.
extension Store {
    /// All access grants of the customer, in the order in which they were granted, including ended and revoked grants.
    ///
    /// - Throws: ``VaultError`` if the vault must be read again and cannot be read.
    public var grants: [AccessGrant] {
        get async throws(VaultError) { try await stateAfterPendingWork().grants }
    }

    /// Gives the customer access to a product or feature without a purchase, for example as a compensation or for a
    /// test.
    ///
    /// The access begins now. The grant is recorded in the account with its reason. It changes no status and no
    /// balance, and is never reported to the App Store.
    ///
    /// ```swift
    /// try await store.grantAccess(
    ///     to: .feature("pro"), until: nextMonth, because: "lost a day of service", key: "ticket-4711")
    /// ```
    ///
    /// - Parameters:
    ///   - subject: A feature of the catalog, or a product that is not a consumable. Access to a product includes the
    ///     features that the product unlocks.
    ///   - end: The end of the access, exclusive, in UTC; must be in the future.
    ///   - reason: The reason, at most 1,024 bytes.
    ///   - key: The idempotency key, unique per customer among all requests. Repeating the request with the same key
    ///     returns the first grant and grants nothing more.
    ///   - caller: The caller, such as the name of its API key; stored in the account.
    /// - Throws: ``LedgerRefusal/keyReused`` if the key was used for another request; ``VaultError`` with `consumable`,
    ///   `unknownProduct`, `unknownFeature` or `invalidRequest` for a request that cannot be carried out, and other
    ///   codes if the grant could not be written.
    @discardableResult
    public func grantAccess(
        to subject: AccessGrant.Subject, until end: Instant, because reason: String, key: AccessGrant.ID,
        recordedBy caller: String? = nil
    ) async throws -> AccessReceipt {
        try Task.checkCancellation()
        return try await serially {
            let state = try await currentState()
            let grant = AccessGrant(
                id: key, subject: subject, grantedAt: state.live.resolution.now(byClock: parts.clock.now), until: end,
                reason: reason, recordedBy: caller)
            if !state.grants.contains(where: { $0.id == key }) { try state.check(subject) }
            let receipt = try await change(.grant(grant))
            guard receipt.grant.isRepeated(by: grant) else { throw LedgerRefusal.keyReused }
            return receipt
        }
    }

    /// Ends access that was granted without a purchase, with effect from now.
    ///
    /// - Parameters:
    ///   - id: The key with which the access was granted.
    ///   - reason: The reason, at most 1,024 bytes.
    ///   - caller: The caller, such as the name of its API key; stored in the account.
    /// - Returns: The revoked grant. A grant that was revoked before is returned unchanged.
    /// - Throws: ``LedgerRefusal/unknownGrant`` if no such grant exists; ``VaultError`` if the revocation could not
    ///   be written.
    @discardableResult
    public func revokeAccess(
        grantedBy id: AccessGrant.ID, because reason: String, recordedBy caller: String? = nil
    ) async throws -> AccessReceipt {
        try Task.checkCancellation()
        return try await serially {
            let now = try await currentState().live.resolution.now(byClock: parts.clock.now)
            return try await change(
                .revoke(id, AccessGrant.Revocation(at: now, reason: reason, recordedBy: caller)))
        }
    }

    /// Records a change of access; call it only inside ``serially(_:)``.
    private func change(_ change: AccessChange) async throws -> AccessReceipt {
        var report = try await write(StepInput(access: change))
        if report.entries.isEmpty {
            // Nothing was written. This node has decided from its memory, but another node may have changed the grant,
            // so the vault is read again.
            try await reload()
            report = try await write(StepInput(access: change))
        }
        if let refusal = report.refusal { throw refusal }
        guard let grant = try await currentState().grants.first(where: { $0.id == change.key }) else {
            throw LedgerRefusal.unknownGrant
        }
        return AccessReceipt(customer: customer, grant: grant, isReplay: report.entries.isEmpty)
    }

    /// Explains the answer about a feature at an instant, in UTC.
    ///
    /// - Returns: `nil` if the catalog does not contain the feature.
    /// - Throws: ``VaultError`` if the vault must be read again and cannot be read.
    package func explain(_ id: Feature.ID, at instant: Instant) async throws(VaultError) -> Explanation? {
        let state = try await stateAfterPendingWork()
        return state.live.resolver.explain(
            feature: id, in: state.doubted.history, at: instant, pending: state.pending, grants: state.grants,
            doubt: snapshot.freshness.doubt(at: instant))
    }
}

extension CustomerState {
    /// Throws if access to a subject cannot be granted.
    ///
    /// Without a catalog, every product is accepted and every feature is refused.
    ///
    /// - Throws: ``VaultError`` with `consumable`, `unknownProduct` or `unknownFeature`.
    fileprivate func check(_ subject: AccessGrant.Subject) throws(VaultError) {
        let (resolution, catalog) = (live.resolution, live.resolver.catalog)
        switch subject {
        case .product(let id):
            guard !resolution.isConsumable(id) else {
                throw VaultError(
                    .consumable,
                    "'\(id)' is a consumable, which is counted and not owned; add units to its balance with 'storekeeper "
                        + "vault grant BALANCE QUANTITY'")
            }
            guard catalog.products.isEmpty || resolution.product(id) != nil else {
                throw VaultError(
                    .unknownProduct,
                    "neither catalog nor evidence knows the product '\(id)'; "
                        + NearestWord.advice(for: id.rawValue, among: resolution.products.map(\.id.rawValue)))
            }
        case .feature(let id):
            guard catalog.feature(id) != nil else {
                throw VaultError(
                    .unknownFeature,
                    "the catalog has no feature '\(id)'; "
                        + NearestWord.advice(for: id.rawValue, among: catalog.features.map(\.id.rawValue)))
            }
        }
    }
}
