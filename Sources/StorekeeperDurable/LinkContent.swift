import Crypto
package import Storekeeper

/// The bytes of one link of a vault's hash chain, in an unambiguous encoding.
///
/// Each text is prefixed with its length, each number takes eight bytes, and an absent value has its own code.
package struct LinkContent: Sendable {
    /// The bytes to be hashed.
    package private(set) var bytes: [UInt8] = []

    package init(reserving capacity: Int = 256) { bytes.reserveCapacity(capacity) }

    /// Adds a one-byte tag that identifies the kind of content.
    ///
    /// Content without a tag begins with the length of a short text, such as 5 for `entry`, which differs from every
    /// tag.
    package mutating func add(_ tag: Unicode.Scalar) { bytes.append(UInt8(truncatingIfNeeded: tag.value)) }

    package mutating func add(_ value: Int64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func add(_ value: String) {
        // Almost every text has contiguous storage, so that its bytes can be added without a copy.
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
    /// Creates the bytes of the link for a ledger entry.
    ///
    /// - Parameter salt: The customer's salt, which is deleted when the customer is erased, so that the entry can no
    ///   longer be guessed from its hash.
    package init(_ entry: LedgerEntry, salt: [UInt8]) {
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
        case .transfer(let subject, let from, let to, let reason):
            add("transfer")
            add(subject.bytes)
            add(from.rawValue)
            add(to.rawValue)
            add(reason)
        }
        add(salt)
        add(entry.number)
        if let recordedBy = entry.recordedBy {
            add("by")
            add(recordedBy)
        }
    }

    /// Creates the bytes of the link for a fact.
    ///
    /// A salt is not needed, because the bytes include the fact's signature, which cannot be guessed.
    package init(factAt sequence: Int64, learnedAt: Instant, digest: [UInt8], signature: [UInt8]) {
        self.init()
        add("f" as Unicode.Scalar)
        add(sequence)
        add(learnedAt.millisecondsSince1970)
        add(digest)
        add(signature)
    }

    /// Creates the bytes of the link for a binding, which assigns purchases to a customer.
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
