import Storekeeper
import StorekeeperJWS
import StorekeeperTesting
import Testing

@testable import StorekeeperSimulator

/// Tests that compare the lists of happenings with all happenings of the store.
struct HappeningLawTests {
    @Test("The happenings of a customer are those about the customer and about the whole store")
    func lists() throws {
        let authority = try LocalAuthority(name: "Tests")
        checkProperty(
            "lists of happenings", cases: 30, generate: { GeneratedStory.make(&$0) }, shrink: \.smaller,
            describe: \.description
        ) { story in
            let store = try SimulatedAppStore(
                apps: GeneratedStory.apps.map { SimulatedApp(bundleID: $0, catalog: SampleStore.catalog) },
                environment: story.environment, start: story.start, authority: authority)
            for step in story.steps { store.play(step) }
            let all = store.happenings().reversed()
            for customer in [nil, "anna", "bert", "nobody"] as [CustomerID?] {
                for (includesStore, isOfNotifications) in [(true, false), (false, false), (false, true), (true, true)] {
                    var query = HappeningQuery()
                    (query.customer, query.includesStore) = (customer, includesStore)
                    query.isOfNotifications = isOfNotifications
                    let expected = all.filter { happening in
                        if isOfNotifications, happening.notification == nil { return false }
                        guard let customer else { return true }
                        return happening.customer == customer || includesStore && happening.customer == nil
                    }.map(\.id)
                    query.pageSize = .max / 2
                    let whole = store.listing(query)
                    guard whole.happenings.map(\.id) == expected, whole.count == expected.count else {
                        throw StoryFailure("\(query): \(whole.happenings.map(\.id)), not \(expected)")
                    }
                }
            }
            return true
        }
    }

    @Test("The next event is found without void events before it")
    func events() throws {
        let store = try SampleStore.make()
        for number in 0..<20 {
            let customer = CustomerID(rawValue: "customer-\(number)")
            try store.createAccount(customer)
            try store.buy("pro.monthly", by: customer)
            let transaction = try #require(store.transactions.last).id
            try store.refund(.id(transaction))
        }
        #expect(store.nextEvent == nil && store.read { $0.queue.peek } == nil)
    }
}
