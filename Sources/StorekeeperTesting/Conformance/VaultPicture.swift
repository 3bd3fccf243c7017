import Storekeeper

/// All readable data of a vault as lines of text, to detect changes.
struct VaultPicture: Equatable {
    private(set) var lines: [String] = []

    init(of vault: some TransactionalVault) async throws {
        for fact in try await vault.facts(after: .start, of: nil, limit: .max) {
            lines.append("fact \(Self.text(fact))")
        }
        for entry in try await vault.entries(after: .start, of: nil, limit: .max) { lines.append("entry \(entry)") }
        for event in try await vault.events(after: .start, of: nil, limit: .max) { lines.append("event \(event)") }
        for item in try await vault.allUnfinished() { lines.append("unfinished \(item)") }
        for parked in try await vault.allParked() {
            lines.append("parked \(parked.reason) since \(parked.since) \(parked.fact.jws.compact)")
        }
        if let wake = try await vault.nextWake() { lines.append("wake \(wake.customer) at \(wake.at)") }
        for customer in try await vault.customers(after: nil, limit: .max) {
            let record = try await vault.load(customer)
            lines.append("customer \(customer) \(record.version) \(record.lastEntry)")
            lines.append("evaluated \(String(describing: record.evaluatedThrough))")
            lines.append("synced \(String(describing: record.syncedAt))")
            for fact in record.facts { lines.append("own fact \(Self.text(fact))") }
            for balance in record.balances { lines.append("balance \(balance)") }
            for pending in record.pending { lines.append("pending \(pending)") }
            for fact in record.adoptable.rows { lines.append("adoptable \(fact.jws.compact)") }
            for binding in try await vault.bindings(of: customer) { lines.append("binding \(binding)") }
            for erasure in try await vault.erasures(of: customer) { lines.append("erasure \(erasure)") }
        }
    }

    private static func text(_ fact: StoredFact) -> String {
        "\(fact.place) \(fact.customer?.rawValue ?? "nobody") \(fact.learnedAt) \(fact.fact.jws.compact)"
    }
}

extension VaultLawCheck {
    /// Records an issue if the vault has changed.
    func expectUnchanged(since picture: VaultPicture, by what: String) async throws {
        try await expectPicture(of: vault, is: picture, "after \(what)")
    }

    /// Records an issue if the contents of a vault differ from a picture.
    func expectPicture(of vault: Tested, is picture: VaultPicture, _ when: String) async throws {
        let found = try await VaultPicture(of: vault)
        let changes = found.lines.difference(from: picture.lines)
        guard let change = changes.removals.first ?? changes.insertions.first else { return }
        switch change {
        case .remove(_, let line, _): expect(false, "\(when) this is missing: \(line)")
        case .insert(_, let line, _): expect(false, "\(when) this is unexpected: \(line)")
        }
    }
}
