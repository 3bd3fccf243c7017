/// A word that says what went wrong, or what a diagnostic is about, and stays the same from release to release.
///
/// The set is open: a later release may add words. Two codes are equal only if their bytes are.
public protocol ErrorCode: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible
where RawValue == String {
    /// Makes a code of its word.
    init(rawValue: String)
}

extension ErrorCode {
    /// The word.
    public var description: String { rawValue }

    /// Whether two codes have the same bytes.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue.hasSameBytes(as: right.rawValue) }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }
}
