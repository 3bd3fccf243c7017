import Storekeeper
import StorekeeperDurable

/// The definition and the statements of a table, derived from its shape.
///
/// The column of the owner holds the row number of the customer. The parameters of a statement have the numbers of the
/// table's columns, or of the key's columns, from 1.
final class SQLiteTable: Sendable {
    /// The questions about the rows with the key of an index.
    final class Questions: Sendable {
        let all: Statement
        let last: Statement
        let page: Statement
        let remove: Statement
        /// Removes the first rows of the index whose numbers are below a limit.
        let removeOld: Statement
        /// The positions of the owner in the table and in the key; `nil` if the key has no owner.
        ///
        /// The queries then have no value for the owner, who is known, and need not look up the owner's name.
        let owner: (column: Int, part: Int)?

        init(
            all: Statement, last: Statement, page: Statement, remove: Statement, removeOld: Statement,
            owner: (column: Int, part: Int)?
        ) {
            self.all = all
            self.last = last
            self.page = page
            self.remove = remove
            self.removeOld = removeOld
            self.owner = owner
        }
    }

    let shape: TableShape
    /// The SQL that creates the table and its indices.
    let definition: String
    /// The columns of a query, with the name of the owner in place of the number.
    let columns: String
    let insert: Statement
    let set: Statement
    let update: Statement
    let page: Statement
    /// Removes all values but the place from the rows of a customer, who is erased.
    let empty: Statement
    let questions: [Questions]
    /// The pages in the order of the table, by the set of the fixed columns: 1 for the first column, 2 for the second.
    let lists: [Statement]

    private static let all = allTables.map(SQLiteTable.init)

    /// Returns the table of a shape.
    static func of(_ shape: TableShape) -> SQLiteTable { all[shape.number] }

    private init(_ shape: TableShape) {
        let (name, columns) = (shape.name, shape.columns)
        self.shape = shape
        definition = Self.definition(of: shape)
        let read = columns.map { $0.type == .owner ? "customer.name" : "\(name).\($0.name)" }.joined(separator: ", ")
        self.columns = read
        let written = columns.map(\.name) + (shape.isLinked ? ["previous", "hash"] : [])
        let values = (1...written.count).map { "?\($0)" }.joined(separator: ", ")
        let into = "INSERT INTO \(name)(\(written.joined(separator: ", "))) VALUES(\(values))"
        let key = shape.key.map { columns[$0].name }
        let keys = key.joined(separator: ", ")
        let conflict = " ON CONFLICT(\(keys)) DO"
        let others = columns.indices.filter { !shape.key.contains($0) }
        insert = Statement(shape.hasPlace ? into : into + conflict + " NOTHING")
        let changes = others.map { "\(columns[$0].name) = excluded.\(columns[$0].name)" }
        set = Statement(into + conflict + " UPDATE SET " + changes.joined(separator: ", "))
        let sets = others.map { "\(columns[$0].name) = ?\($0 + 1)" }.joined(separator: ", ")
        let isKey = shape.key.map { "\(columns[$0].name) = ?\($0 + 1)" }.joined(separator: " AND ")
        update = Statement("UPDATE \(name) SET \(sets) WHERE \(isKey)")
        let owner = columns.first { $0.type == .owner }?.name
        let emptied = columns.dropFirst().map { "\($0.name) = NULL" }.joined(separator: ", ")
        empty = Statement("UPDATE \(name) SET \(emptied), erasure = ?1 WHERE \(owner ?? "sequence") = ?2")

        let order =
            shape.hasPlace
            ? "\(name).sequence" : shape.key.map { "\(name).\(columns[$0].name)" }.joined(separator: ", ")
        func ownerPart(of index: TableShape.Index) -> Int? { index.columns.firstIndex { columns[$0].type == .owner } }
        func select(_ index: TableShape.Index?) -> String {
            let hint = index?.least == nil ? "" : " INDEXED BY \(name)_\(index?.name ?? "")"
            if let index, ownerPart(of: index) != nil {
                let known = columns.map { $0.type == .owner ? "NULL" : "\(name).\($0.name)" }.joined(separator: ", ")
                return "SELECT \(known) FROM \(name)\(hint)"
            }
            return "SELECT \(read) FROM \(name)\(hint)"
                + (owner.map { " JOIN customer ON customer.id = \(name).\($0)" } ?? "")
        }
        let isNext = shape.hasPlace ? " WHERE \(name).sequence > ?1" : ""
        page = Statement("\(select(nil))\(isNext) ORDER BY \(order) LIMIT ?2")
        questions = shape.indices.map { index in
            var conditions = index.columns.enumerated().map { "\(name).\(columns[$1].name) = ?\($0 + 1)" }
            if let least = index.least { conditions.append("\(name).\(columns[least.column].name) >= \(least.number)") }
            let condition = conditions.joined(separator: " AND ")
            let next = index.columns.count + 1
            let found = "\(select(index)) WHERE \(condition)"
            return Questions(
                all: Statement("\(found) ORDER BY \(order)"),
                last: Statement("\(found) ORDER BY \(order) DESC LIMIT 1"),
                page: Statement("\(found) AND \(order) > ?\(next) ORDER BY \(order) LIMIT ?\(next + 1)"),
                remove: Statement("DELETE FROM \(name) WHERE \(condition)"),
                removeOld: Statement(
                    """
                    DELETE FROM \(name) WHERE (\(keys)) IN (
                      SELECT \(keys) FROM \(name) WHERE \(columns[index.columns[0]].name) < ?
                      ORDER BY \(columns[index.columns[0]].name) LIMIT ?)
                    """),
                owner: ownerPart(of: index).map { (index.columns[$0], $0) })
        }
        lists = shape.pages(of: select(nil), in: name, owner: "customer.name", parameter: "?").map { Statement($0) }
    }

