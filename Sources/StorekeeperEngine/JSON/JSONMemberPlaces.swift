/// Where the members of an object stand, so that each is found by its name at one look.
///
/// Only of objects whose names are few, plain and certainly different; the members of others are looked through.
struct JSONMemberPlaces: Sendable {
    /// How many members an object may have: nobody can make a name wait for one place more often than that.
    static let maximumMembers = 64
    /// Twice as many, so that a place is free at once, mostly.
    static let placeCount = 2 * maximumMembers

    /// The name of a member, with the place at which to look for it, which the compiler knows.
    struct Name: ExpressibleByStringLiteral, CustomStringConvertible, Sendable {
        private let text: StaticString
        fileprivate let place: Int

        @inline(__always)
        init(stringLiteral text: StaticString) {
            self.text = text
            place = JSONMemberPlaces.place(of: Self.bytes(of: text).span)
        }

        /// Literals of strings are kept as bytes, for good.
        @inline(__always)
        private static func bytes(of text: StaticString) -> UnsafeBufferPointer<UInt8> {
            UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        }

        @inline(__always)
        fileprivate func isEqual(to other: Span<UInt8>) -> Bool {
            ByteScan.areEqual(Self.bytes(of: text).span, other)
        }

        var description: String { text.description }
    }

    /// The indices of the names among the tokens, each at the place of its name or behind it; 0 where none stands.
    private let places: [UInt32]

    /// Finds the places of an object's members; `nil` where they must be looked through.
    init?(of object: Int, in tokens: Span<JSONToken>, text: Span<UInt8>) {
        var isComplete = false
        places = [UInt32](unsafeUninitializedCapacity: Self.placeCount) { places, count in
            isComplete = Self.fill(places, with: object, in: tokens, text: text)
            count = Self.placeCount
        }
        guard isComplete else { return nil }
    }

    /// Whether the names of an object's members are few, plain and certainly different.
    static func areDistinct(_ object: Int, in tokens: Span<JSONToken>, text: Span<UInt8>) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: placeCount) { places in
            fill(places, with: object, in: tokens, text: text)
        }
    }

    /// The index of the name of a member; `nil` where there is none.
    @inline(__always)
    func index(of name: Name, in tokens: Span<JSONToken>, text: Span<UInt8>) -> Int? {
        var place = name.place
        while places[place] != 0 {
            let index = Int(places[place])
            if name.isEqual(to: text.extracting(tokens[index].range)) { return index }
            place = (place + 1) & (Self.placeCount - 1)
        }
        return nil
    }

    @inline(__always)
    private static func place(of text: Span<UInt8>) -> Int {
        Int(truncatingIfNeeded: ByteScan.Ends(of: text).fingerprint >> 32) & (placeCount - 1)
    }

    /// - Parameter places: As many as ``placeCount``.
    private static func fill(
        _ places: UnsafeMutableBufferPointer<UInt32>, with object: Int, in tokens: Span<JSONToken>,
        text: Span<UInt8>
    ) -> Bool {
        places.initialize(repeating: 0)
        let end = Int(tokens[object].next)
        var (members, index) = (0, object + 1)
        while index + 1 < end {
            let name = tokens[index]
            guard members < maximumMembers, name.kind == .string else { return false }
            let ends = ByteScan.Ends(of: text.extracting(name.range))
            var place = Int(truncatingIfNeeded: ends.fingerprint >> 32) & (placeCount - 1)
            while places[place] != 0 {
                let other = text.extracting(tokens[Int(places[place])].range)
                guard ByteScan.Ends(of: other) != ends else { return false }
                place = (place + 1) & (placeCount - 1)
            }
            places[place] = UInt32(index)
            members += 1
            index = Int(tokens[index + 1].next)
        }
        return true
    }
}
