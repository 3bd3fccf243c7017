package import StorekeeperSimulator
import Synchronization

/// The file in which a local App Store records what happens, so that it can be served again.
///
/// It holds the steps of a scenario in order, and comments about sent notifications and retention messages.
package protocol LocalJournal: Sendable {
    /// Appends whole lines durably.
    func append(_ text: String) throws

    /// Replaces the whole content with a scenario, atomically.
    func begin(_ scenario: Scenario) throws
}

/// Appends new calls of a store to a journal.
final class JournalWriter: Sendable {
    private let store: SimulatedAppStore
    private let journal: any LocalJournal
    /// The number of calls already written; `nil` if nothing more is to be written.
    private let written: Mutex<Int?>

    /// - Parameter store: The store; the journal already contains the calls so far.
    init(store: SimulatedAppStore, journal: any LocalJournal) {
        self.store = store
        self.journal = journal
        written = Mutex(store.calls.count)
    }

    /// Writes the calls since the last time.
    func writeCalls() throws {
        try written.withLock { written in
            guard let before = written else { return }
            let news = store.calls.dropFirst(before)
            guard !news.isEmpty else { return }
            try journal.append(Scenario.text(of: Array(news)))
            written = before + news.count
        }
    }

    /// Writes the result of an attempt, after the calls that caused it.
    func write(_ attempt: AttemptRecord) throws {
        try writeCalls()
        try written.withLock { written in
            if written != nil { try journal.append(attempt.line + "\n") }
        }
    }

    /// Writes changes of retention messages.
    func write(_ records: [MessagingRecord]) throws {
        try written.withLock { written in
            if written != nil { try journal.append(records.map { $0.line + "\n" }.joined()) }
        }
    }

    /// Starts the journal again with a scenario that another store serves from now on; this writer writes nothing more.
    func end(with scenario: Scenario) throws {
        try written.withLock { written in
            try journal.begin(scenario)
            written = nil
        }
    }
}
