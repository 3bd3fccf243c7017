import Storekeeper

/// Compares the tables of a file with the tables that this release creates.
///
/// A trigger would run on every write, a view or index could replace the content of a table, and a table without its
/// constraints would accept invalid rows. Therefore each table and index must have the SQL with which this release
/// creates it, and the file must contain no other table, index, trigger or view.
struct SchemaCheck {
    private struct Part: Hashable {
        let type: String
        let name: String
    }

    /// The SQL of each table and index; empty for a table or index that SQLite creates by itself.
    private let expected: [Part: String]

    private static let select = Statement("SELECT type, name, coalesce(sql, '') FROM sqlite_schema")
    /// The tables that SQLite's `ANALYZE` creates, which are permitted because they do not change the results of
    /// queries.
    private static let statistics: Set<String> = ["sqlite_stat1", "sqlite_stat4"]

    /// Creates a check that compares files with the tables of an empty vault in memory.
    init(file: VaultFile) throws(VaultError) {
        let fresh = try Connection(to: file, .memory)
        try fresh.execute(Schema.tables)
        expected = Dictionary(try Self.parts(in: fresh), uniquingKeysWith: { first, _ in first })
    }

    private static func parts(in connection: Connection) throws(VaultError) -> [(Part, sql: String)] {
        try connection.all(select, { _ in }, { (Part(type: $0.text(), name: $0.text()), $0.text()) })
    }

    /// Returns whether any of the names is the name of a table of the vault; like SQLite, the comparison ignores case.
    func hasTable(anyOf names: [String]) -> Bool {
        let names = Set(names.map { $0.lowercased() })
        return expected.keys.contains { $0.type == "table" && names.contains($0.name.lowercased()) }
    }

    /// Returns the differences of a file from the expected schema.
    func faults(in connection: Connection) throws(VaultError) -> [VaultFault] {
        var faults: [VaultFault] = []
        var missing = Set(expected.keys)
        for (part, sql) in try Self.parts(in: connection) {
            let subject = "\(part.type) \(part.name)"
            guard let own = expected[part] else {
                if part.type == "table", Self.statistics.contains(part.name) { continue }
                faults.append(VaultFault(.storage, subject, "does not belong to the vault: another program added it"))
                continue
            }
            missing.remove(part)
            if !own.utf8.elementsEqual(sql.utf8) {
                faults.append(
                    VaultFault(.storage, subject, "differs from the vault's schema: another program changed it"))
            }
        }
        for part in missing {
            faults.append(VaultFault(.storage, "\(part.type) \(part.name)", "is missing"))
        }
        return faults.sorted { $0.subject < $1.subject }
    }
}
