import Crypto
public import FoundationEssentials
public import Storekeeper

/// The key with which an app's server signs offers, so that a simulated App Store can verify them.
public struct OfferKey: Sendable {
    /// The id of the key, which a signed offer names.
    public let id: String
    private let publicKey: P256.Signing.PublicKey

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - id: The id of the key.
    ///   - pem: A private key in PKCS#8, such as App Store Connect's `.p8` files contain, or a public key.
    /// - Throws: ``SimulatorError`` with `invalidValue` if the text is not a P-256 key.
    public init(id: String, pem: String) throws(SimulatorError) {
        let key =
            pem.contains("PUBLIC KEY")
            ? try? P256.Signing.PublicKey(pemRepresentation: pem)
            : try? P256.Signing.PrivateKey(pemRepresentation: pem).publicKey
        guard let key else { throw SimulatorError(.invalidValue, "the key is not a P-256 key as PEM") }
        self.id = id
        publicKey = key
    }

    /// Creates the key that Xcode has generated in a `.storekit` file.
    ///
    /// - Parameter url: The location of the file.
    /// - Throws: ``SimulatorError`` with `invalidURL`, `fileNotFound`, or `invalidValue` if the file has no key.
    public init(contentsOf url: URL) throws {
        let file = try CatalogFile(configurationAt: url)
        let pair = (try? JSONReader().read(file.bytes))?.root.object?["subscriptionOffersKeyPair"]?.object
        guard let id = pair?["id"]?.string, let text = pair?["privateKey"]?.string,
            let der = Data(base64Encoded: text), let key = try? P256.Signing.PrivateKey(derRepresentation: der)
        else { throw SimulatorError(.invalidValue, "the file has no key pair for subscription offers") }
        self.id = id
        publicKey = key.publicKey
    }

    /// Returns whether a signature is a valid ES256 signature of bytes by this key.
    func isSignature(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
        return publicKey.isValidSignature(signature, for: bytes)
    }
}
