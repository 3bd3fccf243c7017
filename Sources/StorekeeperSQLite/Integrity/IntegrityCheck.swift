import Storekeeper
import StorekeeperDurable

/// Compares the rows of a vault with the hash chain and with stored totals.
struct IntegrityCheck {
    private static let checkPages = Statement("PRAGMA integrity_check(100)")
    private static let checkReferences = Statement("PRAGMA foreign_key_check")
    private static let facts = Statement(
        """
        SELECT fact.sequence, digest, subject, fact.original, fact.environment, chain.bundle, chain.environment,
          chain.original, chain.id, chain.token, chain.token_signed, header, payload, signature
        FROM fact LEFT JOIN chain ON chain.id = fact.chain ORDER BY fact.sequence
        """)
    private static let chainsWithToken = Statement("SELECT id, original FROM chain WHERE token IS NOT NULL ORDER BY id")

    let tables: SQLiteTables
    let connection: Connection
    private let schema: SchemaCheck
    var report = IntegrityReport(links: 0)
    /// The state of the check while it follows the links of the hash chain.
    var walk: ChainWalk
    /// The row numbers of the chains whose stored account token was found in a fact of the chain.
    private var provedTokens: Set<Int64> = []

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - tables: The tables to check.
    ///   - schema: The expected tables.
    ///   - head: The hash of a link that must be in the chain; `nil` without such a requirement.
    init(tables: borrowing SQLiteTables, schema: SchemaCheck, containing head: [UInt8]?) {
        self.tables = copy tables
        self.schema = schema
        connection = tables.connection
        walk = ChainWalk(wanted: head)
    }

    mutating func run() throws(VaultError) -> IntegrityReport {
        do throws(VaultError) {
            for answer in try connection.all(Self.checkPages, { _ in }, { $0.text() }) where answer != "ok" {
                addFault(.storage, connection.file.path, answer)
            }
            let strays = try connection.all(Self.checkReferences, { _ in }, { ($0.text(), $0.optionalInt() ?? 0) })
            for (table, row) in strays { addFault(.storage, "\(table) \(row)", "refers to a missing row") }
            report.faults += try schema.faults(in: connection)
            try checkLinks()
            try checkFacts()
        } catch {
            // Damage is a result of the check; any other error makes the check fail.
            guard error.code == .corrupt || error.code == .notAVault else { throw error }
            addFault(.storage, connection.file.path, error.message)
        }
        return report
    }

    mutating func addFault(_ kind: VaultFault.Kind, _ subject: String, _ message: String) {
        report.faults.append(VaultFault(kind, subject, message))
    }

    // MARK: Facts

    private mutating func checkFacts() throws(VaultError) {
        try connection.forEach(Self.facts, { _ in }) { row throws(VaultError) in
            let (sequence, digest) = (row.int(), row.bytes())
            let columns = (subject: row.optionalText(), original: row.optionalText(), environment: row.optionalText())
            let (bundle, environment, original) = (row.optionalText(), row.optionalText(), row.optionalText())
            let (chain, token, signedAt) = (row.int(), row.optionalBytes(), row.optionalInstant())
            let content = try StoredContent(&row, in: connection)
            guard content.digest == digest, let fact = try? content.restored() else {
                return addFault(.storage, "fact \(sequence)", "its payload was changed")
            }
            let isRight =
                switch fact.content {
                case .transaction(let transaction):
                    isSame(transaction.appBundleID, bundle)
                        && isSame(transaction.environment.rawValue, environment)
                        && isSame(transaction.originalID.rawValue, original)
                        && isSame(transaction.id.rawValue, columns.subject ?? original)
                case .renewalInfo, .notification, .appTransaction:
                    fact.purchase.map {
                        isSame($0.originalID.rawValue, columns.original)
                            && isSame($0.environment.rawValue, columns.environment)
                    } ?? false
                }
            if !isRight { addFault(.binding, "fact \(sequence)", "is stored under another chain") }
            guard let own = fact.transaction?.appAccountToken?.bytes else { return }
            if let token, let signedAt, signedAt > fact.signedAt || signedAt == fact.signedAt && !token.precedes(own) {
                if token == own, signedAt == fact.signedAt { provedTokens.insert(chain) }
            } else {
                addFault(.binding, "fact \(sequence)", "its token is newer than the one stored for its chain")
            }
        }
        try connection.forEach(Self.chainsWithToken, { _ in }) { row in
            let (chain, original) = (row.int(), row.text())
            if !provedTokens.contains(chain) {
                addFault(.binding, original, "its chain is stored with a token that none of its facts has")
            }
        }
    }
}

extension [UInt8] {
    fileprivate func precedes(_ other: [UInt8]) -> Bool { lexicographicallyPrecedes(other) }
}

private func isSame(_ left: String, _ right: String?) -> Bool { right.map { left.hasSameBytes(as: $0) } ?? false }
