import Foundation
import Storekeeper

/// A vault in one file, to which each call that writes adds a line.
///
/// It wraps an `InMemoryVault`, which applies all the rules and holds the state; the file makes it durable. A call is
/// carried out after its line is on disk, so that nothing is known before it is written. Opening carries out the calls
/// of the file again, in order, after the verifier has accepted each signature again.
///
/// For one process, and for as many customers as memory holds. A file that only grows also keeps the lines about an
/// erased customer: if the law requires their removal, write the file again without these lines.
package final class FileVault: Vault {
    /// The file.
    package let url: URL
    /// The rule of the vault that this one wraps.
    package var accountTokens: AccountTokenRule { memory.accountTokens }
    /// What the wrapped vault can do, this one can, such as read a customer in one step; except webhooks, whose state
    /// is not written by a call of this vault, so that it would be lost.
    package var features: VaultFeatures { memory.features.withoutWebhooks }
    private let memory = InMemoryVault()
    private let journal: Journal
    private let lock = FIFOLock()

    /// Opens the vault in a file, or begins a new one if there is none.
    ///
    /// - Throws: `VaultError` with `corrupt` for a file that this vault did not write, or a signature that the verifier
    ///   does not accept; with `io` if the file cannot be read.
    package init(_ url: URL, verifier: some TransactionVerifier) async throws {
        self.url = url
        let (journal, lines) = try Journal.open(url)
        self.journal = journal
        for line in lines {
            let call = try line.call(believedBy: verifier)
            // What was refused when it was written is refused again, and was no change either time.
            do { try await Self.carryOut(call, on: memory) } catch {}
        }
    }

    private static func carryOut(_ call: Call, on vault: InMemoryVault) async throws(VaultError) {
        switch call {
        case .commit(let batch): _ = try await vault.commit(batch)
        case .claim(let subject, let customer, let instant):
            _ = try await vault.claim(subject, for: customer, at: instant)
        case .move(let requests, let policy): _ = try await vault.move(requests, policy: policy)
        case .markDelivery(let key, let state): try await vault.markDelivery(of: key, as: state)
        case .setCursor(let cursor, let backend): try await vault.setCursor(cursor, of: backend)
        case .erase(let customer, let reason, let instant):
            _ = try await vault.erase(customer, reason: reason, at: instant)
        }
    }

    /// Writes a call down and carries it out, alone.
    ///
    /// Cancellation of the task is ignored: a call that has begun ends.
    private func write<Outcome: Sendable>(
        _ call: Call, _ carryOut: (InMemoryVault) async throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        await lock.acquire()
        let result: Result<Outcome, VaultError>
        do throws(VaultError) {
            try journal.append(CallLine(call))
            result = .success(try await carryOut(memory))
        } catch {
            result = .failure(error)
        }
        await lock.release()
        return try result.get()
    }
}

// MARK: - Calls that write

extension FileVault {
    package func commit(_ batch: CommitBatch) async throws(VaultError) -> CommitOutcome {
        try await write(.commit(batch)) { vault throws(VaultError) in try await vault.commit(batch) }
    }

    package func claim(
        _ subject: BindingSubject, for customer: CustomerID, at instant: Instant
    ) async throws(VaultError) -> CustomerID? {
        try await write(.claim(subject, customer, instant)) { vault throws(VaultError) in
            try await vault.claim(subject, for: customer, at: instant)
        }
    }

    package func move(
        _ requests: [LedgerRequest], policy: RefundPolicy
    ) async throws(VaultError) -> [Result<LedgerReceipt, LedgerRefusal>] {
        try await write(.move(requests, policy)) { vault throws(VaultError) in
            try await vault.move(requests, policy: policy)
        }
    }

    package func markDelivery(of key: TransactionKey, as state: OutboxItem.State?) async throws(VaultError) {
        try await write(.markDelivery(key, state)) { vault throws(VaultError) in
            try await vault.markDelivery(of: key, as: state)
        }
    }

    package func setCursor(_ cursor: UpdateCursor, of backend: String) async throws(VaultError) {
        try await write(.setCursor(cursor, backend)) { vault throws(VaultError) in
            try await vault.setCursor(cursor, of: backend)
        }
    }

