/// A dictionary that costs little to copy and then change, however much is in it.
///
/// A plain dictionary is copied whole by the first change after a copy was made. Copies of this one share a base that
/// none of them changes; what one of them changes stands in a small layer of its own, which is looked at first. Once
/// no copy shares the base any more, the layer is folded into it.
///
/// - Complexity: A change of a map that nobody shares costs O(1), and so do a copy, a change of it and ``fold()`` once
///   the original is gone. Where the original stays, a change costs O(√*n*) in the mean.
struct LayeredMap<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// What copies have in common, so that a map can tell whether it has any.
    ///
    /// It only tells where a change costs less: the map is right wherever its entries stand.
    private final class Owner: Sendable {}

    /// `nil` in a map so small that copying it whole costs little.
    private var owner: Owner?
    private var base: [Key: Value] = [:]
    /// What was changed since the base was shared.
    private var layer: [Key: Value] = [:]
    /// How many keys the layer has and the base has not.
    private var addedCount = 0

    /// Up to how many entries are copied whole, and how many a layer may have, however small the base is.
    private static var leastLimit: Int { 16 }

    init() {}

    // MARK: Reading

    /// How many entries there are.
    var count: Int { base.count + addedCount }

    /// The value of a key.
    subscript(key: Key) -> Value? {
        if !layer.isEmpty, let value = layer[key] { return value }
        return base[key]
    }

    /// The keys, in no order.
    var keys: some Sequence<Key> { lazy.map { $0.key } }

    /// The values, in no order.
    var values: some Sequence<Value> { lazy.map { $0.value } }

    /// The entries that fulfil a condition.
    func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> [Key: Value] {
        var kept: [Key: Value] = [:]
        for entry in self {
            if try isIncluded(entry) { kept[entry.key] = entry.value }
        }
        return kept
    }

    // MARK: Changing

    /// Makes room for so many entries.
    mutating func reserveCapacity(_ capacity: Int) {
        if ownsBase() { base.reserveCapacity(capacity) }
    }

    /// Puts a value in the place of that of a key, or adds both.
    ///
    /// - Returns: The value that the key had.
    @discardableResult
    @inline(__always)
    mutating func updateValue(_ value: Value, forKey key: Key) -> Value? {
        if ownsBase() { return base.updateValue(value, forKey: key) }
        if let known = layer.updateValue(value, forKey: key) { return known }
        let known = base[key]
        if known == nil { addedCount += 1 }
        return known
    }

    /// Puts a key and its value in the place of an equal key, which is kept no longer.
    mutating func replaceEntry(_ value: Value, forKey key: Key) {
        if ownsBase() {
            base.removeValue(forKey: key)
            base[key] = value
        } else {
            if layer.removeValue(forKey: key) == nil, base[key] == nil { addedCount += 1 }
            layer[key] = value
        }
    }

    /// Changes the value of a key in its place; one that is not there is added first.
    @inline(__always)
    mutating func change<Outcome>(
        _ key: Key, default value: @autoclosure () -> Value, _ body: (inout Value) -> Outcome
    ) -> Outcome {
        if ownsBase() { return body(&base[key, default: value()]) }
        if !bringIntoLayer(key) { addedCount += 1 }
        return body(&layer[key, default: value()])
    }

    /// Changes the value of a key in its place.
    ///
    /// - Returns: What the change returns; `nil` where the key is not there.
    mutating func change<Outcome>(_ key: Key, _ body: (inout Value) -> Outcome) -> Outcome? {
        if ownsBase() { return base.index(forKey: key).map { body(&base.values[$0]) } }
        guard bringIntoLayer(key) else { return nil }
        return layer.index(forKey: key).map { body(&layer.values[$0]) }
    }

    /// Takes an entry out, which costs a copy where the map is shared.
    mutating func remove(_ key: Key) {
        guard self[key] != nil else { return }
        if !ownsBase() { makeOwnBase() }
        base[key] = nil
    }

    /// Puts what was changed since the base was shared into the base, if it is shared no longer.
    ///
    /// The map is the same before and after: it only costs less from then on.
    mutating func fold() {
        if !layer.isEmpty, isKnownUniquelyReferenced(&owner) { moveLayer() }
    }

    /// Decides where a change belongs: in the base, which then has all entries, or in the layer.
    @inline(__always)
    private mutating func ownsBase() -> Bool {
        if isKnownUniquelyReferenced(&owner) {
            if !layer.isEmpty { moveLayer() }
            return true
        }
        return becomesOwner()
    }

    /// Makes the map its base's only owner where that costs little: where the base is small, or the layer long.
    private mutating func becomesOwner() -> Bool {
        if owner == nil {
            if base.count >= Self.leastLimit { owner = Owner() }
            return true
        }
        guard layer.count >= Self.leastLimit, layer.count * layer.count >= base.count else { return false }
        makeOwnBase()
        return true
    }

    /// Makes a base of all there is, which nobody shares.
    private mutating func makeOwnBase() {
        base.reserveCapacity(count)
        moveLayer()
        owner = Owner()
    }

    private mutating func moveLayer() {
        for (key, value) in layer {
            // An equal key may be another object, which is let go.
            base.removeValue(forKey: key)
            base[key] = value
        }
        layer = [:]
        addedCount = 0
    }

    /// Copies the entry of a key from the base to the layer, unless it is there.
    ///
    /// - Returns: Whether it is there now.
    private mutating func bringIntoLayer(_ key: Key) -> Bool {
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
    /// Whether both have equal values of the same keys, wherever these stand.
    static func == (left: LayeredMap, right: LayeredMap) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
    }
}
