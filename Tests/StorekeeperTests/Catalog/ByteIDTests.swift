import Storekeeper
import StorekeeperTesting
import Testing

/// Tests that ids that look alike but differ in their bytes are different ids in catalogs and answers.
@Suite("Ids are compared byte by byte")
struct ByteIDTests {
    /// An id with `é` as one character.
    ///
    /// `other` is the same word with `e` and a combining accent.
    static let one = "caf\u{E9}"
    static let other = "cafe\u{301}"
    static let both = [one, other]
    /// The codes of the notes that the App Store accepts neither id.
    private static let notes = ["unknownValue", "unknownValue"]

    @Test("A list that holds both ids has two products, each with its own type")
    func products() throws {
        let catalog = try CatalogFixtures.read(
            """
            {"products":[{"id":"\(Self.one)","type":"nonConsumable"},
              {"id":"\(Self.other)","type":"nonRenewable","accessDuration":"P1D"}]}
            """)
        #expect(catalog.ids == Self.both.map { Product.ID($0) })
        #expect(catalog.codes == Self.notes)
        #expect(catalog.product(Product.ID(Self.one))?.type == .nonConsumable)
        #expect(catalog.product(Product.ID(Self.other))?.type == .nonRenewable)
    }

    @Test("Files that each hold one of the ids make a catalog of two products without a conflict")
    func files() throws {
        let catalog = try CatalogFixtures.read([
            ("a.json", "{\"products\":[{\"id\":\"\(Self.one)\",\"type\":\"consumable\"}]}"),
            ("b.json", "{\"products\":[{\"id\":\"\(Self.other)\",\"type\":\"nonConsumable\"}]}"),
        ])
        #expect(catalog.ids == Self.both.map { Product.ID($0) })
        #expect(catalog.codes == Self.notes)
    }

    @Test("Groups and features with the two ids are separate and have a product each")
    func groupsAndFeatures() throws {
        let catalog = try CatalogFixtures.read(
            """
            {"subscriptions":[{"group":"\(Self.one)","products":["\(Self.other)"]},
              {"group":"\(Self.other)","products":["\(Self.one)"]}],
             "features":{"\(Self.one)":["\(Self.one)"],"\(Self.other)":["\(Self.other)","\(Self.one)"]}}
            """)
        #expect(catalog.groups.map(\.id) == Self.both.map { SubscriptionGroup.ID($0) })
        #expect(catalog.groups.map(\.productIDs.count) == [1, 1])
        #expect(catalog.codes == Self.notes)
        #expect(catalog.group(containing: Product.ID(Self.one))?.id == SubscriptionGroup.ID(Self.other))
        #expect(catalog.group(named: Self.other)?.id == SubscriptionGroup.ID(Self.other))
        #expect(catalog.features.map(\.id) == Self.both.map { Feature.ID($0) })
        #expect(catalog.feature(Feature.ID(Self.other))?.productIDs.count == 2)
        let resolution = EntitlementResolver(catalog: catalog, policy: EntitlementPolicy()).resolve(PurchaseHistory())
        #expect(resolution.groups.count == 2)
        #expect(resolution.group(Self.other)?.group.id == SubscriptionGroup.ID(Self.other))
        #expect(resolution.group(containing: Product.ID(Self.one))?.id == SubscriptionGroup.ID(Self.other))
    }

    @Test(
        "Texts that look alike differ as ids, whether or not they have the same length",
        arguments: [
            (one, other), ("K", "\u{212A}"), (";", "\u{37E}"), ("a\u{323}\u{307}", "a\u{307}\u{323}"),
            ("\u{E9}e\u{301}", "e\u{301}\u{E9}"), ("\u{212A}K", "K\u{212A}"), ("", "\u{0}"),
        ])
    func lookalikes(_ left: String, _ right: String) {
        #expect(Product.ID(left) != Product.ID(right) && Product.ID(right) != Product.ID(left))
        #expect(Product.ID(left) == Product.ID(String(left)) && Product.ID(right) == Product.ID(String(right)))
        #expect(Set([Product.ID(left), Product.ID(right)]).count == 2)
    }

