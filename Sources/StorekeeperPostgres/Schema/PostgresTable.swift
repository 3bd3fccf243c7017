import Storekeeper

/// The definition and the statements of a table, derived from its shape.
///
/// The column of the owner contains the key of the customer's row. The parameters of a statement are arrays of the
/// values of many rows or keys.
final class PostgresTable: Sendable {
    /// The ways in which a table differs from the one that would follow from its shape.
    struct Mapping {
        /// The columns of the primary key, if the rows of a customer have a key other than their place.
        var key: [String]?
        /// The table in which customers are looked up by a key that does not name a customer, the column with the key of
        /// the row in this table, and the name of the index.
        var directory: (table: String, column: String, index: String)?
    }

    /// The statements that find or delete the rows with the key of an index.
    struct Question: Sendable {
        let load: Statement
        let remove: Statement
        /// Whether the key of the row in the directory is the only parameter.
        let usesDirectory: Bool
    }

    private static func mapping(of shape: TableShape) -> Mapping {
        switch shape {
        case LedgerEntry.table: Mapping(key: ["customer", "number"], directory: ("transaction", "cause", "transaction"))
        default: Mapping()
        }
    }

    let shape: TableShape
    /// The SQL that creates the table and its indices.
    let definition: [String]
    /// The unique keys, as `table(columns)`.
    let uniqueKeys: [String]
    /// The index whose key is stored in a column of its own, as the key of a row in the directory.
    let directory: TableShape.Index?
    /// The types of the written columns: those of the shape, the key of the directory, and the link with its hash.
    let writtenTypes: [PostgresType]
    let insert: Statement
    let set: Statement
    let questions: [Question]
    /// The links of the rows of customers, with the key of the customer and the columns of the row.
    let links: Statement
    /// Pages of the rows of all customers and of one customer.
    let page: (all: Statement, own: Statement)

    private static let all = allTables.map(PostgresTable.init)

    /// Returns the table of a shape.
    static func of(_ shape: TableShape) -> PostgresTable { all[shape.number] }

    private init(_ shape: TableShape) {
        let (mapping, names) = (Self.mapping(of: shape), shape.columns.map(Self.name))
        let (table, types) = ("storekeeper.\(shape.name)", shape.columns.map { Self.type(of: $0).name })
        let own = shape.key.map { names[$0] }
        // A unique key of a partitioned table contains the column of the partitions.
        let key = mapping.key ?? (own.contains("customer") ? own : ["customer"] + own)
        self.shape = shape
        directory = mapping.directory.map { shape.index($0.index) }
        let further =
            (mapping.directory.map { [($0.column, "bytea")] } ?? [])
            + (shape.isLinked ? [("link", "bigint"), ("hash", "bytea")] : [])
        let columns = zip(names, types).map { ($0, $1) } + further

        let definitions = zip(columns, columns.indices).map { column, position in
            let isText = column.1 == "text"
            let isIndexed = shape.indices.contains { $0.columns.contains(position) }
            let isOptional =
                shape.columns.indices.contains(position)
                ? shape.columns[position].isOptional : column.0 == mapping.directory?.column
            return "\(column.0) \(column.1)\(isText && isIndexed ? " COLLATE \"C\"" : "")\(isOptional ? "" : " NOT NULL")"
        }
        var indices: [String] = shape.hasPlace ? ["CREATE INDEX \(shape.name)_place ON \(table)(place)"] : []
        var uniqueKeys = ["\(shape.name)(\(key.joined(separator: ",")))"]
        for index in shape.indices {
            var parts = index.columns.map { names[$0] }
            if let directory = mapping.directory, index === self.directory { parts = ["customer", directory.column] }
            guard index.least != nil || !key.starts(with: parts) else { continue }
            let isFilled = index.columns.allSatisfy { !shape.columns[$0].isOptional }
            let condition =
                index.least.map { " WHERE \(names[$0.column]) >= \($0.number)" }
                ?? (isFilled ? "" : " WHERE \(parts[parts.count - 1]) IS NOT NULL")
            indices.append(
                "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(shape.name)_\(index.name) ON \(table)"
                    + "(\(parts.joined(separator: ", ")))\(condition)")
            if index.isUnique { uniqueKeys.append("\(shape.name)(\(parts.joined(separator: ",")))") }
        }
        self.uniqueKeys = uniqueKeys
        definition =
            Schema.partitioned(
                shape.name, by: "customer", fill: shape.hasPlace ? 100 : 70,
                (definitions + ["PRIMARY KEY(\(key.joined(separator: ", ")))"]).joined(separator: ",\n  "))
            + indices

