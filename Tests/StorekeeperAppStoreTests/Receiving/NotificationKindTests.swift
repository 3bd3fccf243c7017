import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import StorekeeperSimulator
import StorekeeperTesting
import Synchronization
import Testing

/// Tests of the handling of each kind of notification, known or unknown.
struct NotificationKindTests {
    @Test func `Every kind that a simulated App Store sends is known`() {
        for kind in HappeningKind.allCases {
            guard let (type, subtype) = kind.notification else { continue }
            let known = NotificationKind(.init(rawValue: type), subtype.map(NotificationSubtype.init))
            #expect(known.isKnown, "\(known)")
        }
        #expect(NotificationKind.known.count == 43)
        #expect(!NotificationKind(.didRenew, .voluntary).isKnown)
        #expect(!NotificationKind(.init(rawValue: "MOON_LANDING")).isKnown)
    }

    @Test("A notification of an unknown kind is acknowledged, and its purchase counts")
    func unknown() async throws {
        let made = try HandmadeNotification()
        let seen = Mutex<[NotificationKind]>([])
        let receiver = made.receiver(NotificationHandlers(unknown: { note in seen.withLock { $0.append(note.kind) } }))
        let part = made.data(#""signedTransactionInfo":"\#(try made.transaction())""#, #""news":{"a":[1]}"#)
        let payload = try made.notification("MOON_LANDING", "SOFT", part: part)
        #expect(await receiver.receive(signedPayload: payload).word == "accepted")
        #expect(await receiver.receive(signedPayload: payload).word == "repeated")
        #expect(seen.withLock { $0 } == [NotificationKind(.init(rawValue: "MOON_LANDING"), .init(rawValue: "SOFT"))])
        #expect(try await made.pool.vault.parked(after: .start, limit: 10).rows.count == 1)
        // A notification of an unknown kind is also accepted if there is no handler, and if it has no signed part.
        let bare = try made.notification("MARS_LANDING", uuid: "b", part: made.data())
        #expect(await made.receiver().receive(signedPayload: bare).word == "accepted")
        #expect(try await made.pool.vault.seenNotifications(among: ["b"]) == ["b"])
    }

    @Test func `A test notification is acknowledged`() async throws {
        let made = try HandmadeNotification()
        let reply = await made.receiver().receive(
            signedPayload: try made.notification("TEST", part: made.data()))
        #expect(reply.word == "accepted")
        guard case .purchase(let purchase)? = reply.notification?.content else {
            Issue.record("the test notification has no data")
            return
        }
        #expect(purchase.transaction == nil)
    }

    @Test func `A notification without an id is accepted each time`() async throws {
        let made = try HandmadeNotification()
        let payload = try made.notification("TEST", uuid: nil, part: made.data())
        for _ in 0..<2 { #expect(await made.receiver().receive(signedPayload: payload).word == "accepted") }
    }

    @Test func `An extension summary is passed to its handler`() async throws {
        let made = try HandmadeNotification()
        let summaries = Mutex<[RenewalExtensionSummary]>([])
        let receiver = made.receiver(
            NotificationHandlers(extensionSummary: { summary, _ in summaries.withLock { $0.append(summary) } }))
        let payload = try made.notification(
            "RENEWAL_EXTENSION", "SUMMARY",
            part: """
                "summary":{"environment":"Production","bundleId":"com.example.game","productId":"gold",\
                "requestIdentifier":"r-1","storefrontCountryCodes":["USA","DEU"],"succeededCount":7,"failedCount":2}
                """)
        #expect(await receiver.receive(signedPayload: payload).word == "accepted")
        #expect(
            summaries.withLock { $0 } == [
                RenewalExtensionSummary(
                    productID: "gold", requestID: "r-1", storefronts: ["USA", "DEU"], succeeded: 7, failed: 2)
            ])
    }

    @Test func `An external purchase token is passed to its handler`() async throws {
        let made = try HandmadeNotification()
        let tokens = Mutex<[ExternalPurchaseToken]>([])
        let receiver = made.receiver(
            NotificationHandlers(externalPurchaseToken: { token, _ in tokens.withLock { $0.append(token) } }))
        for (id, environment) in [("abc", AppStore.Environment.production), ("SANDBOX_abc", .sandbox)] {
            let payload = try made.notification(
                "EXTERNAL_PURCHASE_TOKEN", "CREATED", uuid: id,
                part: """
                    "externalPurchaseToken":{"externalPurchaseId":"\(id)","tokenCreationDate":1772358000000,\
                    "bundleId":"com.example.game","tokenType":"ACQUISITION"}
                    """)
            let reply = await receiver.receive(signedPayload: payload)
            #expect(reply.word == "accepted")
            #expect(reply.notification?.environment == environment)
        }
        #expect(tokens.withLock { $0.map(\.id) } == ["abc", "SANDBOX_abc"])
        #expect(tokens.withLock { $0.map(\.createdAt) }.allSatisfy { $0 == Instant(clamped: 1_772_358_000_000) })
        #expect(tokens.withLock { $0.map(\.type) } == ["ACQUISITION", "ACQUISITION"])
    }

    @Test func `A rescinded consent is passed to its handler with the app transaction`() async throws {
        let made = try HandmadeNotification()
        let told = Mutex<[ReceivedNotification]>([])
        let receiver = made.receiver(
            NotificationHandlers(consentRescinded: { note in told.withLock { $0.append(note) } }))
        let app = try made.sign(
            """
            {"receiptType":"Production","appAppleId":1,"bundleId":"com.example.game","applicationVersion":"7",\
            "originalApplicationVersion":"1.0","receiptCreationDate":1772358600000}
            """)
        let payload = try made.notification(
            "RESCIND_CONSENT",
            part: """
                "appData":{"environment":"Production","bundleId":"com.example.game","signedAppTransactionInfo":"\(app)"}
                """)
        #expect(await receiver.receive(signedPayload: payload).word == "accepted")
        guard case .app(let transaction?)? = told.withLock({ $0.first?.content }) else {
            Issue.record("the app transaction is missing")
            return
        }
        #expect(transaction.bundleID == "com.example.game")
    }

    @Test func `The event of a rescinded consent belongs to the owner of the download`() async throws {
        let made = try HandmadeNotification()
        func app(_ id: String) throws -> String {
            try made.sign(
                """
                {"receiptType":"Production","appAppleId":1,"bundleId":"com.example.game","applicationVersion":"7",\
                "appTransactionId":"\(id)","originalApplicationVersion":"1.0","receiptCreationDate":1772358600000}
                """)
        }
        let own = try app("7")
        _ = try await made.pool.withStore("anna") { try await $0.ingest([own]) }
        for (id, text) in [("a", own), ("b", try app("8"))] {
            let payload = try made.notification(
                "RESCIND_CONSENT", uuid: id,
                part: """
                    "appData":{"environment":"Production","bundleId":"com.example.game",\
                    "signedAppTransactionInfo":"\(text)"}
                    """)
            #expect(await made.receiver().receive(signedPayload: payload).word == "accepted")
        }
        let events = try await made.pool.vault.events(after: .start, of: nil, limit: 10)
            .filter { $0.notification?.kind == .consentRescinded }
        #expect(events.map(\.customer) == ["anna", .nobody])
    }

    @Test func `Malformed members do not affect the other members`() async throws {
        let made = try HandmadeNotification()
        let part = made.data(
            #""status":"seven""#, #""consumptionRequestReason":4"#,
            #""signedTransactionInfo":"\#(try made.transaction())""#)
        let reply = await made.receiver().receive(signedPayload: try made.notification("ONE_TIME_CHARGE", part: part))
        #expect(reply.word == "accepted")
    }
}
