import FoundationEssentials
import Storekeeper
import StorekeeperDurable

// Finds out whether a step with an unknown result was written.
//
// A server that has lost its client still runs the statements that it has received, and a slow network may deliver
// further statements much later. Therefore, if a caller does not find the record of a step, it writes a record with the
// same key, called a claim. If the step is written later, the step conflicts with the claim and is rolled back. If the
// caller finds the record, it updates the record. The commit of the update waits until the standbys have the update.
// The standbys then also have the record, even if the step's own commit did not wait for them.
extension PostgresStorage {
    /// The instant before which the records of groups of steps may be deleted.
    var oldestStep: Instant { now().adding(milliseconds: -StepID.memory) }

    /// Returns whether a group of steps was written, after its commit was not acknowledged.
    ///
    /// If the group was not written, it is never written later.
    ///
    /// The query is repeated up to the time limit, because the database may restart, or a standby may replace it.
    ///
    /// - Returns: The first place in the feed that the group used; `nil` if the group was not written.
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
            // The wait is not cancellable, because an unknown result would be worse than the delay.
            await Task { [wait] in try? await Task.sleep(for: wait) }.value
            wait = min(wait * 2, .seconds(1))
        }
    }

    /// Returns whether a caller's step was written.
    ///
    /// If this function returns `false`, a call that has already ended never writes the step later.
    func wasWritten(_ step: StepID) async throws(VaultError) -> Bool {
        // Each call writes a claim with a different number. A writer that has read the previous claim then also fails
        // to write the step.
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
    /// Writes a claim for a caller's step, unless the step is already recorded.
    ///
    /// In the column `first`, the record of a step has `NULL`, but a claim has a negative number.
    private static let claimStep = Statement(
        """
        INSERT INTO storekeeper.step AS s (id, at, first) VALUES($1, $2, $3)
        ON CONFLICT (id) DO UPDATE SET first = CASE WHEN s.first IS NULL THEN NULL ELSE excluded.first END
        RETURNING s.first IS NULL
        """)

    /// Looks up the record of a step or group, or writes a claim if no record exists.
    ///
    /// When the call returns, the record or the claim is durable.
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
