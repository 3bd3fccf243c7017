/// The long-running side of a pool.
extension StorePool {
    /// Keeps all customers up to date until the task is cancelled; then returns.
    ///
    /// Listens to the backend and gives each item to its customer, announces lapses at their exact instants, in memory
    /// or not, and hands out what is owed.
    ///
    /// - Throws: ``StoreError`` with `alreadyRunning` where another task runs the pool.
    public func run() async throws {
        guard !isRunning else { throw StoreError(.alreadyRunning, "the pool runs already; cancel that task first") }
        isRunning = true
        defer { isRunning = false }
        let (concurrency, backoff) = (configuration.concurrency, configuration.store.backoff)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.watchTime(backoff) }
            group.addTask { await self.oweWhatIsUnfinished(backoff) }
            group.addTask {
                await self.owed.serve(concurrency: concurrency, clock: self.clock, backoff: backoff) { customer in
                    await self.deliver(to: customer)
                }
            }
            guard let backend else { return }
            group.addTask { await self.listen(to: backend, concurrency: concurrency, backoff: backoff) }
            group.addTask {
                await self.unread.serve(concurrency: concurrency, clock: self.clock, backoff: backoff) { customer in
                    await self.readHistory(of: customer)
                }
            }
        }
    }

    // MARK: The stream

    private nonisolated func listen(to backend: any StoreBackend, concurrency: Int, backoff: Backoff) async {
        var waits = BackoffSchedule(backoff, lane: 1)
        while !Task.isCancelled {
            do {
                let place = StreamPlace(try await vault.cursor(of: backend.name))
                let slots = Slots(concurrency)
                await withDiscardingTaskGroup { group in
                    for await update in backend.updates(after: place.cursor) {
                        await slots.take()
                        if Task.isCancelled { break }
                        let number = place.begin(update.cursor)
                        waits.succeed()
                        group.addTask {
                            if await self.dealWith(update, backoff: backoff) {
                                await self.moveOn(place, behind: number, in: backend)
                            }
                            slots.giveBack()
                        }
                    }
                }
                if !Task.isCancelled { report(.streamEnded) }
            } catch {
                report(.vaultFailed(error))
            }
            try? await clock.wait(until: clock.now.adding(milliseconds: waits.fail()))
        }
    }

    /// Takes in an item, however long the vault refuses it.
    ///
    /// - Returns: Whether it was taken in; `false` when the task was cancelled.
    private nonisolated func dealWith(_ update: TransactionUpdate, backoff: Backoff) async -> Bool {
        var waits = BackoffSchedule(backoff, lane: 2)
        while !Task.isCancelled {
            do {
                try await receive(update)
                return true
            } catch {
                report(.vaultFailed(error))
                try? await clock.wait(until: clock.now.adding(milliseconds: waits.fail()))
            }
        }
        return false
    }

    /// Notes the place in the stream up to which everything was taken in.
    private nonisolated func moveOn(_ place: StreamPlace, behind number: Int, in backend: any StoreBackend) async {
        place.end(number)
        while let cursor = place.beginWriting() {
            defer { place.endWriting() }
            do {
                try await vault.setCursor(cursor, of: backend.name)
            } catch {
                // The items come again after a restart, which does no harm.
                report(.vaultFailed(error))
            }
        }
    }

    /// Takes in one item of a stream, for whomever it belongs to.
    ///
    /// - Throws: ``VaultError`` where it could not be written; then it is to be handed over again.
    public nonisolated func receive(_ update: TransactionUpdate) async throws(VaultError) {
        if let customer = update.customer {
            try await give(to: customer) { store throws(VaultError) in try await store.receive(update) }
            // Something may have been lost with it.
            if case .failure = update.content { unread.add(customer) }
            return
        }
        switch update.content {
        case .failure(let error): report(.backendFailed(error))
        case .declined: break
        case .evidence(let texts):
            let presented = await PresentedEvidence.verifying(texts, by: verifier)
            for failure in presented.failures { report(.unverified(failure.error, productID: failure.productID)) }
            let routes = try await EvidenceRoutes(presented.facts, in: vault)
            for (customer, facts) in routes.owned {
                var own = PresentedEvidence()
                own.facts = facts
                own.notifications = presented.notifications
                let evidence = own
                try await give(to: customer) { store throws(VaultError) in try await store.take(evidence) }
            }
            guard !routes.unclaimed.isEmpty else { return }
            let parked = try await vault.park(routes.unclaimed, claimant: nil, at: clock.now)
            if parked > 0 { report(.unclaimed(parked)) }
        }
    }

    private nonisolated func give(
        to customer: CustomerID, _ work: @Sendable (Store) async throws(VaultError) -> IntakeReport
    ) async throws(VaultError) {
        let report = try await using(customer, work)
        if !report.owed.isEmpty { owed.add(customer) }
    }

    /// As ``withStore(_:_:)``, for work that only the vault can keep from being done.
    nonisolated func using<Value: Sendable>(
        _ customer: CustomerID, _ work: @Sendable (Store) async throws(VaultError) -> Value
    ) async throws(VaultError) -> Value {
        let store = try await open(customer)
        do throws(VaultError) {
            let value = try await work(store)
            await close(customer)
            return value
        } catch {
            await close(customer)
            throw error
        }
    }

    // MARK: Histories, deliveries

    private nonisolated func readHistory(of customer: CustomerID) async -> Bool {
        do {
            _ = try await withStore(customer) { store in
                let report = try await store.sync()
                return report.new
            }
            return true
        } catch let error as VaultError {
            report(.vaultFailed(error))
        } catch {
            // The store has told of the backend.
        }
        return Task.isCancelled
    }

    private nonisolated func deliver(to customer: CustomerID) async -> Bool {
        do {
            return try await withStore(customer) { await $0.deliverUnfinished() }
        } catch {
            if let error = error as? VaultError { report(.vaultFailed(error)) }
            return false
        }
    }

    /// Takes up again what was owed when the process ended.
    private nonisolated func oweWhatIsUnfinished(_ backoff: Backoff) async {
        var waits = BackoffSchedule(backoff, lane: 3)
        while !Task.isCancelled {
            do {
                for item in try await vault.unfinished(of: nil) { owed.add(item.customer) }
                return
            } catch {
                report(.vaultFailed(error))
                try? await clock.wait(until: clock.now.adding(milliseconds: waits.fail()))
            }
        }
    }

    // MARK: Time

    /// Records what time has changed for a customer; where that fails, the customer waits and the others go on.
    ///
    /// - Parameter failed: The waits of those for whom it failed last.
    private nonisolated func announce(
        to customer: CustomerID, failed: inout [CustomerID: BackoffSchedule], _ backoff: Backoff
    ) async throws(VaultError) {
        do {
            try await using(customer) { store throws(VaultError) in try await store.announceWhatIsDue() }
            failed[customer] = nil
        } catch {
            report(.vaultFailed(error))
            // Customers whom somebody else has announced to in the meantime stay here; thousands need not.
            if failed.count >= 4_096 { failed.removeAll() }
            var waits = failed[customer] ?? BackoffSchedule(backoff, lane: 5 &+ UInt64(failed.count))
            let wait = waits.fail()
            failed[customer] = waits
            let now = clock.now
            let version = try await vault.version(of: customer).version
            // Where somebody else writes in between, they note when the next change is.
            _ = try await vault.commit(
                CommitBatch(
                    customer: customer, at: now, expectedVersion: version, wakeAt: now.adding(milliseconds: wait)))
        }
    }

    /// Announces what time changes, for the customer whose turn it is.
    private nonisolated func watchTime(_ backoff: Backoff) async {
        var waits = BackoffSchedule(backoff, lane: 4)
        var failed: [CustomerID: BackoffSchedule] = [:]
        while !Task.isCancelled {
            let seen = written.count
            do {
                let next = try await vault.nextWake()
                if let next, next.at <= clock.now {
                    try await announce(to: next.customer, failed: &failed, backoff)
                } else {
                    try? await clock.wait(for: written, after: seen, until: next?.at)
                }
                waits.succeed()
            } catch {
                report(.vaultFailed(error))
                try? await clock.wait(until: clock.now.adding(milliseconds: waits.fail()))
            }
        }
    }
}
