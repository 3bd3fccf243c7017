/// The row of the position up to which a backend's stream was read.
package struct CursorRow: RowKind, Hashable {
    package static let table = TableShape(
        "cursor", number: 3, [.text("backend"), .text("position")], key: ["backend"], isSmall: true)

    package static let byBackend = TableIndex<CursorRow, String>("primary")

    package let backend: UpdateCursor.Backend
    package let cursor: UpdateCursor

    /// Creates a row.
    package init(backend: UpdateCursor.Backend, cursor: UpdateCursor) {
        self.backend = backend
        self.cursor = cursor
    }

    package func write(to row: RowBuffer) {
        row.text(backend.rawValue)
        row.text(cursor.rawValue)
    }

    package init(from row: inout RowReader) throws(VaultError) {
        backend = UpdateCursor.Backend(row.text())
        cursor = UpdateCursor(rawValue: row.text())
    }
}
