import Mustache

/// A set of templates that are rendered as HTML.
package struct PageTemplates: Sendable {
    /// A template cannot be read: a mistake of ours.
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
    /// - Throws: An error if a template cannot be read, which is a mistake of ours.
    package func page(_ content: Any, _ name: String) throws -> String {
        guard let text = try library.get().render(content, withTemplate: name) else { throw Unreadable() }
        return text
    }
}

/// Escapes text for HTML by its scalars.
///
/// By characters a quotation mark with a combining mark behind it would be another character, and end an attribute.
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
