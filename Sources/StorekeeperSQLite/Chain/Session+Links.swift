import Storekeeper

extension Session {
    private static let readBooks = Query("SELECT sequence, head_sequence, head_hash, epoch FROM meta")
    private static let writeBooks = Query("UPDATE meta SET sequence = ?, head_sequence = ?, head_hash = ?")

    func openBooks() throws(VaultError) -> Books {
        if let books { return books }
        let read = try first(Self.readBooks) { row in
            Books(sequence: row.int(), headSequence: row.int(), headHash: row.blob(), epoch: row.int())
        }
        guard let read else { throw file.corrupt("no row of its own numbers") }
        books = read
        writtenBooks = read
        return read
    }

    /// The number for the next row.
    func nextSequence() throws(VaultError) -> Int64 {
        if books == nil { _ = try openBooks() }
        let (next, overflow) = (books?.sequence ?? .max).addingReportingOverflow(1)
        guard !overflow, next > 0 else { throw file.corrupt("the last number there is") }
        books?.sequence = next
        return next
    }

    /// Writes down the numbers that were given.
    func closeBooks() throws(VaultError) {
        guard let books, books != writtenBooks else { return }
        let changed = try run(Self.writeBooks) {
            $0.int(books.sequence)
            $0.int(books.headSequence)
            $0.blob(books.headHash)
        }
        guard changed == 1 else { throw file.corrupt("no row of its own numbers") }
        writtenBooks = books
    }

    /// Makes the next link of the chain; it belongs to it when ``endChain(at:with:)`` is called.
    ///
    /// - Returns: The hash of the link before it, and its own.
    func link(_ content: LinkContent) throws(VaultError) -> Link {
        let previous = try openBooks().headHash
        return Link(previous: previous, hash: content.hash(after: previous))
    }

    /// Notes the last link, once its row is written: a row that was refused must not be followed by any other.
    func endChain(at sequence: Int64, with hash: [UInt8]) {
        books?.headSequence = sequence
        books?.headHash = hash
    }
}

extension Binder {
    /// The columns `previous` and `hash`, which stand at the end of their rows.
    mutating func link(_ link: Link?) {
        blob(link?.previous)
        blob(link?.hash)
    }
}
