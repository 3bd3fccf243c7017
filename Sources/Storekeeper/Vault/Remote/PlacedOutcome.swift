/// An outcome of a step that contains places of rows; the storage assigns these places when it writes the rows.
protocol PlacedOutcome: Sendable {
    /// Returns the outcome with the places that the storage has assigned.
    func placed(by written: WrittenRows) -> Self
}

extension LedgerEntry: PlacedOutcome {
    func placed(by written: WrittenRows) -> LedgerEntry { placed(at: written.place(place)) }
}

extension StoreEvent: PlacedOutcome {
    func placed(by written: WrittenRows) -> StoreEvent {
        StoreEvent(place: written.place(place), customer: customer, change: change)
    }
}

extension LedgerReceipt: PlacedOutcome {
    func placed(by written: WrittenRows) -> LedgerReceipt {
        LedgerReceipt(entry: entry.placed(by: written), isReplay: isReplay)
    }
}

extension CommitOutcome: PlacedOutcome {
    func placed(by written: WrittenRows) -> CommitOutcome {
        guard case .committed(var receipt) = self else { return self }
        receipt.entries = receipt.entries.map { $0.placed(by: written) }
        receipt.events = receipt.events.map { $0.placed(by: written) }
        receipt.adoptable.next = receipt.adoptable.next.map { written.place($0) }
        return .committed(receipt)
    }
}

extension Erasure: PlacedOutcome {
    func placed(by written: WrittenRows) -> Erasure {
        Erasure(
            place: written.place(place), at: at, reason: reason, facts: facts, entries: entries,
            proof: written.proofs[place.number] ?? proof)
    }
}

extension Array: PlacedOutcome where Element: PlacedOutcome {
    func placed(by written: WrittenRows) -> [Element] { map { $0.placed(by: written) } }
}

extension Result: PlacedOutcome where Success: PlacedOutcome {
    func placed(by written: WrittenRows) -> Result { map { $0.placed(by: written) } }
}
