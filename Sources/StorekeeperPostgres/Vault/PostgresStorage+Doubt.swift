import FoundationEssentials
import Storekeeper
import StorekeeperDurable

// Steps of which nobody has said whether they were written.
//
// A server that has lost a client carries out what it was sent, perhaps much later, and so does a client of a network that
// has held it back. So whoever looks for a step's record and finds none writes one in its place, under the same key: the
// step then meets it and is undone. Whoever finds one changes it: then the answer waits until the standbys have it, and
// with it the record, which was perhaps written without them.
extension PostgresStorage {
    /// Before when groups of steps may be forgotten.
    var oldestStep: Instant { now().adding(milliseconds: -StepID.memory) }

    /// Whether a group was written whose commit nobody has answered; where it was not, it never will be.
    ///
    /// It is asked again while the time lasts: the database may be about to come back, or another in its place.
    ///
    /// - Returns: The first place of the group; `nil` where it is not written.
    /// - Throws: ``PostgresFailure`` with `inDoubt` where the database cannot be asked in time.
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
            // Not ended by cancellation: that the answer is unknown would be the worse end.
            await Task { [wait] in try? await Task.sleep(for: wait) }.value
            wait = min(wait * 2, .seconds(1))
        }
    }

    /// Whether a caller's step was written; where it was not, it never will be by a call that has ended.
    func wasWritten(_ step: StepID) async throws(VaultError) -> Bool {
        // Each time another claim, so that not even who has met the one before writes the step.
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
    /// Steps of callers have no first place, claims of them a negative one.
    private static let claimStep = Statement(
        """
        INSERT INTO storekeeper.step AS s (id, at, first) VALUES($1, $2, $3)
        ON CONFLICT (id) DO UPDATE SET first = CASE WHEN s.first IS NULL THEN NULL ELSE excluded.first END
        RETURNING s.first IS NULL
        """)

    /// Looks for a record, or claims its place, and makes what was found durable.
    private func claim<Answer: Sendable>(
        _ statement: Statement, _ arguments: [Argument], within limit: Duration,
        _ read: @escaping @Sendable (inout RowReader) throws(PostgresFailure) -> Answer
    ) async throws(PostgresFailure) -> Answer {
        let calls = [Call(.begin), Call(statement, arguments), Call(.commit)]
        let answer = try await pool.run { connection throws(PostgresFailure) in
            try connection.run(calls, within: limit)[1].first(read)
        }
        guard let answer else { throw PostgresFailure(.unexpectedAnswer, "a claim has no answer") }
        return answer
    }
}
