import CLibsqlite3
import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

/// A folder for a vault, with a configuration, a root, a catalog and evidence.
///
/// The configuration names the vault, the root and the catalog, so that most commands need only the option
/// `--customer`.
struct VaultWorkspace {
    let customer: Customer
    var folder: Folder { customer.folder }

    /// Two purchases of coins, the second with a quantity of three.
    static let coins: [TransactionDraft] = [
        .purchase(of: "coins.100", type: .consumable, at: .day(1), id: "3000"),
        with(.purchase(of: "coins.100", type: .consumable, at: .day(3), id: "3001")) { $0.quantity = 3 },
    ]

    init(_ transactions: [TransactionDraft] = [], _ renewalInfos: [RenewalInfoDraft] = []) throws {
        customer = try Customer(transactions, renewalInfos)
        try folder.write(
            "root: root.pem\nbundleID: com.example.game\ncatalogs: [catalog.json, gems.json]\nvault: game.sqlite\n",
            to: "storekeeper.yaml")
        // The catalog also contains gems, which are granted.
        try folder.write(#"{"products":[{"id":"gems.10","type":"consumable","grants":{"gems":10}}]}"#, to: "gems.json")
    }

    /// Writes signed evidence to a file.
    func write(_ transactions: [TransactionDraft], _ renewalInfos: [RenewalInfoDraft] = [], to name: String) throws {
        try folder.write(customer.lines(transactions, renewalInfos).map { $0 + "\n" }.joined(), to: name)
    }

    func run(_ arguments: String...) throws -> Program.Result { try Program.run(arguments, in: folder) }

    /// Runs a command that must succeed.
    @discardableResult
    func done(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) throws -> Program.Result {
        let result = try Program.run(arguments, in: folder)
        #expect(result.status == 0, "\(arguments): \(result.errors)\(result.output)", sourceLocation: sourceLocation)
        return result
    }

    /// Imports a file for a customer.
    func take(_ file: String = "customer.jws", for id: String = "anna") throws {
        try done("vault", "import", "--customer", id, file)
    }

    func balance(_ id: String = "anna", of name: String = "coins", in vault: String = "game.sqlite") throws -> Int {
        let result = try done("vault", "balance", "--customer", id, name, "--vault", vault)
        return try #require(Int(result.output.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    /// Returns the rows of a history, without times and places.
    func history(_ id: String = "anna", in vault: String = "game.sqlite") throws -> [String] {
        let result = try done("vault", "history", "--customer", id, "--format", "json", "--vault", vault)
        let entries = try #require(result.object()["entries"] as? [[String: Any]])
        return entries.map { entry in
            ["kind", "balance", "change", "after", "cause", "reason"].compactMap { entry[$0].map { "\($0)" } }
                .joined(separator: " ")
        }
    }

    /// Changes the file of a vault directly.
    func tamper(_ statements: String..., in vault: String = "game.sqlite") throws {
        var connection: OpaquePointer?
        let path = folder.url.appendingPathComponent(vault).path
        #expect(sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
        defer { sqlite3_close_v2(connection) }
        for statement in statements {
            let code = sqlite3_exec(connection, statement, nil, nil, nil)
            #expect(code == SQLITE_OK, "\(statement): \(String(cString: sqlite3_errmsg(connection)))")
        }
    }

    /// Returns the numbers in the first column of a query on the file of the vault.
    func numbers(_ question: String, in vault: String = "game.sqlite") throws -> [Int64] {
        var connection: OpaquePointer?
        var statement: OpaquePointer?
        let path = folder.url.appendingPathComponent(vault).path
        #expect(sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
        defer { sqlite3_close_v2(connection) }
        #expect(sqlite3_prepare_v2(connection, question, -1, &statement, nil) == SQLITE_OK, "\(question)")
        defer { sqlite3_finalize(statement) }
        var numbers: [Int64] = []
        while sqlite3_step(statement) == SQLITE_ROW { numbers.append(sqlite3_column_int64(statement, 0)) }
        return numbers
    }
}

extension Program.Result {
    /// The output with every time replaced by one word.
    var timeless: String {
        output.replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, with: "TIME")
    }
}
