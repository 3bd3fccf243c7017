package import Crypto
package import Storekeeper

/// Functions that compute hashes and return random bytes.
package enum Digests: Sendable {
    /// Returns sixteen random bytes.
    package static func salt() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        let value = (generator.next() as UInt64, generator.next() as UInt64)
        return withUnsafeBytes(of: value) { [UInt8]($0) }
    }

    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { bytes in
            var hash = SHA256()
            hash.update(bufferPointer: bytes)
            return hash.finalize().bytes
        }
    }
}

extension SHA256Digest {
    /// The bytes of the digest, copied all at once; iterating over the digest would copy the bytes one by one.
    package var bytes: [UInt8] { withUnsafeBytes { [UInt8]($0) } }
}

/// The secret with which the names of erased customers are hashed, so that the names cannot be guessed from a copy of
/// the hashes alone.
package struct ErasureKey: Hashable, Sendable {
    /// The number of bytes of the secret.
    package static let length = 32

    /// The secret.
    package let bytes: [UInt8]

    /// Creates a key from its bytes.
    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// Returns a random key.
    package static func random() -> ErasureKey { ErasureKey(bytes: Digests.salt() + Digests.salt()) }

    /// Returns the digest of a customer's name, which identifies the records of the customer's erasures.
    package func digest(of name: String, salt: [UInt8]) -> [UInt8] {
        var code = HMAC<SHA256>(key: SymmetricKey(data: bytes))
        code.update(data: salt)
        code.update(data: Array(name.utf8))
        return code.finalize().withUnsafeBytes { [UInt8]($0) }
    }
}

extension IntegrityReport {
    /// Converts a head, the newest hash of a vault's hash chain, from hexadecimal text to bytes; `nil` without a head.
    ///
    /// - Throws: `VaultError` with `invalidRequest` if the text is not 64 hexadecimal digits.
    package static func bytes(ofHead head: String?) throws(VaultError) -> [UInt8]? {
        guard let head else { return nil }
        guard let bytes = [UInt8](hexadecimal: head), bytes.count == 32 else {
            throw VaultError(.invalidRequest, "a head has 64 hexadecimal digits; give one from a report of this vault")
        }
        return bytes
    }
}
