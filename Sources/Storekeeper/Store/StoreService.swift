import Synchronization

/// The background work of stores: processing the stream, reading histories, announcing the changes that time causes,
/// and making outstanding deliveries.
///
/// The service works for a single store or for a pool. Each kind of work is a loop that retries failures and ends when
/// its task is cancelled. A hanging loop does not block the other loops.
struct StoreService: Sendable {
    /// The maximum number of customers requested from the vault at once.
    private static let pageSize = 1_000
    /// The longest wait between two attempts to listen to the writes of other processes.
    private static let longestSilence = Duration.seconds(1)

    private let parts: StoreDependencies
    private let concurrency: Int
    /// The signal that is sent when a history was read, or when reading a history has failed.
    private let historyTried = ChangeSignal()

    /// - Parameter concurrency: The maximum number of customers served concurrently.
    init(_ parts: StoreDependencies, concurrency: Int) {
        self.parts = parts
        self.concurrency = concurrency
    }

    private var vault: any TransactionalVault { parts.vault }
    private var clock: any StoreClock { parts.clock }
    private var backoff: Backoff { parts.configuration.backoff }

    /// Keeps the stores of a directory up to date until the task is cancelled; then returns.
    func run(_ directory: some StoreDirectory) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.watchTime(directory) }
            group.addTask { await self.resumeDeliveries(directory) }
            group.addTask { await self.deliver(directory) }
            group.addTask { await self.readHistories(directory) }
            if let interval = parts.configuration.refreshInterval {
                group.addTask { await self.refresh(directory, every: interval) }
            }
            if let vault = vault.sharing {
                group.addTask { await self.observeWrites(from: vault, directory) }
            }
            group.addTask { await self.applyReportedWrites(directory) }
            if let backend = parts.backend {
                group.addTask { await self.listen(to: backend, directory) }
            }
            // A single store's history is queued, because the store also adopts its parked evidence when it reads the
            // history.
            if let only = directory.only { parts.work.unread.add(only) }
        }
    }

    // MARK: The stream

    /// Processes streams; requests another stream when one ends.
    private func listen(to backend: any StoreBackend, _ directory: some StoreDirectory) async {
        var retry = Retry(backoff, salt: .stream, clock: clock)
        var isFirst = true
        while !Task.isCancelled {
            do {
                let place = StreamPlace(try await vault.cursor(of: backend.name))
                let semaphore = AsyncSemaphore(concurrency)
                let updates = backend.updates(after: place.cursor)
                // Without a cursor, the new stream lacks the items since the end of the previous stream, so the
                // histories are read.
                if !isFirst, place.cursor == nil {
                    for store in directory.storesInMemory() { parts.work.unread.add(store.customer) }
                }
                isFirst = false
                await withDiscardingTaskGroup { group in
                    for await update in updates {
                        // A single store processes the stream only after the first attempt to read its history.
                        if directory.only != nil { await historyTried.wait(after: 0) }
                        guard await semaphore.acquire(), !Task.isCancelled else { break }
                        let number = place.begin(update.cursor)
                        retry.succeed()
                        group.addTask {
                            if await self.ingest(update, directory) {
                                await self.write(place, behind: number, of: backend)
                            }
                            semaphore.release()
                        }
                    }
                }
                if !Task.isCancelled { parts.report(.streamEnded) }
            } catch {
                parts.report(.vaultFailed(error))
            }
            await retry.waitAfterFailure()
        }
    }

    /// Stores an item of a stream, and retries until the vault accepts the item.
    ///
    /// - Returns: `false` if the task was cancelled before the item was stored.
    private func ingest(_ update: TransactionUpdate, _ directory: some StoreDirectory) async -> Bool {
        var retry = Retry(backoff, salt: .item, clock: clock)
        let done: Void? = await retry.untilDone(reporting: { parts.report(.vaultFailed($0)) }) {
            () async throws(VaultError) in
            try await receive(update, directory)
        }
        return done != nil
    }

    /// Marks an item as processed, and stores the cursor up to which all items were processed.
    private func write(_ place: StreamPlace, behind number: Int, of backend: any StoreBackend) async {
        place.end(number)
        while let cursor = place.beginWriting() {
            defer { place.endWriting() }
            do {
                try await vault.setCursor(cursor, of: backend.name)
            } catch {
                // Without the new cursor, the stream delivers some items again after a restart, which is harmless.
                parts.report(.vaultFailed(error))
            }
        }
    }

    /// Verifies an item of a stream and stores it for its owner.
    func receive(_ update: TransactionUpdate, _ directory: some StoreDirectory) async throws(VaultError) {
        if let customer = directory.only ?? update.customer {
            try await perform(to: customer, of: directory) { store throws(VaultError) in try await store.receive(update)
            }
            return
        }
        switch update.content {
        case .failure(let error): parts.report(.backendFailed(error))
        case .declined: break
        case .evidence(let texts):
            let presented = await VerificationBatch.verifying(texts, by: parts.verifier)
            parts.reportFailures(of: presented)
            try await distribute(presented, directory)
        }
    }

    /// Passes evidence that was received without a customer to its owners, and parks evidence without an owner.
    ///
    /// - Returns: The combined result.
    @discardableResult
    func distribute(
        _ presented: VerificationBatch, _ directory: some StoreDirectory
    ) async throws(VaultError) -> IngestReport {
        var owned: [CustomerID: [VerifiedFact]] = [:]
        var order: [CustomerID] = []
        var unowned: [VerifiedFact] = []
        for (fact, owner) in zip(presented.facts, try await owners(of: presented.facts)) {
            guard let owner else {
                unowned.append(fact)
                continue
            }
            if owned[owner] == nil { order.append(owner) }
            owned[owner, default: []].append(fact)
        }
        var total = IngestReport()
        // Notifications are recorded in the last write, because a notification is complete only when all its facts are
        // written.
        let isRest = !unowned.isEmpty || order.isEmpty
        for customer in order {
            var own = VerificationBatch()
            own.facts = owned[customer] ?? []
            if !isRest, customer == order.last { own.notifications = presented.notifications }
            let evidence = own
            let report = try await perform(to: customer, of: directory) { store throws(VaultError) in
                try await store.commit(evidence, isClaimed: false)
            }
            // A fact that was parked belongs to another customer or has no owner, so the cached owner was wrong.
            let isWhole = report.owners.isEmpty && report.unclaimed == 0 && report.conflicts.isEmpty
            parts.work.owners.set(isWhole ? customer : nil, of: evidence.facts)
            parts.reportUnclaimed(report)
            total.add(report)
        }
        guard isRest else { return total }
        let rest = try await parts.park(unowned, notifications: presented.notifications)
        parts.reportUnclaimed(rest)
        total.add(rest)
        try await refresh(rest.owners, of: directory)
        return total
    }

    /// Returns the owners of facts, from the cache or from the vault.
    private func owners(of facts: [VerifiedFact]) async throws(VaultError) -> [CustomerID?] {
        if let cached = parts.work.owners.owners(of: facts) { return cached }
        return try await vault.owners(of: facts)
    }

    @discardableResult
    private func perform(
        to customer: CustomerID, of directory: some StoreDirectory,
        _ work: @Sendable (Store) async throws(VaultError) -> IngestReport
    ) async throws(VaultError) -> IngestReport {
        let report = try await directory.using(customer, work)
        if !report.owed.isEmpty { parts.work.owed.add(customer) }
        try await refresh(report.owners, of: directory)
        return report
    }

    /// Adopts the parked evidence of customers of a pool; for a single store, does nothing.
    private func refresh(_ owners: [CustomerID], of directory: some StoreDirectory) async throws(VaultError) {
        guard directory.only == nil else { return }
        for owner in owners {
            let report = try await directory.using(owner) { store throws(VaultError) in try await store.adoptParked() }
            if !report.owed.isEmpty { parts.work.owed.add(owner) }
        }
    }

    // MARK: Histories, deliveries, other processes

    /// Reads the histories and adopts the parked evidence of queued customers.
    private func readHistories(_ directory: some StoreDirectory) async {
        // The loop pauses even after a success, because each failure of the backend's stream queues the history again.
        await parts.work.unread.serve(
            concurrency: concurrency, clock: clock, backoff: backoff, pause: backoff.first.milliseconds
        ) {
            customer in
            defer { historyTried.send() }
            do throws(VaultError) {
                let isRead = try await directory.using(customer) { store throws(VaultError) in
                    _ = try await store.adoptParked()
                    return await store.isHistoryRead()
                }
                parts.work.owed.add(customer)
                return isRead
            } catch {
                parts.report(.vaultFailed(error))
                return false
            }
        }
    }

    /// Resumes the deliveries that were outstanding when the previous process ended.
    ///
    /// If nodes divide deliveries, the method looks for outstanding deliveries periodically, because another node may
    /// have failed to make them.
    private func resumeDeliveries(_ directory: some StoreDirectory) async {
        var retry = Retry(backoff, salt: .beginning, clock: clock)
        while !Task.isCancelled {
            var last: CustomerID?
            repeat {
                let previous = last
                let page = await retry.untilDone(reporting: { parts.report(.vaultFailed($0)) }) {
                    () async throws(VaultError) in
                    try await directory.customersWithDeliveries(after: previous, limit: Self.pageSize)
                }
                for customer in page ?? [] { parts.work.owed.add(customer) }
                last = page?.last
            } while last != nil
            guard let division = parts.division else { return }
            try? await clock.wait(until: clock.now.adding(milliseconds: division.lease.milliseconds))
        }
    }

    private func deliver(_ directory: some StoreDirectory) async {
        await parts.work.owed.serve(concurrency: concurrency, clock: clock, backoff: backoff) { customer in
            do throws(VaultError) {
                return try await directory.using(customer) { store throws(VaultError) in
                    await store.deliverUnfinished()
                }
            } catch {
                parts.report(.vaultFailed(error))
                return false
            }
        }
    }

    /// Checks periodically whether other processes have written about customers whose stores are in memory.
    private func refresh(_ directory: some StoreDirectory, every interval: Duration) async {
        while !Task.isCancelled {
            try? await clock.wait(until: clock.now.advanced(by: interval))
            await applyExternalWrite(.missed, directory)
        }
    }

    /// Reads the data that other processes write, as soon as the vault reports the write.
    private func observeWrites(from vault: any SharedVault, _ directory: some StoreDirectory) async {
        // A process that does not hear the others cannot trust its stores, so it does not wait long between attempts.
        var quick = backoff
        quick.first = min(quick.first, Self.longestSilence)
        quick.longest = min(quick.longest, Self.longestSilence)
        var retry = Retry(quick, salt: .externalWrites, clock: clock)
        while !Task.isCancelled {
            do {
                try await vault.observeWrites { news, instant in
                    let isIncomplete = parts.work.reports.withLock { reports in
                        reports.since = reports.since ?? clock.now
                        return reports.isIncomplete
                    }
                    var isApplied = true
                    if isIncomplete || !news.isNothing {
                        // Readers of events, and the loop that announces changes caused by time, need the signal even
                        // for customers whose stores are not in memory.
                        parts.work.written.send()
                        isApplied = await applyExternalWrite(isIncomplete ? .missed : news, directory)
                    }
                    parts.work.reports.withLock { $0.end(upTo: instant, isApplied: isApplied) }
                }
                retry.succeed()
            } catch {
                parts.report(.vaultFailed(error))
            }
            parts.work.reports.withLock { $0.since = nil }
            if !Task.isCancelled { await retry.waitAfterFailure() }
        }
    }

    /// Marks and queues the stores in memory whose customers' data another process has changed.
    ///
    /// - Returns: `false` if a store that is not marked may lack such data.
    @discardableResult
    private func applyExternalWrite(_ news: ExternalWrite, _ directory: some StoreDirectory) async -> Bool {
        // A store that is being opened compares the number of reports, because it is not listed here.
        parts.work.reports.withLock { $0.begin() }
        let stores = directory.storesInMemory().filter { news.concerns($0.customer) }
        var isApplied = true
        for start in stride(from: 0, to: stores.count, by: Self.pageSize) {
            do throws(VaultError) {
                let customers = try await outdated(stores[start..<min(start + Self.pageSize, stores.count)])
                guard !customers.isEmpty else { continue }
                parts.work.reports.withLock { $0.mark(customers) }
                for customer in customers { parts.work.outdated.add(customer) }
            } catch {
                parts.report(.vaultFailed(error))
                isApplied = false
            }
        }
        return isApplied
    }

    /// Reads what other processes have written about queued customers.
    private func applyReportedWrites(_ directory: some StoreDirectory) async {
        // With a pause, a customer who fails is not served again for each further report.
        await parts.work.outdated.serve(concurrency: concurrency, clock: clock, backoff: backoff, pause: 0) {
            customer in
            do throws(VaultError) {
                try await directory.using(customer) { store throws(VaultError) in
                    try await store.applyReportedWrites()
                }
                return true
            } catch {
                parts.report(.vaultFailed(error))
                return false
            }
        }
    }

    /// Returns the customers about whom the vault may have data that their stores lack.
    private func outdated(_ stores: ArraySlice<Store>) async throws(VaultError) -> [CustomerID] {
        var behind: [CustomerID] = []
        for (store, newest) in zip(stores, try await vault.versions(of: stores.map(\.customer))) {
            if await store.isBehind(newest) { behind.append(store.customer) }
        }
        return behind
    }

    // MARK: Time

    /// Announces the changes that time causes at their exact instants, beginning with the customer who is due first.
    private func watchTime(_ directory: some StoreDirectory) async {
        var retry = Retry(backoff, salt: .time, clock: clock)
        var failed: [CustomerID: BackoffSchedule] = [:]
        while !Task.isCancelled {
            let seen = parts.work.written.count
            do {
                let next = try await directory.nextWake()
                var turn = WakeDecision.wait(until: next?.at)
                if let next, next.at <= clock.now { turn = try await directory.claimWake(of: next) }
                switch turn {
                case .announce(let customer, _): try await announce(to: customer, of: directory, failed: &failed)
                case .wait(let instant): try? await clock.wait(for: parts.work.written, after: seen, until: instant)
                }
                retry.succeed()
            } catch {
                parts.report(.vaultFailed(error))
                await retry.waitAfterFailure()
            }
        }
    }

    /// Records the changes that time has caused for a customer; after a failure, the customer is postponed.
    ///
    /// - Parameter failed: The retry schedules of customers whose last announcement failed.
    private func announce(
        to customer: CustomerID, of directory: some StoreDirectory, failed: inout [CustomerID: BackoffSchedule]
    ) async throws(VaultError) {
        do {
            try await directory.using(customer) { store throws(VaultError) in try await store.recordDueChanges() }
            failed[customer] = nil
        } catch {
            parts.report(.vaultFailed(error))
            // If another node announces the changes instead, the customer is not removed from `failed`, so its size is
            // limited.
            if failed.count >= 4_096 { failed.removeAll() }
            var waits =
                failed[customer] ?? BackoffSchedule(backoff, salt: .announcement, number: UInt64(failed.count))
            let wait = waits.fail()
            failed[customer] = waits
            try await directory.postpone(customer, until: clock.now.adding(milliseconds: wait))
        }
    }
}
