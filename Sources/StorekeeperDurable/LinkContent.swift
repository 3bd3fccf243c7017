import Crypto
package import Storekeeper

/// The content of a link as an unambiguous sequence of bytes: texts are prefixed with their length, numbers take eight
/// bytes, and absent values have a separate mark.
package struct LinkContent: Sendable {
    /// The bytes to be hashed.
    package private(set) var bytes: [UInt8] = []

    package init(reserving capacity: Int = 256) { bytes.reserveCapacity(capacity) }

    /// Adds a tag for the kind of content; no text begins like it.
    package mutating func add(_ tag: Unicode.Scalar) { bytes.append(UInt8(truncatingIfNeeded: tag.value)) }

    package mutating func add(_ value: Int64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func add(_ value: String) {
        // Almost every text has contiguous storage.
        let isAdded: Void? = value.utf8.withContiguousStorageIfAvailable { add($0) }
        if isAdded == nil { add(Array(value.utf8)) }
    }

    private mutating func add(_ text: UnsafeBufferPointer<UInt8>) {
        add(Int64(text.count))
        bytes.append(contentsOf: text)
    }

    package mutating func add(_ value: [UInt8]) {
        add(Int64(value.count))
        bytes.append(contentsOf: value)
    }

    package mutating func add(_ value: String?) {
        bytes.append(value == nil ? 0 : 1)
        if let value { add(value) }
    }

    package func hash(after previous: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        previous.withUnsafeBytes { hash.update(bufferPointer: $0) }
        bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return hash.finalize().bytes
    }
}

extension LinkContent {
    /// Creates the content of an entry.
    ///
    /// - Parameters:
    ///   - salt: The customer's salt, which is deleted when the customer is erased: from then on the entry's content
    ///     cannot be guessed from its hash. Entries of schema 1 have none.
    ///   - isNumbered: Whether the entry's number is hashed, too; `false` for entries of schemas 1 and 2.
    package init(_ entry: LedgerEntry, salt: [UInt8]?, isNumbered: Bool = true) {
        self.init()
        add("entry")
        add(entry.place.number)
        add(entry.customer.rawValue)
        add(entry.at.millisecondsSince1970)
        add(entry.kind.rawValue)
        add(entry.balance.rawValue)
        add(entry.change)
        add(entry.after)
        switch entry.cause {
        case .transaction(let key, let productID, let target):
            add("transaction")
            add(key.bundleID)
            add(key.environment.rawValue)
            add(key.transactionID.rawValue)
            add(productID.rawValue)
            add(target)
        case .request(let key, let reason):
            add("request")
            add(key.rawValue)
            add(reason)
        case .access(let subject, let until, let key, let reason):
            add("access")
            switch subject {
            case .product: add("product")
            case .feature: add("feature")
            }
            add(subject.name)
            add(until.millisecondsSince1970)
            add(key.rawValue)
            add(reason)
        case .revocation(let key, let reason):
            add("revocation")
            add(key.rawValue)
            add(reason)
        }
        if let salt { add(salt) }
        if isNumbered { add(entry.number) }
        // Entries without this member keep the hashes that they always had.
        if let recordedBy = entry.recordedBy {
            add("by")
            add(recordedBy)
        }
    }

    /// Creates the content of a fact: the digest of its payload, and its signature, which cannot be guessed.
    package init(factAt sequence: Int64, learnedAt: Instant, digest: [UInt8], signature: [UInt8]) {
        self.init()
        add("f" as Unicode.Scalar)
        add(sequence)
        add(learnedAt.millisecondsSince1970)
        add(digest)
        add(signature)
    }

    /// Creates the content of a binding.
    package init(_ binding: Binding, salt: [UInt8]) {
        self.init()
        add("b" as Unicode.Scalar)
        add(binding.place.number)
        add(binding.at.millisecondsSince1970)
        add(binding.subject.bytes)
        add(binding.customer.rawValue)
        add(salt)
    }
}
