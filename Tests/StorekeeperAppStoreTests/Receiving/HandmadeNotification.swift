import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import StorekeeperTesting

/// Notifications from hand-written JSON, including notifications that a simulated App Store never sends.
struct HandmadeNotification {
    static let signedAt = Instant(clamped: 1_772_358_600_000)

    let authority: LocalAuthority
    let signer: JWSSigner
    let verifier: JWSVerifier
    let pool: StorePool
    let clock = VirtualClock(Self.signedAt)

    init(
        revocation: (any RevocationChecker)? = nil, vault: any TransactionalVault = InMemoryVault(),
        authority: LocalAuthority? = nil
    ) throws {
        let authority = try authority ?? LocalAuthority()
        self.authority = authority
        signer = authority.makeSigner()
        verifier = JWSVerifier(
            .init(
                roots: [authority.root], bundleID: "com.example.game", environments: [.production, .sandbox],
                revocation: revocation))
        let product = Product(id: "coins.100", type: .consumable, grants: ["coins": 100])
        pool = StorePool(
            configuration: .init(
                store: StoreConfiguration(catalog: Catalog(products: [product], groups: [], features: [])),
                readsHistories: false),
            vault: vault, verifier: verifier, clock: clock)
    }

    func sign(_ payload: String) throws -> String { try signer.sign(payload: Array(payload.utf8)) }

    func transaction(
        id: String = "2000", bundle: String = "com.example.game", environment: String = "Production",
        product: String = "coins.100", signer: JWSSigner? = nil
    ) throws -> String {
        try (signer ?? self.signer).sign(
            payload: Array(
                """
                {"transactionId":"\(id)","originalTransactionId":"\(id)","bundleId":"\(bundle)",\
                "productId":"\(product)","purchaseDate":1772358000000,"quantity":1,"type":"Consumable",\
                "inAppOwnershipType":"PURCHASED","signedDate":1772358600000,"environment":"\(environment)"}
                """.utf8))
    }

    func renewalInfo(originalID: String) throws -> String {
        try sign(
            """
            {"originalTransactionId":"\(originalID)","productId":"gold","autoRenewProductId":"gold",\
            "autoRenewStatus":1,"signedDate":1772358600000,"environment":"Production"}
            """)
    }

    /// Returns a signed notification that contains the given JSON members, such as `data`.
    func notification(
        _ type: String, _ subtype: String? = nil, uuid: String? = "0ab2f1a4-9c2e-4f3d-8b7a-1c2d3e4f5a6b", part: String
    ) throws -> String {
        let subtype = subtype.map { #""subtype":"\#($0)","# } ?? ""
        let uuid = uuid.map { #""notificationUUID":"\#($0)","# } ?? ""
        return try sign(
            #"{"notificationType":"\#(type)",\#(subtype)\#(uuid)"version":"2.0","signedDate":1772358600000,\#(part)}"#)
    }

    /// Returns the member `data` of a notification about purchases.
    func data(_ members: String..., environment: String = "Production") -> String {
        let common = [#""environment":"\#(environment)""#, #""bundleId":"com.example.game""#]
        return #""data":{\#((common + members).joined(separator: ","))}"#
    }

    func receiver(
        _ handlers: NotificationHandlers = NotificationHandlers(), limit: Duration = .seconds(5)
    ) -> NotificationReceiver {
        NotificationReceiver(.init(handlerLimit: limit), verifier: verifier, pool: pool, handlers: handlers)
    }
}
