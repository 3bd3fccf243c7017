import Crypto
import StorekeeperEngine
import SwiftASN1
import X509

extension LocalAuthority {
    /// The keys and certificates of the root and the intermediate as PEM, from which ``init(keyed:name:ocspResponder:)`` makes the same
    /// authority; a secret.
    package var keyedPEM: String {
        get throws {
            [
                rootKey.pemRepresentation, try rootCertificate.serializeAsPEM().pemString,
                intermediateKey.pemRepresentation, try intermediateCertificate.serializeAsPEM().pemString,
            ].joined(separator: "\n") + "\n"
        }
    }

    /// Makes the authority whose keys and certificates were kept; new signers get certificates of the same shape as
    /// those of a new authority.
    ///
    /// - Parameters:
    ///   - pem: What ``keyedPEM`` was.
    ///   - name: What new leaves are called after.
    ///   - ocspResponder: What new leaves name as their OCSP responder.
    /// - Throws: ``KeptAuthorityError`` where it is something else.
    package init(keyed pem: String, name: String, ocspResponder: String? = nil) throws {
        let parts = pem.split(separator: "-----BEGIN ").map { "-----BEGIN \($0)" }
        guard parts.count == 4, let rootKey = try? P384.Signing.PrivateKey(pemRepresentation: parts[0]),
            let root = try? Certificate(pemEncoded: parts[1]),
            let intermediateKey = try? P384.Signing.PrivateKey(pemRepresentation: parts[2]),
            let intermediate = try? Certificate(pemEncoded: parts[3]),
            Certificate.PublicKey(rootKey.publicKey) == root.publicKey,
            Certificate.PublicKey(intermediateKey.publicKey) == intermediate.publicKey,
            root.publicKey.isValidSignature(intermediate.signature, for: intermediate)
        else { throw KeptAuthorityError() }
        var shape = Shape()
        shape.responder = ocspResponder
        try self.init(
            name: name, shape: shape, rootKey: rootKey, rootCertificate: root, intermediateKey: intermediateKey,
            intermediateCertificate: intermediate)
    }

    /// What was kept is not the keys and certificates of one authority.
    package struct KeptAuthorityError: Error, Sendable {}
}
