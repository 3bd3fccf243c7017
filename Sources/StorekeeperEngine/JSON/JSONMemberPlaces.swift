/// A hash index of an object's members, so that each member is found by its name in one lookup.
///
/// An object has an index only if it has at most ``maximumMembers`` members, and if their names have no escapes and are
/// certainly distinct. The members of all other objects are searched linearly.
struct JSONMemberPlaces: Sendable {
    /// The maximum number of members of an object; the limit bounds the number of collisions that an attacker can
    /// cause.
    static let maximumMembers = 64
    /// The number of slots of the index: twice the maximum number of members, so that most names get their own slot.
    static let placeCount = 2 * maximumMembers

    /// The name of a member, with its slot in the index, which is computed at compile time.
    struct Name: ExpressibleByStringLiteral, CustomStringConvertible, Sendable {
        private let text: StaticString
        fileprivate let place: Int

        @inline(__always)
        init(stringLiteral text: StaticString) {
            self.text = text
            place = JSONMemberPlaces.place(of: Self.bytes(of: text).span)
        }

        /// Returns the bytes of a string literal, which stay in memory as long as the program runs.
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

    /// The token indices of the names, each in the slot of the name or in a later slot; 0 marks an empty slot.
    private let places: [UInt32]

    /// Creates the index of an object's members; `nil` if the members must be searched linearly.
    init?(of object: Int, in tokens: Span<JSONToken>, text: Span<UInt8>) {
        var isComplete = false
        places = [UInt32](unsafeUninitializedCapacity: Self.placeCount) { places, count in
            isComplete = Self.fill(places, with: object, in: tokens, text: text)
            count = Self.placeCount
        }
        guard isComplete else { return nil }
    }

    /// Returns whether an object has at most ``maximumMembers`` members, with names that have no escapes and are
    /// certainly distinct.
    static func areDistinct(_ object: Int, in tokens: Span<JSONToken>, text: Span<UInt8>) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: placeCount) { places in
            fill(places, with: object, in: tokens, text: text)
        }
    }

    /// Returns the index of a name's token; `nil` if the object has no member with this name.
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

    /// Fills the slots with the names of an object; returns `false` if the object's members must be searched linearly.
    ///
    /// - Parameter places: An array of ``placeCount`` elements.
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
