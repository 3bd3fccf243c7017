import Storekeeper
import StorekeeperDurable

/// A link of the hash chain whose hash covers data outside of customers' rows.
struct Seal {
    /// The kind of data that a seal covers.
    enum Kind: Int64 {
        /// Marks of erased customers; the seal contains the row number of the secret that hashed the marks, and the
        /// number of marks.
        case marks = 1
        /// The links of rows that were deleted because a chain or token has moved to another customer; the seal contains
        /// the number of links.
        case released = 2
    }

    let sequence: Int64
    let kind: Int64
    let first: Int64
    let second: Int64
    let digest: [UInt8]

    /// The content that the hash of the seal covers.
    var content: LinkContent {
        var content = LinkContent()
        content.add("seal")
        content.add(sequence)
        content.add(kind)
        content.add(first)
        content.add(second)
        content.add(digest)
        return content
    }
}

extension Connection {
    private static let addSeal = Statement(
        "INSERT INTO seal(sequence, kind, first, second, digest, previous, hash) VALUES(?, ?, ?, ?, ?, ?, ?)")

    /// Adds a seal to the chain.
    ///
    /// - Returns: The sequence number of the seal.
    func seal(_ kind: Seal.Kind, _ first: Int64, _ second: Int64, _ digest: [UInt8]) throws(VaultError) -> Int64 {
        let seal = Seal(
            sequence: try nextSequence(), kind: kind.rawValue, first: first, second: second, digest: digest)
        let link = try link(seal.content)
        try run(Self.addSeal) {
            $0.int(seal.sequence)
            $0.int(seal.kind)
            $0.int(first)
            $0.int(second)
            $0.bytes(digest)
            $0.link(link)
        }
        endChain(at: seal.sequence, with: link.hash)
        return seal.sequence
    }
}
