package import FoundationEssentials

/// The app's own name for a customer: an account id, as text that nobody but the app needs to understand.
///
/// A UUID is the same in any case and is kept in lower case, because Swift writes it in upper case and the App Store
/// sends it in lower. A customer whose id is a UUID owns the purchases that carry it as `appAccountToken`.
public struct CustomerID: Hashable, Comparable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The text; a UUID in lower case.
    public let rawValue: String

    /// Makes an id of a text.
    public init(rawValue: String) {
        self.rawValue = UUIDText.uuid(rawValue.utf8) == nil ? rawValue : rawValue.lowercased()
    }

    /// Makes an id of a literal.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// The UUID that the text is, if it is one.
    ///
    /// A purchase that carries it as `appAccountToken` is this customer's.
    package var uuid: UUID? { UUIDText.uuid(rawValue.utf8) }

    /// The text.
    public var description: String { rawValue }

    // Two texts that look the same but are of other bytes are two accounts, as they are in any database. The type is not
    // `RawRepresentable`, because the operator `!=` of that protocol compares texts by how they look.

    /// Whether two ids are the same bytes.
    public static func == (left: CustomerID, right: CustomerID) -> Bool {
        left.rawValue.hasSameBytes(as: right.rawValue)
    }

    /// Orders by bytes, as a database does.
    public static func < (left: CustomerID, right: CustomerID) -> Bool {
        left.rawValue.precedesByBytes(right.rawValue)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }
}