    package func erase(
        _ customer: CustomerID, reason: String, at instant: Instant
    ) async throws(VaultError) -> Erasure {
        try await write(.erase(customer, reason, instant)) { vault throws(VaultError) in
            try await vault.erase(customer, reason: reason, at: instant)
        }
    }
}

// MARK: - Calls that read

extension FileVault {
    package func load(_ customer: CustomerID) async throws(VaultError) -> CustomerRecord {
        try await memory.load(customer)
    }

    package func version(of customer: CustomerID) async throws(VaultError) -> (version: Int64, lastEntry: AccountEnd) {
        try await memory.version(of: customer)
    }

    package func versions(
        of customers: [CustomerID]
    ) async throws(VaultError) -> [(version: Int64, lastEntry: AccountEnd)] {
        try await memory.versions(of: customers)
    }

    package func customers(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID] {
        try await memory.customers(after: previous, limit: limit)
    }

    package func nextWake() async throws(VaultError) -> (customer: CustomerID, at: Instant)? {
        try await memory.nextWake()
    }

    /// Only spares the tasks of this process work that another does already, so that it need not be on disk.
    package func leaseWake(_ lease: WakeLease, at now: Instant) async throws(VaultError) -> WakeDecision {
        try await memory.leaseWake(lease, at: now)
    }

    package func owners(of facts: [VerifiedFact]) async throws(VaultError) -> [CustomerID?] {
        try await memory.owners(of: facts)
    }

    package func wasWritten(_ step: StepID) async throws(VaultError) -> Bool { try await memory.wasWritten(step) }

    package func parked(after place: FeedPlace, limit: Int) async throws(VaultError) -> VaultPage<ParkedFact> {
        try await memory.parked(after: place, limit: limit)
    }

    package func adoptable(
        by customer: CustomerID, after place: FeedPlace, limit: Int
    ) async throws(VaultError) -> VaultPage<VerifiedFact> {
        try await memory.adoptable(by: customer, after: place, limit: limit)
    }

    package func holders(of subjects: [BindingSubject]) async throws(VaultError) -> [BindingSubject: CustomerID] {
        try await memory.holders(of: subjects)
    }

    package func chains(originalID: Transaction.ID) async throws(VaultError) -> [ChainID] {
        try await memory.chains(originalID: originalID)
    }

    package func bindings(of customer: CustomerID) async throws(VaultError) -> [Binding] {
        try await memory.bindings(of: customer)
    }

    package func balances(of customer: CustomerID) async throws(VaultError) -> [Balance] {
        try await memory.balances(of: customer)
    }

    package func entries(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [LedgerEntry] {
        try await memory.entries(after: place, of: customer, limit: limit)
    }

    package func facts(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [StoredFact] {
        try await memory.facts(after: place, of: customer, limit: limit)
    }

    package func events(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) async throws(VaultError) -> [StoreEvent] {
        try await memory.events(after: place, of: customer, limit: limit)
    }

    package func unfinished(of customer: CustomerID) async throws(VaultError) -> [OutboxItem] {
        try await memory.unfinished(of: customer)
    }

    package func customersOwed(after previous: CustomerID?, limit: Int) async throws(VaultError) -> [CustomerID] {
        try await memory.customersOwed(after: previous, limit: limit)
    }

    package func seenNotifications(among uuids: [ServerNotification.ID]) async throws(VaultError) -> Set<
        ServerNotification.ID
    > {
        try await memory.seenNotifications(among: uuids)
    }

    package func cursor(of backend: String) async throws(VaultError) -> UpdateCursor? {
        try await memory.cursor(of: backend)
    }

    package func erasures(of customer: CustomerID) async throws(VaultError) -> [Erasure] {
        try await memory.erasures(of: customer)
    }

    /// A file of lines has no hash chain; the signatures were verified when it was opened.
    package func checkIntegrity(containing head: String?) async throws(VaultError) -> IntegrityReport {
        try await memory.checkIntegrity(containing: head)
    }
}
