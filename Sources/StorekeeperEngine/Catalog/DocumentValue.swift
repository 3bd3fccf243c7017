/// A value of a catalog file in any format: JSON, XML property list or binary property list.
enum DocumentValue: Hashable, Sendable {
    case dictionary(DocumentDictionary)
    case array([DocumentValue])
    case string(String)
    /// A number as it is written in the file; for a floating-point number in a binary property list, the shortest
    /// decimal text.
    case number(String)
    case bool(Bool)
    case null
    /// A date or binary data, which catalogs do not use.
    case opaque

    var dictionary: DocumentDictionary? {
        if case .dictionary(let dictionary) = self { dictionary } else { nil }
    }

    var array: [DocumentValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var isNull: Bool {
        if case .null = self { true } else { false }
    }

    var isNumber: Bool {
        if case .number = self { true } else { false }
    }

    /// The value as a whole number, if it is a number or the text of a number.
    var wholeNumber: Int64? {
        switch self {
        case .number(let text), .string(let text): DecimalText(text)?.wholeNumber
        default: nil
        }
    }
}

/// A dictionary with members in the order of the document.
struct DocumentDictionary: Hashable, Sendable {
    /// A key, compared by its bytes.
    typealias Name = ByteIdentifier<DocumentDictionary>

    /// A key and its value.
    struct Member: Hashable, Sendable {
        var name: String
        var value: DocumentValue
    }

    /// The members; no two members have the same name.
    var members: [Member]
    /// Whether the order of the members is the order in the file; a binary property list does not define an order.
    var isOrdered = true

    /// Returns the value of a key; `nil` if the value is absent or `null`.
    subscript(name: String) -> DocumentValue? {
        members.first { $0.name == name && !$0.value.isNull }?.value
    }
}

/// The members of a dictionary, by names without case and punctuation.
///
/// For example, `productID` and `product_id` are the same name.
struct NormalizedMembers: Sendable {
    private var byName: [String: DocumentDictionary.Member] = [:]

    /// Indexes a dictionary; if two names differ only in case and punctuation, the first member is used.
    init(_ dictionary: DocumentDictionary) {
        for member in dictionary.members where !member.value.isNull {
            let name = Self.folded(member.name)
            if byName[name] == nil { byName[name] = member }
        }
    }

    /// Returns the member with the first of the given names that is present and has a suitable value.
    func first(_ names: [String], where isFit: (DocumentValue) -> Bool = { _ in true }) -> DocumentDictionary.Member? {
        for name in names {
            if let member = byName[name], isFit(member.value) { return member }
        }
        return nil
    }

    subscript(name: String) -> DocumentValue? { byName[name]?.value }

    /// Returns the ASCII letters of a name, in lower case.
    static func folded(_ name: String) -> String {
        let letters = [UInt8](name.utf8.lazy.map { $0 | 0x20 }.filter { (97...122).contains($0) })
        return String(decoding: letters, as: UTF8.self)
    }
}

extension DocumentValue {
    /// Converts a JSON value with all its elements; the depth is limited, because the JSON reader has checked it.
    init(_ value: JSONValue) {
        if let object = value.object {
            self = .dictionary(
                DocumentDictionary(members: object.map { .init(name: $0.name, value: DocumentValue($0.value)) }))
        } else if let elements = value.array {
            self = .array(elements.map { DocumentValue($0) })
        } else if let text = value.string {
            self = .string(text)
        } else if let text = value.numberText {
            self = .number(text)
        } else if let bool = value.bool {
            self = .bool(bool)
        } else {
            self = .null
        }
    }
}
