import Storekeeper
import StorekeeperAppStore
import StorekeeperTesting
import Testing

/// Tests of the events that pass notifications on, from the signed notification to the vault.
struct ReceivedEventTests {
    /// The notifications that have an event, with the type of the event.
    private static let types: [String: String] = [
        "CONSUMPTION_REQUEST": "consumptionRequest", "REFUND_DECLINED": "refundDeclined",
        "PRICE_INCREASE/PENDING": "priceIncrease", "PRICE_INCREASE/ACCEPTED": "priceIncrease",
        "DID_CHANGE_RENEWAL_PREF/INCREASE_QUANTITY": "seatsChanged",
        "DID_CHANGE_RENEWAL_PREF/DECREASE_QUANTITY": "seatsChanged", "REFUND/SEATS": "seatsChanged",
        "UNCLAIM_SEATS": "seatsUnclaimed", "RESCIND_CONSENT": "consentRescinded",
    ]

    /// Returns the events about notifications in a vault.
    private static func events(_ made: HandmadeNotification) async throws -> [StoreEvent] {
        try await made.pool.vault.events(after: .start, of: nil, limit: 1_000).filter { $0.notification != nil }
    }

    @Test("Each kind of notification has one event of its type for the owner of the purchase, or none")
    func kinds() async throws {
        let made = try HandmadeNotification()
        let transaction = try made.transaction()
        _ = try await made.pool.withStore("anna") { try await $0.ingest([transaction]) }
        let receiver = made.receiver()
        for kind in NotificationKind.known {
            let payload = try made.notification(
                kind.type.rawValue, kind.subtype?.rawValue, uuid: kind.description.lowercased(),
                part: made.data(#""signedTransactionInfo":"\#(transaction)""#))
            for word in ["accepted", "repeated"] {
                #expect(await receiver.receive(signedPayload: payload).word == word, "\(kind)")
            }
        }
        let events = try await Self.events(made)
        let found = Dictionary(grouping: events) { $0.notification?.name ?? "" }.mapValues { $0.map(\.type) }
        #expect(found == Self.types.mapValues { [$0] })
        #expect(events.allSatisfy { $0.customer == "anna" && $0.notification?.transactionID == "2000" })
    }

    @Test(
        "A consumption request has the customer's reason, and the time until which the App Store waits",
        arguments: [("Production", 43_200_000), ("Sandbox", 300_000)] as [(String, Int64)])
    func consumption(environment: String, wait: Int64) async throws {
        let made = try HandmadeNotification()
        let transaction = try made.transaction(environment: environment)
        _ = try await made.pool.withStore("anna") { try await $0.ingest([transaction]) }
        let payload = try made.notification(
            "CONSUMPTION_REQUEST",
            part: made.data(
                #""signedTransactionInfo":"\#(transaction)""#, #""consumptionRequestReason":"UNINTENDED_PURCHASE""#,
                environment: environment))
        #expect(await made.receiver().receive(signedPayload: payload).word == "accepted")
        let event = try #require(try await Self.events(made).first)
        let due = HandmadeNotification.signedAt.adding(milliseconds: wait)
        let object = try JSONReader().read(event.json.bytes()).root.object
        for (name, text) in [
            ("type", "consumptionRequest"), ("customer", "anna"), ("productID", "coins.100"),
            ("transactionID", "2000"), ("reason", "UNINTENDED_PURCHASE"), ("due", due.description),
        ] {
            #expect(object?[name]?.string == text, "\(name)")
        }
    }

    @Test("Ended seat claims reach subscribers, although the notification names no customer")
    func unclaimedSeats() async throws {
        let made = try HandmadeNotification()
        let claims = ["1B7B8E9C-0000-4000-8000-00000000000A", "1b7b8e9c-0000-4000-8000-00000000000b"]
        let payload = try made.notification(
            "UNCLAIM_SEATS",
            part: """
                "unclaimInfo":{"environment":"Production","bundleId":"com.example.game",\
                "unclaimSeatIds":["\(claims[0])","\(claims[1])"]}
                """)
        #expect(await made.receiver().receive(signedPayload: payload).word == "accepted")
        let events = try await Self.events(made)
        #expect(events.map(\.customer) == [.nobody] && events.map(\.type) == ["seatsUnclaimed"])
        #expect(events.first?.notification?.seatClaims == claims.map { $0.lowercased() })
    }
}
