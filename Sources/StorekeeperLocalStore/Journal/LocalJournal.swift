package import StorekeeperSimulator
import Synchronization

/// Where a local App Store writes what happens, so that it can be served again: the steps of a scenario, one after the
/// other, and comments on what was sent.
package protocol LocalJournal: Sendable {
    /// Adds whole lines, which are there when it returns, whatever becomes of the process.
    func append(_ text: String) throws

    /// Begins anew with a scenario, in the place of all that it has; whatever becomes of the process, it has one or the
    /// other.
    func begin(_ scenario: Scenario) throws
}

/// Writes to a journal what it does not have yet.
final class LocalJournalKeeper: Sendable {
    private let store: SimulatedAppStore
    private let journal: any LocalJournal
    /// How many calls of the store are written; `nil`: nothing is written any more.
    private let written: Mutex<Int?>

    /// - Parameter store: What has happened in it so far is in the journal already.
    init(store: SimulatedAppStore, journal: any LocalJournal) {
        self.store = store
        self.journal = journal
        written = Mutex(store.calls.count)
    }

    /// Writes what has happened since.
    func keep() throws {
        try written.withLock { written in
            guard let before = written else { return }
            let news = store.calls.dropFirst(before)
            guard !news.isEmpty else { return }
            try journal.append(Scenario.text(of: Array(news)))
            written = before + news.count
        }
    }

    /// Writes what came of an attempt, behind what it is about.
    func note(_ attempt: NotedAttempt) throws {
        try keep()
        try written.withLock { written in
            if written != nil { try journal.append(attempt.line + "\n") }
        }
    }

    /// Lets the journal begin anew with a scenario that is served from now on; this one writes nothing more to it.
    func end(with scenario: Scenario) throws {
        try written.withLock { written in
            try journal.begin(scenario)
            written = nil
        }
    }
}
