/// Finds accounts by a part of their name without comparing all names.
///
/// ASCII letters count as equal in upper and lower case.
struct AccountNames: Sendable {
    /// The accounts whose name contains three successive bytes, in order of creation.
    private var places: [UInt32: [RowIndex<Account>]] = [:]

    /// Creates a list without names.
    init() {}

    /// Adds the name of a new account.
    mutating func add(_ name: String, of place: RowIndex<Account>) {
        for part in Self.parts(of: name.utf8.map(\.lowerCaseASCII)) {
            places[part, default: []].append(place)
        }
    }

    /// Returns accounts among which are all whose name contains a word: those with its rarest part.
    ///
    /// - Parameter word: The bytes of the word, ASCII letters in lower case.
    /// - Returns: `nil` for a word of fewer than three bytes, which any name may contain.
    func candidates(for word: [UInt8]) -> [RowIndex<Account>]? {
        Self.parts(of: word).map { places[$0] ?? [] }.min { $0.count < $1.count }
    }

    /// Returns each three successive bytes once.
    private static func parts(of bytes: [UInt8]) -> Set<UInt32> {
        var parts: Set<UInt32> = []
        var part: UInt32 = 0
        for (index, byte) in bytes.enumerated() {
            part = part << 8 & 0xFF_FFFF | UInt32(byte)
            if index >= 2 { parts.insert(part) }
        }
        return parts
    }
}

extension UInt8 {
    /// The letter in lower case, if it is an ASCII letter.
    var lowerCaseASCII: UInt8 { (65...90).contains(self) ? self | 0x20 : self }
}
