import Storekeeper
import StorekeeperTesting

/// A random story of one customer's account.
struct LedgerStory: Sendable {
    /// One signed copy of a transaction.
    struct Copy: Hashable, Sendable {
        var id: Int
        /// Copies of one transaction are signed in the order of their versions.
        var version: Int
        var quantity: Int64
        /// The refunded share in milliunits of a percent; `nil` for no refund.
        var refund: Int64?

        var isChest: Bool { id.isMultiple(of: 2) }

        func fact() throws -> VerifiedFact {
            let product = isChest ? LedgerStory.chest : LedgerStory.coins
            var draft = TransactionDraft.purchase(of: product, at: .day(0), id: Transaction.ID(rawValue: "\(id)"))
            draft.quantity = quantity
            let signedAt = Instant.day(version)
            guard let refund else { return try draft.signed(at: signedAt).verifiedFact() }
            return try draft.revoked(at: .day(0), percentage: refund, signedAt: signedAt).verifiedFact()
        }
    }

    enum Step: Sendable, CustomStringConvertible {
        case deliver([Copy])
        case request(LedgerRequest)

        var copies: [Copy] { if case .deliver(let copies) = self { copies } else { [] } }

        var description: String {
            switch self {
            case .deliver(let copies):
                "deliver "
                    + copies.map { "\($0.id).\($0.version) × \($0.quantity) refund \($0.refund ?? 0)" }
                    .joined(separator: ", ")
            case .request(let request): "\(request.kind) \(request.quantity) \(request.balance) key \(request.key)"
            }
        }
    }

    static let coins = Product(id: "coins.500", type: .consumable, grants: ["coins": 500])
    static let chest = Product(id: "chest", type: .consumable, grants: ["coins": 100, "gems": 5])
    static let catalog = Catalog(products: [coins, chest], groups: [], features: [])

    var steps: [Step]

    init(_ random: inout SplitMix64) {
        var pool: [Copy] = []
        for id in 1...random.number(in: 1...4) {
            let quantity = Int64(random.number(in: 1...3))
            for version in 0...random.number(in: 0...4) {
                let isRefund = version > 0 && random.chance(65)
                let share = random.pick(100_000, 50_000, 33_333, 66_667, Int64(random.number(in: 0...100_000)))
                pool.append(Copy(id: id, version: version, quantity: quantity, refund: isRefund ? share : nil))
            }
        }
        steps = []
        for _ in 0..<random.number(in: 1...25) {
            if random.chance(50) {
                let count = random.number(in: 1...4)
                steps.append(.deliver((0..<count).compactMap { _ in random.element(of: pool) }))
            } else {
                let balance: Balance.ID = random.pick("coins", "coins", "gems")
                let quantity = random.pick(1, 5, 120, Int64(random.number(in: 1...900)))
                let key: LedgerRequest.Key = "key \(random.number(in: 1...8))"
                steps.append(
                    .request(
                        random.chance(75)
                            ? .spend(quantity, of: balance, by: "anna", key: key, at: .day(1))
                            : .grant(quantity, of: balance, to: "anna", because: "a gift", key: key, at: .day(1))))
            }
        }
    }

    /// Returns shorter stories.
    var smaller: [LedgerStory] {
        var stories: [LedgerStory] = []
        func add(_ steps: [Step]) {
            var story = self
            story.steps = steps
            stories.append(story)
        }
        if steps.count > 1 {
            add(Array(steps.prefix(steps.count / 2)))
            add(Array(steps.suffix(steps.count / 2)))
        }
        for position in steps.indices {
            var fewer = steps
            fewer.remove(at: position)
            add(fewer)
            let copies = steps[position].copies
            guard copies.count > 1 else { continue }
            for index in copies.indices {
                var fewer = steps
                var rest = copies
                rest.remove(at: index)
                fewer[position] = .deliver(rest)
                add(fewer)
            }
        }
        return stories
    }
}

/// A simple account, written from the description and not from the engine.
struct LedgerModel {
    /// The effect of a transaction on one balance.
    private struct Account {
        let full: Int64
        var refunded: Int64 = 0
        var taken: Int64 = 0
    }

