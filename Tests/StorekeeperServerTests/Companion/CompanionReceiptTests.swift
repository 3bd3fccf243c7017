import Foundation
import HTTPTypes
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of receipts of the original StoreKit that are posted as transactions.
@Suite("Receipts that the service exchanges", .system) struct CompanionReceiptTests {
    /// Posts items of evidence for anna.
    private static func post(
        _ items: [String], as scope: Scope = .spend, in shop: CompanionShop
    ) async throws -> CompanionShop.Answer {
        try await shop.ask(
            "POST", "/v1/customers/anna/transactions", as: scope,
            body: JSONText.object(["transactions": .array(items.map(JSONText.string))]).text())
    }

    private static func answer(about product: String, in shop: CompanionShop) async throws -> String? {
        let answer = try await shop.ask("GET", "/v1/customers/anna/entitlements", as: .check)
        let rows = answer.document?["products"]?.array.map(Array.init) ?? []
        return rows.compactMap(\.object).first { $0["id"]?.string == product }?["answer"]?.string
    }

    /// Returns the failures in an answer.
    private static func failures(_ answer: CompanionShop.Answer) -> [String] {
        (answer.document?["failures"]?.array.map(Array.init) ?? []).compactMap(\.string)
    }

    /// Returns anna's app receipt.
    private static func receipt(in shop: CompanionShop) throws -> Data {
        Data(try shop.served.store.receipt(of: "anna"))
    }

    /// Returns a receipt that names one transaction and that no trusted authority has signed.
    private static func forged(_ id: String, app: String = ServedStore.bundleID) throws -> String {
        let content = AppReceipt(
            type: "ProductionSandbox", bundleID: app, createdAt: Instant(clamped: 1_800_000_000_000),
            purchases: [AppReceipt.Purchase(productID: "remove.ads", transactionID: Transaction.ID(id))])
        return Data(try LocalAuthority(name: "Another").makeReceiptSigner().sign(content)).base64EncodedString()
    }

    /// Returns the receipt of one transaction in the form of iOS 6.
    private static func transactionReceipt(_ id: String) -> String {
        let info = """
            { "bid" = "\(ServedStore.bundleID)"; "product-id" = "remove.ads"; "transaction-id" = "\(id)"; }
            """
        return """
            {
            \t"signature" = "AoBm";
            \t"purchase-info" = "\(Data(info.utf8).base64EncodedString())";
            \t"environment" = "Sandbox";
            }
            """
    }

    /// Serves the local App Store while a body runs.
    private static func serving(_ body: @escaping @Sendable (CompanionShop) async throws -> Void) async throws {
        let later = try LaterAppStore()
        let shop = try await CompanionShop(appStore: later.client)
        try await shop.step("buy gold.monthly by anna")
        try await shop.step("buy remove.ads by anna")
        try await shop.served.local.serving { url in
            later.set(url)
            try await body(shop)
        }
        try await later.close()
    }

    @Test("An app receipt is exchanged for the customer's history, which counts for the customer")
    func appReceipt() async throws {
        try await Self.serving { shop in
            let posted = try await Self.post([try Self.receipt(in: shop).base64EncodedString()], in: shop)
            #expect(posted.status == 200, "\(posted.text)")
            #expect(posted.document?["new"]?.int64 ?? 0 >= 2 && posted.document?["parked"]?.int64 == 0)
            #expect(Self.failures(posted).isEmpty && posted.document?["unverifiedReceipts"] == nil, "\(posted.text)")
            for product in ["gold.monthly", "remove.ads"] {
                #expect(try await Self.answer(about: product, in: shop) == "entitled", "\(product)")
            }
            // The same receipt as a text in lines of 76 characters, and in base64 twice.
            let receipt = try Self.receipt(in: shop)
            let twice = Data(receipt.base64EncodedString().utf8).base64EncodedString()
            for text in [receipt.base64EncodedString(options: [.lineLength76Characters]), twice] {
                let again = try await shop.ask(
                    "POST", "/v1/customers/anna/transactions", as: .spend, body: text, type: "text/plain")
                #expect(again.status == 200 && again.document?["parked"]?.int64 == 0, "\(again.text)")
                #expect(again.document?["items"]?.int64 == posted.document?["items"]?.int64, "\(again.text)")
            }
        }
    }

