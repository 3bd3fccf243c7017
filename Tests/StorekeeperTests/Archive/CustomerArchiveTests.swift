import StorekeeperTesting
import Testing

@testable import Storekeeper

/// Tests of archives, which move the data of one customer from one vault to another.
struct CustomerArchiveTests {
    private let rule = LedgerRule(catalog: .coins)

    private func story(_ vault: InMemoryVault) async throws -> [String] {
        let record = try await vault.load("anna")
        let facts = record.facts.map { ($0.place.number, "\($0.learnedAt) \($0.fact.signedAt)") }
        let entries = try await vault.account(of: "anna").map {
            ($0.place.number, "\($0.at) \($0.kind) \($0.number) \($0.balance) \($0.change) \($0.after) \($0.cause)")
        }
        let bindings = try await vault.bindings(of: "anna").map { ($0.place.number, "\($0.at) \($0.subject)") }
        return (facts + entries + bindings).sorted { $0.0 < $1.0 }.map(\.1) + ["\(record.balances)"]
    }

    @Test("Restoring an archive into an empty vault copies the customer; restoring it again changes nothing")
    func restoring() async throws {
        let vault = try await InMemoryVault.filled(by: rule)
        let archive = try await vault.archive(of: "anna")
        let copy = InMemoryVault()
        let receipt = try await copy.restore(archive, rule: LedgerRule(), at: .day(20))
        #expect(receipt.newFacts == 3)
        #expect(receipt.newEntries == 6)
        #expect(try await story(copy) == story(vault))
        #expect(try await copy.load("anna").syncedAt == .day(8))
        let version = try await copy.version(of: "anna")
        let again = try await copy.restore(archive, rule: LedgerRule(), at: .day(21))
        #expect(again.newFacts + again.newEntries == 0)
        #expect(again.knownFacts + again.knownEntries == 9)
        #expect(try await copy.version(of: "anna") == version)
    }

    @Test("Restoring an archive keeps newer rows of the vault and adds the rows that it lacks")
    func merging() async throws {
        let vault = try await InMemoryVault.filled(by: rule)
        let archive = try await vault.archive(of: "anna")
        for count in 0...archive.rows.count {
            var start = archive
            start.rows = Array(archive.rows.prefix(count))
            let copy = InMemoryVault()
            _ = try await copy.restore(start, rule: rule, at: .day(20))
            _ = try await copy.restore(archive, rule: rule, at: .day(20))
            let balances = try await copy.balances(of: "anna")
            #expect(balances.map(\.amount) == [100, 21], "after \(count) rows")
            _ = try await copy.restore(start, rule: rule, at: .day(20))
            #expect(try await copy.balances(of: "anna") == balances)
        }
    }

    @Test("An archive is refused as a whole if one of its purchases belongs to another customer of the vault")
    func conflict() async throws {
        let archive = try await InMemoryVault.filled(by: rule).archive(of: "anna")
        var theirs = archive
        theirs.customer = "bob"
        let copy = InMemoryVault()
        _ = try await copy.restore(theirs, rule: rule, at: .day(20))
        let receipt = try await copy.restore(archive, rule: rule, at: .day(20))
        #expect(receipt.conflicts.map(\.holder) == ["bob"])
        #expect(receipt.newFacts + receipt.newEntries == 0)
        #expect(try await copy.load("anna").version == 0)
    }

    @Test("An archive has a customer's statuses and app transactions, and restores them for the customer only")
    func statusAndApp() async throws {
        let month = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
        let status = NotificationDraft(status: 4, of: month, signedAt: .day(33))
        let app = AppTransactionDraft(signedAt: .day(5))
        let lost = with(app) { $0.appTransactionID = "8" }
        let facts = [try month.verifiedFact(), try status.verifiedFact(), try app.verifiedFact()]
        let vault = InMemoryVault()
        _ = try await vault.commit(CommitBatch(customer: "anna", at: .day(34), facts: facts))
        try await vault.parkForOwners([try lost.verifiedFact()], at: .day(34))
        let archive = try await vault.archive(of: "anna")
        let copy = InMemoryVault()
        let receipt = try await copy.restore(archive, rule: rule, at: .day(40))
        #expect(receipt.newFacts == 3 && receipt.conflicts.isEmpty)
        #expect(try await story(copy) == story(vault))
        #expect(try await copy.load("anna").facts.map(\.fact.jws.compact) == facts.map(\.jws.compact))
        var theirs = archive
        theirs.customer = "bob"
        let refused = try await copy.restore(theirs, rule: rule, at: .day(41))
        #expect(Set(refused.conflicts.map(\.originalTransactionID)) == ["1000", "app:700000000000000001"])
        #expect(refused.newFacts == 0)
        var archives: [CustomerArchive] = []
        try await vault.unownedArchives { archives.append($0) }
        for archive in archives { _ = try await copy.restore(archive, rule: rule, at: .day(42)) }
        #expect(try await copy.allParked().map(\.fact.jws.compact) == [lost.fakeJWS])
    }

