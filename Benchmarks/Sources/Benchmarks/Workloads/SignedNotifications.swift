import FoundationEssentials
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import StorekeeperTesting

/// Renewal notifications of the App Store: each contains a signed transaction and a signed renewal info.
struct SignedNotifications {
    static let customers = 2_000
    private let authority: LocalAuthority
    /// The notifications as compact JWS.
    let payloads: [String]
    /// The signed parts of each: a transaction and a renewal info.
    let parts: [[String]]

    /// Signs notifications for each customer in turn.
    init(count: Int) throws {
        authority = try LocalAuthority()
        let signer = authority.makeSigner()
        parts = try (0..<count).map { number in
            let customer = number % Self.customers
            return [
                try signer.sign(payload: Self.transaction(number, of: customer).payload),
                try signer.sign(payload: Self.info(number, of: customer).payload),
            ]
        }
        payloads = try parts.enumerated().map { number, parts in
            let signedAt = Instant.day(number / Self.customers * 30 + 31).millisecondsSince1970
            let payload = """
                {"notificationType":"DID_RENEW","version":"2.0","notificationUUID":"\(UUID().uuidString.lowercased())",\
                "signedDate":\(signedAt),"data":{"bundleId":"com.example.game","environment":"Production","status":1,\
                "signedTransactionInfo":"\(parts[0])","signedRenewalInfo":"\(parts[1])"}}
                """
            return try signer.sign(payload: Array(payload.utf8))
        }
    }

    var verifier: JWSVerifier {
        JWSVerifier(JWSVerifier.Configuration(roots: [authority.root], bundleID: "com.example.game"))
    }

    static func customer(_ number: Int) -> CustomerID { CustomerID(rawValue: "customer-\(number)") }

    private static func chain(of customer: Int) -> Transaction.ID {
        Transaction.ID(rawValue: "\(2_000_001_000_000 + customer)")
    }

    private static func transaction(_ number: Int, of customer: Int) -> TransactionDraft {
        let period = number / customers
        let id = Transaction.ID(rawValue: "\(2_000_100_000_000 + number)")
        var draft = TransactionDraft.purchase(
            of: SampleShop.subscriptions[customer % 4], at: .day(period * 30 + 31), id: id)
        draft.originalID = chain(of: customer)
        draft.webOrderLineItemID = "\(2_000_000_100_000_000 + number)"
        draft.appTransactionID = "\(704_897_469_903_000_000 + customer)"
        draft.price = 9990
        draft.currency = "USD"
        draft.reason = .renewal
        return draft
    }

    private static func info(_ number: Int, of customer: Int) -> RenewalInfoDraft {
        var draft = RenewalInfoDraft(originalID: chain(of: customer), signedAt: .day(number / customers * 30 + 31))
        draft.productID = SampleShop.subscriptions[customer % 4].id
        draft.autoRenewProductID = draft.productID
        draft.renewsAt = .day(number / customers * 30 + 61)
        draft.renewalPrice = 9990
        draft.currency = "USD"
        return draft
    }

    /// Claims the chains for the customers, as the app did at the purchase.
    static func claim(in vault: any TransactionalVault) async throws {
        try await concurrently(customers) { number in
            let chain = ChainID(
                bundleID: "com.example.game", environment: .production, originalID: chain(of: number))
            _ = try await vault.claim(.chain(chain), for: customer(number), at: .day(1))
        }
    }
}
