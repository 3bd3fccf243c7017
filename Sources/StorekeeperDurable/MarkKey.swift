package import Storekeeper

/// What a vault hashes the marks of erased customers with: a secret of its own, which no export carries.
package struct MarkKey: Hashable, Sendable {
    /// How many bytes the secret has.
    package static let length = 32

    /// The secret.
    package let secret: [UInt8]

    /// Makes a key of its secret.
    package init(secret: [UInt8]) { self.secret = secret }

    /// The hash of a mark.
    ///
    /// The secret stands first and always has the same length, so that a database can make the same hash by itself.
    package func digest(of mark: ErasedMark) -> [UInt8] { Digests.sha256(secret + mark.bytes) }

    /// What a link of the chain says of marks that were written together.
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
    /// The content of a mark, in bytes that no other mark has.
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
