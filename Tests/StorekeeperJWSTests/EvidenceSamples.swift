import Storekeeper
import StorekeeperJWS

/// Payloads and JWS for the tests.
///
/// A test passes only the members that it is about.
enum Sample {
    /// 2026-03-01T09:50:00Z, the signing date of every payload.
    static let signedAt = Instant(clamped: 1_772_358_600_000)
    static let bundleID = "com.example.game"
    static let appAppleID: Int64 = 1_234_567_890

    /// Members of a JSON object, each with its name and the JSON text of its value; `nil` omits the member.
    typealias Members = KeyValuePairs<String, String?>

    static func object(_ members: [(String, String)], changing changes: Members) -> [UInt8] {
        var members = members
        for (name, value) in changes {
            members.removeAll { $0.0 == name }
            if let value { members.append((name, value)) }
        }
        return Array("{\(members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ","))}".utf8)
    }

    static func transaction(_ changes: Members = [:]) -> [UInt8] {
        object(
            [
                ("transactionId", #""2000""#), ("originalTransactionId", #""1000""#),
                ("bundleId", #""com.example.game""#), ("productId", #""gold.monthly""#),
                ("purchaseDate", "1772358000000"), ("expiresDate", "1775036400000"), ("quantity", "1"),
                ("type", #""Auto-Renewable Subscription""#), ("inAppOwnershipType", #""PURCHASED""#),
                ("signedDate", "1772358600000"), ("environment", #""Production""#),
            ], changing: changes)
    }

    static func renewalInfo(_ changes: Members = [:]) -> [UInt8] {
        object(
            [
                ("originalTransactionId", #""1000""#), ("productId", #""gold.monthly""#),
                ("autoRenewProductId", #""gold.monthly""#), ("autoRenewStatus", "1"),
                ("signedDate", "1772358600000"), ("environment", #""Production""#),
            ], changing: changes)
    }

    static func appTransaction(_ changes: Members = [:]) -> [UInt8] {
        object(
            [
                ("receiptType", #""Production""#), ("appAppleId", "1234567890"), ("bundleId", #""com.example.game""#),
                ("applicationVersion", #""7""#), ("originalApplicationVersion", #""1.0""#),
                ("receiptCreationDate", "1772358600000"),
            ], changing: changes)
    }

    static func notification(data: Members = [:], _ changes: Members = [:]) -> [UInt8] {
        let data = object(
            [
                ("environment", #""Production""#), ("appAppleId", "1234567890"), ("bundleId", #""com.example.game""#),
            ], changing: data)
        return object(
            [
                ("notificationType", #""DID_RENEW""#), ("notificationUUID", #""0ab2f1a4-9c2e-4f3d-8b7a-1c2d3e4f5a6b""#),
                ("signedDate", "1772358600000"), ("data", String(decoding: data, as: UTF8.self)),
            ], changing: changes)
    }

    static func payload(_ kind: EvidenceKind) -> [UInt8] {
        switch kind {
        case .transaction: transaction()
        case .renewalInfo: renewalInfo()
        case .appTransaction: appTransaction()
        case .notification: notification()
        }
    }
}

/// An authority, its signer, and a verifier that trusts it.
struct Trust {
    let authority: LocalAuthority
    let signer: JWSSigner
    let verifier: JWSVerifier

    /// An instance for all tests that do not change it.
    ///
    /// It is shared because creating keys is slow.
    static let shared = Result { try Trust() }

    init(
        shape: LocalAuthority.Shape = LocalAuthority.Shape(), bundleID: String? = Sample.bundleID,
        environments: Set<AppStore.Environment> = [.production], revocation: (any RevocationChecker)? = nil
    ) throws {
        authority = try LocalAuthority(shape: shape)
        signer = authority.makeSigner()
        verifier = JWSVerifier(
            .init(
                roots: [authority.root], bundleID: bundleID, appAppleID: Sample.appAppleID,
                environments: environments, revocation: revocation))
    }

    func sign(_ payload: [UInt8] = Sample.transaction()) throws -> String { try signer.sign(payload: payload) }

    /// Signs with a header written as JSON, in which `X5C` is replaced by the certificates.
    func sign(header: String, _ payload: [UInt8] = Sample.transaction()) throws -> String {
        try signer.sign(header: header.replacing("X5C", with: x5c()), payload: payload)
    }

    /// Returns the certificates as JSON.
    func x5c() throws -> String { Self.x5c(try signer.certificates) }

    static func x5c(_ certificates: [[UInt8]]) -> String {
        String(JWSSigner.header(certificates: certificates).drop { $0 != "[" }.dropLast())
    }
}

extension CheckedEvidence {
    var code: VerificationError.Code? { error?.code }

    var kind: EvidenceKind? {
        switch self {
        case .transaction: .transaction
        case .renewalInfo: .renewalInfo
        case .appTransaction: .appTransaction
        case .notification: .notification
        case .unreadable: nil
        }
    }
}

/// The segments of a compact JWS, which tests change and join again.
struct Segments {
    var header: String
    var payload: String
    var signature: String

    init(_ jws: String) {
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        (header, payload, signature) = (parts[0], parts[1], parts[2])
    }

    var jws: String { "\(header).\(payload).\(signature)" }
}
