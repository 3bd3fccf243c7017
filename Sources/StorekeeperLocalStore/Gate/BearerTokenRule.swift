import FoundationEssentials
import JWTKit
package import Storekeeper

/// The rule of the App Store Server API for accepting bearer tokens.
///
/// - SeeAlso: Apple, "App Store Server API: Generating JSON Web Tokens for API requests".
package struct BearerTokenRule: Sendable {
    /// A key that signs tokens, such as a key from App Store Connect.
    package struct Key: Sendable {
        /// The key's id, which tokens name in their header.
        package let id: String
        /// The issuer that the key's tokens must name; `nil` accepts any issuer.
        package let issuerID: String?
        let publicKey: ES256PublicKey

        /// Creates a key from PEM text.
        ///
        /// - Parameters:
        ///   - pem: A PKCS#8 private key, such as the content of App Store Connect's `.p8` files, or a public key.
        ///   - id: The key's id.
        ///   - issuerID: The issuer that tokens must name; `nil` accepts any issuer.
        /// - Throws: An error if the text is not a P-256 key.
        package init(pem: String, id: String, issuerID: String?) throws {
            self.id = id
            self.issuerID = issuerID
            publicKey =
                pem.contains("PUBLIC KEY")
                ? try ES256PublicKey(pem: pem) : try ES256PrivateKey(pem: pem).publicKey
        }
    }

    /// The reason why a token is refused.
    package struct Refusal: Error, Hashable, Sendable {
        /// The reason, for developers who set up a client.
        package let reason: String
    }

    /// The tolerated difference between clocks, in seconds.
    private static let leeway: Double = 60
    /// The maximum lifetime of a token, in seconds.
    private static let longestLife: Double = 3600
    private static let audience = "appstoreconnect-v1"

    /// The accepted key; `nil` accepts every well-formed token without verifying its signature.
    let key: Key?
    let bundleIDs: Set<String>
    let clock: any StoreClock
    private let keys: JWTKeyCollection?

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - key: The key that tokens must be signed with; `nil` accepts any well-formed token.
    ///   - bundleIDs: The apps of the store.
    ///   - clock: The clock for the expiry of tokens, which is the machine's clock and not the simulated clock.
    package init(key: Key?, bundleIDs: some Sequence<String>, clock: any StoreClock) async {
        self.key = key
        self.bundleIDs = Set(bundleIDs)
        self.clock = clock
        if let key {
            keys = await JWTKeyCollection().add(ecdsa: key.publicKey, kid: JWKIdentifier(string: key.id))
        } else {
            keys = nil
        }
    }

    /// Returns the bundle id of the app that the token of a request names.
    ///
    /// - Parameter authorization: The value of the `Authorization` header.
    /// - Throws: ``Refusal`` if the token is not accepted.
    package func app(for authorization: String?) async throws(Refusal) -> String {
        guard let authorization else { throw Refusal(reason: "the request has no Authorization header") }
        guard authorization.hasPrefix("Bearer ") else { throw Refusal(reason: "the header is not 'Bearer TOKEN'") }
        let token = Array(authorization.dropFirst("Bearer ".count).utf8)
        let claims = try await claims(in: token)
        try check(claims)
        return claims.bid
    }

    private func claims(in token: [UInt8]) async throws(Refusal) -> Claims {
        let parser = DefaultJWTParser()
        let parsed: (header: JWTHeader, payload: Claims, signature: Data)
        do { parsed = try parser.parse(token, as: Claims.self) } catch {
            throw Refusal(reason: "the token is malformed, or lacks iss, aud, bid or exp")
        }
        guard parsed.header.alg == "ES256" else { throw Refusal(reason: "the token's alg is not ES256") }
        guard parsed.header.kid?.isEmpty == false else { throw Refusal(reason: "the token's header has no kid") }
        guard parsed.signature.count == 64 else {
            throw Refusal(reason: "the token's signature is not an ES256 signature")
        }
        guard let key, let keys else { return parsed.payload }
        guard parsed.header.kid == key.id else { throw Refusal(reason: "the token's kid is not that of the key") }
        if let issuerID = key.issuerID, parsed.payload.iss != issuerID {
            throw Refusal(reason: "the token's iss is not the issuer id")
        }
        do { return try await keys.verify(token, as: Claims.self) } catch {
            throw Refusal(reason: "the token's signature does not match the key")
        }
    }

    private func check(_ claims: Claims) throws(Refusal) {
        guard claims.aud.value == [Self.audience] else {
            throw Refusal(reason: "the token's aud is not \(Self.audience)")
        }
        guard bundleIDs.contains(claims.bid) else {
            throw Refusal(reason: "the token's bid does not match an app of this store")
        }
        let now = Double(clock.now.millisecondsSince1970) / 1000
        guard claims.exp.isFinite, claims.exp > now - Self.leeway else {
            throw Refusal(reason: "the token has expired")
        }
        if let issuedAt = claims.iat {
            guard issuedAt.isFinite, issuedAt <= now + Self.leeway else {
                throw Refusal(reason: "the token's iat is in the future")
            }
            guard claims.exp - issuedAt <= Self.longestLife else {
                throw Refusal(reason: "the token is valid for longer than an hour")
            }
        } else {
            guard claims.exp <= now + Self.longestLife + Self.leeway else {
                throw Refusal(reason: "the token is valid for longer than an hour")
            }
        }
    }

    /// The claims of a token.
    ///
    /// The times in the claims are numbers that may have a fraction.
    private struct Claims: JWTPayload {
        let iss: String
        let aud: AudienceClaim
        let bid: String
        let exp: Double
        let iat: Double?

        // `check(_:)` checks the claims, because claims must be checked even if no signature is verified.
        func verify(using algorithm: some JWTAlgorithm) {}
    }
}
