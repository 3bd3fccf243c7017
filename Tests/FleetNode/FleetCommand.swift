import Storekeeper
import StorekeeperTesting

/// A command that a node of a fleet or the model of the tests can carry out.
enum FleetCommand: Codable, Sendable {
    /// Requests of one or several customers, in one step.
    case move([Request])
    /// Commits evidence for a customer, or for the owner of the evidence, with an event that records its own place in
    /// the feed.
    case take([Piece], for: String, isForOwner: Bool, event: String)
    /// Claims a chain for a customer.
    case claim(chain: Int, for: String)
    /// Finishes a transaction.
    case finish(chain: Int)
    /// Erases a customer.
    case erase(String)

    struct Request: Codable, Hashable, Sendable {
        let customer: String
        let isGrant: Bool
        let quantity: Int64
        let key: LedgerRequest.Key

        var ledgerRequest: LedgerRequest {
            let id = CustomerID(rawValue: customer)
            return isGrant
                ? .grant(quantity, of: "coins", to: id, because: "a gift", key: key, at: .day(500))
                : .spend(quantity, of: "coins", by: id, key: key, at: .day(500))
        }
    }

    /// A copy of the transaction of a chain.
    struct Piece: Codable, Hashable, Sendable {
        let chain: Int
        let version: Int
    }
}

/// The answer to a command.
struct FleetAnswer: Codable, Sendable {
    /// The words of an answer to the erasure of an unknown customer.
    static let unknownCustomer = ["nobody"]

    /// The result of a request.
    enum Moved: Codable, Hashable, Sendable {
        /// A new entry with this number, and the balance after it.
        case done(number: Int64, after: Int64, place: Int64)
        /// The existing entry of the same request.
        case repeated(number: Int64, after: Int64, place: Int64)
        case insufficient(Int64)
        case keyReused

        init(_ result: Result<LedgerReceipt, LedgerRefusal>) {
            switch result {
            case .success(let receipt):
                let (number, after) = (receipt.entry.number, receipt.entry.after)
                let place = receipt.entry.place.number
                self =
                    receipt.isReplay
                    ? .repeated(number: number, after: after, place: place)
                    : .done(number: number, after: after, place: place)
            case .failure(.insufficient(let balance)): self = .insufficient(balance)
            case .failure(.keyReused), .failure(.frozen), .failure(.unknownGrant): self = .keyReused
            }
        }

        /// The result without the place of its entry.
        var withoutPlace: Moved {
            switch self {
            case .done(let number, let after, _): .done(number: number, after: after, place: 0)
            case .repeated(let number, let after, _): .repeated(number: number, after: after, place: 0)
            case .insufficient, .keyReused: self
            }
        }
    }

    /// The place of the written rows in the feed; `nil` if nothing was written, or if the written rows are not in the
    /// feed.
    var place: Int64?
    var moves: [Moved] = []
    /// The evidence that the customer can now adopt.
    var adoptable: Set<FleetCommand.Piece> = []
    /// Descriptions of the parked evidence.
    var aside: [String] = []
    /// The known owners of evidence that was not parked before.
    var owners: Set<String> = []
    /// All other parts of the answer as text, without places in the feed.
    var words: [String] = []
}

/// A command, its answer, and the times of its beginning and end by the machine's clock, in nanoseconds.
struct FleetRecord: Codable, Sendable {
    let command: FleetCommand
    let answer: FleetAnswer
    let begin: UInt64
    let end: UInt64
}

/// The customers and the evidence of a fleet.
enum FleetWorld {
    /// Customers who are never erased; two have ids that can be account tokens.
    static let lasting = ["anna", "bert", Self.uuid(1), Self.uuid(2), "carl"]
    /// Customers who are sometimes erased.
    static let passing = ["eve", "finn", Self.uuid(3)]
    static let customers = lasting + passing
    /// Commands that create the customers who are never erased, before the nodes of the fleet start.
    static let beginnings = lasting.map {
        FleetCommand.move([.init(customer: $0, isGrant: true, quantity: 1, key: "beginning")])
    }
    static let chains = 0..<60
    static let versions = 0..<3

    private static func uuid(_ number: Int) -> String { "6F9619FF-8B86-D011-B42D-00C04FC964F\(number)" }

    /// Returns a copy of a transaction: the purchase, its refund, or the refund's reversal.
    ///
    /// Some of the transactions carry the account token of a customer.
    static func draft(_ piece: FleetCommand.Piece) -> TransactionDraft {
        let number = piece.chain
        var draft = TransactionDraft.purchase(
            of: Evidence.coins, at: .day(number), id: Transaction.ID(rawValue: "\(7_000 + number)"))
        draft.quantity = Int64(1 + number % 3)
        if number % 5 == 0 { draft.appAccountToken = uuid(1 + number / 5 % 3).lowercased() }
        guard piece.version > 0 else { return draft }
        let refund = draft.revoked(at: .day(number + 100), percentage: number % 2 == 0 ? nil : 33_333)
        return piece.version == 1 ? refund : refund.reversed(signedAt: .day(number + 200))
    }

    static func chain(_ number: Int) throws -> ChainID {
        ChainID(try draft(.init(chain: number, version: 0)).transaction())
    }
}
