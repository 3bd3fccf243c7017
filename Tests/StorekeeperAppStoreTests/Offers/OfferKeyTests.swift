import Crypto
import Foundation
import Storekeeper
import StorekeeperSimulator
import Testing

@testable import StorekeeperAppStore

@Suite("Offers signed by the app, verified by a simulated App Store") struct OfferKeyTests {
    private static let catalog = Catalog(
        products: [
            Product(
                id: "gold.monthly", type: .autoRenewable, price: Decimal(string: "9.99"),
                subscription: Product.SubscriptionInfo(
                    subscriptionGroupID: "1", groupLevel: 1, subscriptionPeriod: SubscriptionPeriod("P1M"),
                    offers: [
                        SubscriptionOffer(
                            kind: .promotional, id: "come.back", paymentMode: .payAsYouGo,
                            period: SubscriptionPeriod("P1M"), periodCount: 1, price: 2)
                    ]))
        ], groups: [SubscriptionGroup(id: "1", name: "Membership", productIDs: ["gold.monthly"])], features: [])

    private let secret = P256.Signing.PrivateKey()

    /// Returns a session with a customer whose subscription has ended.
    private func session() throws -> SimulatedSession {
        let session = try SimulatedSession(
            catalog: Self.catalog, bundleID: Fixture.bundleID, environment: .sandbox)
        try session.buyProduct(productIdentifier: "gold.monthly")
        try session.expireSubscription(productIdentifier: "gold.monthly")
        return session
    }

    private func offer(_ session: SimulatedSession, _ key: P256.Signing.PrivateKey) async throws -> PurchaseOption {
        let signer = OfferSigner(key: try Fixture.key(key), bundleID: Fixture.bundleID, clock: session.store.clock)
        return .promotionalOffer(id: "come.back", compactJWS: try await signer.promotionalOffer(OfferTests.offer))
    }

    @Test("An offer is accepted once, within 24 hours, if the app's key has signed it")
    func promotional() async throws {
        let session = try session()
        let key = try OfferKey(id: Fixture.keyID, pem: secret.publicKey.pemRepresentation)
        let backend = try session.store.backend(offerKey: key)
        let product = try #require(Self.catalog.products.first)
        func isAccepted(_ option: PurchaseOption, by backend: SimulatedBackend) async throws -> Bool {
            do {
                _ = try await backend.purchase(product, options: [option], for: session.customer)
                return true
            } catch let error as PurchaseError where error.code == .invalidOfferSignature {
                return false
            }
        }
        #expect(try await !isAccepted(offer(session, P256.Signing.PrivateKey()), by: backend))
        let other = try session.store.backend(
            offerKey: OfferKey(id: "OTHER", pem: secret.publicKey.pemRepresentation))
        #expect(try await !isAccepted(offer(session, secret), by: other))
        let (old, older) = (try await offer(session, secret), try await offer(session, secret))
        try session.advance(by: .seconds(86_400))
        #expect(try await isAccepted(old, by: backend))
        #expect(try await !isAccepted(old, by: backend))
        try session.advance(by: .seconds(1))
        #expect(try await !isAccepted(older, by: backend))
        // A backend without the key checks the content of the offer, and not its signature.
        #expect(try await isAccepted(older, by: session.store.backend()))
        #expect(session.allTransactions().filter { $0.state == .purchased }.count == 2)
    }

    @Test("An engine verifies offers with the key of Xcode's file")
    func configuration() async throws {
        let session = try session()
        let folder = FileManager.default.temporaryDirectory.appending(path: "storekeeper-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "Store.storekit")
        func write(_ pair: String) throws { try Data("{\"subscriptionOffersKeyPair\":\(pair)}".utf8).write(to: file) }
        let text = secret.derRepresentation.base64EncodedString()
        try write("{\"id\":\"\(Fixture.keyID)\",\"privateKey\":\"\(text)\"}")
        let store = try await session.openStore(offerKey: OfferKey(contentsOf: file))
        let product = try #require(Self.catalog.products.first)
        await #expect(throws: PurchaseError(.invalidOfferSignature, "")) {
            try await store.purchase(product, options: [offer(session, P256.Signing.PrivateKey())])
        }
        guard case .success = try await store.purchase(product, options: [offer(session, secret)]) else {
            Issue.record("the offer was not bought")
            return
        }
        for pair in ["null", "{}", #"{"id":"K","privateKey":"AAAA"}"#] {
            try write(pair)
            #expect(throws: SimulatorError.self) { try OfferKey(contentsOf: file) }
        }
        #expect(throws: SimulatorError.self) { try OfferKey(id: "K", pem: "garbage") }
    }
}
