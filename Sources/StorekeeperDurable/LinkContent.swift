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
    /// Creates the bytes of the link for a row: the name of its table, its columns in order, and the salt.
    ///
    /// - Parameter salt: The customer's salt, which is deleted when the customer is erased, so that the row can no
    ///   longer be guessed from its hash.
    package init(_ row: RowBuffer, of table: TableShape, salt: [UInt8]) {
        let cells = UnsafeBufferPointer(start: row.cells, count: row.count)
        var name = table.name
        // The bytes are counted first, so that they are written to memory of the right size.
        var count = 8 + name.utf8.count + 8 + salt.count
        for cell in cells {
            switch cell.tag {
            case .null: count += 1
            case .int: count += 1 + 8
            case .text, .owner: count += 1 + 8 + cell.count
            }
        }
        bytes = [UInt8](unsafeUninitializedCapacity: count) { memory, used in
            let memory = UnsafeMutableRawBufferPointer(memory)
            func add(_ code: UInt8) {
                memory[used] = code
                used += 1
            }
            func add(_ number: Int64) {
                memory.storeBytes(of: number.littleEndian, toByteOffset: used, as: Int64.self)
                used += 8
            }
            func add(_ content: UnsafeRawBufferPointer) {
                add(Int64(content.count))
                UnsafeMutableRawBufferPointer(rebasing: memory[used..<used + content.count]).copyMemory(from: content)
                used += content.count
            }
            name.withUTF8 { add(UnsafeRawBufferPointer($0)) }
            for cell in cells {
                switch cell.tag {
                case .null: add(0 as UInt8)
                case .int:
                    add(1 as UInt8)
                    add(cell.number)
                case .text, .owner:
                    add(1 as UInt8)
                    add(UnsafeRawBufferPointer(start: cell.start, count: cell.count))
                }
            }
            salt.withUnsafeBytes { add($0) }
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