    @Test("A receipt that is not verified assigns purchases only if the caller may claim them")
    func unverified() async throws {
        try await Self.serving { shop in
            let id = try #require(shop.served.store.transactions.first { $0.productID == "remove.ads" }?.id.rawValue)
            for (receipt, code) in [
                (Self.transactionReceipt(id), "unsupportedAlgorithm"), (try Self.forged(id), "untrustedChain"),
                (Data(Self.transactionReceipt(id).utf8).base64EncodedString(), "unsupportedAlgorithm"),
            ] {
                let posted = try await Self.post([receipt], in: shop)
                let reasons = posted.document?["unverifiedReceipts"]?.array.map(Array.init)?.compactMap(\.string)
                #expect(posted.status == 200 && reasons == [code], "\(posted.text)")
                #expect(try await Self.answer(about: "remove.ads", in: shop) != "entitled", "\(code)")
            }
            // Nothing was lost: the purchases wait for their owner.
            let parked = try await shop.ask("GET", "/v1/parked").document?["parked"]?.array.map(Array.init) ?? []
            #expect(parked.contains { $0.object?["productID"]?.string == "remove.ads" })
            let claimed = try await Self.post([Self.transactionReceipt(id)], as: .admin, in: shop)
            #expect(claimed.status == 200 && claimed.document?["unverifiedReceipts"] == nil, "\(claimed.text)")
            #expect(try await Self.answer(about: "remove.ads", in: shop) == "entitled")
        }
    }

    @Test("A receipt that cannot be exchanged is refused with its reason, and other items still count")
    func refused() async throws {
        try await Self.serving { shop in
            let empty = Data(try shop.served.store.receipt(of: "bert")).base64EncodedString()
            let receipts = [
                (try Self.forged("1", app: "com.example.other"), "bundleMismatch", "com.example.other"),
                (empty, "noPurchase", "contains no purchase"),
                (try Self.forged("987654321"), "unknownTransaction", "has no transaction"),
                (Data([0x30, 0x03, 0x02, 0x01, 0x01]).base64EncodedString(), "malformed", ""),
            ]
            for (receipt, code, words) in receipts {
                let posted = try await Self.post([receipt], in: shop)
                #expect(posted.status == 422 && posted.problem == "notBelieved", "\(posted.text)")
                #expect(Self.failures(posted) == [code], "\(posted.text)")
                #expect(words.isEmpty || posted.document?["detail"]?.string?.contains(words) == true, "\(posted.text)")
            }
            let signed = try shop.served.store.evidence(of: "anna")
            let posted = try await Self.post(signed + receipts.map(\.0), in: shop)
            #expect(posted.status == 200, "\(posted.text)")
            #expect(Set(Self.failures(posted)) == Set(receipts.map(\.1)), "\(posted.text)")
            #expect(try await Self.answer(about: "gold.monthly", in: shop) == "entitled")
            let many = try await Self.post(Array(repeating: empty, count: 11), in: shop)
            #expect(many.status == 400 && many.problem == "badRequest", "\(many.text)")
        }
    }

    @Test("Without the App Store Server API a receipt is refused, and signed items in the same body count")
    func noAppStore() async throws {
        let shop = try await CompanionShop()
        try await shop.step("buy gold.monthly by anna")
        let receipt = try Self.receipt(in: shop).base64EncodedString()
        let posted = try await Self.post([receipt] + shop.served.store.evidence(of: "anna"), in: shop)
        #expect(posted.status == 422 && posted.problem == "noAppStore", "\(posted.text)")
        for part in ["a receipt of the original StoreKit", "APP_STORE_PRIVATE_KEY_FILE", "jwsRepresentation"] {
            #expect(posted.document?["detail"]?.string?.contains(part) == true, "\(part)")
        }
        #expect(try await Self.answer(about: "gold.monthly", in: shop) == "entitled")
    }

    @Test("While the App Store cannot be reached, the caller is told to send the receipt again")
    func unreachable() async throws {
        let later = try LaterAppStore()
        let shop = try await CompanionShop(appStore: later.client)
        try await shop.step("buy remove.ads by anna")
        let receipt = try Self.receipt(in: shop).base64EncodedString()
        let posted = try await Self.post([receipt], in: shop)
        #expect(posted.status == 503 && posted.problem == "appStoreUnavailable", "\(posted.text)")
        #expect(posted.fields[.retryAfter] == "10")
        try await shop.served.local.serving { url in
            later.set(url)
            let again = try await Self.post([receipt], in: shop)
            #expect(again.status == 200, "\(again.text)")
        }
        try await later.close()
        #expect(try await Self.answer(about: "remove.ads", in: shop) == "entitled")
    }
}
