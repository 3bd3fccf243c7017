extension MemoryTables {
    /// Returns the owner of a chain or token.
    package func holder(of subject: BindingSubject) throws(VaultError) -> CustomerID? {
        if let binding = binding(of: subject) { return binding.customer }
        requireHolder(of: subject)
        return nil
    }

    /// Records that a step needs the binding of a chain or token, unless the loaded rows show that no binding exists.
    func requireHolder(of subject: BindingSubject) {
        guard let log, !log.hasLoadedHolder(of: subject) else { return }
        if case .chain(let chain) = subject, rows.forgottenChains[chain] != nil { return }
        requireRows(.holder(of: subject))
    }

    /// Returns the binding of a chain or token.
    func binding(of subject: BindingSubject) -> Binding? { rows.holders[subject].flatMap { rows.bindings[$0] } }

    /// Binds an unowned chain or token to a customer.
    package mutating func bind(
        _ subject: BindingSubject, to customer: CustomerID, at instant: Instant
    ) throws(VaultError) {
        let binding = Binding(place: FeedPlace(nextSequence()), subject: subject, customer: customer, at: instant)
        store(binding)
        record(.binding(binding))
    }

    /// Deletes the binding of a customer's chain or token, and the chain's facts.
    package mutating func release(_ subject: BindingSubject, of customer: CustomerID) throws(VaultError) {
        if case .chain(let chain) = subject {
            requireRows(.chainFacts(of: chain))
            set(nil, at: chain, in: \.tokens)
            removeFacts(at: rows.chainFacts[chain].all)
        }
        record(.released(subject, of: customer))
        removeBinding(of: subject)
    }

    /// Stores a binding, and adds it to the indexes.
    mutating func store(_ binding: Binding) {
        let place = binding.place.number
        set(binding, at: place, in: \.bindings)
        set(place, at: binding.subject, in: \.holders)
        insert(place, under: binding.customer, in: \.customerBindings)
        if case .chain(let chain) = binding.subject { registerChain(of: chain) }
    }

    /// Registers a chain for ``chains(originalID:)``, which leaves the chain out once it has no rows.
    mutating func registerChain(of chain: ChainID) { registeredChains[chain.originalID, default: []].insert(chain) }

    /// Returns the customers who own a chain with an environment and original transaction, in order of binding.
    package func holders(
        environment: AppStore.Environment, originalID: Transaction.ID
    ) throws(VaultError) -> [CustomerID] {
        requireRows(.chains(originalID: originalID))
        let bindings = registeredChains[originalID, default: []].filter { $0.environment == environment }
            .compactMap { binding(of: .chain($0)) }.sorted { $1.place.isAfter($0.place) }
        var found: [CustomerID] = []
        for binding in bindings where !found.contains(binding.customer) { found.append(binding.customer) }
        return found
    }

    /// Returns the chains with an original transaction id, in order of app and environment.
    package func chains(originalID: Transaction.ID) throws(VaultError) -> [ChainID] {
        requireRows(.chains(originalID: originalID))
        let known = registeredChains[originalID, default: []].filter {
            rows.holders[.chain($0)] != nil || !rows.chainFacts[$0].isEmpty || !rows.parkedChains[$0].isEmpty
        }
        let stored = (log?.chains[originalID] ?? []).filter { rows.forgottenChains[$0] == nil }
        return Self.sortedChains(known.union(stored))
    }

    /// Sorts chains of one original transaction by app and environment.
    static func sortedChains(_ chains: Set<ChainID>) -> [ChainID] {
        chains.sorted { left, right in
            left.bundleID.hasSameBytes(as: right.bundleID)
                ? left.environment.rawValue.precedesByBytes(right.environment.rawValue)
                : left.bundleID.precedesByBytes(right.bundleID)
        }
    }

    /// Returns the bindings of a customer.
    package func bindings(of customer: CustomerID) throws(VaultError) -> [Binding] {
        if !isLoaded(.facts(of: customer)) { requireRows(.bindings(of: customer)) }
        return rows.bindings.rows(at: rows.customerBindings[customer].all)
    }

    /// Counts an attempt of a customer to present a chain or token of another customer.
    ///
    /// The customer who made the attempt is not stored, because only the number of attempts is needed.
    package mutating func countAttempt(
        on subject: BindingSubject, by claimant: CustomerID, at instant: Instant
    ) throws(VaultError) -> Int {
        requireRows(.attempts(on: subject))
        let count = try (rows.attempts[subject] ?? 0).incremented(as: "the number of attempts")
        set(count, at: subject, in: \.attempts)
        record(.attempts(subject, count: count, at: instant))
        return count
    }

    /// Returns the number of times that customers other than the owner have presented a chain or token.
    package func attempts(on subject: BindingSubject) throws(VaultError) -> Int {
        requireRows(.attempts(on: subject))
        return rows.attempts[subject] ?? 0
    }
}
