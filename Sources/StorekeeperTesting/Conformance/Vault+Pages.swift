package import Storekeeper

extension TransactionalVault {
    /// Returns all parked evidence, read in pages.
    package func allParked(inPagesOf limit: Int = 100) async throws(VaultError) -> [ParkedFact] {
        try await allRows { place throws(VaultError) in try await parked(after: place, limit: limit) }
    }

    /// Returns all evidence that a customer can adopt, read in pages.
    package func allAdoptable(
        by customer: CustomerID, inPagesOf limit: Int = 100
    ) async throws(VaultError) -> [VerifiedFact] {
        try await allRows { place throws(VaultError) in try await adoptable(by: customer, after: place, limit: limit) }
    }

    /// Returns all transactions that are owed a delivery or a `finish`, customer by customer.
    package func allUnfinished(inPagesOf limit: Int = 100) async throws(VaultError) -> [OutboxItem] {
        var items: [OutboxItem] = []
        var last: CustomerID?
        while true {
            let page = try await customersOwed(after: last, limit: limit)
            for customer in page { items += try await unfinished(of: customer) }
            guard let end = page.last else { return items }
            last = end
        }
    }

    /// Writes ten steps on one day and ten steps on another day, and returns the number of steps of the first day whose
    /// ids the vault still stores.
    package func stepsRemembered(ofDay first: Int, thenDay second: Int) async throws -> Int {
        var random = SplitMix64(seed: 1)
        let steps = (0..<20).map { _ in StepID(using: &random) }
        for (number, step) in steps.enumerated() {
            var batch = CommitBatch(customer: "anna", at: .day(number < 10 ? first : second))
            batch.step = step
            guard case .committed = try await commit(batch) else { throw ConformanceFailure("a batch was refused") }
        }
        var count = 0
        for step in steps.prefix(10) where try await wasWritten(step) { count += 1 }
        for step in steps.suffix(10) where try await !wasWritten(step) {
            throw ConformanceFailure("a step that was just written is not remembered")
        }
        return count
    }

    private func allRows<Row>(
        _ read: (FeedPlace) async throws(VaultError) -> VaultPage<Row>
    ) async throws(VaultError) -> [Row] {
        var rows: [Row] = []
        var place: FeedPlace? = .start
        while let start = place {
            let page = try await read(start)
            rows += page.rows
            place = page.next
        }
        return rows
    }
}