    let policy: RefundPolicy
    private(set) var amounts: [Balance.ID: Int64] = [:]
    private var learned: Set<LedgerStory.Copy> = []
    private var newest: [Int: LedgerStory.Copy] = [:]
    private var accounts: [Int: [Balance.ID: Account]] = [:]
    private var receipts: [LedgerRequest.Key: (request: LedgerRequest, balance: Int64)] = [:]
    /// The refused requests, which are never carried out.
    private var refused: Set<LedgerRequest> = []

    init(policy: RefundPolicy) { self.policy = policy }

    /// Adds the copies of one batch.
    ///
    /// The effect of each transaction is computed once, from its newest copy, in the order of the transactions' first
    /// new copies.
    ///
    /// Known copies are ignored, so that a repeated delivery changes neither the account nor the order.
    mutating func learn(_ copies: [LedgerStory.Copy]) {
        var order: [Int] = []
        for copy in copies {
            if learned.insert(copy).inserted, !order.contains(copy.id) { order.append(copy.id) }
            if let known = newest[copy.id], known.version >= copy.version { continue }
            newest[copy.id] = copy
        }
        for id in order {
            guard let copy = newest[id] else { continue }
            let grants: [Balance.ID: Int64] = copy.isChest ? ["coins": 100, "gems": 5] : ["coins": 500]
            for (balance, grant) in grants {
                var account = accounts[id]?[balance] ?? Account(full: grant * copy.quantity)
                if accounts[id]?[balance] == nil { amounts[balance, default: 0] += account.full }
                let refund = Self.takenBack(by: copy, grant: grant, of: account.full)
                if refund > account.refunded {
                    let left = max(0, amounts[balance, default: 0])
                    let due = refund - account.refunded
                    let taken = policy == .floorAtZero ? min(due, left) : due
                    account.taken += taken
                    amounts[balance, default: 0] -= taken
                } else if refund < account.refunded {
                    let back = max(0, account.taken - refund)
                    account.taken -= back
                    amounts[balance, default: 0] += back
                }
                account.refunded = refund
                accounts[id, default: [:]][balance] = account
            }
        }
    }

    /// Returns the units that a refund takes back.
    ///
    /// If the refunded share is a rounded number of whole units of the purchase, these units are taken back. In other
    /// cases the share of the granted units is rounded down.
    private static func takenBack(by copy: LedgerStory.Copy, grant: Int64, of full: Int64) -> Int64 {
        let share = copy.refund ?? 0
        for units in 0...copy.quantity
        where 2 * (share * copy.quantity - 100_000 * units).magnitude <= copy.quantity {
            return units * grant
        }
        return full * share / 100_000
    }

    /// Carries out a request and returns its outcome as text.
    mutating func answer(_ request: LedgerRequest) -> String {
        if let known = receipts[request.key] {
            return known.request == request ? "balance \(known.balance), again" : "key reused"
        }
        let amount = amounts[request.balance, default: 0]
        if request.kind == .spend {
            if policy == .freeze, let debt = amounts.filter({ $0.value < 0 }).keys.min() {
                refused.insert(request)
                return "frozen by \(debt)"
            }
            if amount < request.quantity { refused.insert(request) }
            if refused.contains(request) { return "only \(amount)" }
            amounts[request.balance] = amount - request.quantity
        } else {
            amounts[request.balance] = amount + request.quantity
        }
        let balance = amounts[request.balance, default: 0]
        receipts[request.key] = (request, balance)
        return "balance \(balance)"
    }

    /// Returns a vault's outcome of a request as the same text.
    static func text(of result: Result<LedgerReceipt, LedgerRefusal>) -> String {
        switch result {
        case .success(let receipt): "balance \(receipt.balance)\(receipt.isReplay ? ", again" : "")"
        case .failure(.insufficient(let balance)): "only \(balance)"
        case .failure(.frozen(let balance)): "frozen by \(balance)"
        case .failure(.keyReused): "key reused"
        case .failure(.unknownGrant): "unknown grant"
        }
    }
}
