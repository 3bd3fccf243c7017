import FoundationEssentials
import Storekeeper
import StorekeeperJWS

/// Signs what somebody reads, when they read it: a story of a million events that nobody reads costs no signature.
struct Issuer: Sendable {
    private let signer: JWSSigner
    /// Signs what must not be believed.
    private let untrustedSigner: JWSSigner
    private let seed: UInt64

    init(authority: LocalAuthority, seed: UInt64) throws {
        signer = authority.makeSigner()
        untrustedSigner = try LocalAuthority(name: "Nobody's Root").makeSigner()
        self.seed = seed
    }

    /// A transaction as it was at a record.
    ///
    /// - Parameter signedAt: When it is signed again, where that is later.
    func transaction(
        _ place: Place<TransactionRecord>, in world: World, for device: UUID?, signedAt: Instant? = nil
    ) throws -> String {
        var record = world.records[place]
        if let signedAt { record.signedAt = max(record.signedAt, signedAt) }
        return try sign(
            world.payload(of: record), number: UInt64(place.index), for: device,
            settings: world.app(of: record.download).settings)
    }

    /// A renewal info as it was at a record.
    ///
    /// - Parameter signedAt: When it is signed again, where that is later.
    func renewalInfo(
        _ place: Place<RenewalRecord>, in world: World, for device: UUID?, signedAt: Instant? = nil
    ) throws -> String {
        var record = world.renewalRecords[place]
        if let signedAt { record.signedAt = max(record.signedAt, signedAt) }
        return try sign(
            world.payload(of: record), number: UInt64(place.index) | 1 << 40, for: device,
            settings: world.apps[world.subscriptions[record.subscription].app].settings)
    }

    /// The app transaction of a customer's download.
    func appTransaction(_ download: Place<Download>, in world: World, for device: UUID?) throws -> String {
        try sign(
            world.payload(of: download), number: UInt64(download.index) | 2 << 40, for: device,
            settings: world.app(of: download).settings)
    }

    /// The notification that an entry of the journal causes; `nil` where it causes none.
    ///
    /// - Parameter flaw: What is wrong with it; `nil`: nothing.
    func notification(
        _ place: Place<JournalEntry>, in world: World, flaw: NotificationFlaw? = nil
    ) throws -> String? {
        let entry = world.journal[place]
        guard let kind = entry.kind.notification else { return nil }
        var data = world.notificationData(of: entry)
        if let record = entry.record {
            data["signedTransactionInfo"] = .string(try transaction(record, in: world, for: nil))
        }
        if let record = entry.renewalRecord {
            data["signedRenewalInfo"] = .string(try renewalInfo(record, in: world, for: nil))
        }
        switch flaw {
        case .bundle: data["bundleId"] = .string("com.example.another-app")
        case .environment:
            let isProduction = world.environment == .production
            data["environment"] = .string((isProduction ? AppStore.Environment.sandbox : .production).rawValue)
        case .signature, nil: break
        }
        let body: [String: JSONText] = [
            "notificationType": .string(kind.type),
            "subtype": .text(kind.subtype),
            "notificationUUID": .string(notificationID(place).uuidString.lowercased()),
            "version": .string("2.0"),
            "signedDate": .date(world.signingDate(of: entry)),
            entry.kind == .extensionsSummarized ? "summary" : "data": .object(data),
        ]
        let text = try signer.sign(payload: JSONText.object(body).bytes())
        return flaw == .signature ? Self.tampered(text) : text
    }

    /// The id of the notification that an entry of the journal causes.
    func notificationID(_ place: Place<JournalEntry>) -> UUID {
        var generator = generator(forDocument: UInt64(place.index), salt: 3 << 40)
        return generator.uuid()
    }

    /// What the nonce or the id of a document is drawn from.
    private func generator(forDocument number: UInt64, salt: UInt64 = 0) -> SeededGenerator {
        SeededGenerator(seed: seed ^ number &* 0x9E37_79B9_7F4A_7C15 ^ salt)
    }

    /// Signs a document, or what stands for it where verification is made to fail.
    ///
    /// - Parameters:
    ///   - members: What it says.
    ///   - number: A number that no other document has.
    ///   - device: The device that it is for; `nil`: a server.
    ///   - settings: The settings of the app.
    private func sign(
        _ members: [String: JSONText], number: UInt64, for device: UUID?, settings: AppSettings
    ) throws -> String {
        var members = members
        let failure = settings.simulatedErrors[.verification]
        if let device {
            var generator = generator(forDocument: number)
            let nonce = generator.uuid()
            // Another device's digest where verification is made to fail on it.
            let deviceID = failure == .invalidDeviceVerification ? nonce : device
            let digest = DeviceVerification.digest(nonce: nonce, deviceID: deviceID)
            members["deviceVerification"] = .string(StandardBase64.encode(digest))
            members["deviceVerificationNonce"] = .string(nonce.uuidString.lowercased())
        }
        switch failure {
        case nil, .invalidDeviceVerification: return try signer.sign(payload: JSONText.object(members).bytes())
        case .revokedCertificate, .invalidCertificateChain:
            return try untrustedSigner.sign(payload: JSONText.object(members).bytes())
        case .missingRequiredProperties:
            members["signedDate"] = .null
            members["receiptCreationDate"] = .null
            return try signer.sign(payload: JSONText.object(members).bytes())
        case .invalidEncoding: return try signer.sign(payload: JSONText.object(members).bytes()) + "="
        default: return Self.tampered(try signer.sign(payload: JSONText.object(members).bytes()))
        }
    }

    /// A signed text whose signature belongs to another.
    private static func tampered(_ jws: String) -> String {
        var bytes = Array(jws.utf8)
        // Somewhere inside the signature, so that only the signature is wrong.
        let index = bytes.count - 20
        guard bytes.indices.contains(index) else { return jws }
        bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        return String(decoding: bytes, as: UTF8.self)
    }
}
