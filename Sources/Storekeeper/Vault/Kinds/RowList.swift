/// A request for a page of rows in the order of their table; see ``TableShape/order``.
package struct RowList: Hashable, Sendable {
    package let table: TableShape
    /// The values of the order's fixed columns; a column without a value is not fixed.
    package let fixed: PackedRow
    /// The values of the sorted columns; the page contains the rows after these values.
    package let after: PackedRow

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - fixed: The function that writes the values of the fixed columns, in their order.
    ///   - after: The function that writes the values of the sorted columns, in their order.
    package init(_ table: TableShape, _ fixed: (RowBuffer) -> Void, after: (RowBuffer) -> Void) {
        func packed(_ write: (RowBuffer) -> Void) -> PackedRow {
            let cells = RowBuffer(capacity: 256)
            write(cells)
            return cells.packed()
        }
        self.table = table
        self.fixed = packed(fixed)
        self.after = packed(after)
    }
}

extension RowBuffer {
    /// The positions of the cells that have a value.
    package var given: [Int] { (0..<count).filter { cells[$0].tag != .null } }
    /// The set of the cells that have a value: 1 for the first cell, 2 for the second.
    package var givenSet: Int { given.reduce(0) { $0 | 1 << $1 } }
}

/// The rows of a table with the lowest numbers in an index, below a limit and up to a number of rows.
package struct OldRows: Hashable, Sendable {
    package let table: TableShape
    package let index: TableShape.Index
    package var limit: Int64
    package var count: Int

    /// Adds the same rows up to a higher limit, and the number of rows of another value.
    package mutating func formUnion(_ other: OldRows) {
        limit = max(limit, other.limit)
        count += other.count
    }
}

extension PackedRow {
    /// The cells, in a new buffer.
    package var cells: RowBuffer {
        let cells = RowBuffer(capacity: 256)
        cells.unpack(self)
        return cells
    }
}
