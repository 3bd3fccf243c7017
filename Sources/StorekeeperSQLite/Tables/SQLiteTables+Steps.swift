package import Storekeeper
import StorekeeperDurable

extension SQLiteTables {
    private static let findStep = Query("SELECT 1 FROM step WHERE id = ?")
    private static let addStep = Query("INSERT INTO step(id, at) VALUES(?, ?)")
    private static let forgetSteps = Query(
        "DELETE FROM step WHERE id IN (SELECT id FROM step WHERE at < ? ORDER BY at LIMIT 2)")

    /// Whether a step is noted as written.
    package func isWritten(_ step: StepID) throws(VaultError) -> Bool {
        try session.first(Self.findStep) {
            $0.blob(step.bytes)
        } _: { _ in
            true
        } ?? false
    }

    /// Notes that a step is written, and forgets at most two that are older.
    package mutating func insert(
        step: StepID, at instant: Instant, forgettingBefore limit: Instant
    ) throws(VaultError) {
        try session.run(Self.forgetSteps) { $0.instant(limit) }
        try session.run(Self.addStep) {
            $0.blob(step.bytes)
            $0.instant(instant)
        }
    }
}
