import Storekeeper

extension VaultLawCheck {
    static var copyChecks: [VaultCheck<Tested>] {
        [
            VaultCheck("a copy has all contents of the vault, and copying it back changes nothing") { trial in
                guard let vault = trial.vault.copying else { return }
                try await trial.copying(to: vault)
            },
            VaultCheck("a copy that was stopped resumes, and includes later writes") { trial in
                guard let vault = trial.vault.copying else { return }
                try await trial.copyingOn(to: vault)
            },
            VaultCheck("a copy remembers credits of erased customers") { trial in
                guard let vault = trial.vault.copying else { return }
                try await trial.copyingMarks(to: vault)
            },
            VaultCheck("a copy changes nothing in a target that is not its own") { trial in
                guard let vault = trial.vault.copying else { return }
                try await trial.refusedCopies(to: vault)
            },
        ]
    }

    /// Copies the source into the vault, and then copies the vault into another vault.
    private func copying(to vault: any CopyableVault) async throws {
        let source = try await CopyStory.vault()
        let picture = try await CopySnapshot(of: source)
        let report = try await VaultCopy(from: source, to: vault, at: .day(40)).run()
        expect(report.differences, is: [], "what differs in a copy")
        expect(report.customers, is: 3, "the number of customers in a copy")
        expect(report.facts, is: 10, "the number of facts in a copy")
        expect(report.entries, is: 9, "the number of entries in a copy")
        expect(report.erasures, is: 1, "the number of erasures that are not copied")
        try await expectPicture(of: vault, is: picture, "a copy")
        let again = try await VaultCopy(from: source, to: vault, at: .day(41)).run()
        expect(again.differences, is: [], "what differs in a repeated copy")
        try await expectPicture(of: vault, is: picture, "a repeated copy")

        let back = InMemoryVault()
        let returned = try await VaultCopy(from: vault, to: back, at: .day(42)).run()
        expect(returned.differences, is: [], "what differs in the copy of a copy")
        expect(returned.entries, is: report.entries, "the number of entries in the copy of a copy")
        try await expectPicture(of: back, is: picture, "the copy of a copy")
    }

    /// Copies one customer, then all customers, and then the later writes, as if the copy had been stopped in between.
    private func copyingOn(to vault: any CopyableVault) async throws {
        let source = try await CopyStory.vault()
        let whole = VaultCopy(from: source, to: vault, at: .day(40))
        try await whole.begin()
        _ = try await whole.appendMissing("ben")
        let report = try await whole.run()
        expect(report.differences, is: [], "what differs in a copy that was stopped")
        try await expectPicture(of: vault, is: try await CopySnapshot(of: source), "a copy that was stopped")

        try await CopyStory.writeDuringCopy(in: source)
        let later = try await VaultCopy(from: source, to: vault, at: .day(50)).run()
        expect(later.differences, is: [], "what differs in a copy that was repeated later")
        expect(later.customers, is: 4, "the number of customers in a copy that was made again later")
        try await expectPicture(of: vault, is: try await CopySnapshot(of: source), "a copy that was repeated later")

        _ = try await source.erase("carl", reason: "asked", at: .day(51))
        let after = try await VaultCopy(from: source, to: vault, at: .day(52)).run()
        expect(after.differences.map(\.subject), is: ["carl", "customers"], "what differs after an erasure")
    }

    /// Copies a vault from which a customer was erased, repeats the copy, and presents evidence of this customer to the
    /// copy.
    private func copyingMarks(to vault: any CopyableVault) async throws {
        let source = InMemoryVault()
        for id in ["anna", "ben"] as [CustomerID] {
            _ = try await source.commit(Self.batch([VaultShop.coins(Transaction.ID(rawValue: id.rawValue))], for: id))
        }
        _ = try await source.erase("anna", reason: "asked for", at: .day(3))
        for day in [4, 5] as [Int] {
            let report = try await VaultCopy(from: source, to: vault, at: .day(day)).run()
            expect(report.differences, is: [], "what differs in a copy of a vault with an erasure")
            expect(report.entries, is: 1, "the number of entries in a copy of a vault with an erasure")
        }
        let receipt = try await commit(Self.batch([VaultShop.coins("anna")], for: "carl", at: .day(6)))
        expect(receipt.creditedBefore.count, is: 1, "the number of credits that a copy remembers")
        expect(receipt.entries.count, is: 0, "the number of credits that a copy repeats")
        expect(try await vault.checkIntegrity().faults, is: [], "the faults found by the audit of the copy")
    }

