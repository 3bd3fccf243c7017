package import Storekeeper

/// Archives of a randomly filled vault, and operations that fill another vault before it restores these archives.
package struct ArchiveStory: Sendable {
    private let before: VaultStory
    private let archives: [CustomerArchive]

    /// Creates random archives and operations.
    package init(_ random: inout SplitMix64) async throws {
        before = try VaultStory(&random)
        let vault = InMemoryVault()
        for step in try VaultStory(&random).steps { await step.runAnyway(in: vault) }
        var archives: [CustomerArchive] = []
        for customer in try await vault.customers(after: nil, limit: .max) {
            archives.append(try await vault.archive(of: customer))
        }
        try await vault.unownedArchives { archive in archives.append(archive) }
        self.archives = archives
    }

    /// Restores random archives in vaults.
    ///
    /// Every second vault, beginning with the first, is empty; the other vaults contain data.
    ///
    /// - Parameter makeVault: Creates an empty vault, which the caller of this function closes.
    /// - Returns: The first difference from an in-memory vault, with the settings that reproduce it; `nil` if no
    ///   difference was found.
    package static func difference(
        _ settings: PropertySettings, cases: Int,
        makeVault: (_ number: UInt64, _ rule: AccountTokenRule) async throws -> any TransactionalVault
    ) async throws -> String? {
        let seed = settings.seed ?? PropertySettings.defaultSeed
        for number in 0..<UInt64(settings.count(of: cases)) {
            var random = SplitMix64(seed: seed &+ number)
            let rule = random.pick(AccountTokenRule.asIDs, .opaque)
            let story = try await ArchiveStory(&random)
            let vault = try await makeVault(number, rule)
            if let difference = try await story.difference(in: vault, isEmpty: number.isMultiple(of: 2)) {
                return "seed \(seed &+ number), \(rule): \(difference)"
            }
        }
        return nil
    }

    /// Returns the difference between a vault that restores the archives and an in-memory vault; `nil` if no difference
    /// was found.
    ///
    /// Each archive is restored twice, and then the vault's customers are read as archives again.
    ///
    /// - Parameter vault: An empty vault.
    private func difference(in vault: some TransactionalVault, isEmpty: Bool) async throws -> String? {
        let memory = InMemoryVault(accountTokens: vault.accountTokens)
        if !isEmpty {
            for step in before.steps {
                await step.runAnyway(in: memory)
                await step.runAnyway(in: vault)
            }
        }
        for round in 1...2 {
            for archive in archives {
                let wanted = await Self.receipt(of: archive, in: memory)
                let found = await Self.receipt(of: archive, in: vault)
                if wanted != found { return "round \(round) resulted in\n\(found), not\n\(wanted)" }
            }
            let (left, right) = (try await memory.linesWithoutPlaces(), try await vault.linesWithoutPlaces())
            if left != right { return "round \(round) leaves \(right.difference(from: left))" }
        }
        for customer in try await memory.customers(after: nil, limit: .max) {
            let (wanted, found) = (
                try await Self.text(memory.archive(of: customer)), try await Self.text(vault.archive(of: customer))
            )
            if wanted != found { return "the archive of \(customer) is \(found.difference(from: wanted))" }
        }
        let faults = try await vault.checkIntegrity().faults
        let audit = try await VaultAudit(vault: vault, verifier: TestVerifier()).run()
        let own = try await VaultAudit(vault: memory, verifier: TestVerifier()).run()
        guard faults.isEmpty, audit.sums == own.sums, audit.bindings == own.bindings,
            audit.signatures == own.signatures, audit.faults.map(\.kind) == own.faults.map(\.kind)
        else { return "the audit finds \(audit), not \(own)" }
        return nil
    }

    private static func receipt(of archive: CustomerArchive, in vault: some TransactionalVault) async -> String {
        do throws(VaultError) {
            return "\(try await vault.restore(archive, rule: VaultStory.rule, at: .day(100)))"
        } catch {
            return "\(error.code)"
        }
    }

    private static func text(_ archive: CustomerArchive) -> [String] {
        ["\(archive.syncedAt as Any) \(archive.evaluatedThrough as Any)"]
            + archive.rows.map { row in
                switch row {
                case .binding(let subject, let at): "\(subject) at \(at)"
                case .fact(let fact, let learnedAt): "\(fact.jws.compact) at \(learnedAt)"
                case .entry(let entry): entry.textWithoutPlace
                }
            }
    }
}

extension VaultStory.Step {
    /// Executes the operation in a vault, and ignores a refusal.
    fileprivate func runAnyway(in vault: some TransactionalVault) async {
        _ = try? await vault.write { tables throws(VaultError) in try run(in: &tables) }
    }
}
