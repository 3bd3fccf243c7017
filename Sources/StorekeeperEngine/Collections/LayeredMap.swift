/// A dictionary that is cheap to copy and to change after a copy, regardless of its size.
///
/// The first change of a copied plain dictionary duplicates all entries. Copies of a layered map share a base
/// dictionary, which no copy changes. Each copy stores its changes in its own small layer, which is searched before the
/// base. When only one map still uses the base, its layer is merged into the base.
///
/// - Complexity: A copy costs O(1), and so does a change of an unshared map. After the original is released, a change
///   of the copy and ``fold()`` cost O(1) as well. While the original exists, a change of the copy costs O(√*n*) on
///   average.
struct LayeredMap<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// An object that copies share, so that a map can determine whether it has copies.
    ///
    /// The object is used only to decide whether a change is cheaper in the base or in the layer. The map's content is
    /// correct in either case.
    private final class Owner: Sendable {}

    /// The shared object; `nil` in a map that is so small that copying all entries is cheap.
    private var owner: Owner?
    private var base: [Key: Value] = [:]
    /// The changes since the base was shared.
    private var layer: [Key: Value] = [:]
    /// The number of keys in the layer that are not in the base.
    private var addedCount = 0

    /// The minimum number of entries for a base to be shared, and for a layer to be merged into a copy of the base.
    private static var leastLimit: Int { 16 }

    init() {}

    // MARK: Reading

    /// The number of entries.
    var count: Int { base.count + addedCount }

    /// The value of a key.
    subscript(key: Key) -> Value? {
        if !layer.isEmpty, let value = layer[key] { return value }
        return base[key]
    }

    /// The keys, in no particular order.
    var keys: some Sequence<Key> { lazy.map { $0.key } }

    /// The values, in no particular order.
    var values: some Sequence<Value> { lazy.map { $0.value } }

    /// Returns the entries that fulfill a condition.
    func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> [Key: Value] {
        var kept: [Key: Value] = [:]
        for entry in self {
            if try isIncluded(entry) { kept[entry.key] = entry.value }
        }
        return kept
    }

    // MARK: Changing

    /// Reserves space for a number of entries.
    mutating func reserveCapacity(_ capacity: Int) {
        if ownsBase() { base.reserveCapacity(capacity) }
    }

    /// Sets the value of a key.
    ///
    /// - Returns: The previous value of the key.
    @discardableResult
    @inline(__always)
    mutating func updateValue(_ value: Value, forKey key: Key) -> Value? {
        if ownsBase() { return base.updateValue(value, forKey: key) }
        if let known = layer.updateValue(value, forKey: key) { return known }
        let known = base[key]
        if known == nil { addedCount += 1 }
        return known
    }

    /// Adds an entry, or replaces the entry with an equal key.
    ///
    /// The equal key is replaced as well, so that the old key object is released.
    mutating func replaceEntry(_ value: Value, forKey key: Key) {
        if ownsBase() {
            base.removeValue(forKey: key)
            base[key] = value
        } else {
            if layer.removeValue(forKey: key) == nil, base[key] == nil { addedCount += 1 }
            layer[key] = value
        }
    }

    /// Changes the value of a key in place; a missing key is first added with a default value.
    @inline(__always)
    mutating func change<Outcome>(
        _ key: Key, default value: @autoclosure () -> Value, _ body: (inout Value) -> Outcome
    ) -> Outcome {
        if ownsBase() { return body(&base[key, default: value()]) }
        if !copyIntoLayer(key) { addedCount += 1 }
        return body(&layer[key, default: value()])
    }

    /// Changes the value of a key in place.
    ///
    /// - Returns: The result of the change; `nil` if the key is missing.
    mutating func change<Outcome>(_ key: Key, _ body: (inout Value) -> Outcome) -> Outcome? {
        if ownsBase() { return base.index(forKey: key).map { body(&base.values[$0]) } }
        guard copyIntoLayer(key) else { return nil }
        return layer.index(forKey: key).map { body(&layer.values[$0]) }
    }

    /// Removes an entry; copies all entries first if the map is shared.
    mutating func remove(_ key: Key) {
        guard self[key] != nil else { return }
        if !ownsBase() { makeOwnBase() }
        base[key] = nil
    }

    /// Merges the layer into the base if the base is no longer shared.
    ///
    /// The content of the map stays the same, and later changes are cheaper.
    mutating func fold() {
        if !layer.isEmpty, isKnownUniquelyReferenced(&owner) { moveLayer() }
    }

    /// Returns whether a change must be made in the base; if it returns `true`, the base contains all entries.
    ///
    /// If it returns `false`, the change must be made in the layer.
    @inline(__always)
    private mutating func ownsBase() -> Bool {
        if isKnownUniquelyReferenced(&owner) {
            if !layer.isEmpty { moveLayer() }
            return true
        }
        return becomesOwner()
    }

    /// Makes the map the only owner of its base if this is cheap, and returns whether the map is the only owner.
    ///
    /// Becoming the owner is cheap if the base is small or the layer is long.
    private mutating func becomesOwner() -> Bool {
        if owner == nil {
            if base.count >= Self.leastLimit { owner = Owner() }
            return true
        }
        guard layer.count >= Self.leastLimit, layer.count * layer.count >= base.count else { return false }
        makeOwnBase()
        return true
    }

    /// Creates an unshared base from all entries.
    private mutating func makeOwnBase() {
        base.reserveCapacity(count)
        moveLayer()
        owner = Owner()
    }

    private mutating func moveLayer() {
        for (key, value) in layer {
            // The equal key in the base may be a different object. Removing the entry first releases that object.
            base.removeValue(forKey: key)
            base[key] = value
        }
        layer = [:]
        addedCount = 0
    }

    /// Copies the entry of a key from the base to the layer, unless the layer already contains the key.
    ///
    /// - Returns: Whether the layer contains the key after the call.
    private mutating func copyIntoLayer(_ key: Key) -> Bool {
        if layer[key] != nil { return true }
        guard let value = base[key] else { return false }
        layer[key] = value
        return true
    }
}

extension LayeredMap: Sequence {
    typealias Element = (key: Key, value: Value)

    struct Iterator: IteratorProtocol {
        private let layer: [Key: Value]
        private var ofLayer: [Key: Value].Iterator
        private var ofBase: [Key: Value].Iterator

        fileprivate init(layer: [Key: Value], base: [Key: Value]) {
            self.layer = layer
            ofLayer = layer.makeIterator()
            ofBase = base.makeIterator()
        }

        mutating func next() -> Element? {
            if let entry = ofLayer.next() { return entry }
            while let entry = ofBase.next() {
                if layer.isEmpty || layer[entry.key] == nil { return entry }
            }
            return nil
        }
    }

    func makeIterator() -> Iterator { Iterator(layer: layer, base: base) }
}

extension LayeredMap: Equatable where Value: Equatable {
    /// Returns whether both maps have equal entries; an entry may be in the base of one map and in the layer of the
    /// other.
    static func == (left: LayeredMap, right: LayeredMap) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
    }
}
