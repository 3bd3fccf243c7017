/// Moving purchases between customers.
extension Store {
    /// Moves a chain or token from its owner to this customer, for example if a person has made a new account, or if
    /// several accounts share one Apple Account.
    ///
    /// A token moves together with the owner's chains whose newest token it is. Both accounts record the transfer with
    /// its reason. Units that the purchases have added are taken back from the previous owner, as the refund policy
    /// defines, and credited to this customer. Content is not delivered again. A chain or token without an owner is
    /// claimed.
    ///
    /// The app must make sure that the person may have the purchases.
    ///
    /// - Parameters:
    ///   - subject: The chain or token.
    ///   - reason: The reason, at most 1,024 bytes.
    ///   - caller: The caller, such as the name of its API key; stored in both accounts.
    /// - Throws: ``VaultError`` if the reason is empty or too long, or if the vault cannot write; nothing has moved
    ///   then.
    @discardableResult
    public func transfer(
        _ subject: BindingSubject, because reason: String, recordedBy caller: String? = nil
    ) async throws(VaultError) -> TransferReceipt {
        let receipt = try await serially { () async throws(VaultError) in
            try await move(subject, because: reason, recordedBy: caller)
        }
        if let owner = receipt.previousOwner { parts.work.unread.add(owner) }
        await deliver(receipt.adopted.owed)
        return receipt
    }

    private func move(
        _ subject: BindingSubject, because reason: String, recordedBy caller: String?
    ) async throws(VaultError) -> TransferReceipt {
        let vault = parts.vault
        for _ in 0..<parts.configuration.commitAttempts {
            try await reload()
            guard let basis = try await vault.basis(ofMoving: subject, to: customer), basis.owner != customer else {
                if try await parts.vault.claim(subject, for: customer, at: parts.clock.now) != nil { continue }
                try await reload()
                return TransferReceipt(previousOwner: nil, chains: [], adopted: try await adoptParkedPages())
            }
            var current = parts
            current.configuration.catalog = try await currentState().live.resolver.catalog
            let plan = TransferPlan(
                of: subject, from: basis.owner, try await vault.load(basis.owner), to: customer,
                try await vault.load(customer), by: current)
            switch try await vault.transfer(plan.request(because: reason, recordedBy: caller)) {
            case .stale: continue
            case .moved(let chains, _):
                try await reload()
                return TransferReceipt(
                    previousOwner: basis.owner, chains: chains, adopted: try await adoptParkedPages())
            }
        }
        throw VaultError(.locked, "other processes kept writing about the same customers; try again")
    }
}

/// The result of a transfer.
public struct TransferReceipt: Sendable {
    /// The customer from whom the chain or token has moved; `nil` if it was this customer's or had no owner.
    public let previousOwner: CustomerID?
    /// The chains that have moved.
    public let chains: [ChainID]
    /// The result of adopting the evidence that was parked for the new owner.
    public let adopted: IngestReport
}

/// The answers of two customers before and after a transfer.
private struct TransferPlan {
    private let subject: BindingSubject
    private let parts: StoreDependencies
    private let owner: CustomerState
    private let ownerAfter: CustomerState
    private let recipient: CustomerState
    private let recipientAfter: CustomerState

    /// - Parameters:
    ///   - own: The data of the owner.
    ///   - their: The data of the new owner.
    init(
        of subject: BindingSubject, from owner: CustomerID, _ own: CustomerRecord, to recipient: CustomerID,
        _ their: CustomerRecord, by parts: StoreDependencies
    ) {
        func state(_ record: CustomerRecord, of customer: CustomerID) -> CustomerState {
            CustomerState(record, of: customer, configuration: parts.configuration, owesDelivery: false)
        }
        self.subject = subject
        self.parts = parts
        self.owner = state(own, of: owner)
        self.recipient = state(their, of: recipient)
        let chains = Self.chains(movingWith: subject, in: own.facts)
        let purchases = Set(chains.map { RenewalInfoKey($0) })
        var (less, more) = (own, their)
        // Renewal infos and statuses say nothing about the owner without their transactions, so they need not be
        // removed. An app transaction gives features by itself.
        less.facts.removeAll { stored in stored.fact.chain.map { chains.contains($0) } ?? false }
        more.facts += own.facts.filter { stored in
            stored.fact.purchase.map { purchases.contains($0) }
                ?? stored.fact.chain.map { chains.contains($0) } ?? false
        }
        ownerAfter = state(less, of: owner)
        recipientAfter = state(more, of: recipient)
    }

    private static func chains(movingWith subject: BindingSubject, in facts: [StoredFact]) -> Set<ChainID> {
        switch subject {
        case .chain(let chain): [chain]
        case .token(let token):
            Set(ChainTokens.byChain(facts.lazy.map(\.fact)).filter { $0.value.newest?.token == token }.keys)
        }
    }

    /// Returns the request, with the changes of answers that it causes.
    func request(because reason: String, recordedBy caller: String?) -> OwnershipTransfer {
        let now = parts.clock.now
        var events: [CustomerID: [StoreEvent.Change]] = [:]
        var wakes: [CustomerID: Instant] = [:]
        for (before, after) in [(owner, ownerAfter), (recipient, recipientAfter)] {
            let present = after.live.resolution.now(byClock: now)
            let instant = max(present, before.evaluatedThrough ?? present)
            events[before.customer] =
                AnswerChanges.causedByTime(
                    in: before.live.resolution, after: before.evaluatedThrough ?? instant, through: instant)
                + AnswerChanges.learned(from: before.live.resolution, to: after.live.resolution, at: instant)
            wakes[before.customer] = after.live.resolution.nextChange(after: instant).flatMap {
                $0 < .distantFuture ? $0 : nil
            }
        }
        return OwnershipTransfer(
            subject: subject, recipient: recipient.customer, reason: reason, recordedBy: caller, at: now,
            rule: LedgerRule(catalog: owner.live.resolver.catalog, policy: owner.live.resolver.policy),
            basis: OwnershipTransfer.Basis(
                owner: owner.customer, ownerVersion: owner.version, recipientVersion: recipient.version),
            events: events, wakes: wakes)
    }
}
