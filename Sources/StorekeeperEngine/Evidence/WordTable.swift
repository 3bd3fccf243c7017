/// A table that finds the known value of a string in a payload without creating a `String`.
///
/// With a dictionary, which needs a `String` for each lookup, decoding a payload would take 2.9 × as many instructions.
struct WordTable<Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let ends: ByteScan.Ends
        /// The range of the key's bytes in ``texts``.
        let range: Range<Int>
        let value: Value
    }

    /// A hash table with at least four slots for each key, so that most lookups find the key in the first slot.
    private let places: [Entry?]
    /// The concatenated keys.
    private let texts: [UInt8]

    private init(_ words: [(text: String, value: Value)]) {
        var size = 4
        while size < 4 * words.count { size *= 2 }
        var places = [Entry?](repeating: nil, count: size)
        var texts: [UInt8] = []
        for word in words {
            let start = texts.count
            texts.append(contentsOf: word.text.utf8)
            let ends = ByteScan.Ends(of: texts.span.extracting(start...))
            var place = Self.place(of: ends, in: size)
            while places[place] != nil { place = (place + 1) & (size - 1) }
            places[place] = Entry(ends: ends, range: start..<texts.count, value: word.value)
        }
        self.places = places
        self.texts = texts
    }

    /// Returns the first slot of the table that may contain a key.
    @inline(__always)
    private static func place(of ends: ByteScan.Ends, in size: Int) -> Int {
        Int(truncatingIfNeeded: ends.fingerprint >> 32) & (size - 1)
    }

    /// Returns the value of a string; `nil` for an unknown string, and for a token that is not a string.
    func value(of token: JSONToken, in text: Span<UInt8>) -> Value? {
        switch token.kind {
        case .string: return value(of: text.extracting(token.range))
        case .escapedString:
            let resolved = Array((token.string(in: text) ?? "").utf8)
            return value(of: resolved.span)
        default: return nil
        }
    }

    private func value(of word: Span<UInt8>) -> Value? {
        let ends = ByteScan.Ends(of: word)
        var place = Self.place(of: ends, in: places.count)
        while let entry = places[place] {
            if entry.ends == ends,
                ends.areAll || ByteScan.areEqual(texts.span.extracting(entry.range), word)
            {
                return entry.value
            }
            place = (place + 1) & (places.count - 1)
        }
        return nil
    }
}

extension WordTable where Value: OpenValue, Value.RawValue == String {
    /// Creates a table of known values with their raw strings as keys.
    init(_ known: Set<Value>) { self.init(known.map { ($0.rawValue, $0) }) }
}

/// An ``OpenValue`` whose raw value is a string.
///
/// A known value is found in ``words`` without creating a `String`, and all equal values share one string.
protocol OpenStringValue: OpenValue where RawValue == String {
    static var words: WordTable<Self> { get }
}

extension AppStore.Environment: OpenStringValue { static let words = WordTable(known) }
extension Product.ProductType: OpenStringValue { static let words = WordTable(known) }
extension OwnershipType: OpenStringValue { static let words = WordTable(known) }
extension RevocationType: OpenStringValue { static let words = WordTable(known) }
extension TransactionReason: OpenStringValue { static let words = WordTable(known) }
extension OfferDiscountType: OpenStringValue { static let words = WordTable(known) }
extension BillingPlanType: OpenStringValue { static let words = WordTable(known) }
extension AdditionalTransactionReason: OpenStringValue { static let words = WordTable(known) }
