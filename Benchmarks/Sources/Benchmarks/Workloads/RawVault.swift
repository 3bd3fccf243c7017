import CLibsqlite3
import Crypto
import Storekeeper
import StorekeeperTesting

/// A vault's file, written by SQLite's C interface alone.
///
/// Besides writing the rows it does what no vault can omit: it looks up the rows on which a step depends (the chain and
/// the entries of a transaction, or the entry of a request), and hashes the links of the chain.
final class RawVault {
    /// The rows of a sale, as bytes and numbers ready to bind.
    struct Sale: Sendable {
        let number: Int
        let customer: Int
        let id: [CChar]
        let key: [CChar]
        let payload: [UInt8]
        let signature = [UInt8](repeating: 0, count: 64)
        /// A placeholder for digests and hashes.
        let digest: [UInt8]

        init(number: Int, customer: Int, fact: VerifiedFact) {
            self.number = number
            self.customer = customer
            id = Array("\(2_000_000_000_000 + number)".utf8CString)
            key = Array("order-\(number)".utf8CString)
            payload = fact.evidencePayload
            var random = SplitMix64(seed: UInt64(number))
            digest = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
    }

    private var connection: OpaquePointer?
    private var statements: [OpaquePointer?] = []
    private var sequence: Int64 = 1_000_000
    private let linkContent = [UInt8](repeating: 7, count: 200)

    private enum Statement: Int, CaseIterable {
        case begin, commit, findChain, findEntries, findRequest
        case chain, fact, finish, ledger, balance, customer, spend, spent, meta, facts

        var text: String {
            switch self {
            case .begin: "BEGIN IMMEDIATE"
            case .commit: "COMMIT"
            case .findChain: "SELECT id, customer FROM chain WHERE original = ? AND environment = ? AND bundle = ?"
            case .findEntries: "SELECT * FROM ledger WHERE transaction_id = ? AND environment = ? AND bundle = ?"
            case .findRequest: "SELECT * FROM ledger WHERE customer = ? AND key = ?"
            case .chain:
                "INSERT INTO chain(original, environment, bundle, customer, bound, sequence) VALUES(?, ?, ?, ?, ?, ?)"
            case .fact:
                """
                INSERT INTO fact(sequence, chain, learned, digest, header, payload, signature, previous, hash)
                VALUES(?, ?, ?, ?, 1, ?, ?, ?, ?)
                """
            case .finish: "INSERT INTO finish VALUES(?, ?, ?, ?, ?, 0)"
            case .ledger:
                """
                INSERT INTO ledger(sequence, customer, at, kind, balance, change, after, bundle, environment,
                  transaction_id, product, target, previous, hash) VALUES(?, ?, ?, 0, ?, 500, ?, ?, ?, ?, ?, 500, ?, ?)
                """
            case .balance:
                """
                INSERT INTO balance VALUES(?, ?, 500, 0, 0, 0)
                ON CONFLICT(customer, name) DO UPDATE SET credited = credited + 500
                """
            case .customer: "UPDATE customer SET version = version + 1 WHERE id = ?"
            case .spend:
                """
                INSERT INTO ledger(sequence, customer, at, kind, balance, change, after, key, previous, hash)
                VALUES(?, ?, ?, 1, ?, -1, ?, ?, ?, ?)
                """
            case .spent: "UPDATE balance SET spent = spent + 1 WHERE customer = ? AND name = ?"
            case .meta: "UPDATE meta SET sequence = ?, head_sequence = ?, head_hash = ?"
            case .facts: "SELECT * FROM fact ORDER BY sequence"
            }
        }
    }