    @Test("A fact without an owner in the archive is parked if it names its chain, and stored otherwise")
    func unownedStatusAndApp() async throws {
        let month = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
        let status = try NotificationDraft(status: 4, of: month, signedAt: .day(33)).verifiedFact()
        let app = try AppTransactionDraft(signedAt: .day(5)).verifiedFact()
        let rows = [status, app].map { CustomerArchive.Row.fact($0, learnedAt: .day(34)) }
        let copy = InMemoryVault()
        let receipt = try await copy.restore(
            CustomerArchive(customer: nil, rows: rows), rule: rule, at: .day(40))
        #expect(receipt.newFacts == 1 && receipt.parked == 1)
        #expect(try await copy.facts(after: .start, of: nil, limit: 9).map(\.customer) == [nil])
        #expect(try await copy.allParked().map(\.fact.jws.compact) == [app.jws.compact])
    }

    @Test("An archive of unowned evidence restores what was parked")
    func unknownCustomer() async throws {
        let vault = try await InMemoryVault.filled(by: rule)
        let other = TransactionDraft.purchase(of: "coins.100", type: .consumable, at: .day(1), id: "9")
        try await vault.parkForOwners([try other.verifiedFact()], at: .day(3))
        var archives: [CustomerArchive] = []
        try await vault.unownedArchives { archives.append($0) }
        let archive = try #require(archives.first)
        #expect(archives.count == 1 && archive.rows.isEmpty)
        #expect(archive.parked.count == 1)
        let copy = InMemoryVault()
        #expect(try await copy.restore(archive, rule: rule, at: .day(20)).parked == 1)
        #expect(try await copy.allParked().map(\.since) == [.day(3)])
        #expect(try await copy.restore(archive, rule: rule, at: .day(20)).parked == 0)
    }

    @Test("Unowned evidence is archived in parts that together are complete", arguments: [1, 2, 3, 7, 8])
    func unknownCustomerInParts(_ size: Int) async throws {
        let (vault, copy) = (InMemoryVault(), InMemoryVault())
        let facts = try (1...7).map { number in
            try TransactionDraft.purchase(of: "badge", at: .day(1), id: Transaction.ID(rawValue: "\(number)"))
                .verifiedFact()
        }
        try await vault.parkForOwners(facts, at: .day(3))
        var archives: [CustomerArchive] = []
        try await vault.unownedArchives(ofAtMost: size) { archives.append($0) }
        #expect(archives.map(\.parked.count).max() == min(size, 7))
        #expect(archives.count == (7 + size - 1) / size)
        for archive in archives { _ = try await copy.restore(archive, rule: rule, at: .day(20)) }
        #expect(try await copy.allParked().map(\.fact.jws.compact) == facts.map(\.jws.compact))
    }
}

struct IncompleteResolutionTests {
    @Test("Without a complete history a product without evidence is unknown; other answers stay")
    func silence() throws {
        var history = PurchaseHistory()
        history.merge(try TransactionDraft.purchase(of: "remove.ads", at: .day(5), id: "1").verifiedFact().evidence)
        let catalog = Catalog(
            products: [Product(id: "remove.ads", type: .nonConsumable), Product(id: "gold", type: .nonConsumable)],
            groups: [],
            features: [
                Feature(id: "ad-free", productIDs: ["gold", "remove.ads"]), Feature(id: "x", productIDs: ["y"]),
            ])
        let resolver = EntitlementResolver(catalog: catalog)
        let incomplete = resolver.resolve(history).incomplete
        func word(_ id: Product.ID, _ day: Int) -> String? {
            incomplete.product(id)?.timeline.value(at: .day(day)).reasonWord
        }
        #expect(word("remove.ads", 4) == "neverSynced")
        #expect(word("remove.ads", 5) == "owned")
        #expect(word("gold", 5) == "neverSynced")
        let feature = incomplete.feature("ad-free")?.timeline
        #expect(feature?.value(at: .day(4)).answer.reasonWord == "neverSynced")
        #expect(feature?.value(at: .day(5)).answer.reasonWord == "owned")
        #expect(incomplete.feature("x")?.timeline.value(at: .day(5)).answer.reasonWord == "neverSynced")
        let why = resolver.explain("gold", in: history, at: .day(5), doubt: .neverSynced)
        #expect(why.answer.reasonWord == "neverSynced")
        #expect(why.steps.map(\.effect) == ["the answer is unknown"])
    }
}

extension Catalog {
    static let coins = Catalog(
        products: [Product(id: "coins.100", type: .consumable, grants: ["coins": 100])], groups: [], features: [])
}
