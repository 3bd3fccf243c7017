import Crypto
import StorekeeperEngine
import SwiftASN1
import X509

extension LocalAuthority {
    /// The keys and certificates of the root and the intermediate, as PEM.
    ///
    /// ``init(keyed:name:ocspResponder:)`` recreates the authority from this text. Keep the text secret.
    package var keyedPEM: String {
        get throws {
            [
                rootKey.pemRepresentation, try rootCertificate.serializeAsPEM().pemString,
                intermediateKey.pemRepresentation, try intermediateCertificate.serializeAsPEM().pemString,
            ].joined(separator: "\n") + "\n"
        }
    }

    /// Recreates an authority from its exported keys and certificates; new leaf certificates have the default shape.
    ///
    /// - Parameters:
    ///   - pem: The value of ``keyedPEM``.
    ///   - name: The common name from which the names of new leaves are formed.
    ///   - ocspResponder: The URL of the OCSP responder in new leaves.
    /// - Throws: ``StoredAuthorityError`` if the text does not contain the keys and certificates of one authority.
    package init(keyed pem: String, name: String, ocspResponder: String? = nil) throws {
        let parts = pem.split(separator: "-----BEGIN ").map { "-----BEGIN \($0)" }
        guard parts.count == 4, let rootKey = try? P384.Signing.PrivateKey(pemRepresentation: parts[0]),
            let root = try? Certificate(pemEncoded: parts[1]),
            let intermediateKey = try? P384.Signing.PrivateKey(pemRepresentation: parts[2]),
            let intermediate = try? Certificate(pemEncoded: parts[3]),
            Certificate.PublicKey(rootKey.publicKey) == root.publicKey,
            Certificate.PublicKey(intermediateKey.publicKey) == intermediate.publicKey,
            root.publicKey.isValidSignature(intermediate.signature, for: intermediate)
        else { throw StoredAuthorityError() }
        var shape = Shape()
        shape.responder = ocspResponder
        try self.init(
            name: name, shape: shape, rootKey: rootKey, rootCertificate: root, intermediateKey: intermediateKey,
            intermediateCertificate: intermediate)
    }

    /// The error thrown if a text does not contain the keys and certificates of one authority.
    package struct StoredAuthorityError: Error, Sendable {}
}
