import Crypto

/// Hashes, and bytes that nobody can guess.
enum Digests {
    /// Sixteen bytes that nobody can guess.
    static func salt() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        let value = (generator.next() as UInt64, generator.next() as UInt64)
        return withUnsafeBytes(of: value) { [UInt8]($0) }
    }

    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { bytes in
            var hash = SHA256()
            hash.update(bufferPointer: bytes)
            return hash.finalize().bytes
        }
    }
}

extension SHA256Digest {
    /// Copied in one piece; as a sequence it would give its bytes one by one.
    var bytes: [UInt8] { withUnsafeBytes { [UInt8]($0) } }
}
