import Storekeeper
import StorekeeperDurable

/// The definition and the statements of a table, derived from its shape.
///
/// The column of the owner contains the key of the customer's row. The parameters of a statement are arrays of the
/// values of many rows or keys.
final class PostgresTable: Sendable {
    /// The statements that find or delete the rows with the key of an index.
    struct Question: Sendable {
        let load: Statement
        let remove: Statement
        /// Removes the first rows of the index whose numbers are below a limit.
        let removeOld: Statement
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
    /// Locks the row with a key.
    let lock: Statement
    /// The pages in the order of the table, by the set of the fixed columns: 1 for the first column, 2 for the second.
    let lists: [Statement]
    /// Pages of all rows, and of the rows of one customer.
    let page: (all: Statement, own: Statement)

    private static let all = allTables.map { PostgresTable(PostgresLayout($0)) }

    /// Returns the table of a shape.
    static func of(_ shape: TableShape) -> PostgresTable { all[shape.number] }

    private init(_ layout: PostgresLayout) {
        let shape = layout.shape
        self.shape = shape
        (definition, uniqueKeys) = (layout.definition, layout.uniqueKeys)
        directory = layout.directory?.index
        writtenTypes = layout.columns.map(\.type)

        let (table, key) = ("storekeeper.\(shape.name)", layout.key)
        // A row with a place follows the places of the group, whose first place is the first parameter.
        let start = shape.hasPlace ? 2 : 1
        let names = layout.columns.map(\.name)
        let written = names.joined(separator: ", ")
        let values = names.map { $0 == "place" ? "$1 + k.place" : "k.\($0)" }.joined(separator: ", ")
        let arrays = zip(start..., layout.columns).map { "$\($0)::\($1.type.array.name)" }.joined(separator: ", ")
        // Rows without an owner are not protected by the lock of a customer. They are written in order, so that two
        // transactions do not wait for each other.
        func order(_ row: String) -> String { " ORDER BY " + key.map { "\(row).\($0)" }.joined(separator: ", ") }
        let rows = "unnest(\(arrays)) AS k(\(written))\(shape.owner == nil ? order("k") : "")"
        let into = "INSERT INTO \(table)(\(written)) SELECT \(values) FROM \(rows)"
        let changes = names.filter { !key.contains($0) }.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        insert = Statement(into)
        set = Statement("\(into) ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE SET \(changes)")
        questions = shape.indices.map { layout.question(about: $0) }
        let keys = zip(1..., shape.key).map { "\(names[$1]) = ANY($\($0)::\(layout.columns[$1].type.array.name))" }
        lock = Statement("SELECT 1 FROM \(table) WHERE \(keys.joined(separator: " AND ")) FOR UPDATE")

        let owners = shape.owner == nil ? "" : " JOIN storekeeper.customer c ON c.id = t.customer"
        let all = "SELECT \(layout.named) FROM \(table) t\(owners)"
        let next =
            shape.hasPlace
            ? " WHERE t.place > $1 AND t.place < \(FeedTicket.lowest) ORDER BY t.place" : order("t")
        page = (
            Statement("\(all)\(next) LIMIT $2"),
            Statement("\(all) WHERE t.place > $1 AND t.customer = $3 ORDER BY t.place LIMIT $2")
        )
        lists = shape.pages(of: all, in: "t", owner: "c.name", parameter: "$").map { Statement($0) }
    }

    /// Returns the key of the row in the directory that has the texts in some columns; `nil` if one of the columns has no
    /// value.
    func directoryKey(_ cells: RowBuffer, _ columns: [Int]) -> TransactionKey? {
        guard let directory, columns.allSatisfy({ cells.cells[$0].tag == .text }) else { return nil }
        func text(_ name: String) -> String {
            let position = directory.columns.firstIndex { shape.columns[$0].name == name }
            return position.map { cells.cells[columns[$0]].text } ?? ""
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
        var columns = Columns(index.columns.map { writtenTypes[$0] })
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
