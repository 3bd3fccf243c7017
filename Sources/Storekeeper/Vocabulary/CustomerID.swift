package import FoundationEssentials

/// The id that the app has assigned to a customer: any text.
///
/// A UUID is compared regardless of case and stored in lower case, because Swift writes it in upper case and the App
/// Store sends it in lower case. A customer whose id is a UUID owns the purchases that carry this UUID as
/// `appAccountToken`.
public struct CustomerID: Hashable, Comparable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The text of the id; if the text is a UUID, it is in lower case.
    public let rawValue: String

    /// Creates an id from a text.
    public init(rawValue: String) {
        self.rawValue = UUIDText.uuid(rawValue.utf8) == nil ? rawValue : rawValue.lowercased()
    }

    /// Creates an id from a literal.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// The id as a UUID; `nil` if the text is not a UUID.
    ///
    /// A purchase that carries this UUID as `appAccountToken` belongs to this customer.
    package var uuid: UUID? { UUIDText.uuid(rawValue.utf8) }

    /// The text.
    public var description: String { rawValue }

    // Two texts that look the same but have different bytes are the ids of two customers, as in any database. The type
    // is not `RawRepresentable`, because that protocol's `!=` compares texts by canonical equivalence.

    /// Compares ids by bytes.
    public static func == (left: CustomerID, right: CustomerID) -> Bool {
        left.rawValue.hasSameBytes(as: right.rawValue)
    }

    /// Orders ids by bytes, as a database does.
    public static func < (left: CustomerID, right: CustomerID) -> Bool {
        left.rawValue.precedesByBytes(right.rawValue)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }
}
