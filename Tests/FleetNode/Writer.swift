import Storekeeper
import StorekeeperPostgres
import StorekeeperTesting

/// What one task of a node does until the node is killed: it moves a customer's balance and takes in their evidence.
///
/// What has failed is asked for again under another name, so that a step that is there although its call has failed is
/// found; what is in doubt is asked for again under the same.
struct Writer {
    let vault: PostgresVault
    let customer: CustomerID
    /// What the keys of requests and the names of events begin with.
    let name: String
    let journal: Journal
    let patience: Duration

    /// A request that was carried out, to be asked for again.
    private struct Done {
        let request: LedgerRequest
        let number: Int64
    }

    func run(_ start: SplitMix64) async throws {
        let facts = try Evidence.drafts(of: customer).map { try $0.verifiedFact() }
        var (random, count) = (start, 0)
        var done: [Done] = []
        while true {
            count += 1
            switch random.number(in: 0...9) {
            case 0..<4:
                let first = random.number(in: 0...(facts.count - 1))
                let some = Array(facts.indices[first...].prefix(random.number(in: 1...3)))
                try await take(some.map { ($0, facts[$0]) }, as: "\(name)-\(count)", &random)
            case 4..<9:
                let isGrant = random.chance(40)
                if let new = try await move(Int64(random.number(in: 1...60)), isGrant, "\(name)-\(count)") {
                    done.append(new)
                }
            default:
                if let old = random.element(of: done) { try await repeatRequest(old) }
            }
        }
    }

    private func failed() async throws { try await Task.sleep(for: .milliseconds(15)) }

    // MARK: Requests

    private func request(_ quantity: Int64, _ isGrant: Bool, _ key: String) -> LedgerRequest {
        isGrant
            ? .grant(quantity, of: "coins", to: customer, because: "a gift", key: LedgerRequest.Key(key), at: .day(100))
            : .spend(quantity, of: "coins", by: customer, key: LedgerRequest.Key(key), at: .day(100))
    }

    /// Moves the balance, under another key where that has failed.
    ///
    /// - Returns: What was carried out; `nil` where it was refused.
    private func move(_ quantity: Int64, _ isGrant: Bool, _ name: String) async throws -> Done? {
        let change = isGrant ? quantity : -quantity
        var attempt = 0
        while true {
            let key = "\(name).\(attempt)"
            let request = request(quantity, isGrant, key)
            try journal.line("begin move \(customer) \(key) \(change)")
            do {
                switch try await answer(to: request) {
                case .success(let receipt):
                    try journal.line("ack move \(customer) \(key) \(change) \(receipt.entry.number)")
                    return Done(request: request, number: receipt.entry.number)
                case .failure:
                    try journal.line("refused move \(customer) \(key)")
                    return nil
                }
            } catch let error as VaultError {
                try journal.line("failed move \(customer) \(key) \(error)")
                attempt += 1
                try await failed()
            }
        }
    }

    /// Makes a request, again while nobody can tell what became of it.
    private func answer(to request: LedgerRequest) async throws -> Result<LedgerReceipt, LedgerRefusal> {
        var isDoubtful = false
        while true {
            do {
                let results = try await vault.move([request], policy: .debt)
                guard let result = results.first else { throw NodeError("a request has no result") }
                return result
            } catch let error as VaultError where error.code == .inDoubt || isDoubtful {
                isDoubtful = true
                try journal.line("doubt move \(request.customer) \(request.key)")
                try await failed()
            }
        }
    }

    private func repeatRequest(_ old: Done) async throws {
        do {
            guard case .success(let receipt) = try await answer(to: old.request), receipt.isReplay,
                receipt.entry.number == old.number
            else {
                try journal.line("changed move \(customer) \(old.request.key) \(old.number)")
                return
            }
        } catch is VaultError {
            try await failed()
        }
    }

    // MARK: Evidence

    /// Takes evidence in, with an event that tells whether it was done, and how often.
    private func take(
        _ facts: [(number: Int, fact: VerifiedFact)], as name: String, _ random: inout SplitMix64
    ) async throws {
        let numbers = facts.map { String($0.number) }.joined(separator: ",")
        var attempt = 0
        while true {
            let event = "\(name).\(attempt)"
            var batch = CommitBatch(
                customer: customer, at: .day(100), facts: facts.map(\.fact), rule: Evidence.rule,
                events: [Self.event(event)], owesDelivery: true)
            var generator = SystemRandomNumberGenerator()
            let step = StepID(using: &generator)
            batch.step = step
            try journal.line("begin batch \(customer) \(event) \(numbers)")
            do {
                guard case .committed = try await vault.commit(batch) else {
                    throw NodeError("a batch that nothing speaks against was refused")
                }
                try journal.line("ack batch \(customer) \(event) \(numbers)")
                return
            } catch let error as VaultError where error.code == .inDoubt {
                try journal.line("doubt batch \(customer) \(event)")
                let asks = random.chance(50)
                if try await asks ? wasWritten(step) : isWrittenNow(batch) {
                    try journal.line("ack batch \(customer) \(event) \(numbers)")
                    return
                }
                try journal.line("failed batch \(customer) \(event) it was not written")
            } catch let error as VaultError {
                try journal.line("failed batch \(customer) \(event) \(error)")
            }
            attempt += 1
            try await failed()
        }
    }

    /// Asks what became of a step until there is an answer.
    private func wasWritten(_ step: StepID) async throws -> Bool {
        while true {
            do throws(VaultError) { return try await vault.wasWritten(step) } catch {}
            try await failed()
        }
    }

    /// Hands a batch over again until it is there for sure.
    private func isWrittenNow(_ batch: CommitBatch) async throws -> Bool {
        while true {
            do {
                switch try await vault.commit(batch) {
                case .committed, .stale: return true
                case .divided: throw NodeError("a batch was divided that expects nothing")
                }
            } catch is VaultError {
                try await failed()
            }
        }
    }

    static func event(_ name: String) -> StoreEvent.Draft {
        StoreEvent.Draft(
            at: .day(100), subject: .product(Product.ID(name)),
            before: StoreEvent.Answer(word: "never", reason: "never"),
            after: StoreEvent.Answer(word: "entitled", reason: "active", productID: Product.ID(name), until: .day(999)))
    }
}
