public import Crypto
import FoundationEssentials
import Storekeeper

/// The private key that an app's server uses to sign tokens and offers, with the ids of the key and its issuer.
///
/// App Store Connect offers the key for download only once, as a file `SubscriptionKey_….p8`. The file contains a P-256
/// key in PKCS #8, encoded as PEM. The package never logs or stores the private key; a description shows only the ids.
///
/// - SeeAlso: Apple, "Creating API keys to authorize API requests".
public struct AppStoreKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The maximum size of a key file, in bytes; a valid file has about 250 bytes.
    static let maximumFileSize = 16_384

    /// The id of the key, ten letters and digits.
    public let keyID: String
    /// The id of the team's issuer, a UUID.
    public let issuerID: String
    let privateKey: P256.Signing.PrivateKey

    /// The public key, for checking signatures.
    public var publicKey: P256.Signing.PublicKey { privateKey.publicKey }

    /// Creates a key from an existing private key.
    ///
    /// - Throws: `invalidKey` if an id is empty.
    public init(keyID: String, issuerID: String, privateKey: P256.Signing.PrivateKey) throws(AppStoreServerError) {
        guard !keyID.isEmpty, !issuerID.isEmpty else {
            throw Self.refusal("the key id or the issuer id is empty; App Store Connect shows both next to the key")
        }
        self.keyID = keyID
        self.issuerID = issuerID
        self.privateKey = privateKey
    }

    /// Reads a key from PEM.
    ///
    /// - Parameters:
    ///   - keyID: The id of the key.
    ///   - issuerID: The id of the team's issuer.
    ///   - pem: The text of the `.p8` file.
    /// - Throws: `invalidKey` if the text is not an unencrypted P-256 key in PKCS #8. The message describes the fault.
    public init(keyID: String, issuerID: String, pem: String) throws(AppStoreServerError) {
        try self.init(keyID: keyID, issuerID: issuerID, privateKey: Self.privateKey(pem: pem))
    }

    /// Reads a key from a `.p8` file.
    ///
    /// - Throws: `invalidKey` if the file cannot be read, or does not contain an unencrypted P-256 key in PKCS #8.
    public init(keyID: String, issuerID: String, contentsOf path: String) throws(AppStoreServerError) {
        let bytes: Data
        do {
            bytes = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw AppStoreServerError(
                .invalidKey, "the key file \(path) cannot be read; check the path and its permissions", cause: error)
        }
        guard bytes.count <= Self.maximumFileSize else {
            throw Self.refusal("the key file \(path) has \(bytes.count) bytes; a .p8 file has about 250")
        }
        try self.init(keyID: keyID, issuerID: issuerID, pem: String(decoding: bytes, as: UTF8.self))
    }

    /// Reads a key from environment variables: `APP_STORE_KEY_ID`, `APP_STORE_ISSUER_ID`, and either
    /// `APP_STORE_PRIVATE_KEY` (the text of the `.p8` file) or `APP_STORE_PRIVATE_KEY_FILE` (its path).
    ///
    /// - Throws: `invalidKey` if a required variable is missing, or the key is not valid.
    public init(environment: [String: String]) throws(AppStoreServerError) {
        func variable(_ name: String) throws(AppStoreServerError) -> String {
            guard let value = environment[name], !value.isEmpty else {
                throw Self.refusal("the environment variable \(name) is not set")
            }
            return value
        }
        let (keyID, issuerID) = (try variable("APP_STORE_KEY_ID"), try variable("APP_STORE_ISSUER_ID"))
        if let pem = environment["APP_STORE_PRIVATE_KEY"], !pem.isEmpty {
            try self.init(keyID: keyID, issuerID: issuerID, pem: pem)
        } else {
            let path = try variable("APP_STORE_PRIVATE_KEY_FILE")
            try self.init(keyID: keyID, issuerID: issuerID, contentsOf: path)
        }
    }

    /// The key id and the issuer id, without the private key.
    public var description: String { "AppStoreKey(keyID: \(keyID), issuerID: \(issuerID), privateKey: redacted)" }
    /// The key id and the issuer id, without the private key.
    public var debugDescription: String { description }
    /// The key id and the issuer id, without the private key.
    public var customMirror: Mirror { Mirror(self, children: ["keyID": keyID, "issuerID": issuerID]) }
}

extension AppStoreKey {
    fileprivate static func refusal(_ message: String, _ cause: (any Error)? = nil) -> AppStoreServerError {
        AppStoreServerError(.invalidKey, message, cause: cause)
    }

    private static let wanted = "a .p8 file of App Store Connect contains a P-256 key in PKCS #8"

    private static func privateKey(pem text: String) throws(AppStoreServerError) -> P256.Signing.PrivateKey {
        // A key from a variable or a form may have lost its line breaks.
        let pasted = PastedContent(Array(text.utf8))
        let pem = pasted.kind == .privateKey ? String(decoding: pasted.content, as: UTF8.self) : text
        if ![.privateKey, .certificate, .unknown].contains(pasted.kind) {
            throw refusal("this is \(pasted.what), not a key; \(wanted)")
        }
        let lines = pem.split(whereSeparator: \.isNewline).map { $0.filter { $0 != " " && $0 != "\t" } }
        guard let start = lines.firstIndex(where: { $0.hasPrefix("-----BEGIN") }) else {
            throw refusal("the key is not PEM: it has no BEGIN line; \(wanted)")
        }
        switch lines[start] {
        case "-----BEGINPRIVATEKEY-----": break
        case "-----BEGINECPRIVATEKEY-----":
            throw refusal(
                "the key is in SEC 1 format (BEGIN EC PRIVATE KEY); convert it to PKCS #8 with "
                    + "openssl pkcs8 -topk8 -nocrypt")
        case "-----BEGINENCRYPTEDPRIVATEKEY-----": throw refusal("the key is encrypted; \(wanted), without a password")
        case "-----BEGINPUBLICKEY-----": throw refusal("the key is a public key; \(wanted), the private key")
        case "-----BEGINCERTIFICATE-----": throw refusal("this is a certificate, not a key; \(wanted)")
        default: throw refusal("the PEM contains no private key in PKCS #8; \(wanted)")
        }
        guard let end = lines[start...].firstIndex(of: "-----ENDPRIVATEKEY-----") else {
            throw refusal("the PEM of the key has no END line; it is truncated")
        }
        guard let der = Data(base64Encoded: lines[(start + 1)..<end].joined()) else {
            throw refusal("the PEM of the key is not base64; it is damaged")
        }
        do {
            return try P256.Signing.PrivateKey(derRepresentation: der)
        } catch {
            // The library's own message may quote its input, which is the private key.
            throw refusal("the key is not a P-256 key; \(wanted)")
        }
    }
}
