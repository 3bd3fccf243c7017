import Foundation
import StorekeeperTesting
import Testing

/// Customers of whom a vault has nothing, and names that only look alike.
struct VaultNobodyTests {
    private let desk: VaultDesk

    init() throws {
        desk = try VaultDesk(VaultDesk.coins)
        try desk.take()
    }

    private func head() throws -> String? {
        try desk.done("vault", "verify", "--format", "json").object()["head"] as? String
    }

    @Test("To erase or export a customer of whom there is nothing writes nothing and is no")
    func nobody() throws {
        let before = try head()
        let erased = try desk.run("vault", "erase", "--customer", "zoe", "--reason", "asked for", "--format", "json")
        let exported = try desk.run("vault", "export", "--customer", "zoe")
        for result in [erased, exported] {
            #expect(result.status == 1)
            #expect(result.output == "")
            #expect(result.errorLines.count == 1)
            #expect(result.errors.contains("the vault has nothing of this customer"))
        }
        #expect(try head() == before)
        // Once erased there is nothing either.
        try desk.done("vault", "erase", "--customer", "anna", "--reason", "asked for")
        #expect(try desk.run("vault", "erase", "--customer", "anna", "--reason", "again").status == 1)
        #expect(try desk.run("vault", "export", "--customer", "anna").status == 1)
    }

    @Test("Before the first import the vault knew nothing, and says by when")
    func knownBefore() throws {
        let early = try desk.run("entitlements", "--customer", "anna", "--as-known-at", "2001-01-01")
        #expect(early.output.contains("The vault knew nothing of this customer by 2001-01-01T00:00:00.000Z."))
        #expect(!early.output.contains("has nothing of this customer"))
        #expect(early.status == 0)
        let check = try desk.run(
            "check", "gold.monthly", "--customer", "anna", "--as-known-at", "2001-01-01")
        #expect(check.status == 3)
    }

    @Test("Names and keys that differ in Unicode normalisation are two, and the vault stays whole")
    func lookalikes() throws {
        let (one, other) = ("caf\u{E9}", "cafe\u{301}")
        for (name, key) in [(one, one), (other, other)] {
            try desk.done(
                "vault", "grant", "--customer", "anna", name, "9", "--key", "gift \(key)", "--reason", "gift")
            try desk.done("vault", "spend", "--customer", "anna", name, "4", "--key", "spend \(key)")
        }
        #expect(try desk.balance("anna", of: one) == 5)
        #expect(try desk.balance("anna", of: other) == 5)
        try desk.done("vault", "grant", "--customer", one, "coins", "1", "--key", "k", "--reason", "gift")
        #expect(try desk.balance(other) == 0)
        try desk.done("vault", "verify")
    }
}
