import Storekeeper

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
    struct Entry: Sendable {
        let text: String
        var subjects: Subjects
        /// The hash of the bytes, and their place in ``CatalogNames/bytes``.
        fileprivate let hash: UInt64
        fileprivate let start: Int
        fileprivate let count: Int
    }

    private let entries: [Entry]
    /// The bytes of all names.
    private let bytes: [UInt8]
    /// The indices of entries by hash, -1 for an unused place; at least half of the places are unused.
    private let places: [Int32]
    private let mask: UInt64
    /// Whether the catalog has products; a catalog without any accepts every name.
    let isRestrictive: Bool

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
        let mask = UInt64(size - 1)
        var (entries, bytes, places): ([Entry], [UInt8], [Int32]) = ([], [], Array(repeating: -1, count: size))
        for (name, subjects) in found {
            let hash = name.withUnsafeBufferPointer { Self.hash($0) }
            var place = Int(hash & mask)
            while places[place] >= 0 { place = (place + 1) & (size - 1) }
            places[place] = Int32(entries.count)
            entries.append(
                Entry(
                    text: String(decoding: name, as: UTF8.self), subjects: subjects, hash: hash, start: bytes.count,
                    count: name.count))
            bytes += name
        }
        (self.entries, self.bytes, self.places, self.mask) = (entries, bytes, places, mask)
        isRestrictive = !catalog.products.isEmpty
    }

    /// Returns the entry of a name; `nil` if the catalog does not have the name.
    func entry(_ name: Bytes) -> Entry? {
        let hash = Self.hash(name)
        var place = Int(hash & mask)
        // An unused place ends the search; there always is one.
        while places[place] >= 0 {
            let entry = entries[Int(places[place])]
            if entry.hash == hash, entry.count == name.count, isEqual(entry, name) { return entry }
            place = (place + 1) & (places.count - 1)
        }
        return nil
    }

    private func isEqual(_ entry: Entry, _ name: Bytes) -> Bool {
        bytes.withUnsafeBufferPointer { own in
            for index in 0..<entry.count where own[entry.start + index] != name[index] { return false }
            return true
        }
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
    private static func hash(_ bytes: Bytes) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return hash ^ hash >> 29
    }
}
