import Storekeeper
import StorekeeperPostgres
import StorekeeperTesting

/// One task of a node, which changes a customer's balance and commits their evidence until the node is killed.
///
/// A failed call is repeated under another name. If the vault wrote the step although its call failed, the test then
/// finds a row under the first name. A call whose outcome is unknown is repeated under the same name.
struct Writer {
    let vault: PostgresVault
    let customer: CustomerID
    /// The prefix of the keys of requests and the names of events.
    let name: String
    let journal: Journal
    let patience: Duration

    /// A completed request, which is repeated later.
    private struct CompletedRequest {
        let request: LedgerRequest
        let number: Int64
    }

    func run(_ start: SplitMix64) async throws {
        let facts = try Evidence.drafts(of: customer).map { try $0.verifiedFact() }
        var (random, count) = (start, 0)
        var done: [CompletedRequest] = []
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

    /// Changes the balance.
    ///
    /// After a failure it repeats the request with another key.
    ///
    /// - Returns: The completed request; `nil` if it was refused.
    private func move(_ quantity: Int64, _ isGrant: Bool, _ name: String) async throws -> CompletedRequest? {
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
                    return CompletedRequest(request: request, number: receipt.entry.number)
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

    /// Makes a request, and repeats it while its outcome is unknown.
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

    private func repeatRequest(_ old: CompletedRequest) async throws {
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

    /// Commits evidence with an event.
    ///
    /// The number of these events in the vault shows how often the evidence was written.
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
                    throw NodeError("a batch without conflicts was refused")
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

    /// Asks the vault whether a step was written, and repeats the question until the vault answers.
    private func wasWritten(_ step: StepID) async throws -> Bool {
        while true {
            do throws(VaultError) { return try await vault.wasWritten(step) } catch {}
            try await failed()
        }
    }

    /// Commits a batch again until the vault confirms the write.
    private func isWrittenNow(_ batch: CommitBatch) async throws -> Bool {
        while true {
            do {
                switch try await vault.commit(batch) {
                case .committed, .stale: return true
                case .ownershipDiffers: throw NodeError("a batch that expects nothing was divided")
                case .refused: throw NodeError("a batch without a change of access was refused")
                }
            } catch is VaultError {
                try await failed()
            }
        }
    }

    static func event(_ name: String) -> StoreEvent.Change {
        StoreEvent.Change(
            at: .day(100), subject: .product(Product.ID(name)),
            before: StoreEvent.Answer(word: "never", reason: "never"),
            after: StoreEvent.Answer(word: "entitled", reason: "active", productID: Product.ID(name), until: .day(999)))
    }
}
