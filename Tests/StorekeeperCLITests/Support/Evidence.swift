import Storekeeper
import StorekeeperJWS

/// Evidence signed for a test by a separate authority.
struct Evidence {
    let authority: LocalAuthority
    let signer: JWSSigner

    var rootPEM: String { authority.rootPEM }

    init() throws {
        authority = try LocalAuthority()
        signer = authority.makeSigner()
    }

    /// 2026-03-01T09:30:00Z in milliseconds since 1970.
    static let signedAt = 1_772_357_400_000

    static func transactionPayload(
        _ id: String = "2000", product: String = "gold.monthly", bundleID: String = "com.example.game",
        environment: String = "Production"
    ) -> String {
        #"{"bundleId":"\#(bundleID)","environment":"\#(environment)","inAppOwnershipType":"PURCHASED","#
            + #""originalTransactionId":"1000","productId":"\#(product)","purchaseDate":1772000000000,"#
            + #""signedDate":\#(signedAt),"transactionId":"\#(id)","type":"Non-Consumable"}"#
    }

    static let renewalPayload =
        #"{"autoRenewProductId":"gold.monthly","autoRenewStatus":1,"environment":"Production","#
        + #""originalTransactionId":"1000","productId":"gold.monthly","signedDate":\#(signedAt)}"#

    func sign(_ payload: String) throws -> String { try sign(Array(payload.utf8)) }

    func sign(_ payload: [UInt8]) throws -> String { try signer.sign(payload: payload) }

    func transaction(_ id: String = "2000", environment: String = "Production") throws -> String {
        try sign(Self.transactionPayload(id, environment: environment))
    }

    func renewalInfo() throws -> String { try sign(Self.renewalPayload) }

    func notification(transaction: String, renewalInfo: String) throws -> String {
        try sign(
            #"{"data":{"bundleId":"com.example.game","environment":"Production","#
                + #""signedRenewalInfo":"\#(renewalInfo)","signedTransactionInfo":"\#(transaction)"},"#
                + #""notificationType":"DID_RENEW","notificationUUID":"u","signedDate":\#(Self.signedAt),"#
                + #""version":"2.0"}"#)
    }

    /// Returns a JWS whose payload was replaced after signing, so that its signature is invalid.
    func tampered() throws -> String {
        let segments = try transaction().split(separator: ".")
        let other = try transaction("9999").split(separator: ".")
        return [segments[0], other[1], segments[2]].joined(separator: ".")
    }
}
