package import Storekeeper
import StorekeeperDurable

extension SQLiteTables {
    private static let findStep = Statement("SELECT 1 FROM step WHERE id = ?")
    private static let addStep = Statement("INSERT INTO step(id, at) VALUES(?, ?)")
    private static let forgetSteps = Statement(
        "DELETE FROM step WHERE id IN (SELECT id FROM step WHERE at < ? ORDER BY at LIMIT 2)")

    /// Returns whether the step with this id was written.
    package func isWritten(_ step: StepID) throws(VaultError) -> Bool {
        try connection.first(Self.findStep) {
            $0.bytes(step.bytes)
        } _: { _ in
            true
        } ?? false
    }

    /// Records a step as written, and deletes the records of at most two steps that are older than the limit.
    package mutating func insert(
        step: StepID, at instant: Instant, forgettingBefore limit: Instant
    ) throws(VaultError) {
        try connection.run(Self.forgetSteps) { $0.instant(limit) }
        try connection.run(Self.addStep) {
            $0.bytes(step.bytes)
            $0.instant(instant)
        }
    }
}
