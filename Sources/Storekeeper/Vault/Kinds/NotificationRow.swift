/// The row of a notification that a batch has recorded.
package struct NotificationRow: RowKind, Hashable {
    package static let table = TableShape(
        "notification", number: 4, [.text("uuid"), .int("at")], key: ["uuid"])

    package static let byID = TableIndex<NotificationRow, String>("primary")

    package let uuid: ServerNotification.ID
    package let at: Instant

    /// Creates a row.
    package init(uuid: ServerNotification.ID, at: Instant) {
        self.uuid = uuid
        self.at = at
    }

    package func write(to row: RowBuffer) {
        row.text(uuid.rawValue)
        row.instant(at)
    }

    package init(from row: inout RowReader) throws(VaultError) {
        uuid = ServerNotification.ID(row.text())
        at = row.instant()
    }
}
