extension VaultRules {
    /// Records the notifications of a batch, and adds to the receipt the notifications that were already recorded.
    static func recordNotifications(
        of batch: CommitBatch, in tables: inout some VaultTables, receipt: inout CommitReceipt
    ) throws(VaultError) {
        for uuid in batch.notifications where try !tables.insert(notification: uuid, at: batch.at) {
            receipt.repeatedNotifications.insert(uuid)
        }
    }

    /// Returns the ids of the given notifications that are already recorded.
    static func seenNotifications(
        among uuids: [ServerNotification.ID], in tables: borrowing some VaultTables
    ) throws(VaultError) -> Set<ServerNotification.ID> {
        var seen: Set<ServerNotification.ID> = []
        for uuid in uuids where try tables.isSeen(notification: uuid) { seen.insert(uuid) }
        return seen
    }
}
