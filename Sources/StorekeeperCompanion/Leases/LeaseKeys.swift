import Crypto
import FoundationEssentials
import JWTKit
package import Storekeeper

/// The signing keys of leases.
///
/// The first key signs new leases, and leases that were signed with the other keys remain valid.
///
/// A key's id is its thumbprint, so that a key has the same id on every node.
///
/// - SeeAlso: RFC 7517, "JSON Web Key (JWK)"; RFC 7638, "JSON Web Key (JWK) Thumbprint".
public struct LeaseKeys: Sendable {
    /// The maximum lifetime of a lease, in milliseconds.
    public let life: Int64
    /// The public keys as a JSON Web Key Set, which the service publishes at `/.well-known/jwks.json`.
    package let published: PublishedKeys
    private let signing: JWTKeyCollection
    private let id: String

    /// The allowed values of the maximum lifetime, in milliseconds: from one second to one day.
    public static let lives: ClosedRange<Int64> = 1_000...86_400_000

    /// Parses private keys in PEM format.
    ///
    /// - Parameters:
    ///   - pem: One or more P-256 private keys in PEM, as PKCS#8 or SEC 1; the first key signs.
    ///   - life: The maximum lifetime of a lease, in milliseconds.
    /// - Throws: ``LeaseKeyFault`` if the lifetime is not allowed, or if a key cannot be used.
    public init(pem: String, life: Int64) async throws(LeaseKeyFault) {
        guard Self.lives.contains(life) else {
            throw LeaseKeyFault(
                "a lease must last from a second to a day; choose a short time, because leases cannot be revoked")
        }
        var keys: [P256.Signing.PrivateKey] = []
        for block in Self.blocks(of: pem) {
            guard let key = try? P256.Signing.PrivateKey(pemRepresentation: block) else {
                throw LeaseKeyFault(
                    "a key is not a P-256 private key in PEM; make one with 'storekeeper serve --new-lease-key'")
            }
            keys.append(key)
        }
        guard let first = keys.first else {
            throw LeaseKeyFault("no private key in PEM was found; make one with 'storekeeper serve --new-lease-key'")
        }
        self.life = life
        published = PublishedKeys(keys: keys.map { PublishedKeys.Key($0.publicKey) })
        id = PublishedKeys.Key(first.publicKey).thumbprint
        signing = JWTKeyCollection()
        do {
            await signing.add(ecdsa: try ES256PrivateKey(backing: first), kid: JWKIdentifier(string: id))
        } catch {
            throw LeaseKeyFault("a key cannot be used: \(error)")
        }
    }

    /// Returns a new private key in PEM format.
    public static func make() -> String { P256.Signing.PrivateKey().pemRepresentation }

    /// Signs a lease as a JWT with ES256.
    ///
    /// - Throws: An error of the cryptographic library, which does not occur in practice.
    func sign(_ lease: EntitlementLease) async throws -> String {
        try await signing.sign(lease, kid: JWKIdentifier(string: id))
    }

    // MARK: Keys

    private static func blocks(of pem: String) -> [String] {
        var blocks: [[Substring]] = []
        for line in pem.split(whereSeparator: \.isNewline) {
            // Some tools write curve parameters before a key; these parameters are not part of the key.
            if line.hasPrefix("-----BEGIN ") { blocks.append([]) }
            if !blocks.isEmpty { blocks[blocks.count - 1].append(line) }
        }
        return blocks.filter { $0.first?.contains("PRIVATE KEY") == true }.map { $0.joined(separator: "\n") }
    }
}

/// A JSON Web Key Set.
package struct PublishedKeys: JSONShaped {
    fileprivate let keys: [Key]

    package static let shape = JSONShape<Self>("KeySet", [.member("keys") { $0.keys }])

    fileprivate struct Key: JSONShaped {
        private let x: String
        private let y: String

        init(_ key: P256.Signing.PublicKey) {
            let bytes = Array(key.rawRepresentation)
            x = Base64URL.encode(Array(bytes.prefix(32)))
            y = Base64URL.encode(Array(bytes.dropFirst(32)))
        }

        /// The id of the key.
        var thumbprint: String {
            // RFC 7638 requires exactly these members, in lexicographic order and without spaces.
            let text = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
            return Base64URL.encode(Array(SHA256.hash(data: Array(text.utf8))))
        }

        static let shape = JSONShape<Self>(
            "PublicKey",
            [
                .member("kty") { _ in "EC" }, .member("crv") { _ in "P-256" }, .member("alg") { _ in "ES256" },
                .member("use") { _ in "sig" }, .member("kid") { $0.thumbprint }, .member("x") { $0.x },
                .member("y") { $0.y },
            ])
    }
}

/// The reason why lease keys cannot be used.
public struct LeaseKeyFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// A description of the failure and its remedy; the text never contains a key.
    public let description: String

    init(_ description: String) { self.description = description }
}