    /// Opens a vault that no other process writes to.
    init(path: String, isReadOnly: Bool = false) throws {
        let flags = (isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &connection, flags, nil) == SQLITE_OK else {
            throw BenchmarkError("SQLite cannot open \(path)")
        }
        for pragma in ["synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"] {
            try execute("PRAGMA \(pragma)")
        }
        if !isReadOnly { try execute("INSERT INTO jws_header VALUES(1, x'00', x'00')") }
        for statement in Statement.allCases {
            var prepared: OpaquePointer?
            let code = sqlite3_prepare_v3(
                connection, statement.text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
            guard code == SQLITE_OK else { throw failure }
            statements.append(prepared)
        }
    }

    deinit {
        for statement in statements { sqlite3_finalize(statement) }
        sqlite3_close_v2(connection)
    }

    private var failure: BenchmarkError {
        BenchmarkError("SQLite: \(sqlite3_errmsg(connection).map { String(cString: $0) } ?? "no message")")
    }

    private func execute(_ sql: String) throws {
        guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
    }

    private func run(_ statement: Statement, _ bind: (Binder) -> Binder = { $0 }) throws {
        let raw = statements[statement.rawValue]
        _ = bind(Binder(statement: raw, position: 1))
        let code = sqlite3_step(raw)
        sqlite3_reset(raw)
        guard code == SQLITE_DONE || code == SQLITE_ROW else { throw failure }
    }

    private func inBatches(
        _ sales: ArraySlice<Sale>, _ size: Int, _ body: (Sale) throws -> Void
    ) throws {
        var rest = sales
        while !rest.isEmpty {
            try run(.begin)
            for sale in rest.prefix(size) { try body(sale) }
            let last = rest.prefix(size).last?.digest ?? []
            try run(.meta) { $0.int(sequence).int(sequence).blob(last) }
            try run(.commit)
            rest = rest.dropFirst(size)
        }
    }

    /// Reads every column of all facts, in order.
    ///
    /// - Returns: The number of facts.
    func readFacts() throws -> Int {
        let raw = statements[Statement.facts.rawValue]
        defer { sqlite3_reset(raw) }
        var count = 0
        while sqlite3_step(raw) == SQLITE_ROW {
            for column in 0..<sqlite3_column_count(raw) {
                guard sqlite3_column_type(raw, column) == SQLITE_BLOB else {
                    blackHole(sqlite3_column_int64(raw, column))
                    continue
                }
                let bytes = UnsafeRawBufferPointer(
                    start: sqlite3_column_blob(raw, column), count: Int(sqlite3_column_bytes(raw, column)))
                blackHole([UInt8](bytes))
            }
            count += 1
        }
        return count
    }

    private func next() -> Int64 {
        sequence += 1
        return sequence
    }

    /// Returns the hash of a link whose content has the usual length.
    private func link(after previous: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        previous.withUnsafeBytes { hash.update(bufferPointer: $0) }
        linkContent.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return hash.finalize().withUnsafeBytes { [UInt8]($0) }
    }

    /// Writes the rows of purchases.
    func credit(_ sales: ArraySlice<Sale>, batch: Int) throws {
        try inBatches(sales, batch) { sale in
            let customer = Int64(sale.customer + 1)
            for look in [Statement.findChain, .findEntries] {
                try run(look) { $0.text(sale.id).environmentAndBundle() }
            }
            let factHash = link(after: sale.digest)
            let entryHash = link(after: factHash)
            try run(.chain) {
                $0.text(sale.id).environmentAndBundle().int(customer).int(172_800_000).int(next())
            }
            let chain = sqlite3_last_insert_rowid(connection)
            try run(.fact) {
                $0.int(next()).int(chain).int(172_800_000).blob(sale.digest).blob(sale.payload).blob(sale.signature)
                    .blob(sale.digest).blob(factHash)
            }
            try run(.finish) { $0.text(sale.id).environmentAndBundle().int(customer).int(next()) }
            try run(.ledger) {
                $0.int(next()).int(customer).int(172_800_000).constant("coins").int(Int64(100_500 + sale.number))
                    .constant("com.example.game").constant("Production").text(sale.id).constant("coins.500")
                    .blob(factHash).blob(entryHash)
            }
            try run(.balance) { $0.int(customer).constant("coins") }
            try run(.customer) { $0.int(customer) }
        }
    }

    /// Writes the rows of spends.
    func spend(_ sales: ArraySlice<Sale>, batch: Int) throws {
        try inBatches(sales, batch) { sale in
            let customer = Int64(sale.customer + 1)
            try run(.findRequest) { $0.int(customer).text(sale.key) }
            let hash = link(after: sale.digest)
            try run(.spend) {
                $0.int(next()).int(customer).int(259_200_000).constant("coins")
                    .int(Int64(99_999 - sale.number / 1_000)).text(sale.key).blob(sale.digest).blob(hash)
            }
            try run(.spent) { $0.int(customer).constant("coins") }
        }
    }
}

/// Binds values to the parameters of a statement, in order.
private struct Binder {
    let statement: OpaquePointer?
    let position: CInt

    private var next: Binder { Binder(statement: statement, position: position + 1) }

    func int(_ value: Int64) -> Binder {
        sqlite3_bind_int64(statement, position, value)
        return next
    }

    func text(_ value: [CChar]) -> Binder {
        sqlite3_bind_text(statement, position, value, -1, copied)
        return next
    }

    func blob(_ value: [UInt8]) -> Binder {
        sqlite3_bind_blob(statement, position, value, CInt(value.count), copied)
        return next
    }

    /// A text that is not copied.
    func constant(_ value: StaticString) -> Binder {
        let start = UnsafeRawPointer(value.utf8Start).assumingMemoryBound(to: CChar.self)
        sqlite3_bind_text(statement, position, start, CInt(value.utf8CodeUnitCount), nil)
        return next
    }

    func environmentAndBundle() -> Binder { constant("Production").constant("com.example.game") }
}

/// `SQLITE_TRANSIENT`; the value is never called.
private nonisolated(unsafe) let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

extension VerifiedFact {
    fileprivate var evidencePayload: [UInt8] {
        transaction?.jsonRepresentation ?? renewalInfo?.jsonRepresentation ?? []
    }
}