    /// Expects that a vault with other contents is refused as the target of a copy.
    private func refusedCopies(to vault: any CopyableVault) async throws {
        let source = try await CopyStory.vault()
        _ = try await vault.claim(.token(CopyStory.token), for: "dora", at: .day(1))
        let picture = try await VaultPicture(of: self.vault)
        do throws(VaultCopyFailure) {
            _ = try await VaultCopy(from: source, to: vault, at: .day(40)).run()
            expect(false, "a vault that was in use became a copy")
        } catch {
            if case .targetInUse = error {} else { expect(false, "a vault in use was refused with \(error)") }
        }
        try await expectUnchanged(since: picture, by: "a copy that was refused")

        // A vault with independent contents was refused above. Next, a copy to which another process has written is
        // refused.
        let copy = InMemoryVault()
        _ = try await VaultCopy(from: vault, to: copy, at: .day(41)).run()
        let request = LedgerRequest.grant(1, of: "coins", to: "dora", because: "a gift", key: "g", at: .day(42))
        _ = try await copy.move([request], policy: .debt)
        let stray = try VaultShop.badge("77").verifiedFact()
        _ = try await copy.commit(CommitBatch(for: .owner(primary: nil), at: .day(42), facts: [stray]))
        let report = try await VaultCopy(from: vault, to: copy, at: .day(43)).run()
        expect(
            report.differences.map(\.subject), is: ["dora", "parked evidence"],
            "what differs in a copy that was written to")
        expect(try await copy.parked(after: .start, limit: 9).rows.count, is: 1, "what was parked in a copy")
        expect(try await copy.balances(of: "dora").map(\.amount), is: [1], "what was written to a copy")
        do throws(VaultCopyFailure) {
            _ = try await VaultCopy(from: source, to: copy, at: .day(44)).run()
            expect(try await vault.checkHead() == nil, "the copy of one vault became that of another")
        } catch {
            if case .targetOfAnother = error {} else { expect(false, "another's copy was refused with \(error)") }
        }
    }

    private func expectPicture(
        of vault: any CopyableVault, is picture: CopySnapshot, _ what: String
    ) async throws {
        let found = try await CopySnapshot(of: vault)
        guard let change = found.lines.difference(from: picture.lines).first else { return }
        switch change {
        case .remove(_, let line, _): expect(false, "\(what) lacks this: \(line)")
        case .insert(_, let line, _): expect(false, "\(what) has this: \(line)")
        }
    }
}

extension TransactionalVault {
    /// Returns the newest hash of the vault's hash chain; `nil` if the vault has no hash chain.
    fileprivate func checkHead() async throws(VaultCopyFailure) -> String? {
        do throws(VaultError) { return try await checkIntegrity().head } catch { throw .source(error) }
    }
}

/// All data that a copy transfers, as lines of text.
private struct CopySnapshot {
    private(set) var lines: [String] = []

    init(of vault: any CopyableVault) async throws(VaultError) {
        for customer in try await vault.customers(after: nil, limit: .max) {
            let record = try await vault.load(customer)
            lines.append("\(customer) \(record.lastEntry.number) \(record.balances)")
            lines.append("\(String(describing: record.evaluatedThrough)) \(String(describing: record.syncedAt))")
            // A renewal info that two customers share is listed where it was first stored, so the order may differ
            // between vaults.
            lines += record.facts.map { "\($0.learnedAt) \($0.fact.jws.compact)" }.sorted()
            lines += record.unfinished.map { "\($0)" } + record.pending.map { "\($0)" }
            lines += try await vault.bindings(of: customer).map { "\($0.at) \($0.subject)" }
            for entry in try await vault.account(of: customer) {
                lines.append("\(entry.number) \(entry.at) \(entry.kind) \(entry.change) \(entry.after) \(entry.cause)")
            }
            lines += try await vault.events(after: .start, of: customer, limit: .max).map { "\($0.change)" }
        }
        for parked in try await vault.parked(after: .start, limit: .max).rows {
            lines.append("\(parked.since) \(parked.reason) \(parked.fact.jws.compact)")
        }
        for backend in ["app store", "simulator"] {
            lines.append("\(backend): \(try await vault.cursor(of: backend)?.rawValue ?? "never read")")
        }
    }
}
