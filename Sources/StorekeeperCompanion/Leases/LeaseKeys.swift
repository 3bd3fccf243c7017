import Crypto
import FoundationEssentials
import JWTKit
package import Storekeeper

/// The keys of leases: the first signs, the others are still believed.
///
/// A key's id is its thumbprint, so that all who hold one key name it alike.
///
/// - SeeAlso: RFC 7517, "JSON Web Key (JWK)"; RFC 7638, "JSON Web Key (JWK) Thumbprint".
public struct LeaseKeys: Sendable {
    /// How long a lease lasts at most, in milliseconds.
    public let life: Int64
    /// The public keys, as `/.well-known/jwks.json` has them.
    package let published: JSONText
    private let signing: JWTKeyCollection
    private let id: String

    /// How long a lease may last, in milliseconds: from a second to a day.
    public static let lives: ClosedRange<Int64> = 1_000...86_400_000

    /// Reads keys.
    ///
    /// - Parameters:
    ///   - pem: One or more P-256 private keys in PEM, PKCS#8 or SEC 1; the first signs.
    ///   - life: How long a lease lasts at most, in milliseconds.
    /// - Throws: ``LeaseKeyFault``.
    public init(pem: String, life: Int64) async throws(LeaseKeyFault) {
        guard Self.lives.contains(life) else {
            throw LeaseKeyFault("leases last from a second to a day; short ones are taken back sooner")
        }
        var keys: [P256.Signing.PrivateKey] = []
        for block in Self.blocks(of: pem) {
            guard let key = try? P256.Signing.PrivateKey(pemRepresentation: block) else {
                throw LeaseKeyFault(
                    "a key is no P-256 private key in PEM; make one with 'storekeeper serve --new-lease-key'")
            }
            keys.append(key)
        }
        guard let first = keys.first else {
            throw LeaseKeyFault("there is no private key in PEM; make one with 'storekeeper serve --new-lease-key'")
        }
        self.life = life
        published = .object(["keys": .array(keys.map { Self.published($0.publicKey) })])
        id = Self.thumbprint(first.publicKey)
        signing = JWTKeyCollection()
        do {
            await signing.add(ecdsa: try ES256PrivateKey(backing: first), kid: JWKIdentifier(string: id))
        } catch {
            throw LeaseKeyFault("a key cannot be used: \(error)")
        }
    }

    /// A new key, in PEM.
    public static func make() -> String { P256.Signing.PrivateKey().pemRepresentation }

    /// Signs a lease: a JWT, ES256.
    ///
    /// - Throws: What the cryptographic library throws; does not happen in practice.
    func sign(_ lease: EntitlementLease) async throws -> String {
        try await signing.sign(lease, kid: JWKIdentifier(string: id))
    }

    // MARK: Keys

    private static func blocks(of pem: String) -> [String] {
        var blocks: [[Substring]] = []
        for line in pem.split(whereSeparator: \.isNewline) {
            // Parameters of a curve, which some tools write before a key, are none of a key's.
            if line.hasPrefix("-----BEGIN ") { blocks.append([]) }
            if !blocks.isEmpty { blocks[blocks.count - 1].append(line) }
        }
        return blocks.filter { $0.first?.contains("PRIVATE KEY") == true }.map { $0.joined(separator: "\n") }
    }

    private static func coordinates(_ key: P256.Signing.PublicKey) -> (x: String, y: String) {
        let bytes = Array(key.rawRepresentation)
        return (Base64URL.encode(Array(bytes.prefix(32))), Base64URL.encode(Array(bytes.dropFirst(32))))
    }

    private static func published(_ key: P256.Signing.PublicKey) -> JSONText {
        let (x, y) = coordinates(key)
        return .object([
            "kty": .string("EC"), "crv": .string("P-256"), "alg": .string("ES256"), "use": .string("sig"),
            "kid": .string(thumbprint(key)), "x": .string(x), "y": .string(y),
        ])
    }

    private static func thumbprint(_ key: P256.Signing.PublicKey) -> String {
        let (x, y) = coordinates(key)
        // The members that make the key, by name, without spaces.
        let text = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
        return Base64URL.encode(Array(SHA256.hash(data: Array(text.utf8))))
    }
}

/// Why keys of leases cannot be used.
public struct LeaseKeyFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong and what to do; quotes no key.
    public let description: String

    init(_ description: String) { self.description = description }
}
