import Foundation
import StorekeeperTesting
import Testing

@testable import Storekeeper

/// Tests of archives that no vault wrote.
///
/// Impossible contents are refused, and missing rows that follow from other rows are added.
struct ForgedArchiveTests {
    private let rule = LedgerRule(catalog: .coins)

    private static let token = "6f9619ff-8b86-d011-b42d-00c04fc964ff"

    private func refused(_ archive: CustomerArchive, in vault: InMemoryVault) async throws -> VaultError.Code? {
        do throws(VaultError) {
            _ = try await vault.restore(archive, rule: rule, at: .day(20))
            return nil
        } catch {
            #expect(try await vault.load("anna").version == 0, "something was written")
            return error.code
        }
    }

    @Test("An archive whose spends exceed its balance is refused, and nothing of it is written")
    func overspent() async throws {
        var archive = try await InMemoryVault.filled(by: rule).archive(of: "anna")
        let spend = LedgerEntry(
            place: .start, number: 0, customer: "anna", at: .day(9), kind: .spend, balance: "gems", change: -22,
            after: -1,
            cause: .request(key: "all", reason: nil))
        archive.rows.append(.entry(spend))
        #expect(try await refused(archive, in: InMemoryVault()) == .invalidRequest)
    }

    @Test("An archive that has an entry without its purchase is refused")
    func entryWithoutPurchase() async throws {
        var archive = try await InMemoryVault.filled(by: rule).archive(of: "anna")
        archive.rows.removeAll { if case .fact = $0 { true } else { false } }
        #expect(try await refused(archive, in: InMemoryVault()) == .invalidRequest)
    }

    @Test("An archive is refused if an entry is missing or two entries are swapped", arguments: [0, 1, 2, 3, 4])
    func gaps(_ position: Int) async throws {
        var archive = try await InMemoryVault.filled(by: rule).archive(of: "anna")
        let entries = archive.rows.indices.filter { if case .entry = archive.rows[$0] { true } else { false } }
        #expect(entries.count == 6)
        var swapped = archive
        swapped.rows.swapAt(entries[position], entries[position + 1])
        #expect(try await refused(swapped, in: InMemoryVault()) == .invalidRequest)
        archive.rows.remove(at: entries[position])
        #expect(try await refused(archive, in: InMemoryVault()) == .invalidRequest)
    }

    @Test("Restoring numbers the entries of an archive from a release that had no entry numbers")
    func withoutNumbers() async throws {
        var archive = try await InMemoryVault.filled(by: rule).archive(of: "anna")
        archive.rows = archive.rows.map { row in
            guard case .entry(let entry) = row else { return row }
            return .entry(
                LedgerEntry(
                    place: .start, number: 0, customer: entry.customer, at: entry.at, kind: entry.kind,
                    balance: entry.balance, change: entry.change, after: entry.after, cause: entry.cause))
        }
        let copy = InMemoryVault()
        #expect(try await copy.restore(archive, rule: rule, at: .day(20)).newEntries == 6)
        #expect(try await copy.account(of: "anna").map(\.number) == [1, 2, 3, 4, 5, 6])
    }

    @Test("Restoring books a refund whose claw-back the archive lacks")
    func leftOutRefund() async throws {
        let vault = InMemoryVault()
        let pack = TransactionDraft.purchase(of: "coins.100", type: .consumable, at: .day(1), id: "1")
        for draft in [pack, pack.revoked(at: .day(4))] {
            _ = try await vault.commit(
                CommitBatch(customer: "anna", at: .day(5), facts: [try draft.verifiedFact()], rule: rule))
        }
        var archive = try await vault.archive(of: "anna")
        archive.rows.removeAll { if case .entry(let entry) = $0 { entry.kind == .clawBack } else { false } }
        let copy = InMemoryVault()
        _ = try await copy.restore(archive, rule: rule, at: .day(20))
        #expect(try await copy.balances(of: "anna").map(\.amount) == [0])
    }

    @Test("An archived token that belongs to another customer of the vault is a conflict, even without a chain")
    func tokenConflict() async throws {
        let copy = InMemoryVault()
        let token = try #require(UUID(uuidString: Self.token))
        _ = try await copy.claim(.token(token), for: "bob", at: .day(1))
        let archive = CustomerArchive(customer: "anna", rows: [.binding(.token(token), at: .day(2))])
        let receipt = try await copy.restore(archive, rule: rule, at: .day(20))
        #expect(receipt.conflicts.map(\.holder) == ["bob"])
        #expect(try await copy.bindings(of: "anna").isEmpty)
        #expect(try await copy.load("anna").version == 0)
    }

    @Test("A token that was claimed by a customer with a different id is restored with its purchases")
    func claimedToken() async throws {
        let (vault, copy) = (InMemoryVault(), InMemoryVault())
        let token = try #require(UUID(uuidString: Self.token))
        let owner: CustomerID = "olga"
        _ = try await vault.claim(.token(token), for: owner, at: .day(1))
        var pack = TransactionDraft.purchase(of: "coins.100", type: .consumable, at: .day(1), id: "1")
        pack.appAccountToken = Self.token
        _ = try await vault.commit(
            CommitBatch(customer: owner, at: .day(2), facts: [try pack.verifiedFact()], rule: rule))
        let receipt = try await copy.restore(try await vault.archive(of: owner), rule: rule, at: .day(20))
        #expect(receipt.conflicts.isEmpty)
        #expect(try await copy.balances(of: owner).map(\.amount) == [100])
    }

    @Test("Unowned facts of an archive are added to the customer who owns their chain here; others are parked")
    func unownedFacts() async throws {
        let copy = try await InMemoryVault.filled(by: rule)
        let pack = TransactionDraft.purchase(of: "coins.100", type: .consumable, at: .day(1), id: "1")
        let refund = try pack.revoked(at: .day(18)).verifiedFact()
        let stranger = try TransactionDraft.purchase(of: "coins.100", type: .consumable, at: .day(1), id: "9")
            .verifiedFact()
        let archive = CustomerArchive(
            customer: nil, rows: [.fact(refund, learnedAt: .day(19)), .fact(stranger, learnedAt: .day(19))])
        let receipt = try await copy.restore(archive, rule: rule, at: .day(20))
        #expect(receipt.newFacts == 1)
        #expect(receipt.parked == 1)
        #expect(try await copy.balances(of: "anna").map(\.amount) == [0, 21])
        #expect(try await copy.allParked().map(\.fact.transaction?.id) == ["9"])
    }
}
