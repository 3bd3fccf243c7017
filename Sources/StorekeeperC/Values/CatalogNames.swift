import Storekeeper

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The names of a catalog, to be found by their bytes without allocating memory.
///
/// A question about a long name would otherwise copy the name from the caller's memory each time.
final class CatalogNames: Sendable {
    /// The subjects that a name can have; a feature and a product may have the same name.
    struct Subjects: OptionSet, Sendable {
        let rawValue: UInt8
        static let product = Subjects(rawValue: 1)
        static let feature = Subjects(rawValue: 2)
        static let balance = Subjects(rawValue: 4)
        /// The product is a consumable.
        static let consumable = Subjects(rawValue: 8)
    }

    /// A name of the catalog.
    private struct Entry: Sendable {
        let text: String
        let subjects: Subjects
        /// The hash of the bytes, and their place in ``CatalogNames/bytes``.
        let hash: UInt64
        let start: Int
        let count: Int
    }

    // The memory is written by the initializer only, and is freed with the object.
    private nonisolated(unsafe) let entries: UnsafeMutableBufferPointer<Entry>
    /// The bytes of all names.
    // As above.
    private nonisolated(unsafe) let bytes: UnsafeMutableBufferPointer<UInt8>
    /// The indices of entries by hash, -1 for an unused place; at least half of the places are unused.
    // As above.
    private nonisolated(unsafe) let places: UnsafeMutableBufferPointer<Int32>
    /// Whether the catalog has products; a catalog without any accepts every name.
    private let isRestrictive: Bool

    init(_ catalog: Catalog) {
        var found: [[UInt8]: Subjects] = [:]
        for product in catalog.products {
            found[Array(product.id.rawValue.utf8), default: []].formUnion(
                product.type == .consumable ? [.product, .consumable] : .product)
        }
        for feature in catalog.features { found[Array(feature.id.rawValue.utf8), default: []].insert(.feature) }
        for balance in catalog.balances { found[Array(balance.rawValue.utf8), default: []].insert(.balance) }
        var size = 16
        while size < found.count * 2 { size *= 2 }
        places = .allocate(capacity: size)
        places.initialize(repeating: -1)
        entries = .allocate(capacity: found.count)
        bytes = .allocate(capacity: found.keys.reduce(0) { $0 + $1.count })
        var (count, end) = (0, 0)
        for (name, subjects) in found {
            let hash = name.withUnsafeBufferPointer { Self.hash($0) }
            var place = Int(hash & UInt64(size - 1))
            while places[place] >= 0 { place = (place + 1) & (size - 1) }
            places[place] = Int32(count)
            entries.initializeElement(
                at: count,
                to: Entry(
                    text: String(decoding: name, as: UTF8.self), subjects: subjects, hash: hash, start: end,
                    count: name.count))
            for byte in name {
                bytes.initializeElement(at: end, to: byte)
                end += 1
            }
            count += 1
        }
        isRestrictive = !catalog.products.isEmpty
    }

    deinit {
        entries.deinitialize()
        entries.deallocate()
        bytes.deallocate()
        places.deallocate()
    }

    /// Returns the index of the entry of a name; `nil` if the catalog does not have the name.
    private func index(of name: Bytes) -> Int? {
        let hash = Self.hash(name)
        let mask = places.count - 1
        var place = Int(truncatingIfNeeded: hash) & mask
        // An unused place ends the search; there always is one.
        while places[place] >= 0 {
            let index = Int(places[place])
            if entries[index].hash == hash, entries[index].count == name.count, isEqual(index, name) { return index }
            place = (place + 1) & mask
        }
        return nil
    }

    private func isEqual(_ index: Int, _ name: Bytes) -> Bool {
        guard let own = bytes.baseAddress, let other = name.baseAddress else { return name.isEmpty }
        return memcmp(own + entries[index].start, other, name.count) == 0
    }

    /// Returns the text of a name and its subjects; `nil` if the catalog does not have the name.
    func entry(_ name: Bytes) -> (text: String, subjects: Subjects)? {
        index(of: name).map { (entries[$0].text, entries[$0].subjects) }
    }

    /// Returns whether two catalogs have the same names with the same subjects.
    func isEqual(to other: CatalogNames) -> Bool {
        entries.count == other.entries.count && isRestrictive == other.isRestrictive
            && entries.allSatisfy { entry in
                var text = entry.text
                return text.withUTF8 { other.entry($0)?.subjects == entry.subjects }
            }
    }

    /// Returns a hash of bytes that is good enough for the names of one catalog, which its owner chooses.
    private static func hash(_ name: Bytes) -> UInt64 {
        let bytes = UnsafeRawBufferPointer(name)
        var (hash, offset) = (UInt64(bytes.count), 0)
        while offset + 8 <= bytes.count {
            hash = mix(hash, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < bytes.count {
            rest = rest << 8 | UInt64(bytes[offset])
            offset += 1
        }
        return mix(hash, rest)
    }

    @inline(__always)
    private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = ((hash ^ word) &+ 0x9E37_79B9_7F4A_7C15) &* 0xD134_2543_DE82_EF95
        return product ^ product >> 32
    }
}