    @Test("A property list may have both ids as keys")
    func propertyList() throws {
        let catalog = try CatalogFixtures.read(
            CatalogFixtures.plist(
                """
                <dict><key>products</key><array><dict><key>id</key><string>chest</string><key>grants</key>
                <dict><key>\(Self.one)</key><integer>5</integer><key>\(Self.other)</key><integer>7</integer></dict>
                </dict></array></dict>
                """))
        #expect(catalog.product("chest")?.grants == [Balance.ID(Self.one): 5, Balance.ID(Self.other): 7])
    }

    @Test("A product that grants both ids credits two balances in answers, in the ledger and in JSON")
    func grants() async throws {
        let text = """
            {"products":[{"id":"chest","type":"consumable","grants":{"\(Self.one)":5,"\(Self.other)":7}}]}
            """
        let catalog = try CatalogFixtures.read(text)
        #expect(catalog.product("chest")?.grants == [Balance.ID(Self.one): 5, Balance.ID(Self.other): 7])
        let draft = TransactionDraft.purchase(of: "chest", type: .consumable, at: .day(0), id: "1")
        let resolution = EntitlementResolver(catalog: catalog, policy: EntitlementPolicy())
            .resolve(try TestShop.history([draft]))
        #expect(resolution.balances.map { $0.totals(at: .day(1)).balance } == [7, 5], "by bytes e comes before é")
        #expect(resolution.balance(Balance.ID(Self.one))?.totals(at: .day(1)).balance == 5)
        #expect(resolution.balance(Balance.ID(Self.other))?.totals(at: .day(1)).balance == 7)
        let vault = InMemoryVault()
        _ = try await vault.commit(
            CommitBatch(
                customer: "anna", at: .day(1), facts: [draft.verifiedFact()], rule: LedgerRule(catalog: catalog)))
        let balances = try await vault.balances(of: "anna")
        #expect(balances.map(\.amount) == [7, 5])
        #expect(balances.map(\.id) == [Balance.ID(Self.other), Balance.ID(Self.one)])
        #expect(
            JSONText.members(["\(Self.one)": .integer(5), "\(Self.other)": .integer(7)]).text()
                == "{\"\(Self.other)\":7,\"\(Self.one)\":5}")
    }

    @Test("Products and balances that only the evidence names are separate, also when one arrives later")
    func evidence() throws {
        var drafts: [TransactionDraft] = []
        for (number, id) in Self.both.enumerated() {
            drafts += [
                .purchase(of: Product.ID(id), type: .consumable, at: .day(0), id: "\(10 + number)"),
                .purchase(of: "pass.\(id)", type: .nonRenewable, at: .day(0), id: "\(20 + number)"),
            ]
        }
        let resolver = EntitlementResolver(catalog: .empty, policy: EntitlementPolicy())
        let whole = resolver.resolve(try TestShop.history(drafts))
        #expect(whole.balances.map(\.id) == [Balance.ID(Self.other), Balance.ID(Self.one)])
        #expect(whole.balances.map { $0.totals(at: .day(1)).balance } == [1, 1])
        #expect(whole.products.map(\.id) == ["pass.\(Self.other)", "pass.\(Self.one)"])
        #expect(whole.text("pass.\(Self.one)", at: .day(1)) == "entitled owned 20")
        #expect(whole.text("pass.\(Self.other)", at: .day(1)) == "entitled owned 21")
    }

    @Test("A subscription lapses when it is changed to a product whose id only looks alike")
    func change() throws {
        let first = TransactionDraft.purchase(
            of: Product.ID(Self.one), type: .autoRenewable, at: .day(0), expires: .day(30), group: "21")
        let second = TransactionDraft.change(of: first, to: Product.ID(Self.other), at: .day(10), expires: .day(40))
        let resolution = EntitlementResolver(catalog: .empty, policy: EntitlementPolicy())
            .resolve(try TestShop.history([first, second]))
        #expect(resolution.text(Product.ID(Self.one), at: .day(9)) == "entitled active 1000")
        #expect(resolution.text(Product.ID(Self.one), at: .day(10)) == "lapsed upgraded 1000")
        #expect(resolution.text(Product.ID(Self.other), at: .day(10)) == "entitled active 1001")
        #expect(resolution.text(Product.ID(Self.one), at: .day(400)) == "lapsed upgraded 1000")
        #expect(resolution.text(Product.ID(Self.other), at: .day(400)) == "lapsed expired 1001")
        let groups = resolution.groups
        #expect(groups.count == 1)
    }
}
