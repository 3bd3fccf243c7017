import Mustache

/// A set of templates that are rendered as HTML.
package struct PageTemplates: Sendable {
    /// The error thrown if a template cannot be read, which is a bug.
    struct Unreadable: Error {}

    /// The templates by their names.
    package let texts: [String: String]
    private let library: Result<MustacheLibrary, any Error>

    /// Reads the templates of a page, by their names.
    package init(_ texts: [String: String]) {
        self.texts = texts
        library = Result {
            MustacheContentTypes.register(MarkupText(), named: MarkupText.name)
            var templates: [String: MustacheTemplate] = [:]
            for (name, text) in texts {
                templates[name] = try MustacheTemplate(string: "{{% CONTENT_TYPE:\(MarkupText.name) }}\n" + text)
            }
            return MustacheLibrary(templates: templates)
        }
    }

    /// Renders a page.
    ///
    /// - Throws: An error if a template cannot be read, which is a bug.
    package func page(_ content: Any, _ name: String) throws -> String {
        let members = Self.members(of: content) ?? content
        guard let text = try library.get().render(members, withTemplate: name) else { throw Unreadable() }
        return text
    }

    /// Converts structures, at any depth, to dictionaries of their properties, and returns other values unchanged.
    ///
    /// The Mustache library looks up each name of a template in all enclosing values. For a structure, the library uses
    /// reflection on every property at each look-up. For a page with 300 rows, this reflection took most of the time.
    private static func members(of value: Any) -> Any? {
        if value is String || value is Bool { return value }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional: return mirror.children.first.flatMap { members(of: $0.value) }
        case .collection: return mirror.children.compactMap { members(of: $0.value) }
        case .struct where !(value is any MustacheParent || value is any CustomStringConvertible):
            return Dictionary(
                mirror.children.compactMap { child in
                    child.label.flatMap { label in members(of: child.value).map { (label, $0) } }
                }, uniquingKeysWith: { first, _ in first })
        default: return value
        }
    }
}

/// Escapes text for HTML, one Unicode scalar at a time.
///
/// A quotation mark followed by a combining mark is one `Character`, which differs from a quotation mark. If characters
/// were escaped instead of scalars, this quotation mark would stay unescaped and would end an attribute.
private struct MarkupText: MustacheContentType {
    static let name = "MARKUP"

    func escapeText(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\u{0}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