        writtenTypes =
            shape.columns.map(Self.type) + (directory == nil ? [] : [.bytes]) + (shape.isLinked ? [.int8, .bytes] : [])

        // A row with a place follows the places of the group, whose first place is the first parameter.
        let start = shape.hasPlace ? 2 : 1
        let written = columns.map(\.0).joined(separator: ", ")
        let values = columns.map { $0.0 == "place" ? "$1 + k.place" : "k.\($0.0)" }.joined(separator: ", ")
        let arrays = columns.indices.map { "$\($0 + start)::\(columns[$0].1)[]" }.joined(separator: ", ")
        let into = "INSERT INTO \(table)(\(written)) SELECT \(values) FROM unnest(\(arrays)) AS k(\(written))"
        let changes = columns.map(\.0).filter { !key.contains($0) }.map { "\($0) = excluded.\($0)" }
        insert = Statement(into)
        set = Statement(
            "\(into) ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE SET \(changes.joined(separator: ", "))")

        let known = names.map { "t.\($0)" }.joined(separator: ", ")
        let named = names.map { $0 == "customer" ? "c.name" : "t.\($0)" }.joined(separator: ", ")
        func each(_ table: String, _ condition: String) -> String { LoadStatements.each(table, condition) }
        func keys(of index: TableShape.Index) -> (from: String, condition: String) {
            let arrays = index.columns.indices.map { "$\($0 + 1)::\(types[index.columns[$0]])[]" }
            let parts = index.columns.map { names[$0] }
            var conditions = parts.map { "t.\($0) = k.\($0)" }
            if let least = index.least { conditions.append("t.\(names[least.column]) >= \(least.number)") }
            return (
                "unnest(\(arrays.joined(separator: ", "))) AS k(\(parts.joined(separator: ", ")))",
                conditions.joined(separator: " AND ")
            )
        }
        questions = shape.indices.map { index in
            if let directory = mapping.directory, index.name == directory.index {
                let from = "unnest($1::bytea[]) AS k(id) \(each("\(directory.table) d", "d.id = k.id"))"
                let condition = "t.customer = d.customer AND t.\(directory.column) = d.id"
                return Question(
                    load: Statement(
                        """
                        SELECT \(named) FROM \(from) \(each("\(shape.name) t", condition))
                        \(each("customer c", "c.id = d.customer"))
                        """),
                    remove: Statement("DELETE FROM \(table) t WHERE t.\(directory.column) = ANY($1::bytea[])"),
                    usesDirectory: true)
            }
            let (from, condition) = keys(of: index)
            return Question(
                load: Statement("SELECT \(known) FROM \(from) \(each("\(shape.name) t", condition))"),
                remove: Statement("DELETE FROM \(table) t USING \(from) WHERE \(condition)"), usesDirectory: false)
        }
        links = Statement(
            """
            SELECT t.customer, t.link, t.hash, \(named) FROM unnest($1::bytea[]) AS k(id)
            JOIN storekeeper.customer c ON c.id = k.id JOIN \(table) t ON t.customer = k.id
            """)
        let feed = "SELECT \(named) FROM \(table) t JOIN storekeeper.customer c ON c.id = t.customer WHERE t.place > $1"
        page = (
            Statement("\(feed) AND t.place < \(FeedTicket.lowest) ORDER BY t.place LIMIT $2"),
            Statement("\(feed) AND t.customer = $3 ORDER BY t.place LIMIT $2")
        )
    }

    private static func name(of column: TableShape.Column) -> String {
        column.type == .place ? "place" : column.name
    }

    /// Returns the type of a column's values.
    static func type(of column: TableShape.Column) -> PostgresType {
        switch column.type {
        case .place, .int: .int8
        case .owner, .bytes: .bytes
        case .text: .text
        }
    }

    /// Returns the key of the row in the directory that has the texts in some columns; `nil` if one of the columns has no
    /// value.
    func directoryKey(_ cells: RowBuffer, _ columns: [Int]) -> TransactionKey? {
        guard let directory, columns.allSatisfy({ cells.cells[$0].tag == .text }) else { return nil }
        func text(_ name: String) -> String {
            let position = directory.columns.firstIndex { shape.columns[$0].name == name }
            return position.map { cells.text(at: columns[$0]) } ?? ""
        }
        return TransactionKey(
            bundleID: text("bundle"), environment: AppStore.Environment(rawValue: text("environment")),
            transactionID: Transaction.ID(rawValue: text("transaction_id")))
    }
}

