package import Crypto
package import Storekeeper

/// Hashes, and bytes that nobody can guess.
package enum Digests: Sendable {
    /// Sixteen bytes that nobody can guess.
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
    /// Copied in one piece; as a sequence it would give its bytes one by one.
    package var bytes: [UInt8] { withUnsafeBytes { [UInt8]($0) } }
}

/// What the names of erased customers are hashed with, so that nobody who has only a copy of the rows can try names.
package struct ErasureKey: Hashable, Sendable {
    /// How many bytes it has.
    package static let length = 32

    /// The bytes.
    package let bytes: [UInt8]

    /// Makes a key of its bytes.
    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// Makes a key that nobody can guess.
    package static func random() -> ErasureKey { ErasureKey(bytes: Digests.salt() + Digests.salt()) }

    /// By what the erasures of a name are found.
    package func digest(of name: String, salt: [UInt8]) -> [UInt8] {
        var code = HMAC<SHA256>(key: SymmetricKey(data: bytes))
        code.update(data: salt)
        code.update(data: Array(name.utf8))
        return code.finalize().withUnsafeBytes { [UInt8]($0) }
    }
}

extension IntegrityReport {
    /// The bytes of a head.
    ///
    /// - Throws: `VaultError` with `invalidRequest` for a text that is not a head.
    package static func bytes(ofHead head: String?) throws(VaultError) -> [UInt8]? {
        guard let head else { return nil }
        guard let bytes = [UInt8](hexadecimal: head), bytes.count == 32 else {
            throw VaultError(.invalidRequest, "a head has 64 hexadecimal digits; give one from a report of this vault")
        }
        return bytes
    }
}
