import Crypto
import FoundationEssentials
import StorekeeperEngine

/// Signs payloads as the App Store does, as a compact JWS with ES256 and three certificates in `x5c`.
///
/// ``LocalAuthority/makeSigner()`` creates a signer. The signer's key is never exported.
public struct JWSSigner: Sendable {
    enum Key: Sendable {
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
    }

    private struct Identity: Sendable {
        let key: Key
        let certificates: [[UInt8]]
        /// The header segment, which is the same for every payload.
        let header: String
    }

    private let identity: Result<Identity, any Error>

    init(key: Key, certificates: [[UInt8]]) {
        let header = Self.header(certificates: certificates)
        identity = .success(
            Identity(key: key, certificates: certificates, header: Base64URL.encode(Array(header.utf8))))
    }

    init(failure: any Error) { identity = .failure(failure) }

    /// Signs a payload.
    ///
    /// - Parameter payload: The JSON object as UTF-8, which is signed unchanged and unchecked.
    /// - Returns: The compact JWS.
    /// - Throws: Errors of the cryptographic library, which do not occur in practice.
    public func sign(payload: [UInt8]) throws -> String {
        let identity = try identity.get()
        return try Self.sign("\(identity.header).\(Base64URL.encode(payload))", with: identity.key)
    }

    /// Signs a payload with a header that the caller supplies.
    package func sign(header: String, payload: [UInt8]) throws -> String {
        let input = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(payload))"
        return try Self.sign(input, with: identity.get().key)
    }

    /// The certificates as DER: leaf, intermediate, root.
    package var certificates: [[UInt8]] {
        get throws { try identity.get().certificates }
    }

    /// Returns the header as JSON for an algorithm and certificates.
    package static func header(algorithm: String = "ES256", certificates: [[UInt8]]) -> String {
        let x5c = certificates.map { "\"\(StandardBase64.encode($0))\"" }.joined(separator: ",")
        return #"{"alg":"\#(algorithm)","x5c":[\#(x5c)]}"#
    }

    private static func sign(_ input: String, with key: Key) throws -> String {
        let bytes = Array(input.utf8)
        let signature =
            switch key {
            case .p256(let key): try key.signature(for: bytes).rawRepresentation
            case .p384(let key): try key.signature(for: bytes).rawRepresentation
            }
        return "\(input).\(Base64URL.encode(signature))"
    }
}
