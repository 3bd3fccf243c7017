extension VaultCopy {
    /// Removes parked evidence from the target if the source has since stored the evidence as facts, or has parked it
    /// in another order.
    ///
    /// Removed evidence that the source has parked is copied again in the source's order. Evidence that the source does
    /// not have stays in the target.
    func unparkStrays() async throws(VaultCopyFailure) {
        let strays = try await strays()
        guard !strays.isEmpty else { return }
        let known = try await fromSource { () async throws(VaultError) in try await payloads(known: strays) }
        let facts = strays.filter { known.contains(PayloadKey($0)) }
        for start in stride(from: 0, to: facts.count, by: Self.pageSize) {
            let page = Array(facts[start..<min(start + Self.pageSize, facts.count)])
            try await inTarget { () async throws(VaultError) in try await target.unpark(page) }
        }
    }

    /// Returns the target's parked evidence that is not in the same order as the source's parked evidence.
    private func strays() async throws(VaultCopyFailure) -> [VerifiedFact] {
        var (sources, targets) = (ParkedList(of: source), ParkedList(of: target))
        var strays: [VerifiedFact] = []
        var theirs = try await fromSource { () async throws(VaultError) in try await sources.next() }
        while let own = try await inTarget({ () async throws(VaultError) in try await targets.next() }) {
            if let waiting = theirs, waiting.isSame(as: own) {
                theirs = try await fromSource { () async throws(VaultError) in try await sources.next() }
            } else {
                strays.append(own.fact)
            }
        }
        return strays
    }

    /// Returns the payloads of the given facts that the source contains, parked or not.
    private func payloads(known facts: [VerifiedFact]) async throws(VaultError) -> Set<PayloadKey> {
        let wanted = Set(facts.map { PayloadKey($0) })
        var known: Set<PayloadKey> = []
        var list = ParkedList(of: source)
        while let parked = try await list.next() {
            if wanted.contains(PayloadKey(parked.fact)) { known.insert(PayloadKey(parked.fact)) }
        }
        let rest = facts.filter { !known.contains(PayloadKey($0)) }
        for customer in Set(try await source.owners(of: rest).compactMap { $0 }) {
            for stored in try await source.load(customer).facts where wanted.contains(PayloadKey(stored.fact)) {
                known.insert(PayloadKey(stored.fact))
            }
        }
        return known
    }
}
