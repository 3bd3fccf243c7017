import FoundationEssentials
import Storekeeper
import StorekeeperDurable

// Steps with an unknown result.
//
// A server that has lost its client still runs the statements that it has received, or that a slow network delivers,
// perhaps much later. A caller that looks for a step's record and finds none therefore writes one under the same key:
// the step then conflicts with it and is rolled back. A caller that finds a record updates it: the commit then waits
// until the standbys have the update, and with it the record, which was perhaps written without them.
extension PostgresStorage {
    /// The instant before which groups of steps may be forgotten.
    var oldestStep: Instant { now().adding(milliseconds: -StepID.memory) }

    /// Returns whether a group was written whose commit was not acknowledged; if it was not, it never will be.
    ///
    /// The query is repeated until the time limit: the database may be about to come back, or be replaced by another.
    ///
    /// - Returns: The first place of the group; `nil` if it was not written.
    /// - Throws: ``PostgresFailure`` with `inDoubt` if the database cannot be queried in time.
    func firstPlace(of id: StepID) async throws(PostgresFailure) -> Int64? {
        let arguments: [Argument] = [.bytes(id.bytes), .instant(now())]
        let end = ContinuousClock.now + patience
        var wait = Duration.milliseconds(20)
        while true {
            do throws(PostgresFailure) {
                let left = min(limit, max(ContinuousClock.now.duration(to: end), .milliseconds(1)))
                return try await claim(Self.claimGroup, arguments, within: left) { row throws(PostgresFailure) in
                    try row.optionalInt()
                }
            } catch {
                guard error.kind != .closed, ContinuousClock.now + wait < end else {
                    throw PostgresFailure(.inDoubt, sqlState: error.sqlState, error.message)
                }
            }
            // Not cancellable: an unknown result would be worse than the delay.
            await Task { [wait] in try? await Task.sleep(for: wait) }.value
            wait = min(wait * 2, .seconds(1))
        }
    }

    /// Returns whether a caller's step was written; if it was not, a call that has ended will never write it.
    func wasWritten(_ step: StepID) async throws(VaultError) -> Bool {
        // Each attempt makes another claim, so that a writer that has seen the previous one does not write the step
        // either.
        let nonce = Int64.random(in: .min ... -1)
        let arguments: [Argument] = [.bytes(step.bytes), .instant(now()), .int(nonce)]
        return try await asVault { () async throws(PostgresFailure) in
            try await claim(Self.claimStep, arguments, within: limit) { row throws(PostgresFailure) in try row.bool() }
        }
    }

    private static let claimGroup = Statement(
        """
        INSERT INTO storekeeper.step AS s (id, at) VALUES($1, $2)
        ON CONFLICT (id) DO UPDATE SET at = excluded.at RETURNING s.first
        """)
    /// The steps of callers have no first place; claims have a negative one.
    private static let claimStep = Statement(
        """
        INSERT INTO storekeeper.step AS s (id, at, first) VALUES($1, $2, $3)
        ON CONFLICT (id) DO UPDATE SET first = CASE WHEN s.first IS NULL THEN NULL ELSE excluded.first END
        RETURNING s.first IS NULL
        """)

    /// Looks up a record, or claims its key, and makes what was found durable.
    private func claim<Answer: Sendable>(
        _ statement: Statement, _ arguments: [Argument], within limit: Duration,
        _ read: @escaping @Sendable (inout RowReader) throws(PostgresFailure) -> Answer
    ) async throws(PostgresFailure) -> Answer {
        let calls = [Call(.begin), Call(statement, arguments), Call(.commit)]
        let answer = try await pool.run { connection throws(PostgresFailure) in
            try connection.run(calls, within: limit)[1].first(read)
        }
        guard let answer else { throw PostgresFailure(.unexpectedAnswer, "a claim has no result") }
        return answer
    }
}
