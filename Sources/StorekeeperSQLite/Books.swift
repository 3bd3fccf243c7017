import Crypto
import Storekeeper

/// The numbers that rows are given, and the end of the chain that facts, bindings, entries and erasures form.
///
/// Read once, and written at the end of each transaction that has changed them.
struct Books: Equatable {
    /// The last number that was given.
    var sequence: Int64
    /// The place of the last link; 0 where there is none.
    var headSequence: Int64
    /// The hash of the last link; zeroes where there is none.
    var headHash: [UInt8]
    /// The last number that was given when facts and bindings were not linked yet; 0 in a vault that always did.
    var epoch: Int64
}

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

/// A place in the chain.
struct Link {
    /// The hash of the link before it.
    let previous: [UInt8]
    /// The hash of that and of what the link says.
    let hash: [UInt8]
}

extension Binder {
    /// The columns `previous` and `hash`, which stand at the end of their rows.
    mutating func link(_ link: Link?) {
        blob(link?.previous)
        blob(link?.hash)
    }
}

/// The content of a link, in bytes that only this content has: every text stands behind its length, every number in
/// eight bytes, every absent value behind a mark of its own.
struct LinkContent {
    private(set) var bytes: [UInt8] = []

    init(reserving capacity: Int = 256) { bytes.reserveCapacity(capacity) }

    /// What sort of content it is; no text begins like it.
    mutating func add(_ tag: Unicode.Scalar) { bytes.append(UInt8(truncatingIfNeeded: tag.value)) }

    mutating func add(_ value: Int64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func add(_ value: String) {
        // Almost every text lies in one piece.
        let isAdded: Void? = value.utf8.withContiguousStorageIfAvailable { add($0) }
        if isAdded == nil { add(Array(value.utf8)) }
    }

    private mutating func add(_ text: UnsafeBufferPointer<UInt8>) {
        add(Int64(text.count))
        bytes.append(contentsOf: text)
    }

    mutating func add(_ value: [UInt8]) {
        add(Int64(value.count))
        bytes.append(contentsOf: value)
    }

    mutating func add(_ value: String?) {
        bytes.append(value == nil ? 0 : 1)
        if let value { add(value) }
    }

    func hash(after previous: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        previous.withUnsafeBytes { hash.update(bufferPointer: $0) }
        bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return hash.finalize().bytes
    }
}

extension LinkContent {
    /// What an entry says.
    ///
    /// - Parameter salt: The customer's, which goes when the customer is erased: from then on nobody can find out what
    ///   an entry said by trying. Entries of schema 1 have none.
    init(_ entry: LedgerEntry, salt: [UInt8]?) {
        self.init()
        add("entry")
        add(entry.sequence)
        add(entry.customer.rawValue)
        add(entry.at.millisecondsSince1970)
        add(entry.kind.rawValue)
        add(entry.balance)
        add(entry.change)
        add(entry.after)
        switch entry.cause {
        case .transaction(let key, let productID, let target):
            add("transaction")
            add(key.bundleID)
            add(key.environment.rawValue)
            add(key.transactionID.rawValue)
            add(productID)
            add(target)
        case .request(let key, let reason):
            add("request")
            add(key)
            add(reason)
        }
        if let salt { add(salt) }
    }

    /// What a fact says: its payload by its digest, and its signature, which nobody can guess.
    init(factAt sequence: Int64, learnedAt: Instant, digest: [UInt8], signature: [UInt8]) {
        self.init()
        add("f" as Unicode.Scalar)
        add(sequence)
        add(learnedAt.millisecondsSince1970)
        add(digest)
        add(signature)
    }

    /// What a binding says.
    init(_ binding: Binding, salt: [UInt8]) {
        self.init()
        add("b" as Unicode.Scalar)
        add(binding.sequence)
        add(binding.at.millisecondsSince1970)
        add(binding.subject.bytes)
        add(binding.customer.rawValue)
        add(salt)
    }
}

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
    fileprivate var bytes: [UInt8] { withUnsafeBytes { [UInt8]($0) } }
}
