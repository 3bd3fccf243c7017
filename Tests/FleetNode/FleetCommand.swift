import Storekeeper
import StorekeeperTesting

/// What a node of a fleet is told to do, so that a model can do the same.
enum FleetCommand: Codable, Sendable {
    /// Requests of one or several customers, in one step.
    case move([Request])
    /// Evidence for a customer, or for whoever owns it, with an event that says where in the feed it stands.
    case take([Piece], for: String, isForOwner: Bool, event: String)
    /// A chain becomes a customer's by word.
    case claim(chain: Int, for: String)
    /// A transaction is finished.
    case finish(chain: Int)
    /// A customer is forgotten.
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

/// What was answered to a command.
struct FleetAnswer: Codable, Sendable {
    /// What is said where there was nobody to be erased.
    static let nobodyErased = ["nobody"]

    /// What became of a request.
    enum Moved: Codable, Hashable, Sendable {
        /// An entry of this number, after which there is so much.
        case done(number: Int64, after: Int64, place: Int64)
        /// The entry that the same request has made before.
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
            case .failure(.keyReused), .failure(.frozen): self = .keyReused
            }
        }

        /// The same wherever the entry stands.
        var withoutPlace: Moved {
            switch self {
            case .done(let number, let after, _): .done(number: number, after: after, place: 0)
            case .repeated(let number, let after, _): .repeated(number: number, after: after, place: 0)
            case .insufficient, .keyReused: self
            }
        }
    }

    /// Where in the feed what was written stands; `nil` where nothing was, or where it has no place.
    var place: Int64?
    var moves: [Moved] = []
    /// What waits for the customer to whom something was bound.
    var adoptable: Set<FleetCommand.Piece> = []
    /// What of the evidence is another's, and whose.
    var aside: [String] = []
    /// All else that was said, without places.
    var words: [String] = []
}

/// A command with its answer, and when it was on its way by the clock of the machine, in nanoseconds.
struct FleetRecord: Codable, Sendable {
    let command: FleetCommand
    let answer: FleetAnswer
    let begin: UInt64
    let end: UInt64
}

/// The customers and the evidence that a fleet deals with.
enum FleetWorld {
    /// Those who are never erased; two have ids that may stand in tokens.
    static let lasting = ["anna", "bert", Self.uuid(1), Self.uuid(2), "carl"]
    /// Those who are, now and then.
    static let passing = ["eve", "finn", Self.uuid(3)]
    static let customers = lasting + passing
    /// What is done before the fleet begins: those who stay are there.
    static let beginnings = lasting.map {
        FleetCommand.move([.init(customer: $0, isGrant: true, quantity: 1, key: "beginning")])
    }
    static let chains = 0..<60
    static let versions = 0..<3

    private static func uuid(_ number: Int) -> String { "6F9619FF-8B86-D011-B42D-00C04FC964F\(number)" }

    /// A copy: the purchase, its refund, or the refund's reversal.
    ///
    /// Some carry the token of a customer.
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
