/// A dictionary by ids, which are told apart by their bytes; see ``ByteText``.
///
/// A dictionary by `String` would take two ids for one that look alike.
struct ByteMap<Value> {
    private var values: [ByteText: Value] = [:]

    init() {}

    /// Makes it of pairs; of two with one id the first stays.
    init(_ pairs: some Sequence<(String, Value)>) {
        for (id, value) in pairs where values[ByteText(id)] == nil { values[ByteText(id)] = value }
    }

    var count: Int { values.count }
    var isEmpty: Bool { values.isEmpty }

    /// The ids, in no order.
    var keys: some Collection<String> { values.keys.lazy.map(\.text) }

    subscript(id: String) -> Value? {
        get { values[ByteText(id)] }
        _modify { yield &values[ByteText(id)] }
    }

    subscript(id: String, default value: @autoclosure () -> Value) -> Value {
        get { values[ByteText(id), default: value()] }
        _modify { yield &values[ByteText(id), default: value()] }
    }

    mutating func reserveCapacity(_ capacity: Int) { values.reserveCapacity(capacity) }

    func compactMapValues<Other>(_ transform: (Value) -> Other?) -> ByteMap<Other> {
        ByteMap<Other>(values.compactMap { id, value in transform(value).map { (id.text, $0) } })
    }
}

extension ByteMap: Sendable where Value: Sendable {}

extension ByteMap: ExpressibleByDictionaryLiteral {
    init(dictionaryLiteral pairs: (String, Value)...) { self.init(pairs) }
}

extension ByteMap: Sequence {
    func makeIterator() -> some IteratorProtocol<(key: String, value: Value)> {
        values.lazy.map { entry in (key: entry.key.text, value: entry.value) }.makeIterator()
    }
}

/// A set of ids, which are told apart by their bytes; see ``ByteText``.
struct ByteSet: Hashable, Sendable {
    private var ids: Set<ByteText> = []

    init() {}

    init(_ ids: some Sequence<String>) { for id in ids { insert(id) } }

    var isEmpty: Bool { ids.isEmpty }
    var count: Int { ids.count }

    func contains(_ id: String) -> Bool { ids.contains(ByteText(id)) }

    /// Puts in an id.
    ///
    /// - Returns: Whether it was not there.
    @discardableResult
    mutating func insert(_ id: String) -> Bool { ids.insert(ByteText(id)).inserted }

    mutating func remove(_ id: String) { ids.remove(ByteText(id)) }

    mutating func formUnion(_ others: some Sequence<String>) { for id in others { insert(id) } }
}

extension ByteSet: ExpressibleByArrayLiteral {
    init(arrayLiteral ids: String...) { self.init(ids) }
}

extension ByteSet: Sequence {
    func makeIterator() -> some IteratorProtocol<String> { ids.lazy.map(\.text).makeIterator() }
}
