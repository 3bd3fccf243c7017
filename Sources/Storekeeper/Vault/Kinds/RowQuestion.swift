/// A question for all rows with a key, as a value.
package struct RowQuestion: Hashable, Sendable {
    package let table: TableShape
    package let index: TableShape.Index
    /// The parts of the key.
    package let key: PackedRow

    init(_ table: TableShape, _ index: TableShape.Index, _ key: PackedRow) {
        self.table = table
        self.index = index
        self.key = key
    }

    init<Row: RowKind, each Part: KeyPart>(_ index: TableIndex<Row, repeat each Part>, _ key: repeat each Part) {
        let cells = RowBuffer(capacity: 256)
        repeat (each key).write(to: cells)
        self.init(Row.table, index.shape, cells.packed())
    }

    /// The parts of the key, in a new buffer.
    package var cells: RowBuffer { key.cells }

    /// The questions with fewer parts of the key; their answers contain the rows of this question.
    var wider: [RowQuestion] {
        let others = table.indices.filter { other in
            other.number != index.number && (other.least == nil || other.least == index.least)
                && other.columns.allSatisfy(index.columns.contains)
        }
        guard !others.isEmpty else { return [] }
        let cells = cells
        return others.compactMap { other in
            cells.packed(other.columns.compactMap { index.columns.firstIndex(of: $0) })
                .map { RowQuestion(table, other, $0) }
        }
    }
}

extension RowKey {
    /// The rows with a key.
    static func rows<Row: RowKind, each Part: KeyPart>(
        _ index: TableIndex<Row, repeat each Part>, _ key: repeat each Part
    ) -> RowKey {
        .rows(RowQuestion(index, repeat each key))
    }

    /// The entries that a transaction caused.
    static func entries(causedBy key: TransactionKey) -> RowKey {
        .rows(LedgerEntry.byTransaction, key.transactionID.rawValue, key.environment.rawValue, key.bundleID)
    }
}
