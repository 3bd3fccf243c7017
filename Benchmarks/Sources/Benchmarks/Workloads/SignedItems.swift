import Crypto
import Foundation
import Storekeeper
import StorekeeperJWS
import StorekeeperTesting

/// Transactions signed by a local authority, with the inputs of plain signature checks.
struct SignedItems {
    private let authority: LocalAuthority
    var root: TrustedRoot { authority.root }
    /// Compact JWS, each of another transaction.
    let texts: [String]

    /// Signs transactions with all the members that the App Store writes.
    init(count: Int) throws {
        authority = try LocalAuthority()
        let signer = authority.makeSigner()
        texts = try (0..<count).map { try signer.sign(payload: Self.draft($0).payload) }
    }

    var configuration: JWSVerifier.Configuration {
        JWSVerifier.Configuration(roots: [root], bundleID: "com.example.game")
    }

    var items: [CompactJWS] { texts.compactMap { CompactJWS($0) } }

    /// Compact JWS, each with a separate leaf certificate, all from one intermediate.
    func underOtherLeaves(count: Int) throws -> [String] {
        try (0..<count).map { try authority.makeSigner().sign(payload: Self.draft($0).payload) }
    }

    private static func draft(_ number: Int) -> TransactionDraft {
        let id = Transaction.ID(rawValue: String(2_000_000_900_000_000 + number))
        var draft = TransactionDraft.purchase(of: SampleShop.subscriptions[0], at: .day(number % 300), id: id)
        draft.originalID = "2000000900000000"
        draft.webOrderLineItemID = String(2_000_000_100_000_000 + number)
        draft.appAccountToken = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
        draft.appTransactionID = "704897469903783919"
        draft.price = 9990
        draft.currency = "USD"
        draft.reason = number == 0 ? .purchase : .renewal
        return draft
    }
}

/// Signature checks of the cryptographic library alone: the whole message hashed, one key, no copies.
struct RawChecks {
    let key: P256.Signing.PublicKey
    /// The items, signed with the key.
    let texts: [String]
    private let messages: [(bytes: [UInt8], signature: P256.Signing.ECDSASignature)]

    /// Signs the same bytes as items.
    init(_ items: [String]) throws {
        let privateKey = P256.Signing.PrivateKey()
        key = privateKey.publicKey
        let signed = items.map { $0[..<($0.lastIndex(of: ".") ?? $0.endIndex)] }
        messages = try signed.map { (Array($0.utf8), try privateKey.signature(for: Array($0.utf8))) }
        texts = zip(signed, messages).map { "\($0).\($1.signature.rawRepresentation.base64URL)" }
    }

    var count: Int { messages.count }

    /// Checks every message.
    func run() throws { try run(0..<count) }

    /// Checks some of the messages.
    func run(_ range: Range<Int>) throws {
        guard messages[range].allSatisfy({ key.isValidSignature($0.signature, for: $0.bytes) }) else {
            throw BenchmarkError("a good signature was refused")
        }
    }

    func runOnAllCores() async throws {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        try await concurrently(cores, tasks: cores) { core in
            try run(count * core / cores..<count * (core + 1) / cores)
        }
    }
}

/// Signature checks of leaf certificates by the cryptographic library alone, with an intermediate's key.
struct RawLeafChecks {
    /// About as long as the signed part of a leaf certificate.
    private static let messageSize = 700
    private let key: P384.Signing.PublicKey
    private let messages: [(bytes: [UInt8], signature: P384.Signing.ECDSASignature)]

    init(count: Int) throws {
        let privateKey = P384.Signing.PrivateKey()
        key = privateKey.publicKey
        messages = try (0..<count).map { number in
            let bytes = (0..<Self.messageSize).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) }
            return (bytes, try privateKey.signature(for: bytes))
        }
    }

    /// Checks every message.
    func run() throws {
        guard messages.allSatisfy({ key.isValidSignature($0.signature, for: $0.bytes) }) else {
            throw BenchmarkError("a good signature was refused")
        }
    }
}
