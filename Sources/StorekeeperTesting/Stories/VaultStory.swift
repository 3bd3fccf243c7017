import FoundationEssentials
package import Storekeeper

/// A random sequence of operations on a vault with a few customers, chains and tokens.
package struct VaultStory: Sendable {
    /// An operation.
    package enum Step: Sendable {
        case commit(CommitBatch)
        case move([LedgerRequest], RefundPolicy)
        case claim(BindingSubject, CustomerID)
        case markDelivery(TransactionKey, OutboxItem.State?)
        case setCursor(String)
        case erase(CustomerID)

        /// A summary of the operation.
        package var summary: String {
            switch self {
            case .commit(let batch):
                "commit for \(batch.recipient): "
                    + batch.facts.map { fact in
                        fact.transaction.map { "\($0.id) signed \($0.signedAt) token \($0.appAccountToken as Any)" }
                            ?? "\(fact.notification == nil ? "info" : "status") of \(fact.originalID)"
                    }.joined(separator: ", ")
            case .move(let requests, let policy): "move \(requests) \(policy)"
            case .claim(let subject, let customer): "claim \(subject) for \(customer)"
            case .markDelivery(let key, let state): "delivery \(key.transactionID) \(state as Any)"
            case .setCursor(let cursor): "cursor \(cursor)"
            case .erase(let customer): "erase \(customer)"
            }
        }

        /// Executes the operation and returns its outcome.
        package func run(in tables: inout some VaultTables) throws(VaultError) -> VaultStoryOutcome {
            switch self {
            case .commit(let batch): .commit(try VaultRules.commit(batch, to: &tables))
            case .move(let requests, let policy):
                .move(try VaultRules.move(requests, policy: policy, in: &tables))
            case .claim(let subject, let customer):
                .claim(try VaultRules.claim(subject, for: customer, at: .day(50), in: &tables))
            case .markDelivery(let key, let state): .markDelivery(try tables.markDelivery(of: key, as: state))
            case .setCursor(let cursor):
                .markDelivery(try tables.setCursor(UpdateCursor(rawValue: cursor), of: "backend"))
            case .erase(let customer):
                .erase(try VaultRules.erase(customer, reason: "asked for", at: .day(60), in: &tables))
            }
        }
    }

    static let tokens = ["6f9619ff-8b86-d011-b42d-00c04fc964ff", "0b2f7a52-1d8c-4c4e-9f10-6a1f5b1a0c11"]
    static let customers: [CustomerID] = ["anna", "ben", CustomerID(rawValue: tokens[0])]
    static let coins = Product(id: "coins.500", type: .consumable, grants: ["coins": 500])
    static let chest = Product(id: "chest", type: .consumable, grants: ["coins": 100, "gems": 5])
    static let rule = LedgerRule(catalog: Catalog(products: [coins, chest], groups: [], features: []))

    /// The operations in order.
    package var steps: [Step]

    /// Creates a random sequence of operations.
    package init(_ random: inout SplitMix64) throws {
        steps = []
        for number in 0..<random.number(in: 1...24) { steps.append(try Self.step(number, &random)) }
    }

    private static func customer(_ random: inout SplitMix64) -> CustomerID {
        random.element(of: customers) ?? "anna"
    }

    private static func step(_ number: Int, _ random: inout SplitMix64) throws -> Step {
        switch random.number(in: 1...20) {
        case 1...12: return .commit(try batch(number, &random))
        case 13...15:
            let requests = (0..<random.number(in: 1...3)).map { _ in request(&random) }
            return .move(requests, random.pick(.debt, .freeze))
        case 16:
            if random.chance(30), let token = UUID(uuidString: random.pick(tokens[0], tokens[1])) {
                return .claim(.token(token), customer(&random))
            }
            if random.chance(20), let chain = ChainID(try app(&random).appTransaction()) {
                return .claim(.chain(chain), customer(&random))
            }
            return .claim(.chain(ChainID(try purchase(&random).transaction())), customer(&random))
        case 17:
            let key = TransactionKey(try purchase(&random).transaction())
            return .markDelivery(key, random.pick(.delivered, .delivered, nil))
        case 18: return .setCursor("\(number)")
        default: return .erase(customer(&random))
        }
    }

    private static func request(_ random: inout SplitMix64) -> LedgerRequest {
        let key: LedgerRequest.Key = "key \(random.number(in: 1...6))"
        let balance: Balance.ID = random.pick("coins", "gems")
        return random.chance(60)
            ? .spend(Int64(random.number(in: 1...300)), of: balance, by: customer(&random), key: key, at: .day(1))
            : .grant(5, of: balance, to: customer(&random), because: "a gift", key: key, at: .day(1))
    }

    /// Returns a random copy of one of a few purchases.
    private static func purchase(_ random: inout SplitMix64) -> TransactionDraft {
        let number = random.number(in: 1...6)
        let id = Transaction.ID(rawValue: "\(number)")
        var draft: TransactionDraft
        switch number {
        case 1, 2: draft = .purchase(of: coins, at: .day(0), id: id)
        case 3: draft = .purchase(of: chest, at: .day(0), id: id)
        case 4: draft = .purchase(of: "badge", at: .day(0), id: id)
        default:
            draft = .purchase(
                of: "gold.monthly", type: .autoRenewable, at: .day(0), expires: .day(31), group: "membership", id: id)
            if random.chance(40) { draft = .renewal(of: draft, id: Transaction.ID(rawValue: "\(number).1")) }
        }
        // The same purchase exists in two apps, so that a renewal info can belong to several customers.
        if number == 6, random.chance(50) { draft.bundleID = "com.example.other" }
        if random.chance(40) { draft.appAccountToken = random.element(of: tokens) }
        let version = random.number(in: 1...3)
        return version == 3 && random.chance(60)
            ? draft.revoked(at: .day(2), percentage: 50_000, signedAt: .day(3)) : draft.signed(at: .day(version))
    }

    /// Returns a random copy of one of two app transactions.
    private static func app(_ random: inout SplitMix64) -> AppTransactionDraft {
        var draft = AppTransactionDraft(signedAt: .day(random.number(in: 1...3)))
        draft.appTransactionID = random.pick("70", "80")
        return draft
    }

    private static func batch(_ number: Int, _ random: inout SplitMix64) throws -> CommitBatch {
        var facts: [VerifiedFact] = []
        for _ in 0..<random.number(in: 0...4) {
            let draft = purchase(&random)
            if draft.type == .autoRenewable, random.chance(60) {
                facts.append(try RenewalInfoDraft(for: draft, signedAt: .day(random.number(in: 1...2))).verifiedFact())
                if random.chance(50) { continue }
            }
            if draft.type == .autoRenewable, random.chance(30) {
                let instant = Instant.day(random.number(in: 1...2))
                facts.append(
                    try NotificationDraft(status: random.pick(1, 4), of: draft, signedAt: instant).verifiedFact())
                if random.chance(50) { continue }
            }
            facts.append(try draft.verifiedFact())
        }
        if random.chance(20) { facts.append(try app(&random).verifiedFact()) }
        let recipient: EvidenceRecipient =
            random.chance(60)
            ? .customer(customer(&random))
            : .owner(primary: random.chance(50) ? customer(&random) : nil)
        var batch = CommitBatch(for: recipient, at: .day(number), facts: facts, rule: rule)
        batch.owesDelivery = random.chance(50)
        if random.chance(30) { batch.wakeAt = .day(random.number(in: 1...90)) }
        if random.chance(20) { batch.syncedAt = .day(number) }
        // The expected version is 0 or 99, because other versions differ between vaults after an erasure.
        if random.chance(20) { batch.expectedVersion = Int64(random.pick(0, 99)) }
        if random.chance(20) { batch.expectedOwn = Array(facts.indices) }
        if random.chance(20) { batch.notifications = ["n \(random.number(in: 1...3))"] }
        if random.chance(20) {
            // If two neighboring steps have ids, the ids are equal, so that an id is used again while the vault still
            // stores the id.
            var names = SplitMix64(seed: UInt64(number / 2))
            batch.step = StepID(using: &names)
        }
        if random.chance(20) {
            batch.pending = [
                PendingPurchase(productID: "badge", reason: .askToBuy, startedAt: .day(number), endsAt: .day(99))
            ]
        }
        if random.chance(10) { batch.settledPending = ["badge"] }
        if random.chance(30) {
            let answer = StoreEvent.Answer(word: "never", reason: "never")
            batch.events = [
                StoreEvent.Change(at: .day(number), subject: .product("badge"), before: answer, after: answer)
            ]
        }
        return batch
    }
}

/// The outcome of an operation.
package enum VaultStoryOutcome: Sendable {
    case commit(CommitOutcome)
    case move([Result<LedgerReceipt, LedgerRefusal>])
    case claim(CustomerID?)
    case markDelivery(Void)
    case erase(Erasure)

    /// The text of the outcome, for comparison.
    package var text: String {
        switch self {
        case .commit(.committed(let receipt)):
            "\(receipt.version) \(receipt.newFacts) \(receipt.entries) \(receipt.balances) \(receipt.events)"
                + " \(receipt.owed) \(receipt.uncredited) \(receipt.creditedBefore)"
                + " \(receipt.repeatedNotifications)"
                + " adoptable \(receipt.adoptable.rows.map(\.jws.compact)) aside \(receipt.parked)"
        default: "\(self)"
        }
    }
}
