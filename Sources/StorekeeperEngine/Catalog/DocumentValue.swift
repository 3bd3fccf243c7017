/// A value of a catalog file, whatever its format: JSON, XML or binary property list.
enum DocumentValue: Hashable, Sendable {
    case dictionary(DocumentDictionary)
    case array([DocumentValue])
    case string(String)
    /// A number as it was written; a binary property list's real as its shortest decimal text.
    case number(String)
    case bool(Bool)
    case null
    /// A date or data; catalogs do not use them.
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

    /// The value as a whole number, from a number or its text.
    var wholeNumber: Int64? {
        switch self {
        case .number(let text), .string(let text): DecimalText(text)?.wholeNumber
        default: nil
        }
    }
}

/// A dictionary that keeps the order of its document.
struct DocumentDictionary: Hashable, Sendable {
    /// A key, compared by its bytes.
    typealias Name = ByteIdentifier<DocumentDictionary>

    /// A key and its value.
    struct Member: Hashable, Sendable {
        var name: String
        var value: DocumentValue
    }

    /// The members, each name once.
    var members: [Member]
    /// Whether the order of the members is that of a document; a binary property list has none.
    var isOrdered = true

    /// Returns the value of a key; `nil` if it is absent or `null`.
    subscript(name: String) -> DocumentValue? {
        members.first { $0.name == name && !$0.value.isNull }?.value
    }
}

/// The members of a dictionary by name, in any case and punctuation: `productID` equals `product_id`.
struct NormalizedMembers: Sendable {
    private var byName: [String: DocumentDictionary.Member] = [:]

    /// Indexes a dictionary; of two names that fold to one the first counts.
    init(_ dictionary: DocumentDictionary) {
        for member in dictionary.members where !member.value.isNull {
            let name = Self.folded(member.name)
            if byName[name] == nil { byName[name] = member }
        }
    }

    /// Returns the value of the first of these names that is present.
    func first(_ names: [String], where isFit: (DocumentValue) -> Bool = { _ in true }) -> DocumentDictionary.Member? {
        for name in names {
            if let member = byName[name], isFit(member.value) { return member }
        }
        return nil
    }

    subscript(name: String) -> DocumentValue? { byName[name]?.value }

    /// Returns a name in lower case, letters only.
    static func folded(_ name: String) -> String {
        var folded = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "a"..."z": folded.unicodeScalars.append(scalar)
            case "A"..."Z": folded.append(Character(Unicode.Scalar(UInt8(scalar.value) | 0x20)))
            default: continue
            }
        }
        return folded
    }
}

extension DocumentValue {
    /// Converts a JSON value and all it contains; the reader has bounded its depth.
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
