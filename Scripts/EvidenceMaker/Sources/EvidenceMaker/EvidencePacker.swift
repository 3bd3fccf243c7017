import Storekeeper
import StorekeeperJWS
import StorekeeperTesting

/// Writes a story's records as the App Store, or a device, would deliver them.
struct EvidencePacker {
    private let app: App
    private let story: Story
    private let signer: JWSSigner
    /// The compact JWS of each record, by its name: a record is signed once.
    private let signed: [String: String]

    /// Signs the records of a story.
    ///
    /// - Throws: ``DescriptionError`` if a record would fail verification.
    init(_ story: Story, app: App, signer: JWSSigner, verifier: JWSVerifier) throws {
        self.app = app
        self.story = story
        self.signer = signer
        signed = try Dictionary(
            uniqueKeysWithValues: story.records.map { record in
                let jws = try signer.sign(payload: record.payload.json)
                // A story may contain records that a production app refuses.
                if let error = verifier.verify(jws).error, error.code != .environmentRefused {
                    throw DescriptionError("\(record.name): \(error.message)", file: story.file)
                }
                return (record.name, jws)
            })
    }

    /// Returns the lines of the evidence file.
    func lines() throws -> [String] { try story.evidence.flatMap(lines(of:)) }

    private func lines(of entry: DescriptionNode) throws -> [String] {
        let members = try entry.members()
        guard members.count == 1, let (shape, content) = members.first else {
            throw entry.error("expected one of \(Self.shapes.joined(separator: ", "))")
        }
        switch shape {
        case "transaction": return [try jws(content, .transaction)]
        case "renewalInfo": return [try jws(content, .renewalInfo)]
        case "appTransaction": return [try jws(content, .appTransaction)]
        case "list": return [JSONText.array(try content.elements().map { .string(try jws($0)) }).text()]
        case "history": return [try history(content).text()]
        case "statuses": return [try statuses(content).text()]
        case "notification": return [try notification(content).text()]
        case "everything": return try everything(content)
        default: throw content.error("not known; use one of \(Self.shapes.joined(separator: ", "))")
        }
    }

    private static let shapes = [
        "transaction", "renewalInfo", "appTransaction", "list", "history", "statuses", "notification", "everything",
    ]

    // MARK: Answers of the App Store Server API

    /// Returns a page of Get Transaction History.
    private func history(_ content: DescriptionNode) throws -> JSONText {
        .object([
            "appAppleId": .integer(app.appAppleID), "bundleId": .string(app.bundleID),
            "environment": .string("Production"),
            "hasMore": .bool(false), "revision": .string("\(story.signedAt.millisecondsSince1970)_1"),
            "signedTransactions": .array(try content.elements().map { .string(try jws($0, .transaction)) }),
        ])
    }

    /// Returns a response of Get All Subscription Statuses.
    private func statuses(_ content: DescriptionNode) throws -> JSONText {
        var groups: [(id: String, statuses: [JSONText])] = []
        for entry in try content.elements() {
            let (members, transaction) = try subscription(entry, beside: ["status"])
            guard let status = try members["status"]?.number() else { throw entry.error("status is missing") }
            guard let groupID = transaction.payload.text("subscriptionGroupIdentifier") else {
                throw entry.error("\(transaction.name) is not a subscription")
            }
            var text = try signedParts(members)
            text["status"] = .integer(status)
            text["originalTransactionId"] = .text(transaction.payload.text("originalTransactionId"))
            if let index = groups.firstIndex(where: { $0.id == groupID }) {
                groups[index].statuses.append(.object(text))
            } else {
                groups.append((groupID, [.object(text)]))
            }
        }
        return .object([
            "appAppleId": .integer(app.appAppleID), "bundleId": .string(app.bundleID),
            "environment": .string("Production"),
            "data": .array(
                groups.map {
                    .object(["subscriptionGroupIdentifier": .string($0.id), "lastTransactions": .array($0.statuses)])
                }),
        ])
    }

    /// Returns a notification of the App Store.
    private func notification(_ content: DescriptionNode) throws -> JSONText {
        let known: Set<String> = ["notificationType", "subtype", "notificationUUID", "signedDate", "status"]
        let (members, transaction) = try subscription(content, beside: known)
        guard let type = members["notificationType"] else { throw content.error("notificationType is missing") }
        var data = try signedParts(members)
        data["appAppleId"] = .integer(app.appAppleID)
        data["bundleId"] = .string(app.bundleID)
        data["environment"] = .text(transaction.payload.text("environment"))
        data["status"] = .whole(try members["status"]?.number())
        let signedAt = try members["signedDate"]?.instant() ?? story.signedAt
        let payload = JSONText.object([
            "notificationType": .string(try type.text()),
            "subtype": .text(try members["subtype"]?.text()),
            "notificationUUID": .text(try members["notificationUUID"]?.text()),
            "version": .string("2.0"),
            "signedDate": .integer(signedAt.millisecondsSince1970),
            "data": .object(data),
        ])
        return .object(["signedPayload": .string(try signer.sign(payload: payload.bytes()))])
    }

    /// Returns the members of a status or notification, and its transaction.
    private func subscription(
        _ entry: DescriptionNode, beside known: Set<String>
    ) throws -> (members: [String: DescriptionNode], transaction: Record) {
        let members = try entry.members(among: known.union(["transaction", "renewalInfo"]))
        guard let transaction = members["transaction"] else { throw entry.error("transaction is missing") }
        return (members, try record(transaction, .transaction))
    }

    private func signedParts(_ members: [String: DescriptionNode]) throws -> [String: JSONText] {
        [
            "signedTransactionInfo": .text(try members["transaction"].map { try jws($0, .transaction) }),
            "signedRenewalInfo": .text(try members["renewalInfo"].map { try jws($0, .renewalInfo) }),
        ]
    }

    // MARK: Everything

    /// Returns every record as a separate line, repeated several times, in an order determined by a seed.
    private func everything(_ content: DescriptionNode) throws -> [String] {
        let members = try content.members(among: ["copies", "seed"])
        guard let copies = try members["copies"]?.number(), (1...100).contains(copies) else {
            throw content.error("copies, from 1 to 100, is missing")
        }
        guard let seed = try members["seed"]?.number() else { throw content.error("seed is missing") }
        let lines = story.records.compactMap { signed[$0.name] }
        var order = SplitMix64(seed: UInt64(bitPattern: seed))
        return (0..<copies).flatMap { _ in lines }.shuffled(using: &order)
    }

    // MARK: Names

    private func record(_ name: DescriptionNode, _ kind: EvidenceKind? = nil) throws -> Record {
        let text = try name.text()
        guard let record = story.records.first(where: { $0.name == text && $0.kind == kind ?? $0.kind }) else {
            throw name.error("no \(kind?.rawValue ?? "record") is named \(text)")
        }
        return record
    }

    private func jws(_ name: DescriptionNode, _ kind: EvidenceKind? = nil) throws -> String {
        guard let jws = signed[try record(name, kind).name] else { throw name.error("was not signed") }
        return jws
    }
}
