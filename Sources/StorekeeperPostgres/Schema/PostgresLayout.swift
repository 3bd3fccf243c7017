import Storekeeper

/// The columns, the key and the indices of a table.
///
/// A table of customers' rows is partitioned by the customer. Therefore its key begins with the customer. A key that
/// does not name the customer is looked up in another table, which is called the directory. A table of rows without an
/// owner is partitioned by its key, unless it is small.
struct PostgresLayout {
    /// A column; its type also determines how the values of cells are passed.
    struct Column {
        let name: String
        let type: PostgresType
        var isOptional = false
        /// Whether a key or index contains the column, so that its texts are compared by their bytes.
        var isIndexed = false
    }

    /// The table in which customers are looked up, and the column that contains the key of its row.
    struct Directory {
        let index: TableShape.Index
        let table: String
        let column: String
    }

    let shape: TableShape
    /// The columns of the shape, the column with the key of the directory, and the link with its hash.
    let columns: [Column]
    let key: [String]
    let directory: Directory?

    /// Creates the layout of a table; entries have a key and a directory that do not follow from the shape.
    init(_ shape: TableShape) {
        self.shape = shape
        var columns = shape.columns.indices.map { position in
            let column = shape.columns[position]
            let type: PostgresType =
                switch column.type {
                case .place, .int: .int8
                case .owner: .bytes
                case .text: .text
                }
            return Column(
                name: column.type == .place ? "place" : column.name, type: type, isOptional: column.isOptional,
                isIndexed: shape.indices.contains { $0.columns.contains(position) })
        }
        if shape == LedgerEntry.table {
            key = ["customer", "number"]
            directory = Directory(index: shape.index("transaction"), table: "transaction", column: "cause")
            columns.append(Column(name: "cause", type: .bytes, isOptional: true))
        } else {
            let own = shape.key.map { columns[$0].name }
            key = shape.owner == nil || own.contains("customer") ? own : ["customer"] + own
            directory = nil
        }
        if shape.isLinked { columns += [Column(name: "link", type: .int8), Column(name: "hash", type: .bytes)] }
        self.columns = columns
    }

    // MARK: Definition

    /// The SQL that creates the table and its indices.
    var definition: [String] {
        let lines = columns.map { column in
            "\(column.name) \(column.type.name)\(column.type == .text && column.isIndexed ? " COLLATE \"C\"" : "")"
                + (column.isOptional ? "" : " NOT NULL")
        }
        let name = "storekeeper.\(shape.name)"
        let content = (lines + ["PRIMARY KEY(\(key.joined(separator: ", ")))"]).joined(separator: ",\n")
        let table =
            shape.isSmall
            ? ["CREATE TABLE \(name)(\(content)) WITH (fillfactor = 50)"]
            : Schema.partitioned(
                shape.name, by: key.first ?? "", fill: shape.hasPlace || shape.owner == nil ? 100 : 70, content)
        return table
            + (shape.hasPlace ? ["CREATE INDEX \(shape.name)_place ON \(name)(place)"] : [])
            + furtherIndices.map { index in
                "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(shape.name)_\(index.name) ON \(name)"
                    + "(\(parts(of: index).joined(separator: ", ")))\(condition(of: index))"
            }
    }

    /// The unique keys, as `table(columns)`.
    var uniqueKeys: [String] {
        ([key] + furtherIndices.filter(\.isUnique).map(parts)).map { "\(shape.name)(\($0.joined(separator: ",")))" }
    }

    /// The indices that are not the beginning of the primary key.
    private var furtherIndices: [TableShape.Index] {
        shape.indices.filter { $0.least != nil || !key.starts(with: parts(of: $0)) }
    }

    private func parts(of index: TableShape.Index) -> [String] {
        if let directory, index === directory.index { return ["customer", directory.column] }
        return index.columns.map { columns[$0].name }
    }

    private func condition(of index: TableShape.Index) -> String {
        if let least = index.least { return " WHERE \(columns[least.column].name) >= \(least.number)" }
        guard index.columns.contains(where: { columns[$0].isOptional }), let last = parts(of: index).last else {
            return ""
        }
        return " WHERE \(last) IS NOT NULL"
    }

    // MARK: Questions

    /// The columns of the shape, with the name of the owner.
    var named: String { read { $0 == "customer" ? "c.name" : "t.\($0)" } }
    /// The columns of the shape, with the key of the owner's row.
    private var known: String { read { "t.\($0)" } }

    private func read(_ column: (String) -> String) -> String {
        columns.prefix(shape.columns.count).map { column($0.name) }.joined(separator: ", ")
    }

    /// Returns the statements about the rows with the key of an index.
    func question(about index: TableShape.Index) -> PostgresTable.Question {
        func each(_ condition: String) -> String { LoadStatements.each("\(shape.name) t", condition) }
        let delete = "DELETE FROM storekeeper.\(shape.name) t"
        if let directory, index === directory.index {
            return PostgresTable.Question(
                load: Statement(
                    """
                    SELECT \(named) FROM unnest($1::bytea[]) AS k(id)
                    \(LoadStatements.each("\(directory.table) d", "d.id = k.id"))
                    \(each("t.customer = d.customer AND t.\(directory.column) = d.id"))
                    \(LoadStatements.each("customer c", "c.id = d.customer"))
                    """),
                remove: Statement("\(delete) WHERE t.\(directory.column) = ANY($1::bytea[])"),
                removeOld: removeOld(index))
        }
        let parts = parts(of: index)
        let arrays = zip(1..., index.columns).map { "$\($0)::\(columns[$1].type.array.name)" }
        let keys = "unnest(\(arrays.joined(separator: ", "))) AS k(\(parts.joined(separator: ", ")))"
        var conditions = parts.map { "t.\($0) = k.\($0)" }
        if let least = index.least { conditions.append("t.\(columns[least.column].name) >= \(least.number)") }
        let condition = conditions.joined(separator: " AND ")
        return PostgresTable.Question(
            load: Statement("SELECT \(known) FROM \(keys) \(each(condition))"),
            remove: Statement("\(delete) USING \(keys) WHERE \(condition)"), removeOld: removeOld(index))
    }

    private func removeOld(_ index: TableShape.Index) -> Statement {
        let (name, column) = ("storekeeper.\(shape.name)", columns[index.columns[0]].name)
        let key = key.joined(separator: ", ")
        return Statement(
            """
            DELETE FROM \(name) WHERE (\(key)) IN (
              SELECT \(key) FROM \(name) WHERE \(column) < $1 ORDER BY \(column) LIMIT $2 FOR UPDATE SKIP LOCKED)
            """)
    }
}
