/// A table of a vault, described once: its columns, its key and its indices.
///
/// Each storage derives its table and its statements from the shape. A shape says what a value means, and the storage
/// decides how it stores the value.
package final class TableShape: Sendable {
    /// The meaning of a column's values.
    package enum ColumnType: Hashable, Sendable {
        /// The place of the row in the feed, which is the row's key.
        case place
        /// The customer to whom the row belongs.
        case owner
        case int
        case text
    }

    /// A column of a table.
    package struct Column: Hashable, Sendable {
        package let name: String
        package let type: ColumnType
        /// Whether the column may have no value.
        package let isOptional: Bool

        package static let place = Column(name: "sequence", type: .place, isOptional: false)
        package static let owner = Column(name: "customer", type: .owner, isOptional: false)
        package static func int(_ name: String) -> Column { Column(name: name, type: .int, isOptional: false) }
        package static func text(_ name: String) -> Column { Column(name: name, type: .text, isOptional: false) }

        /// The column, which may have no value.
        package var optional: Column { Column(name: name, type: type, isOptional: true) }
    }

    /// Columns by which rows are found.
    ///
    /// An index is a class, because it is passed with each question.
    package final class Index: Sendable {
        /// The name of the index in the table.
        package let name: String
        /// The positions of the columns in the table.
        package let columns: [Int]
        /// Whether no two rows have equal values.
        package let isUnique: Bool
        /// The smallest number in another column of the rows that the index contains; `nil` if it contains all rows.
        package let least: Least?
        /// The position of the index in the table.
        package let number: Int

        /// Whether rows are listed in the order of the index, so that a database must index all of its columns.
        ///
        /// Otherwise, the columns after the first may be compared in the table.
        package let isOrdered: Bool

        fileprivate init(
            name: String, columns: [Int], isUnique: Bool, least: Least?, number: Int, isOrdered: Bool = false
        ) {
            self.name = name
            self.columns = columns
            self.isUnique = isUnique
            self.isOrdered = isOrdered
            self.least = least
            self.number = number
        }
    }

    /// A condition of an index: a column has at least a number.
    package struct Least: Hashable, Sendable {
        package let column: Int
        package let number: Int64
    }

    /// An index, as a kind describes it.
    package struct IndexDraft: Sendable {
        fileprivate let name: String
        fileprivate let columns: [String]
        fileprivate let isUnique: Bool
        fileprivate let least: (column: String, number: Int64)?
        fileprivate let isOrdered: Bool

        /// An index that is called after its first column, unless it is named.
        ///
        /// - Parameter least: The condition of the index; `nil` if it contains all rows.
        package static func by(
            _ columns: String..., named name: String? = nil, isUnique: Bool = false,
            least: (column: String, number: Int64)? = nil, isOrdered: Bool = false
        ) -> IndexDraft {
            IndexDraft(
                name: name ?? columns.first ?? "", columns: columns, isUnique: isUnique, least: least,
                isOrdered: isOrdered)
        }
    }

    /// An order in which rows are listed by the values of some columns.
    package struct Order: Sendable {
        /// The positions of the columns by which the rows are sorted.
        package let columns: [Int]
        /// The positions of the columns whose values a list fixes, for each ``RowBuffer/givenSet`` of these values.
        package let fixed: [[Int]]
        package let isDescending: Bool
    }

    /// An order, as a kind describes it.
    package struct OrderDraft: Sendable {
        fileprivate let columns: [String]
        fileprivate let fixed: [String]
        fileprivate let isDescending: Bool

        package init(_ columns: [String], of fixed: [String], isDescending: Bool = false) {
            self.columns = columns
            self.fixed = fixed
            self.isDescending = isDescending
        }
    }

    /// What becomes of the rows of a customer who is erased.
    package enum Erasure: Hashable, Sendable {
        case deleted
        /// The rows lose all values but their place, and refer to the erasure.
        case emptied
    }

    /// The name of the table.
    package let name: String
    package let columns: [Column]
    /// The positions of the key's columns; the key of a row with a place is its place.
    package let key: [Int]
    /// The indices, with ``primary`` if the rows have no place in the feed.
    package let indices: [Index]
    /// The order of the pages of a ``RowList``; `nil` if rows are listed only by place or key.
    package let order: Order?
    package let erasure: Erasure
    /// Whether the rows are links of the hash chain.
    package let isLinked: Bool
    /// Whether the table has few rows, which are often replaced.
    package let isSmall: Bool
    /// The position of the table in ``allTables``.
    package let number: Int
    /// The index by the table's key, which is called `primary`.
    package let primary: Index
    /// The position of the owner's column; `nil` if the rows have no owner.
    package let owner: Int?

    /// Whether the rows have a place in the feed.
    package var hasPlace: Bool { columns.first?.type == .place }

    /// Creates a shape.
    ///
    /// - Parameter key: The names of the key's columns, in order.
    package init(
        _ name: String, number: Int, _ columns: [Column], key: [String], indices: [IndexDraft] = [],
        order: OrderDraft? = nil, erasure: Erasure = .deleted, isLinked: Bool = false,
        isSmall: Bool = false
    ) {
        func position(_ name: String) -> Int {
            let position = columns.firstIndex { $0.name == name }
            assert(position != nil, "the table has no column \(name)")
            return position ?? 0
        }
        self.name = name
        self.number = number
        self.columns = columns
        self.key = key.map(position)
        let further = indices.enumerated().map { number, index in
            Index(
                name: index.name, columns: index.columns.map(position), isUnique: index.isUnique,
                least: index.least.map { Least(column: position($0.column), number: $0.number) }, number: number,
                isOrdered: index.isOrdered)
        }
        self.order = order.map { order in
            let fixed = order.fixed.map(position)
            return Order(
                columns: order.columns.map(position),
                fixed: (0..<1 << fixed.count).map { set in
                    fixed.indices.filter { set & 1 << $0 != 0 }.map { fixed[$0] }
                }, isDescending: order.isDescending)
        }
        primary = Index(name: "primary", columns: self.key, isUnique: true, least: nil, number: further.count)
        self.indices = further + (columns.first?.type == .place ? [] : [primary])
        owner = columns.firstIndex { $0.type == .owner }
        self.erasure = erasure
        self.isLinked = isLinked
        self.isSmall = isSmall
    }

    /// Returns the index with a name.
    package func index(_ name: String) -> Index {
        let index = indices.first { $0.name == name }
        assert(index != nil, "the table \(self.name) has no index \(name)")
        return index ?? Index(name: name, columns: [], isUnique: false, least: nil, number: 0)
    }
}

extension TableShape: Hashable {
    package static func == (left: TableShape, right: TableShape) -> Bool { left === right }
    package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension TableShape.Index: Hashable {
    package static func == (left: TableShape.Index, right: TableShape.Index) -> Bool { left === right }
    package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// The tables of all kinds of rows.
package let allTables: [TableShape] = [
    LedgerEntry.table, BalanceRow.table, StoreEvent.table, CursorRow.table, NotificationRow.table, PendingRow.table,
    WebhookRow.table, WebhookQueueRow.table, WebhookAttempt.table, ParkedWebhook.table,
]
