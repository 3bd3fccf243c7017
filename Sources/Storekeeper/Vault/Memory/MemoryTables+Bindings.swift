extension MemoryTables {
    /// Whose a chain or token is.
    package func holder(of subject: BindingSubject) throws(VaultError) -> CustomerID? { holders[subject]?.customer }

    /// Gives a chain or token that is nobody's to a customer.
    package mutating func bind(
        _ subject: BindingSubject, to customer: CustomerID, at instant: Instant
    ) throws(VaultError) {
        let binding = Binding(place: FeedPlace(nextSequence()), subject: subject, customer: customer, at: instant)
        let previous = holders.updateValue(binding, forKey: subject)
        customers[customer, default: CustomerRows()].bindings.append(binding)
        if case .chain(let chain) = subject { hear(of: chain) }
        note { tables in
            tables.holders[subject] = previous
            tables.customers[customer]?.bindings.removeLast()
        }
    }

    /// Keeps a chain for ``chains(originalID:)``, which looks whether anything is left of it.
    mutating func hear(of chain: ChainID) { heard[chain.originalID, default: []].insert(chain) }

    /// The customers with a chain of an environment and original transaction, in order of binding.
    package func holders(
        environment: AppStore.Environment, originalID: Transaction.ID
    ) throws(VaultError) -> [CustomerID] {
        let bindings = heard[originalID, default: []].filter { $0.environment == environment }
            .compactMap { holders[.chain($0)] }.sorted { $1.place.isAfter($0.place) }
        var found: [CustomerID] = []
        for binding in bindings where !found.contains(binding.customer) { found.append(binding.customer) }
        return found
    }

    /// The chains with an original transaction id, in order of app and environment.
    package func chains(originalID: Transaction.ID) throws(VaultError) -> [ChainID] {
        heard[originalID, default: []]
            .filter { chain in
                holders[.chain(chain)] != nil || chainFacts[chain]?.isEmpty == false
                    || parkedChains[chain]?.isEmpty == false
            }
            .sorted { left, right in
                (ByteText(left.bundleID), ByteText(left.environment.rawValue))
                    < (ByteText(right.bundleID), ByteText(right.environment.rawValue))
            }
    }

    /// What belongs to a customer.
    package func bindings(of customer: CustomerID) throws(VaultError) -> [Binding] {
        customers[customer]?.bindings ?? []
    }

    /// Counts that a customer presented a chain or token that is another's.
    ///
    /// By whom is not kept: the number is all that anybody asks for.
    package mutating func countAttempt(
        on subject: BindingSubject, by claimant: CustomerID, at instant: Instant
    ) throws(VaultError) -> Int {
        let count = attempts[subject, default: 0] + 1
        attempts[subject] = count
        note { tables in tables.attempts[subject] = count == 1 ? nil : count - 1 }
        return count
    }

    /// How often anybody presented a chain or token that is another's.
    package func attempts(on subject: BindingSubject) throws(VaultError) -> Int { attempts[subject] ?? 0 }
}
