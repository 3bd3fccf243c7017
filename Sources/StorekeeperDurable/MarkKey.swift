package import Storekeeper

/// The secret with which a vault hashes the marks of erased customers.
///
/// A mark identifies a transaction or request that must not be processed again. Exports do not contain the secret.
package struct MarkKey: Hashable, Sendable {
    /// The number of bytes of the secret.
    package static let length = 32

    /// The secret.
    package let secret: [UInt8]

    /// Creates a key from its secret.
    package init(secret: [UInt8]) { self.secret = secret }

    /// Returns the hash of a mark, which is stored instead of the mark.
    ///
    /// The hashed bytes begin with the secret, which has a fixed length, so that a database can compute the same hash.
    package func digest(of mark: ErasedMark) -> [UInt8] { Digests.sha256(secret + mark.bytes) }

    /// Returns the hash with which marks that were written together enter the vault's hash chain.
    package func seal(of digests: [[UInt8]]) -> [UInt8] {
        var content = LinkContent(reserving: 64 + digests.count * 40)
        content.add("marks")
        content.add(secret)
        content.add(Int64(digests.count))
        for digest in digests.sorted(by: { $0.lexicographicallyPrecedes($1) }) { content.add(digest) }
        return content.hash(after: [])
    }
}

extension ErasedMark {
    /// The bytes that identify the mark; different marks have different bytes.
    package var bytes: [UInt8] {
        var content = LinkContent(reserving: 128)
        switch self {
        case .transaction(let key):
            content.add("t" as Unicode.Scalar)
            content.add(key.bundleID)
            content.add(key.environment.rawValue)
            content.add(key.transactionID.rawValue)
        case .request(let customer, let key):
            content.add("r" as Unicode.Scalar)
            content.add(customer.rawValue)
            content.add(key.rawValue)
        }
        return content.bytes
    }
}
