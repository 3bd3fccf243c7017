import Storekeeper
import StorekeeperJWS
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of notifications about which the app's server must do something itself.
@Suite("Notifications that the service passes on", .system) struct CompanionNotificationTests {
    private static let claim = "11111111-1111-4111-8111-111111111111"

    /// Posts the payload of a notification as the App Store does.
    private static func post(_ payload: String, to shop: CompanionShop) async throws {
        let answer = try await shop.ask(
            "POST", "/apple/notifications", as: nil, body: JSONText.object(["signedPayload": .string(payload)]).text())
        #expect(answer.status == 200, "\(answer.text)")
    }

    /// Posts a withdrawn consent to a child's use of the app, after the download was presented for a customer.
    private static func rescindConsent(of customer: CustomerID, in shop: CompanionShop) async throws {
        let (signer, now) = (shop.authority.makeSigner(), shop.served.store.now.millisecondsSince1970)
        let app = try signer.sign(
            payload: Array(
                """
                {"receiptType":"Sandbox","bundleId":"\(ServedStore.bundleID)","applicationVersion":"7",\
                "appTransactionId":"77","originalApplicationVersion":"1.0","receiptCreationDate":\(now)}
                """.utf8))
        _ = try await shop.pool.withStore(customer) { try await $0.ingest([app]) }
        let payload = try signer.sign(
            payload: Array(
                """
                {"notificationType":"RESCIND_CONSENT","notificationUUID":"0ab2f1a4-9c2e-4f3d-8b7a-1c2d3e4f5a6b",\
                "version":"2.0","signedDate":\(now),"appData":{"environment":"Sandbox",\
                "bundleId":"\(ServedStore.bundleID)","signedAppTransactionInfo":"\(app)"}}
                """.utf8))
        try await post(payload, to: shop)
    }

    @Test("The event stream and webhooks deliver each notification with its documented type and its customer")
    func delivery() async throws {
        let shop = try await CompanionShop()
        for step in [
            "set grant refund requests no", "buy gold.monthly by anna", "seats gold.monthly by anna number 3",
            "claim seat gold.monthly by anna claim \(Self.claim)", "seats gold.monthly by anna number 2",
            "unclaim seats gold.monthly by anna claims \(Self.claim)", "buy coins.500 by anna",
            "request refund coins.500 by anna", "decline refund coins.500 by anna", "buy silver.monthly by bert",
            "price silver.monthly to 29.99 consent required",
        ] { try await shop.step(step) }
        for customer in ["anna", "bert"] as [CustomerID] { try await shop.ingest(customer) }
        for payload in try shop.served.store.notifications() { try await Self.post(payload, to: shop) }
        try await Self.rescindConsent(of: "anna", in: shop)

        let events = try await shop.vault.events(after: .start, of: nil, limit: 1_000)
            .filter { $0.notification != nil }
        let found = events.map { "\($0.type) \($0.notification?.name ?? "") \($0.customer.rawValue)" }
        #expect(
            found == [
                "seatsChanged DID_CHANGE_RENEWAL_PREF/INCREASE_QUANTITY anna",
                "seatsChanged DID_CHANGE_RENEWAL_PREF/DECREASE_QUANTITY anna", "seatsUnclaimed UNCLAIM_SEATS ",
                "consumptionRequest CONSUMPTION_REQUEST anna", "refundDeclined REFUND_DECLINED anna",
                "priceIncrease PRICE_INCREASE/PENDING bert", "consentRescinded RESCIND_CONSENT anna",
            ])
        for event in events {
            let message = try JSONReader().read(WebhookMessage(event).body).root.object
            #expect(message?["type"]?.string == event.type)
            let customer = message?["data"]?.object?["customer"]?.string
            #expect(customer == (event.customer == .nobody ? nil : event.customer.rawValue), "\(event.type)")
        }
        let unclaimed = try #require(events.first { $0.type == "seatsUnclaimed" })
        #expect(unclaimed.notification?.seatClaims == [Self.claim])
        try await shop.serving { port in
            let key = try #require(shop.bearers[.admin])
            let stream = try await RawConnection.send(
                ["GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(key)\r\n\r\n"], to: port,
                limit: .seconds(3))
            for event in events {
                let part = "event: \(event.type)\ndata: \(event.json.text())\n"
                #expect(stream.text.contains(part), "\(part) is missing in \(stream.text)")
            }
        }
    }
}
