import Storekeeper
import StorekeeperTesting
import Synchronization
import Testing

@Suite("An audit of a vault") struct VaultAuditTests {
    static let catalog = Catalog(
        products: [Product(id: "coins.500", type: .consumable, grants: ["coins": 500])], groups: [], features: [])
    static let token = "6f9619ff-8b86-d011-b42d-00c04fc964ff"

    /// Fills a vault with two customers, spends, gifts and refunds under a policy.
    static func writeEveryKind(_ vault: some TransactionalVault, _ policy: RefundPolicy = .debt) async throws {
        let rule = LedgerRule(catalog: catalog, policy: EntitlementPolicy(refundPolicy: policy))
        var purchase = TransactionDraft.purchase(of: "coins.500", type: .consumable, at: .day(0), id: "1")
        purchase.appAccountToken = token
        let month = TransactionDraft.purchase(
            of: "gold", type: .autoRenewable, at: .day(0), expires: .day(31), group: "membership", id: "2")
        func commit(_ facts: [VerifiedFact], for customer: CustomerID) async throws {
            let outcome = try await vault.commit(
                CommitBatch(customer: customer, at: .day(1), facts: facts, rule: rule))
            guard case .committed = outcome else { throw Refused() }
        }
        try await commit(
            [purchase.verifiedFact(), month.verifiedFact(), RenewalInfoDraft(for: month).verifiedFact()], for: "anna")
        _ = try await vault.move(
            [
                .spend(400, of: "coins", by: "anna", key: "1", at: .day(2)),
                .grant(5, of: "gems", to: "anna", because: "a gift", key: "2", at: .day(2)),
                .grant(5, of: "gems", to: "carl", because: "a gift", key: "2", at: .day(2)),
            ], policy: policy)
        try await commit([purchase.revoked(at: .day(3)).verifiedFact()], for: "anna")
        try await commit([purchase.reversed(signedAt: .day(4)).verifiedFact()], for: "anna")
        try await commit([purchase.revoked(at: .day(5), percentage: 33_333).verifiedFact()], for: "anna")
        let other = TransactionDraft.purchase(of: "coins.500", type: .consumable, at: .day(0), id: "3")
        try await commit([other.verifiedFact(), other.revoked(at: .day(2)).verifiedFact()], for: "ben")
    }

    struct Refused: Error {}

    @Test("An audit finds no faults in an unmodified vault", arguments: RefundPolicy.allCases)
    func sound(_ policy: RefundPolicy) async throws {
        let vault = InMemoryVault()
        try await Self.writeEveryKind(vault, policy)
        for pageSize in [1, 2, 1_000] {
            let report = try await VaultAudit(vault: vault, verifier: DraftVerifier(), pageSize: pageSize).run()
            #expect(report == AuditReport(signatures: 8, sums: 4, bindings: 4))
        }
        _ = try await vault.erase("anna", reason: "asked for", at: .day(9))
        let report = try await VaultAudit(vault: vault, verifier: DraftVerifier()).run()
        #expect(report == AuditReport(signatures: 2, sums: 2, bindings: 1))
    }

    @Test("An audit reports its progress: purchases count twice, for signature and account, other facts once")
    func progress() async throws {
        let vault = InMemoryVault()
        try await Self.writeEveryKind(vault)
        let waiting = TransactionDraft.purchase(of: "coins.500", type: .consumable, at: .day(0), id: "9")
        try await vault.parkForOwners([waiting.verifiedFact()], at: .day(1))
        var steps: [Int] = []
        let report = try await VaultAudit(vault: vault, verifier: DraftVerifier(), pageSize: 1)
            .run { steps.append($0) }
        // Eight facts, one of which is a renewal info, and one parked fact.
        #expect(report.signatures == 9)
        #expect(steps.reduce(0, +) == 9 + 7)
        #expect(steps.prefix(8).allSatisfy { $0 == 1 })
    }

    @Test("An audit checks parked evidence, too, because it counts once it is claimed")
    func parkedForgery() async throws {
        let vault = InMemoryVault()
        let waiting = try TransactionDraft.purchase(of: "coins.500", type: .consumable, at: .day(0)).verifiedFact()
        try await vault.parkForOwners([waiting], at: .day(1))
        #expect(try await VaultAudit(vault: vault, verifier: DraftVerifier()).run() == AuditReport(signatures: 1))

        let dearer = try TransactionDraft.purchase(of: "coins.5000", type: .consumable, at: .day(0), id: "2")
            .verifiedFact()
        let changed = waiting.jws.compact.split(separator: ".")
        let other = dearer.jws.compact.split(separator: ".")
        let forged = try #require(CompactJWS("\(other[0]).\(other[1]).\(changed[2])"))
        try await vault.parkForOwners([VerifiedFact(restoring: forged)], at: .day(1))
        let report = try await VaultAudit(vault: vault, verifier: DraftVerifier()).run()
        #expect(report.signatures == 2)
        #expect(report.faults.map(\.kind) == [.signature])
        #expect(report.faults.map(\.subject) == ["2"])
    }

