/// The long-running side of a store: it listens, watches the time, and hands out what is owed.
extension Store {
    /// Keeps the store up to date until the task is cancelled; then returns.
    ///
    /// Begins to listen to the backend, then reads the customer's whole history, then goes on listening, so that
    /// nothing falls between. What fails is reported and tried again; one part that hangs does not keep the others:
    /// answers that time changes are recorded at their exact instants, whatever the backend does.
    ///
    /// - Throws: ``StoreError`` with `alreadyRunning` where another task runs the store.
    public func run() async throws {
        guard !isRunning else { throw StoreError(.alreadyRunning, "the store runs already; cancel that task first") }
        isRunning = true
        defer { isRunning = false }
        let wanted = wanting.count
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.watchTime() }
            group.addTask { await self.keepDelivering() }
            if let interval = configuration.refreshInterval {
                group.addTask { await self.keepRefreshing(every: interval) }
            }
            if let backend {
                let isHistoryRead = ChangeSignal()
                group.addTask { await self.listen(to: backend, once: isHistoryRead) }
                group.addTask {
                    await self.adoptUntilDone()
                    await self.readHistories(from: backend, wanted: wanted, isRead: isHistoryRead)
                }
            } else {
                group.addTask { await self.adoptUntilDone() }
            }
        }
    }

    // MARK: The stream

    /// Listens; asks for another stream where one ends.
    private func listen(to backend: any StoreBackend, once isHistoryRead: ChangeSignal) async {
        var waits = BackoffSchedule(configuration.backoff, lane: 1)
        var isFirst = true
        while !Task.isCancelled {
            do {
                let cursor = try await vault.cursor(of: backend.name)
                let updates = backend.updates(after: cursor)
                // A stream that keeps no place has missed what came in between.
                if isFirst || cursor == nil { wanting.send() }
                isFirst = false
                for await update in updates {
                    await isHistoryRead.wait(after: 0)
                    if Task.isCancelled { return }
                    await dealWith(update, from: backend)
                    waits.succeed()
                }
                if !Task.isCancelled { report(.streamEnded) }
            } catch {
                report(.vaultFailed(error))
            }
            try? await clock.wait(until: clock.now.adding(milliseconds: waits.fail()))
        }
    }

    /// Takes in an item, however long the vault refuses it; only then the place in the stream moves on.
    private func dealWith(_ update: TransactionUpdate, from backend: any StoreBackend) async {
        var waits = BackoffSchedule(configuration.backoff, lane: 2)
        while !Task.isCancelled {
            do {
                let report = try await receive(update)
                if !report.owed.isEmpty { owing.send() }
                if let cursor = update.cursor { try await vault.setCursor(cursor, of: backend.name) }
                return
            } catch {
                report(.vaultFailed(error))
                try? await clock.wait(until: clock.now.adding(milliseconds: waits.fail()))
            }
        }
    }

    // MARK: Histories

    /// Reads the history whenever that is wanted, again and again until it was read.
    private func readHistories(from backend: any StoreBackend, wanted: Int, isRead: ChangeSignal) async {
        var waits = BackoffSchedule(configuration.backoff, lane: 3)
        var seen = wanted
        while !Task.isCancelled {
            await wanting.wait(after: seen)
            if Task.isCancelled { return }
            seen = wanting.count
            var wait = configuration.backoff.first
            do {
                try await readHistory(from: backend)
                owing.send()
                waits.succeed()
            } catch {
                if Task.isCancelled { return }
                note(failure: error)
                wait = waits.fail()
                wanting.send()
            }
            isRead.send()
            // Also after a success: a backend that fails all the time asks for a history all the time.
            if wanting.count > seen { try? await clock.wait(until: clock.now.adding(milliseconds: wait)) }
        }
    }

    /// Tells what went wrong; of a backend also notes that it fails.
    func note(failure error: any Error) {
        if let error = error as? VaultError {
            report(.vaultFailed(error))
        } else {
            note(backendFailure: error)
        }
    }

    // MARK: Parked evidence and other processes

    /// Takes in what waited for the customer, however long the vault refuses it.
    private func adoptUntilDone() async {
        var waits = BackoffSchedule(configuration.backoff, lane: 4)
        while !Task.isCancelled {
            do {
                let report = try await adoptParked()
                if !report.owed.isEmpty { owing.send() }
                return
            } catch {
                report(.vaultFailed(error))
                try? await clock.wait(until: clock.now.adding(milliseconds: waits.fail()))
            }
        }
    }

    private func keepRefreshing(every interval: Int64) async {
        while !Task.isCancelled {
            try? await clock.wait(until: clock.now.adding(milliseconds: interval))
            if Task.isCancelled { return }
            do {
                if try await refresh() { owing.send() }
            } catch {
                report(.vaultFailed(error))
            }
        }
    }

    /// Looks whether another process has written about the customer, and takes over what it wrote.
    ///
    /// - Returns: Whether one has.
    /// - Throws: ``VaultError`` where the vault cannot be read; what is known stays.
    @discardableResult
    public func refresh() async throws(VaultError) -> Bool {
        try await serially { () async throws(VaultError) in
            let newest = try await vault.version(of: customer)
            guard !isCurrent || newest != (known.version, known.lastEntry) else { return try await refreshBalances() }
            isCurrent = false
            try await restore()
            try await adoptHeld()
            return true
        }
    }

    /// Takes over balances that others moved before this store made the last entry.
    private func refreshBalances() async throws(VaultError) -> Bool {
        guard known.mayMissEntries else { return false }
        let balances = try await vault.balances(of: customer)
        // What comes after the last entry that is known is seen by its place.
        known.mayMissEntries = false
        let newest = KnownState.byName(balances)
        guard newest != known.balances else { return false }
        known.balances = newest
        publish()
        return true
    }

    /// Takes in parked evidence whose chain or token has become the customer's.
    func adoptParked() async throws(VaultError) -> IntakeReport {
        try await serially { () async throws(VaultError) in
            isCurrent = false
            try await restore()
            return try await adoptHeld()
        }
    }

    /// Takes in parked evidence that is known to be the customer's; only inside ``serially(_:)``.
    @discardableResult
    func adoptHeld() async throws(VaultError) -> IntakeReport {
        guard !known.adoptable.isEmpty else { return IntakeReport() }
        return try await write(Intake(facts: known.adoptable))
    }

    // MARK: Time

    /// Records what time changes, at the exact instants, and wakes exactly when something changes next.
    private func watchTime() async {
        var waits = BackoffSchedule(configuration.backoff, lane: 5)
        while !Task.isCancelled {
            let seen = written.count
            do {
                let next = try await announceLapses()
                waits.succeed()
                try? await clock.wait(for: written, after: seen, until: next)
            } catch {
                report(.vaultFailed(error))
                try? await clock.wait(until: clock.now.adding(milliseconds: waits.fail()))
            }
        }
    }

    /// Records what time has changed until now.
    ///
    /// - Returns: When something changes next.
    func announceLapses() async throws(VaultError) -> Instant? {
        try await serially { () async throws(VaultError) in
            // Looked at before the step looks, so that what lies between the two is not slept over.
            let now = clock.now
            try await write(Intake())
            return known.live.resolution.nextChange(after: max(now, known.evaluatedThrough ?? now))
        }
    }

    /// Records what time has changed until now, and notes in the vault when something changes next.
    ///
    /// Also where nothing has changed that an event tells of: a pool that asks the vault whose turn it is must not be
    /// given the same answer for ever.
    func announceWhatIsDue() async throws(VaultError) {
        _ = try await serially { () async throws(VaultError) in try await write(Intake(notesWake: true)) }
    }

    // MARK: Deliveries

    private func keepDelivering() async {
        var waits = BackoffSchedule(configuration.backoff, lane: 6)
        while !Task.isCancelled {
            let seen = owing.count
            var next: Instant?
            if await deliverUnfinished() {
                waits.succeed()
            } else {
                next = clock.now.adding(milliseconds: waits.fail())
            }
            try? await clock.wait(for: owing, after: seen, until: next)
        }
    }
}
