/// The elements of a well-formed XML document, and their texts.
///
/// Accepts only elements, attributes in double quotes, and text, because the program's images contain nothing else.
/// Every other document counts as malformed.
struct XMLOutline {
    /// The name of the root element.
    let root: String
    /// The texts of elements, by element name, with resolved entities.
    let texts: [String: [String]]

    init?(_ document: String) {
        var open: [(name: String, text: String)] = []
        var root: String?
        var texts: [String: [String]] = [:]
        var rest = document[...]
        while !rest.isEmpty {
            if rest.first == "<" {
                guard
                    let tag = try? #/<(/?)([a-z]+)((?: [A-Za-z0-9:-]+="[^"<&]*(?:&[^"<&]*)*")*)(/?)>/#.prefixMatch(
                        in: rest)
                else { return nil }
                rest = rest[tag.range.upperBound...]
                guard Self.resolved(tag.3) != nil, root == nil || !open.isEmpty else { return nil }
                let name = String(tag.2)
                root = root ?? name
                if tag.1.isEmpty { open.append((name, "")) }
                guard !tag.1.isEmpty || !tag.4.isEmpty else { continue }
                guard let element = open.popLast(), element.name == name else { return nil }
                texts[name, default: []].append(element.text)
            } else {
                let text = rest.prefix { $0 != "<" }
                rest = rest[text.endIndex...]
                guard let resolved = Self.resolved(text) else { return nil }
                if open.isEmpty {
                    guard resolved.allSatisfy(\.isWhitespace) else { return nil }
                } else {
                    open[open.count - 1].text += resolved
                }
            }
        }
        guard let root, open.isEmpty else { return nil }
        self.root = root
        self.texts = texts
    }

    /// Text with resolved entities; `nil` for an unknown entity, or a character that XML does not permit.
    private static func resolved(_ text: Substring) -> String? {
        let isAllowed = text.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20
                ? scalar != "\u{FFFE}" && scalar != "\u{FFFF}" : "\t\n\r".unicodeScalars.contains(scalar)
        }
        guard isAllowed, !text.contains("]]>") else { return nil }
        var result = ""
        var rest = text
        while let ampersand = rest.firstIndex(of: "&") {
            result += rest[..<ampersand]
            guard let end = rest[ampersand...].firstIndex(of: ";"),
                let character = entities[String(rest[rest.index(after: ampersand)..<end])]
            else { return nil }
            result += character
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static let entities = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "#39": "'"]
}
