import Foundation
import Storekeeper
import StorekeeperSQLite
import StorekeeperTesting
import Testing

struct ParkTests {
    @Test("A claim reads the parked evidence of its own chain and no other")
    func claimReadsItsOwn() async throws {
        let folder = try TemporaryFolder()
        let vault = try SQLiteVault(path: folder.file())
        try await vault.parkForOwners([Shop.purchase(1).verifiedFact(), Shop.purchase(2).verifiedFact()], at: .day(1))
        // Unreadable parked evidence affects only its own chain.
        try tamper(
            folder.file(), "UPDATE parked SET payload = x'00' WHERE sequence = (SELECT max(sequence) FROM parked)")
        let own = try ChainID(#require(Shop.purchase(1).verifiedFact().transaction))
        #expect(try await vault.claim(.chain(own), for: "anna", at: .day(2)) == nil)
        let other = try ChainID(#require(Shop.purchase(2).verifiedFact().transaction))
        await #expect(throws: VaultError.self) { try await vault.claim(.chain(other), for: "anna", at: .day(2)) }
        try vault.close()
    }

    @Test("A token in the parked evidence of a chain determines which customer may claim it")
    func tokenDecides() async throws {
        let folder = try TemporaryFolder()
        let vault = try SQLiteVault(path: folder.file())
        let token = try #require(UUID(uuidString: "7a0d5b1e-0000-4000-8000-00000000000a"))
        var draft = Shop.purchase(1)
        draft.appAccountToken = token.uuidString
        let fact = try draft.verifiedFact()
        try await vault.parkForOwners([fact], at: .day(1))
        _ = try await vault.claim(.token(token), for: "berta", at: .day(2))
        let chain = try ChainID(#require(fact.transaction))
        #expect(try await vault.claim(.chain(chain), for: "anna", at: .day(2)) == "berta")
        #expect(try await vault.claim(.chain(chain), for: "berta", at: .day(2)) == nil)
        try vault.close()
    }
}
