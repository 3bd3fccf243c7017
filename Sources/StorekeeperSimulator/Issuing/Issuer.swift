import FoundationEssentials
import Storekeeper
import StorekeeperJWS

/// Signs what somebody reads, when they read it: a story of a million events that nobody reads costs no signature.
struct Issuer: Sendable {
    private let signer: JWSSigner
    /// Signs what must not be believed.
    private let stranger: JWSSigner
    private let seed: UInt64

    init(authority: LocalAuthority, seed: UInt64) throws {
        signer = authority.makeSigner()
        stranger = try LocalAuthority(name: "Nobody's Root").makeSigner()
        self.seed = seed
    }

    /// A transaction as it was at a record.
    func transaction(_ place: Int32, in world: World, for device: UUID?) throws -> String {
        let record = world.records[Int(place)]
        let app = world.apps[Int(world.downloads[Int(record.download)].app)]
        return try sign(world.payload(ofTransaction: record), mark: UInt64(place), for: device, app: app)
    }

    /// A renewal info as it was at a record.
    func renewalInfo(_ place: Int32, in world: World, for device: UUID?) throws -> String {
        let record = world.renewalRecords[Int(place)]
        let app = world.apps[Int(world.lines[Int(record.line)].app)]
        return try sign(world.payload(ofRenewal: record), mark: UInt64(place) | 1 << 40, for: device, app: app)
    }

    /// The app transaction of a customer's download.
    func appTransaction(_ download: Int32, in world: World, for device: UUID?) throws -> String {
        let app = world.apps[Int(world.downloads[Int(download)].app)]
        return try sign(world.payload(ofDownload: download), mark: UInt64(download) | 2 << 40, for: device, app: app)
    }

    /// The notification that an entry of the journal causes; `nil` where it causes none.
    func notification(_ sequence: Int, in world: World) throws -> String? {
        let entry = world.journal[sequence]
        guard let kind = entry.kind.notification else { return nil }
        var data = try world.notificationData(of: entry)
        if let place = entry.transaction {
            data["signedTransactionInfo"] = .string(try transaction(place, in: world, for: nil))
        }
        if let place = entry.renewal {
            data["signedRenewalInfo"] = .string(try renewalInfo(place, in: world, for: nil))
        }
        var generator = SeededGenerator(seed: seed ^ UInt64(sequence) &* 0x9E37_79B9_7F4A_7C15 ^ 3 << 40)
        let body: [String: JSONText] = [
            "notificationType": .string(kind.type),
            "subtype": .text(kind.subtype),
            "notificationUUID": .string(generator.uuid().uuidString.lowercased()),
            "version": .string("2.0"),
            "signedDate": .date(world.signingDate(of: entry)),
            entry.kind == .extensionsSummarized ? "summary" : "data": .object(data),
        ]
        return try signer.sign(payload: JSONText.object(body).bytes())
    }

    private func sign(
        _ members: [String: JSONText], mark: UInt64, for device: UUID?, app: AppTable
    ) throws -> String {
        var members = members
        if let device {
            var generator = SeededGenerator(seed: seed ^ mark &* 0x9E37_79B9_7F4A_7C15)
            let nonce = generator.uuid()
            // Another device's mark where verification is made to fail on it.
            let isWrong = app.settings.simulatedErrors[.verification] == .invalidDeviceVerification
            let digest = DeviceVerification.digest(nonce: nonce, deviceID: isWrong ? nonce : device)
            members["deviceVerification"] = .string(StandardBase64.encode(digest))
            members["deviceVerificationNonce"] = .string(nonce.uuidString.lowercased())
        }
        switch app.settings.simulatedErrors[.verification] {
        case nil, .invalidDeviceVerification: return try signer.sign(payload: JSONText.object(members).bytes())
        case .revokedCertificate, .invalidCertificateChain:
            return try stranger.sign(payload: JSONText.object(members).bytes())
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
        let place = bytes.count - 20
        guard bytes.indices.contains(place) else { return jws }
        bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension World {
    /// When the notification of an entry is signed: no earlier than what is in it.
    fileprivate func signingDate(of entry: JournalEntry) -> Instant {
        let transaction = entry.transaction.map { records[Int($0)].signedAt } ?? entry.at
        let renewal = entry.renewal.map { renewalRecords[Int($0)].signedAt } ?? entry.at
        return max(entry.at, transaction, renewal)
    }

    /// What a notification says about its subject, without what is signed inside.
    ///
    /// - SeeAlso: Apple, "App Store Server Notifications: data" and "summary".
    fileprivate func notificationData(of entry: JournalEntry) throws -> [String: JSONText] {
        if entry.kind == .extensionsSummarized, let subject = entry.subject {
            let summary = extensionSummaries[Int(subject)]
            let app = apps[Int(summary.app)]
            return common(app).merging([
                "productId": .string(app.product(summary.product).id),
                "requestIdentifier": .string(summary.requestID),
                "storefrontCountryCodes": summary.storefronts.isEmpty
                    ? .null : .array(summary.storefronts.map(JSONText.string)),
                "succeededCount": .integer(Int64(summary.succeeded)),
                "failedCount": .integer(Int64(summary.failed)),
            ]) { $1 }
        }
        let app = apps[Int(entry.download.map { downloads[Int($0)].app } ?? 0)]
        var members = common(app)
        members["bundleVersion"] = .string(app.version)
        if entry.status > 0 { members["status"] = .integer(Int64(entry.status)) }
        if entry.kind == .refundRequested {
            members["consumptionRequestReason"] = .text(entry.note.map { notes[Int($0)] })
        }
        return members
    }

    private func common(_ app: AppTable) -> [String: JSONText] {
        [
            "environment": .string(environment.rawValue),
            "bundleId": .string(app.bundleID),
            "appAppleId": environment == .production ? .integer(app.appleID) : .null,
        ]
    }
}