// MARK: Values

extension PostgresTable {
    /// The arrays of the arguments of a statement; each call of a function adds one row.
    struct Columns {
        private var arrays: [ArgumentArray]

        init(_ types: [PostgresType]) { arrays = types.map { ArgumentArray(of: $0) } }

        var count: Int { arrays.count }
        var arguments: [Argument] { arrays.map(\.argument) }

        /// Adds the values of some cells, beginning with the first array.
        mutating func add(_ cells: RowBuffer) {
            for column in 0..<cells.count { arrays[column].append(cells.cells[column]) }
        }

        mutating func add(_ value: [UInt8]?, at column: Int) { arrays[column].append(value) }
        mutating func add(_ value: Int64, at column: Int) {
            arrays[column].append(value)
        }
    }

    /// Returns the arguments of questions about an index.
    func arguments(of index: TableShape.Index, _ keys: [RowBuffer]) -> [Argument] {
        if index === directory {
            let ids = keys.compactMap { directoryKey($0, Array(index.columns.indices)).map { RowID.of($0) } }
            return [.bytes(ids)]
        }
        var columns = Columns(index.columns.map { Self.type(of: shape.columns[$0]) })
        for key in keys { columns.add(key) }
        return columns.arguments
    }
}

extension RowReader {
    /// Reads the columns of a table into a buffer.
    ///
    /// - Parameter owners: The customers, by the keys of their rows; `nil` if the column of the owner contains the name.
    mutating func cells(
        of shape: TableShape, into buffer: RowBuffer, owners: [[UInt8]: CustomerID]? = nil
    ) throws(PostgresFailure) {
        buffer.removeAll()
        for column in shape.columns {
            switch column.type {
            case .owner:
                guard let owners else {
                    buffer.owner(CustomerID(rawValue: try text()))
                    continue
                }
                guard let owner = owners[try bytes()] else {
                    throw .damaged("a row of \(shape.name) with another owner than the requested ones")
                }
                buffer.owner(owner)
            case .place, .int:
                guard column.isOptional else {
                    buffer.int(try int())
                    continue
                }
                if let number = try optionalInt() { buffer.int(number) } else { buffer.null() }
            case .text: buffer.text(column.isOptional ? try optionalText() : try text())
            case .bytes:
                let value = column.isOptional ? try optionalBytes() : try bytes()
                if let value { buffer.bytes(value) } else { buffer.null() }
            }
        }
    }

    /// Reads a row of a described kind.
    mutating func row<Row: RowKind>(_ kind: Row.Type, in buffer: RowBuffer) throws(PostgresFailure) -> Row {
        try cells(of: Row.table, into: buffer)
        var reader = Storekeeper.RowReader(buffer)
        do throws(VaultError) {
            return try Row(from: &reader)
        } catch {
            throw .damaged(error.message)
        }
    }
}
