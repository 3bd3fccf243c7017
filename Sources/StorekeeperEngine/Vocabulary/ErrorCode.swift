/// A machine-readable code of an error or a diagnostic, which is stable across releases.
///
/// The set is open: a later release may add codes. Two codes are equal only if they have the same bytes.
public protocol ErrorCode: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible
where RawValue == String {
    /// Creates a code from its text.
    init(rawValue: String)
}

extension ErrorCode {
    /// The code as text.
    public var description: String { rawValue }

    /// Returns whether two codes have the same bytes.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue.hasSameBytes(as: right.rawValue) }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }
}
