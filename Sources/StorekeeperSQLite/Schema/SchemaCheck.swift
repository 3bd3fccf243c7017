import GRDB
import Storekeeper

/// Compares the tables of a file with those that this release creates.
///
/// A trigger would run on every write, a view or index could replace the content of a table, and a table without its
/// constraints would accept invalid rows. Every part must therefore be as it was created, and there must be no others.
struct SchemaCheck {
    private struct Part: Hashable {
        let type: String
        let name: String
    }

    /// The SQL of each part; parts that SQLite creates by itself have none.
    private let expected: [Part: String]

    private static let select = "SELECT type, name, coalesce(sql, '') FROM sqlite_schema"
    private static let parts = Statement(select)
    /// The tables left by SQLite's `ANALYZE` change no answer.
    private static let statistics: Set<String> = ["sqlite_stat1", "sqlite_stat4"]

    /// Creates the tables of an empty vault in memory for comparison.
    init(file: VaultFile) throws(VaultError) {
        do {
            let rows = try DatabaseQueue().write { database in
                for step in Schema.steps { try database.execute(sql: step.sql) }
                return try GRDB.Row.fetchAll(database, sql: Self.select)
            }
            expected = Dictionary(
                rows.map { row in (Part(type: row[0], name: row[1]), row[2]) }, uniquingKeysWith: { first, _ in first })
        } catch {
            throw file.error(error)
        }
    }

    /// Returns the differences of a file from the expected schema.
    func faults(in connection: Connection) throws(VaultError) -> [VaultFault] {
        var faults: [VaultFault] = []
        var missing = Set(expected.keys)
        let found = try connection.all(Self.parts, { _ in }, { (Part(type: $0.text(), name: $0.text()), $0.text()) })
        for (part, sql) in found {
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
