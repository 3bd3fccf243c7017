import FoundationEssentials
import Hummingbird
import NIOCore
import Storekeeper
import StorekeeperSQLite
import StorekeeperTesting

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The environment for measuring the companion service: a vault of very many customers, and an endpoint of the same
/// framework that does nothing.
@main
struct ServiceLoad {
    private static let usage = """
        usage: ServiceLoad fill VAULT CUSTOMERS
                 makes a vault of customers who own something for good, named customer-0 and so on
               ServiceLoad bare PORT BYTES
                 answers the same questions with as many bytes of JSON, always the same, until it is told to end
        """

    static let lifetime = Product(id: "lifetime", type: .nonConsumable)

    static func main() async {
        do {
            let words = Array(CommandLine.arguments.dropFirst())
            guard words.count == 3, let number = Int(words[2]) else { throw BadUse(description: usage) }
            switch words[0] {
            case "fill": try await fill(words[1], customers: number)
            case "bare":
                guard let port = Int(words[1]) else { throw BadUse(description: usage) }
                try await serve(port: port, bytes: number)
            default: throw BadUse(description: usage)
            }
        } catch {
            print("ServiceLoad: \(error)")
            exit(1)
        }
    }

    /// Writes the customers, many at a time, as notifications of their purchases would.
    private static func fill(_ path: String, customers: Int) async throws {
        let vault = try SQLiteVault(path: path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<64 {
                group.addTask {
                    for number in stride(from: caller, to: customers, by: 64) {
                        let draft = TransactionDraft.purchase(
                            of: lifetime, at: .day(0), id: Transaction.ID(rawValue: "2\(1_000_000_000 + number)"))
                        let batch = CommitBatch(
                            customer: CustomerID(rawValue: "customer-\(number)"), at: .day(0),
                            facts: [try draft.verifiedFact()],
                            rule: LedgerRule(catalog: Catalog(products: [lifetime], groups: [], features: [])),
                            evaluatedThrough: .day(0), wakeAt: nil, notifications: [])
                        guard case .committed = try await vault.commit(batch) else {
                            throw BadUse(description: "customer-\(number) was not written")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        try vault.close()
    }

    private static func serve(port: Int, bytes: Int) async throws {
        let body = ByteBuffer(string: "{\"a\":\"" + String(repeating: "x", count: max(0, bytes - 8)) + "\"}")
        let router = Router()
        router.get("/v1/customers/{customer}/features/{feature}") { _, _ in
            Response(status: .ok, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: body))
        }
        try await Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: port), serverName: nil)
        ).runService()
    }
}

/// The error of a refused run.
struct BadUse: Error, CustomStringConvertible {
    let description: String
}
