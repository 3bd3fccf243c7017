/// Members of catalog files that this version of the package does not know, or that a catalog does not use.
///
/// When a file of the same kind is written, its unknown members are written as well. An older version of the package
/// therefore does not remove members that a newer version has added. Secrets are never stored.
///
/// Two values that differ only in unknown members are equal, because this version cannot compare their meaning.
package struct UnknownMembers: Hashable, Sendable {
    /// The unknown members of a list of products.
    var list: [DocumentDictionary.Member] = []
    /// The unknown members of a StoreKit configuration.
    var configuration: [DocumentDictionary.Member] = []

    /// Whether the files have no unknown members.
    package var isEmpty: Bool { list.isEmpty && configuration.isEmpty }

    /// Returns `true`, so that unknown members make no difference.
    package static func == (left: UnknownMembers, right: UnknownMembers) -> Bool { true }

    /// Hashes nothing.
    package func hash(into hasher: inout Hasher) {}

    /// Adds the unknown members of a later place in the files; a later member replaces an earlier member of the same
    /// name.
    mutating func merge(_ later: UnknownMembers) {
        Self.merge(later.list, into: &list)
        Self.merge(later.configuration, into: &configuration)
    }

    private static func merge(_ later: [DocumentDictionary.Member], into members: inout [DocumentDictionary.Member]) {
        for member in later {
            if let index = members.firstIndex(where: { $0.name == member.name }) {
                members[index] = member
            } else {
                members.append(member)
            }
        }
    }
}

/// A description that contains only names, because a value may be a secret.
extension UnknownMembers: CustomStringConvertible, CustomReflectable {
    /// The names of the members.
    package var description: String { (list + configuration).map(\.name).joined(separator: ", ") }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension DocumentDictionary {
    /// Returns the members that are unknown and can be written again, in the order of the file.
    func unknownMembers(_ isKnown: (String) -> Bool) -> [Member] {
        let unknown = members.filter { !isKnown($0.name) }.compactMap(\.withoutSecrets)
        return isOrdered ? unknown : unknown.sorted { $0.name.precedesByBytes($1.name) }
    }
}

extension DocumentDictionary.Member {
    /// A copy of the member without secrets and without values that cannot be written; `nil` if nothing remains.
    fileprivate var withoutSecrets: Self? {
        let folded = NormalizedMembers.folded(name)
        guard !["secret", "password", "privatekey", "keypair"].contains(where: folded.contains) else { return nil }
        return value.withoutSecrets.map { Self(name: name, value: $0) }
    }
}

extension DocumentValue {
    fileprivate var withoutSecrets: DocumentValue? {
        switch self {
        case .dictionary(var dictionary):
            dictionary.members = dictionary.unknownMembers { _ in false }
            dictionary.isOrdered = true
            return .dictionary(dictionary)
        case .array(let elements): return .array(elements.compactMap(\.withoutSecrets))
        case .string, .bool: return self
        // Property lists permit numbers that JSON does not permit.
        case .number(let text): return text.isNumberOfJSON ? self : nil
        case .null, .opaque: return nil
        }
    }

    /// Returns whether a format can store all texts of the value.
    fileprivate func isEncodable(_ isEncodable: (String) -> Bool) -> Bool {
        switch self {
        case .dictionary(let dictionary):
            dictionary.members.allSatisfy { isEncodable($0.name) && $0.value.isEncodable(isEncodable) }
        case .array(let elements): elements.allSatisfy { $0.isEncodable(isEncodable) }
        case .string(let text): isEncodable(text)
        case .number, .bool, .null, .opaque: true
        }
    }
}

extension String {
    fileprivate var isNumberOfJSON: Bool {
        let digits = utf8.drop { $0 == UInt8(ascii: "-") }
        return DecimalText(self) != nil
            && !(digits.first == UInt8(ascii: "0") && digits.dropFirst().first.map { (48...57).contains($0) } ?? false)
    }
}

extension DocumentDictionary {
    /// Adds the unknown members that the format can store, and reports the other unknown members.
    mutating func add(unknown: [Member], of subject: String, with encoder: inout CatalogEncoder) {
        for member in unknown where !members.contains(where: { $0.name == member.name }) {
            if encoder.isEncodable(member.name), member.value.isEncodable(encoder.isEncodable) {
                members.append(member)
            } else {
                encoder.reportLoss("the value of the key \"\(member.name.prefix(40))\"", of: subject)
            }
        }
    }
}
