import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of events that pass on notifications.
struct NotificationEventTests {
    private static let notices = [
        StoreEvent.Notification(
            .consumptionRequest, name: "CONSUMPTION_REQUEST", uuid: "n-1", productID: "coins.500",
            transactionID: "2000", due: .day(1), details: "UNINTENDED_PURCHASE"),
        StoreEvent.Notification(.refundDeclined, name: "REFUND_DECLINED", uuid: "n-2", transactionID: "2000"),
        StoreEvent.Notification(.priceIncrease, name: "PRICE_INCREASE/PENDING", uuid: "n-3", productID: "gold.monthly"),
        StoreEvent.Notification(.seatsChanged, name: "REFUND/SEATS", uuid: nil, transactionID: "3000"),
        StoreEvent.Notification(.seatsUnclaimed, name: "UNCLAIM_SEATS", uuid: "n-5", details: "a1 b2"),
        StoreEvent.Notification(.consentRescinded, name: "RESCIND_CONSENT", uuid: "n-6", details: "700000000000000001"),
    ]

    @Test("A notification keeps its content as an event, in the vault and as JSON", arguments: notices)
    func content(notice: StoreEvent.Notification) async throws {
        let change = StoreEvent.Change(notice, at: .day(0))
        #expect(change.notification == notice)
        for customer in ["anna", .nobody] as [CustomerID] {
            let event = StoreEvent(place: FeedPlace(7), customer: customer, change: change)
            #expect(event.type == notice.kind.rawValue)
            let bytes = event.json.bytes()
            #expect(try JSONDecoder().decode(StoreEvent.self, from: Data(bytes)) == event)
            let object = try JSONReader().read(bytes).root.object
            #expect(object?["type"]?.string == notice.kind.rawValue)
            #expect(object?["notification"]?.string == notice.name)
            #expect(object?["customer"]?.string == (customer == .nobody ? nil : "anna"))
        }
    }

    @Test("The ids of unclaimed seats are a list; a change has no notification")
    func claims() throws {
        #expect(Self.notices[4].seatClaims == ["a1", "b2"])
        #expect(Self.notices[0].seatClaims.isEmpty)
        let answer = StoreEvent.Answer(word: "never", reason: "noPurchase")
        let change = StoreEvent.Change(at: .day(0), subject: .product("gold"), before: answer, after: answer)
        let event = StoreEvent(place: FeedPlace(7), customer: "anna", change: change)
        #expect(event.notification == nil && event.type == "change")
        #expect(try JSONDecoder().decode(StoreEvent.self, from: Data(event.json.bytes())) == event)
    }

    @Test("A notification is recorded once, for its customer or for nobody, and reaches subscribers of all customers")
    func once() async throws {
        let vault = InMemoryVault()
        let pool = StorePool(
            configuration: .init(store: StoreConfiguration(catalog: TestShop.catalog)), vault: vault,
            verifier: TestVerifier(), clock: VirtualClock(.day(1)))
        let unclaimed = Self.notices[4]
        for _ in 0..<2 { try await pool.note(unclaimed, about: nil, ofNotifications: ["n-5"]) }
        try await pool.note(Self.notices[1], about: "anna", ofNotifications: ["n-2"])
        let events = try await vault.events(after: .start, of: nil, limit: 10)
        #expect(events.compactMap(\.notification) == [unclaimed, Self.notices[1]])
        #expect(events.map(\.customer) == [.nobody, "anna"])
        #expect(try await vault.seenNotifications(among: ["n-5", "n-2"]) == ["n-5", "n-2"])
        // The notification changes no answer and no wake-up time.
        #expect(try await pool.withStore("anna") { $0.entitlement(for: TestShop.gold.id) } == .unknown(.neverSynced))
    }
}