    private static func definition(of shape: TableShape) -> String {
        let (name, columns, isEmptied) = (shape.name, shape.columns, shape.erasure == .emptied)
        var lines = columns.map { column in
            let always = column.isOptional || isEmptied ? "" : " NOT NULL"
            return switch column.type {
            case .place: "\(column.name) INTEGER PRIMARY KEY"
            case .owner: "\(column.name) INTEGER\(always) REFERENCES customer"
            case .int: "\(column.name) INTEGER\(always)"
            case .text: "\(column.name) TEXT\(always)"
            }
        }
        if isEmptied { lines.append("erasure INTEGER REFERENCES erasure") }
        if shape.isLinked { lines += ["previous BLOB NOT NULL", "hash BLOB NOT NULL"] }
        if isEmptied { lines.append("CHECK ((customer IS NULL) <> (erasure IS NULL))") }
        if !shape.hasPlace {
            lines.append("PRIMARY KEY(\(shape.key.map { columns[$0].name }.joined(separator: ", ")))")
        }
        var definition = """
            CREATE TABLE \(name)(
              \(lines.joined(separator: ",\n  "))
            ) STRICT\(shape.hasPlace ? "" : ", WITHOUT ROWID");

            """
        for index in shape.indices where !shape.key.starts(with: index.columns) {
            // The further columns of an index that is not unique are compared in the table: their values are the same
            // in most rows, and would make the index larger.
            let indexed = index.isUnique || index.isOrdered ? index.columns : Array(index.columns.prefix(1))
            let named = indexed.map { columns[$0].name }.joined(separator: ", ")
            var condition = ""
            if let least = index.least {
                condition = " WHERE \(columns[least.column].name) >= \(least.number)"
            } else if let last = indexed.last, columns[last].isOptional || isEmptied {
                condition = " WHERE \(columns[last].name) IS NOT NULL"
            }
            definition += """
                CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(name)_\(index.name) ON \(name)(\(named))\(condition);

                """
        }
        if isEmptied {
            definition += "CREATE INDEX \(name)_erasure ON \(name)(erasure) WHERE erasure IS NOT NULL;\n"
        }
        return definition
    }
}
