/// Reads the customers of a vault in order of id, page by page.
struct CustomerList {
    private let vault: any CopyableVault
    private var last: CustomerID?
    private var isDone = false

    init(of vault: any CopyableVault) { self.vault = vault }

    /// Returns the next page; `nil` after the last page.
    mutating func next(_ limit: Int) async throws(VaultError) -> [CustomerID]? {
        if isDone { return nil }
        let page = try await vault.customers(after: last, limit: limit)
        isDone = page.count < limit
        last = page.last ?? last
        return page.isEmpty ? nil : page
    }
}

/// Reads the parked evidence of a vault, one piece after the other.
struct ParkedList {
    private let vault: any CopyableVault
    private var waiting: ArraySlice<ParkedFact> = []
    private var place: FeedPlace? = .start

    init(of vault: any CopyableVault) { self.vault = vault }

    mutating func next() async throws(VaultError) -> ParkedFact? {
        while waiting.isEmpty, let start = place {
            let page = try await vault.parked(after: start, limit: VaultCopy.pageSize)
            waiting = page.rows[...]
            place = page.next
        }
        return waiting.popFirst()
    }
}

extension ParkedFact {
    func isSame(as other: ParkedFact) -> Bool {
        since == other.since && reason == other.reason && fact.jws.compact == other.fact.jws.compact
    }
}
