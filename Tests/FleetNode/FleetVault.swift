import Storekeeper
import StorekeeperTesting

/// Carries out commands on the vault of a node or of the model, and records the answers.
struct FleetVault<Tested: TransactionalVault> {
    let vault: Tested
    private let pieces: [String: FleetCommand.Piece]
    private let facts: [FleetCommand.Piece: VerifiedFact]

    init(_ vault: Tested) throws {
        self.vault = vault
        var (pieces, facts) = ([String: FleetCommand.Piece](), [FleetCommand.Piece: VerifiedFact]())
        for chain in FleetWorld.chains {
            for version in FleetWorld.versions {
                let piece = FleetCommand.Piece(chain: chain, version: version)
                let fact = try FleetWorld.draft(piece).verifiedFact()
                facts[piece] = fact
                pieces[fact.jws.compact] = piece
            }
        }
        self.pieces = pieces
        self.facts = facts
    }

    func carryOut(_ command: FleetCommand) async throws -> FleetAnswer {
        switch command {
        case .move(let requests):
            let results = try await vault.move(requests.map(\.ledgerRequest), policy: .debt)
            var answer = FleetAnswer(moves: results.map { FleetAnswer.Moved($0) })
            answer.place =
                answer.moves.lazy.compactMap { moved in
                    if case .done(_, _, let place) = moved { place } else { nil }
                }.first
            return answer
        case .take(let pieces, let name, let isForOwner, let event):
            let customer = CustomerID(rawValue: name)
            return try await take(
                pieces, for: isForOwner ? .owner(primary: customer) : .customer(customer), event)
        case .claim(let chain, let name):
            let (subject, customer) = (
                BindingSubject.chain(try FleetWorld.chain(chain)), CustomerID(rawValue: name)
            )
            // The instant of a claim differs from the instants of evidence, so that the instant of a binding shows
            // whether a claim or evidence has created the binding.
            let instant = Instant.day(499)
            if let holder = try await vault.claim(subject, for: customer, at: instant) {
                return FleetAnswer(words: ["\(holder.rawValue)'s"])
            }
            guard let binding = try await vault.bindings(of: customer).first(where: { $0.subject == subject }) else {
                throw NodeError("a customer does not have what was claimed for them")
            }
            return FleetAnswer(place: binding.at == instant ? binding.place.number : nil, words: ["claimed"])
        case .finish(let chain):
            try await vault.markDelivery(
                of: TransactionKey(try FleetWorld.draft(.init(chain: chain, version: 0)).transaction()), as: nil)
            return FleetAnswer()
        case .erase(let name): return try await erase(CustomerID(rawValue: name))
        }
    }

    /// Returns a fact as text: its transaction and signing date.
    private static func text(_ fact: VerifiedFact) -> String {
        fact.transaction.map { "\($0.id.rawValue) signed \($0.signedAt)" } ?? fact.jws.compact
    }

    private func erase(_ customer: CustomerID) async throws -> FleetAnswer {
        let erasure: Erasure
        do {
            erasure = try await vault.write { tables throws(VaultError) in
                try VaultRules.erase(customer, reason: "asked", at: .day(501), in: &tables)
            }
        } catch {
            guard error.code == .unknownCustomer else { throw error }
            return FleetAnswer(words: FleetAnswer.unknownCustomer)
        }
        return FleetAnswer(
            place: erasure.place.number, words: ["\(erasure.facts) facts, \(erasure.entries) entries"])
    }

    /// Returns the pieces that are stored as facts of a customer.
    func stored(for name: String) async throws -> Set<FleetCommand.Piece> {
        let facts = try await vault.facts(after: .start, of: CustomerID(rawValue: name), limit: .max)
        return Set(facts.compactMap { pieces[$0.fact.jws.compact] })
    }

    /// Returns the evidence that a customer can adopt.
    func adoptable(by name: String) async throws -> [FleetCommand.Piece] {
        try await vault.adoptable(by: CustomerID(rawValue: name), after: .start, limit: 5).rows
            .compactMap { pieces[$0.jws.compact] }
    }

    private func take(
        _ pieces: [FleetCommand.Piece], for recipient: EvidenceRecipient, _ event: String
    ) async throws -> FleetAnswer {
        let batch = CommitBatch(
            for: recipient, at: .day(500), facts: pieces.compactMap { facts[$0] }, rule: Evidence.rule,
            events: [Writer.event(event)], owesDelivery: true)
        guard case .committed(let receipt) = try await vault.commit(batch) else {
            throw NodeError("a batch without conflicts was refused")
        }
        var words = ["new \(receipt.newFacts)"]
        // After the erasure of a customer, the first version of the new record differs between vaults.
        if FleetWorld.lasting.contains(where: { CustomerID(rawValue: $0) == recipient.customer }) {
            words.append("version \(receipt.version)")
        }
        for entry in receipt.entries { words.append("entry \(entry.number) \(entry.change) after \(entry.after)") }
        for item in receipt.owed { words.append("owed \(item.key.transactionID.rawValue)") }
        words.append("aside \(receipt.parked.positions)")
        var aside = ["nobody's: \(receipt.parked.unclaimed)"]
        for conflict in receipt.parked.conflicts {
            aside.append("\(conflict.subject) is \(conflict.holder.rawValue)'s")
        }
        return FleetAnswer(
            place: receipt.events.first?.place.number,
            adoptable: Set(receipt.adoptable.rows.compactMap { self.pieces[$0.jws.compact] }), aside: aside,
            owners: Set(receipt.parked.owners.map(\.rawValue)), words: words)
    }
}

extension FleetVault {
    /// Describes everything that the vault returns about the customers, as lines without places in the feed.
    ///
    /// Parked evidence that is also stored as a fact is omitted. If evidence is parked while its owner commits the same
    /// evidence, it may stay parked until the owner's next commit.
    func picture() async throws -> [String] {
        var lines: [String] = []
        let known = Set(try await vault.facts(after: .start, of: nil, limit: .max).map { Self.text($0.fact) })
        for name in FleetWorld.customers {
            let customer = CustomerID(rawValue: name)
            let record = try await vault.load(customer)
            lines.append("\(name): account of \(record.lastEntry.number)")
            if FleetWorld.lasting.contains(name) { lines.append("\(name): version \(record.version)") }
            for stored in record.facts { lines.append("\(name): fact \(Self.text(stored.fact))") }
            for balance in record.balances { lines.append("\(name): \(balance)") }
            for item in record.unfinished.map({ $0.key.transactionID.rawValue }).sorted() {
                lines.append("\(name): unfinished \(item)")
            }
            for text in record.adoptable.rows.map({ Self.text($0) }).sorted() where !known.contains(text) {
                lines.append("\(name): adoptable \(text)")
            }
            for entry in try await vault.entries(after: .start, of: customer, limit: .max) {
                lines.append(
                    "\(name): entry \(entry.number) \(entry.kind) \(entry.change) after \(entry.after) \(entry.cause)")
            }
            for event in try await vault.events(after: .start, of: customer, limit: .max) {
                lines.append("\(name): event \(event.change.subject)")
            }
            for binding in try await vault.bindings(of: customer) { lines.append("\(name): has \(binding.subject)") }
        }
        for parked in try await vault.allParked().map({ Self.text($0.fact) }).sorted() where !known.contains(parked) {
            lines.append("parked \(parked)")
        }
        let holders = try await vault.holders(of: try FleetWorld.chains.map { .chain(try FleetWorld.chain($0)) })
        for line in holders.map({ "\($0.key) is \($0.value.rawValue)'s" }).sorted() { lines.append(line) }
        return lines
    }
}
