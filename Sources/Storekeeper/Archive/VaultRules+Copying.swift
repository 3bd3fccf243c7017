/// The result of writing the data of one customer in a copy.
package enum CopyOutcome: Sendable {
    /// All data of the customer is written.
    case written
    /// Another caller has changed the customer's data since it was read; nothing was written.
    case overtaken
    /// A chain or token belongs to another customer in this vault; nothing was written.
    case refused(BindingConflict)
}

extension VaultRules {
    /// Appends the data of a customer that another vault has and this vault lacks.
    ///
    /// - Parameters:
    ///   - source: The data in the other vault.
    ///   - known: The data in this vault, which is a part of `source`.
    static func copy(
        _ source: CustomerCopy, after known: CustomerCopy, at instant: Instant, in tables: inout some VaultTables
    ) throws(VaultError) -> CopyOutcome {
        guard let customer = source.archive.customer else { return .written }
        guard try tables.customer(customer)?.version ?? 0 == known.version else { return .overtaken }
        // The ledger rule needs no catalog, because the entries are copied and not computed.
        let receipt = try restore(source.archive, rule: LedgerRule(), at: instant, saysAll: true, in: &tables)
        if let conflict = receipt.conflicts.first { return .refused(conflict) }
        var isChanged = try copyDeliveries(of: source, after: known, in: &tables)
        if source.pending != known.pending {
            try tables.setPending(source.pending, of: customer)
            isChanged = true
        }
        for event in source.events.dropFirst(known.events.count) {
            _ = try tables.append(event, about: customer)
            isChanged = true
        }
        if isChanged, var row = try tables.customer(customer) {
            try row.advance()
            try tables.setCustomer(row)
        }
        return .written
    }

    /// Copies the states of deliveries; a transaction that was delivered in this vault does not become owed again, so
    /// that nothing is delivered twice.
    private static func copyDeliveries(
        of source: CustomerCopy, after known: CustomerCopy, in tables: inout some VaultTables
    ) throws(VaultError) -> Bool {
        var isChanged = false
        let states = Dictionary(known.unfinished.map { ($0.key, $0.state) }) { first, _ in first }
        for item in source.unfinished {
            switch (states[item.key], item.state) {
            case (nil, _): if try tables.addOutstandingDelivery(item) { isChanged = true }
            case (.owed?, .delivered):
                try tables.markDelivery(of: item.key, as: .delivered)
                isChanged = true
            case (.owed?, .owed), (.delivered?, _): break
            }
        }
        let open = Set(source.unfinished.map(\.key))
        for item in known.unfinished where !open.contains(item.key) {
            try tables.markDelivery(of: item.key, as: nil)
            isChanged = true
        }
        return isChanged
    }
}

extension TransactionalVault {
    /// Writes another vault's data of a customer atomically.
    func write(
        _ source: CustomerCopy, after known: CustomerCopy, at instant: Instant
    ) async throws(VaultError) -> CopyOutcome {
        try await write { tables throws(VaultError) in
            try VaultRules.copy(source, after: known, at: instant, in: &tables)
        }
    }

    /// Stores marks of erased customers atomically.
    func insertMarks(_ marks: ErasedMarks) async throws(VaultError) {
        try await write { tables throws(VaultError) in
            var new = marks
            new.plain = []
            for mark in marks.plain where try !tables.isMarked(mark) { new.plain.append(mark) }
            if new.count > 0 { try tables.insertMarks(new) }
        }
    }

    /// Removes facts from the parked evidence atomically.
    func unpark(_ facts: [VerifiedFact]) async throws(VaultError) {
        try await write { tables throws(VaultError) in
            for fact in facts { try tables.removeParked(fact) }
        }
    }
}
