import Storekeeper
import StorekeeperDurable

/// The hashes of a link of the hash chain.
struct Link {
    /// The hash of the previous link.
    let previous: [UInt8]
    /// The hash of `previous` and the link's content.
    let hash: [UInt8]
}

extension Connection {
    private static let readChainHead = Statement("SELECT sequence, head_sequence, head_hash FROM meta")
    private static let writeChainHead = Statement("UPDATE meta SET sequence = ?, head_sequence = ?, head_hash = ?")

    func openChainHead() throws(VaultError) -> ChainHead {
        if let head { return head }
        let read = try first(Self.readChainHead) { row in
            ChainHead(sequence: row.int(), headSequence: row.int(), headHash: row.bytes())
        }
        guard let read else { throw file.corrupt("a missing row of counters") }
        head = read
        writtenHead = read
        return read
    }

    /// Returns the sequence number for the next row.
    func nextSequence() throws(VaultError) -> Int64 {
        if head == nil { _ = try openChainHead() }
        let (next, overflow) = (head?.sequence ?? .max).addingReportingOverflow(1)
        guard !overflow, next > 0 else { throw file.corrupt("the highest possible number") }
        head?.sequence = next
        return next
    }

    /// Stores the last sequence number and the end of the hash chain in the file, if either has changed.
    ///
    /// - Returns: Whether either has changed.
    @discardableResult
    func closeChainHead() throws(VaultError) -> Bool {
        guard let head, head != writtenHead else { return false }
        let changed = try run(Self.writeChainHead) {
            $0.int(head.sequence)
            $0.int(head.headSequence)
            $0.bytes(head.headHash)
        }
        guard changed == 1 else { throw file.corrupt("a missing row of counters") }
        writtenHead = head
        return true
    }

    /// Returns whether the chain head in the file is the chain head that this connection wrote last.
    func holdsWrittenNumbers() throws(VaultError) -> Bool {
        let found = try first(Self.readChainHead) { row in (row.int(), row.int(), row.bytes()) }
        guard let found, let writtenHead else { return false }
        return found == (writtenHead.sequence, writtenHead.headSequence, writtenHead.headHash)
    }

    /// Returns the next link of the hash chain without appending it; see ``endChain(at:with:)``.
    ///
    /// - Returns: The hashes of the previous link and of the new link.
    func link(_ content: LinkContent) throws(VaultError) -> Link {
        let previous = try openChainHead().headHash
        return Link(previous: previous, hash: content.hash(after: previous))
    }

    /// Sets the last link of the hash chain, after the row of the link was written.
    ///
    /// Call this method only if SQLite has written the row, because a link must not follow a row that SQLite refused.
    func endChain(at sequence: Int64, with hash: [UInt8]) {
        head?.headSequence = sequence
        head?.headHash = hash
    }
}

extension ArgumentBinder {
    /// Binds the columns `previous` and `hash`, which are the last columns of a row.
    mutating func link(_ link: Link?) {
        bytes(link?.previous)
        bytes(link?.hash)
    }
}
