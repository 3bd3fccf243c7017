import Storekeeper
import StorekeeperSimulator
import StorekeeperTesting
import Testing

/// Tests of the commands that a generator makes for a catalog.
struct CommandGeneratorTests {
    private static let generator = CommandGenerator(
        catalog: Catalog(
            products: [
                Product(id: "remove.ads", type: .nonConsumable),
                Product(id: "coins.100", type: .consumable, grants: ["coins": 100]),
                Product(
                    id: "gold.monthly", type: .autoRenewable,
                    subscription: Product.SubscriptionInfo(
                        subscriptionGroupID: "21", subscriptionPeriod: SubscriptionPeriod("P1M"))),
            ], groups: [SubscriptionGroup(id: "21", productIDs: ["gold.monthly"])], features: []),
        customers: ["anna", "bert"])

    private static func commands(seed: UInt64) -> [SimulatorCommand] {
        var random = SplitMix64(seed: seed)
        return generator.commands(count: 20...40, using: &random)
    }

    @Test("Equal seeds give equal commands, and most commands are not refused")
    func performed() throws {
        var (performed, refused) = (0, 0)
        for seed in 0..<20 as Range<UInt64> {
            let commands = Self.commands(seed: seed)
            #expect(commands == Self.commands(seed: seed))
            let app = SimulatedApp(bundleID: "com.example.game", catalog: Self.generator.catalog)
            let store = try SimulatedAppStore(apps: [app], seed: seed)
            for command in commands {
                do throws(SimulatorError) {
                    try store.perform(command)
                    performed += 1
                } catch { refused += 1 }
            }
        }
        #expect(performed > refused, "\(performed) performed, \(refused) refused")
    }

    @Test("Smaller lists lack a part of the commands")
    func smaller() {
        let commands = Self.commands(seed: 1)
        #expect(commands.smaller.allSatisfy { $0.count < commands.count })
        #expect(Array(commands.prefix(2)).smaller == [[commands[1]], [commands[0]]])
        #expect(Array(commands.prefix(1)).smaller == [])
        #expect([SimulatorCommand]().smaller == [])
    }

    @Test("Nothing but accounts is made for a catalog without products")
    func empty() {
        var random = SplitMix64(seed: 1)
        let generator = CommandGenerator(catalog: .empty, customers: ["anna"])
        let commands = generator.commands(using: &random)
        #expect(commands == [.createAccount("anna", storefront: nil)])
    }
}