    @Test(
        "An audit finds no faults while customers change before each read and one is erased",
        .timeLimit(.minutes(20)), arguments: [7, 1_000])
    func beside(_ pageSize: Int) async throws {
        let vault = ChangingVault()
        try await Self.writeEveryKind(vault.inner)
        let report = try await VaultAudit(vault: vault, verifier: DraftVerifier(), pageSize: pageSize).run()
        #expect(report.faults == [])
        // The changes of other customers did not make the audit check a customer a second time.
        #expect(vault.reads < 20)
        #expect(try await vault.inner.balances(of: "ben").isEmpty)
    }

    @Test("An audit finds no faults in an empty vault") func empty() async throws {
        #expect(try await VaultAudit(vault: InMemoryVault(), verifier: DraftVerifier()).run() == AuditReport())
    }

    struct Tampering: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let faults: Set<VaultFault.Kind>
        let vault: BrokenVault

        init(_ testDescription: String, _ faults: Set<VaultFault.Kind>, _ alter: (inout BrokenVault) -> Void) {
            self.testDescription = testDescription
            self.faults = faults
            var vault = BrokenVault()
            alter(&vault)
            self.vault = vault
        }
    }

    /// Changes the entries of one kind.
    private static func altering(
        _ kind: LedgerEntry.Kind, _ alter: @escaping @Sendable (LedgerEntry) -> [LedgerEntry]
    ) -> @Sendable ([LedgerEntry]) -> [LedgerEntry] {
        { entries in entries.flatMap { $0.kind == kind ? alter($0) : [$0] } }
    }

    private static func copy(
        _ entry: LedgerEntry, number: Int64? = nil, change: Int64? = nil, after: Int64? = nil,
        cause: LedgerEntry.Cause? = nil
    ) -> LedgerEntry {
        LedgerEntry(
            place: entry.place, number: number ?? entry.number, customer: entry.customer, at: entry.at,
            kind: entry.kind, balance: entry.balance, change: change ?? entry.change, after: after ?? entry.after,
            cause: cause ?? entry.cause)
    }

    static let tamperings = [
        Tampering("a byte of a payload was changed", [.signature]) { vault in
            vault.onFacts = { (facts) throws(VaultError) in
                var bent: [StoredFact] = []
                for stored in facts {
                    let text = stored.fact.jws.compact
                    guard stored.fact.renewalInfo != nil, let last = text.last else {
                        bent.append(stored)
                        continue
                    }
                    let other = String(text.dropLast()) + (last == "A" ? "Q" : "A")
                    guard let jws = CompactJWS(other) else { throw VaultError(.corrupt, "no compact JWS") }
                    bent.append(
                        StoredFact(
                            place: stored.place, customer: stored.customer, learnedAt: stored.learnedAt,
                            fact: try VerifiedFact(restoring: jws)))
                }
                return bent
            }
        },
        Tampering("a transaction was removed", [.entry]) { vault in
            vault.onFacts = { (facts) throws(VaultError) in facts.filter { $0.fact.transaction?.id != "3" } }
        },
        Tampering("the newest copy was removed", [.entry]) { vault in
            vault.onFacts = { (facts) throws(VaultError) in facts.filter { $0.fact.signedAt != .day(5) } }
        },
        Tampering("a chain has no owner", [.binding]) { vault in
            vault.onFacts = { (facts) throws(VaultError) in
                facts.map { StoredFact(place: $0.place, customer: nil, learnedAt: $0.learnedAt, fact: $0.fact) }
            }
        },
        Tampering("an entry's number was changed", [.entry]) { vault in
            vault.onEntries = altering(.spend) { [copy($0, number: $0.number + 1)] }
        },
        Tampering("an entry's change was changed", [.sum]) { vault in
            vault.onEntries = altering(.spend) { [copy($0, change: -300)] }
        },
        Tampering("an entry's sum was changed", [.sum]) { vault in
            vault.onEntries = altering(.spend) { [copy($0, after: 7)] }
        },
        Tampering("a spend was removed", [.sum]) { vault in vault.onEntries = altering(.spend) { _ in [] } },
        Tampering("a claw-back was removed", [.sum, .entry]) { vault in
            vault.onEntries = altering(.clawBack) { _ in [] }
        },
        Tampering("a credit names an unknown transaction", [.entry]) { vault in
            let key = TransactionKey(bundleID: "com.example.game", environment: .production, transactionID: "99")
            vault.onEntries = altering(.credit) { entry in
                [copy(entry, cause: .transaction(key, productID: "coins.500", target: 500))]
            }
        },
        Tampering("a target was changed", [.entry]) { vault in
            vault.onEntries = altering(.clawBack) { entry in
                guard case .transaction(let key, let product, let target) = entry.cause else { return [entry] }
                return [copy(entry, cause: .transaction(key, productID: product, target: target + 1))]
            }
        },
        Tampering("a key was used twice", [.entry]) { vault in
            vault.onEntries = altering(.grant) { entry in
                [copy(entry, cause: .request(key: "1", reason: "a gift"))]
            }
        },
        Tampering("a balance was edited", [.sum]) { vault in
            vault.onBalances = { balances in
                balances.map {
                    Balance(
                        id: $0.id, credited: $0.credited + 1, spent: $0.spent, clawedBack: $0.clawedBack,
                        restored: $0.restored)
                }
            }
        },
        Tampering("a balance was removed", [.sum]) { vault in vault.onBalances = { _ in [] } },
        Tampering("a chain was bound to another customer", [.binding]) { vault in
            vault.onHolders = { holders in holders.mapValues { _ in "ben" } }
        },
        Tampering("the vault reports a broken link", [.link]) { vault in
            vault.onReport = { _ in IntegrityReport(links: 3, faults: [VaultFault(.link, "entry 2", "was changed")]) }
        },
    ]

    @Test("An audit finds the tampering", arguments: tamperings)
    func finds(_ tampering: Tampering) async throws {
        let vault = tampering.vault
        try await Self.writeEveryKind(vault.base)
        let report = try await VaultAudit(vault: vault, verifier: DraftVerifier()).run()
        #expect(Set(report.faults.map(\.kind)).isSuperset(of: tampering.faults), "\(report.faults)")
        #expect(report.faults.map(\.kind.rawValue) == report.faults.map(\.kind.rawValue).sorted())
        for fault in report.faults {
            #expect(!fault.message.contains("anna"), "a fault names a customer")
        }
    }

    @Test("Environments and apps that the verifier refuses are not faults of the vault")
    func refusedIsNoFault() async throws {
        struct Refusing: TransactionVerifier {
            let environments: Set<AppStore.Environment> = []
            let code: VerificationError.Code
            func verify(_ jws: String) -> CheckedEvidence {
                .unreadable(VerificationError(code, "no"), payload: nil)
            }
        }
        let vault = InMemoryVault()
        try await Self.writeEveryKind(vault)
        for code in [VerificationError.Code.environmentRefused, .bundleMismatch, .appMismatch, .revocationUnknown] {
            #expect(try await VaultAudit(vault: vault, verifier: Refusing(code: code)).run().faults == [])
        }
        for code in [VerificationError.Code.malformed, .untrustedChain, .certificateRevoked, .invalidSignature] {
            #expect(try await VaultAudit(vault: vault, verifier: Refusing(code: code)).run().faults.count == 8)
        }
    }
}

/// A vault in which customers change before each read, and in which one customer is erased during the audit.
private final class ChangingVault: TransactionalVault {
    var accountTokens: AccountTokenRule { inner.accountTokens }
    let inner = InMemoryVault()
    private let count = Mutex(0)

    var reads: Int { count.withLock { $0 } }

    func read<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (borrowing InMemoryVault.Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        let number = count.withLock { count in
            count += 1
            return count
        }
        let customers: [CustomerID] = ["anna", "carl"]
        _ = try await inner.move(
            customers.map { .grant(1, of: "gems", to: $0, because: "a gift", key: "r\(number)", at: .day(7)) },
            policy: .debt)
        // With large pages, the audit has now counted all facts and entries, but has not yet checked any single
        // customer.
        if number == 5 { _ = try await inner.erase("ben", reason: "asked for", at: .day(8)) }
        return try await inner.read(footprint(), body)
    }

    func write<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (inout InMemoryVault.Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome { try await inner.write(footprint(), body) }
}
