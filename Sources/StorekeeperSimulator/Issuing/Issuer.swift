import FoundationEssentials
import Storekeeper
import StorekeeperJWS

/// Signs items only when they are read, so that no signature is computed for an item that is never read.
struct Issuer: Sendable {
    private let signer: JWSSigner
    private let seed: UInt64

    /// Signs items with an untrusted root, so that verifiers reject these items.
    ///
    /// The signer is created at the first use, because creating its keys takes a long time.
    private static let untrustedSigner = Result { try LocalAuthority(name: "Untrusted Root").makeSigner() }

    init(authority: LocalAuthority, seed: UInt64) {
        signer = authority.makeSigner()
        self.seed = seed
    }

    /// Returns the signed transaction for a record.
    ///
    /// - Parameter signedAt: The signing date to use if it is later than the signing date of the record.
    func transaction(
        _ place: RowIndex<TransactionRecord>, in world: World, for device: UUID?, signedAt: Instant? = nil
    ) throws -> String {
        var record = world.records[place]
        if let signedAt { record.signedAt = max(record.signedAt, signedAt) }
        return try sign(
            world.payload(of: record), number: UInt64(place.index), for: device,
            settings: world.app(of: record.download).settings)
    }

    /// Returns the signed renewal info for a record.
    ///
    /// - Parameter signedAt: The signing date to use if it is later than the signing date of the record.
    func renewalInfo(
        _ place: RowIndex<RenewalRecord>, in world: World, for device: UUID?, signedAt: Instant? = nil
    ) throws -> String {
        var record = world.renewalRecords[place]
        if let signedAt { record.signedAt = max(record.signedAt, signedAt) }
        return try sign(
            world.payload(of: record), number: UInt64(place.index) | 1 << 40, for: device,
            settings: world.apps[world.subscriptions[record.subscription].app].settings)
    }

    /// Returns the app transaction of a customer's download, signed now.
    func appTransaction(_ download: RowIndex<Download>, in world: World, for device: UUID?) throws -> String {
        try appTransaction(world.appTransaction(of: download), in: world, for: device)
    }

    /// Returns the signed app transaction for a record.
    func appTransaction(_ record: AppTransactionRecord, in world: World, for device: UUID?) throws -> String {
        try sign(
            world.payload(of: record), number: UInt64(record.download.index) | 2 << 40, for: device,
            settings: world.app(of: record.download).settings)
    }

    /// Returns the signed notification about a journal entry; `nil` if the App Store sends no notification about it.
    ///
    /// - Parameter flaw: The flaw that the notification has on purpose; `nil` for a valid notification.
    func notification(
        _ place: RowIndex<JournalEntry>, in world: World, flaw: NotificationFlaw? = nil
    ) throws -> String? {
        let entry = world.journal[place]
        guard let kind = entry.kind.notification else { return nil }
        var data = world.notificationData(of: entry)
        let isAboutSeats = entry.kind == .seatsUnclaimed
        if !isAboutSeats, let record = entry.record {
            data["signedTransactionInfo"] = .string(try transaction(record, in: world, for: nil))
        }
        if !isAboutSeats, let record = entry.renewalRecord {
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
            entry.kind == .extensionsSummarized ? "summary" : isAboutSeats ? "unclaimInfo" : "data": .object(data),
        ]
        let text = try signer.sign(payload: JSONText.object(body).bytes())
        return flaw == .signature ? Self.tampered(text) : text
    }

    /// Returns a compact JWS with content that need not be evidence.
    func sign(_ members: [String: JSONText]) throws -> String {
        try signer.sign(payload: JSONText.object(members).bytes())
    }

    /// Returns the id of the notification about a journal entry.
    func notificationID(_ place: RowIndex<JournalEntry>) -> UUID {
        var generator = generator(forDocument: UInt64(place.index), salt: 3 << 40)
        return generator.uuid()
    }

    /// Returns the random number generator for the nonce or the id of a document.
    private func generator(forDocument number: UInt64, salt: UInt64 = 0) -> SeededGenerator {
        SeededGenerator(seed: seed ^ number &* 0x9E37_79B9_7F4A_7C15 ^ salt)
    }

    /// Returns a signed document; if the app's settings simulate a verification failure, the document is invalid.
    ///
    /// - Parameters:
    ///   - members: The members of the payload.
    ///   - number: A number that is unique to the document.
    ///   - device: The device for which the document is made; `nil` for a server.
    ///   - settings: The settings of the app.
    private func sign(
        _ members: [String: JSONText], number: UInt64, for device: UUID?, settings: AppSettings
    ) throws -> String {
        var members = members
        let failure = settings.simulatedErrors[.verification]
        if let device {
            var generator = generator(forDocument: number)
            let nonce = generator.uuid()
            // Use another device's id if a failure of device verification is simulated.
            let deviceID = failure == .invalidDeviceVerification ? nonce : device
            let digest = DeviceVerification.digest(nonce: nonce, deviceID: deviceID)
            members["deviceVerification"] = .string(StandardBase64.encode(digest))
            members["deviceVerificationNonce"] = .string(nonce.uuidString.lowercased())
        }
        switch failure {
        case nil, .invalidDeviceVerification: return try signer.sign(payload: JSONText.object(members).bytes())
        case .revokedCertificate:
            return try RevokedCertificates.signer.get().sign(payload: JSONText.object(members).bytes())
        case .invalidCertificateChain:
            return try Self.untrustedSigner.get().sign(payload: JSONText.object(members).bytes())
        case .missingRequiredProperties:
            members["signedDate"] = .null
            members["receiptCreationDate"] = .null
            return try signer.sign(payload: JSONText.object(members).bytes())
        case .invalidEncoding: return try signer.sign(payload: JSONText.object(members).bytes()) + "="
        default: return Self.tampered(try signer.sign(payload: JSONText.object(members).bytes()))
        }
    }

    /// Returns a compact JWS with one changed character in its signature.
    private static func tampered(_ jws: String) -> String {
        var bytes = Array(jws.utf8)
        // Change a character inside the signature, so that only the signature is wrong.
        let index = bytes.count - 20
        guard bytes.indices.contains(index) else { return jws }
        bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        return String(decoding: bytes, as: UTF8.self)
    }
}
