/// Finds accounts by a part of their name without comparing all names.
///
/// ASCII letters count as equal in upper and lower case.
struct AccountNames: Sendable {
    /// For each sequence of three bytes, the accounts whose name contains the sequence, in order of creation.
    private var places: [UInt32: [RowIndex<Account>]] = [:]

    /// Creates an index without names.
    init() {}

    /// Adds the name of a new account.
    mutating func add(_ name: String, of place: RowIndex<Account>) {
        for part in Self.parts(of: name.utf8.map(\.lowerCaseASCII)) {
            places[part, default: []].append(place)
        }
    }

    /// Returns all accounts whose name contains the rarest part of a word.
    ///
    /// A part is three successive bytes. Every account whose name contains the whole word is among the returned
    /// accounts.
    ///
    /// - Parameter word: The bytes of the word, ASCII letters in lower case.
    /// - Returns: `nil` for a word of fewer than three bytes, because any name may contain such a word.
    func candidates(for word: [UInt8]) -> [RowIndex<Account>]? {
        Self.parts(of: word).map { places[$0] ?? [] }.min { $0.count < $1.count }
    }

    /// Returns the distinct sequences of three successive bytes.
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
    /// The byte as a lowercase letter if it is an uppercase ASCII letter, or else the byte itself.
    var lowerCaseASCII: UInt8 { (65...90).contains(self) ? self | 0x20 : self }
}
