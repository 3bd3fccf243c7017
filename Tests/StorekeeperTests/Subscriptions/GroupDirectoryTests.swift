import Storekeeper
import StorekeeperTesting
import Testing

@Suite("The identity of subscription groups") struct GroupDirectoryTests {
    /// A product list that names its group by a word.
    ///
    /// The `.storekit` file has the App Store's id of the same group.
    private static let list = CatalogFile(
        name: "list.json",
        bytes: Array(
            #"{"subscriptions":[{"group":"membership","products":["gold.monthly","silver.monthly"]}]}"#.utf8))
    private static let store = CatalogFile(
        name: "Store.storekit",
        bytes: Array(
            """
            {"version":{"major":3,"minor":0},"subscriptionGroups":[{"id":"21","name":"Club","subscriptions":[
              {"productID":"gold.monthly","type":"RecurringSubscription","groupNumber":1,
               "recurringSubscriptionPeriod":"P1M","displayPrice":"9.99","internalID":"A"}]}]}
            """.utf8))

    private func resolution(
        _ files: [CatalogFile], _ transactions: [TransactionDraft] = [],
        environments: [AppStore.Environment] = [.production]
    ) throws -> Resolution {
        let policy = EntitlementPolicy(
            environments: Dictionary(uniqueKeysWithValues: environments.map { ($0, .grant) }))
        return EntitlementResolver(catalog: try Catalog(reading: files), policy: policy)
            .resolve(try TestShop.history(transactions))
    }

    private func purchase(
        _ product: Product.ID = "gold.monthly", group: SubscriptionGroup.ID?, id: Transaction.ID = "1000"
    ) -> TransactionDraft {
        .purchase(of: product, type: .autoRenewable, at: .day(0), expires: .month(1), group: group, id: id)
    }

    /// Returns the groups as `id name: products`.
    private func text(_ resolution: Resolution) -> [String] {
        resolution.groups.map { timeline in
            "\(timeline.group.id) \(timeline.group.name ?? "-"): \(timeline.group.productIDs.map(\.rawValue).joined(separator: " "))"
        }
    }

    @Test("A group takes the list's word if nothing better is known")
    func word() throws {
        let resolution = try resolution([Self.list])
        #expect(text(resolution) == ["membership -: gold.monthly silver.monthly"])
        #expect(resolution.group("membership")?.group.id == "membership")
    }

    @Test(
        "A group prefers the id of the store file, and keeps its name and the list's word as names",
        arguments: [false, true])
    func storeFile(isListFirst: Bool) throws {
        let resolution = try resolution(isListFirst ? [Self.list, Self.store] : [Self.store, Self.list])
        #expect(resolution.groups.map(\.group.id) == ["21"])
        #expect(resolution.groups.first?.group.name == "Club")
        #expect(Set(resolution.groups.first?.group.productIDs ?? []) == ["gold.monthly", "silver.monthly"])
        for name in ["21", "Club"] { #expect(resolution.group(name)?.group.id == "21") }
    }

    @Test("A group prefers the id in the evidence, and the list's word becomes its name, by which it is still found")
    func evidence() throws {
        let resolution = try resolution([Self.list], [purchase(group: "99")])
        #expect(text(resolution) == ["99 membership: gold.monthly silver.monthly"])
        for name in ["99", "membership"] { #expect(resolution.group(name)?.group.id == "99") }
        #expect(resolution.group(containing: "silver.monthly")?.id == "99")
        #expect(resolution.group("99")?.highest(at: .day(1))?.transaction.productID == "gold.monthly")
    }

    @Test("A group prefers the id in the evidence to that of the store file, by which it is still found")
    func evidenceBeatsStoreFile() throws {
        let resolution = try resolution([Self.store], [purchase(group: "99")])
        #expect(text(resolution) == ["99 Club: gold.monthly"])
        for name in ["99", "21", "Club"] { #expect(resolution.group(name)?.group.id == "99") }
    }

    @Test("Groups that share a product are one group, also if only the evidence shows it")
    func shared() throws {
        let two = CatalogFile(
            name: "two.json",
            bytes: Array(
                """
                {"subscriptions":[{"group":"a","products":["gold.monthly"]},{"group":"b","products":["silver.monthly"]}]}
                """.utf8))
        #expect(text(try resolution([two])) == ["a -: gold.monthly", "b -: silver.monthly"])
        let united = try resolution(
            [two], [purchase(group: "7"), purchase("silver.monthly", group: "7", id: "2000")])
        #expect(united.groups.map(\.group.id) == ["7"])
        for name in ["7", "a", "b"] { #expect(united.group(name)?.group.id == "7") }
        #expect(united.groups.first?.statuses(at: .day(1)).count == 2)
    }

    @Test("The products of one chain are in one group, also a product that is in no list")
    func chain() throws {
        let gold = purchase(group: "7")
        let platinum = with(TransactionDraft.renewal(of: gold, expires: .month(2))) {
            $0.productID = "platinum.monthly"
            $0.subscriptionGroupID = nil
        }
        let resolution = try resolution([Self.list], [gold, platinum])
        #expect(text(resolution) == ["7 membership: gold.monthly silver.monthly platinum.monthly"])
    }

    @Test("If two environments have different ids for a group, it has the one of production")
    func environments() throws {
        let sandbox = purchase(group: "11", id: "1").made(in: .sandbox)
        let production = purchase("silver.monthly", group: "99", id: "2")
        for order in [[sandbox, production], [production, sandbox]] {
            let resolution = try resolution([Self.list], order, environments: [.production, .sandbox])
            #expect(text(resolution) == ["99 membership: gold.monthly silver.monthly"])
        }
        #expect(
            text(try resolution([Self.list], [sandbox], environments: [.production, .sandbox])) == [
                "11 membership: gold.monthly silver.monthly"
            ])
        #expect(
            text(try resolution([Self.list], [sandbox])) == ["membership -: gold.monthly silver.monthly"],
            "a refused environment does not name the group")
    }

    @Test("A group with several ids in one environment has the lowest of them, in any order")
    func severalIDs() throws {
        let drafts = [purchase(group: "8", id: "1"), purchase(group: "7", id: "2")]
        for order in [drafts, drafts.reversed()] {
            #expect(try resolution([], order).groups.map(\.group.id) == ["7"])
        }
    }

    @Test("A product without a named group has no group")
    func none() throws {
        let resolution = try resolution([], [purchase(group: nil)])
        #expect(resolution.groups.isEmpty)
        #expect(resolution.group(containing: "gold.monthly") == nil)
        #expect(resolution.text("gold.monthly", at: .day(1)) == "entitled active 1000")
    }

    @Test("Each group is found by its own word only")
    func words() throws {
        let file = CatalogFile(
            name: "words.json",
            bytes: Array(
                #"{"subscriptions":[{"group":"x","products":["p"]},{"group":"y","products":["q"]}]}"#.utf8))
        let resolution = try resolution([file], [purchase("p", group: "z"), purchase("q", group: "w", id: "2")])
        #expect(resolution.group("x")?.group.id == "z")
        #expect(resolution.group("y")?.group.id == "w")
        #expect(resolution.group("nobody") == nil)
    }
}
