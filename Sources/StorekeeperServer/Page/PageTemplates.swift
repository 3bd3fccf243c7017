import Mustache

/// The templates of the page.
enum PageTemplates {
    /// A template could not be parsed, which is a bug.
    struct Absence: Error {}

    /// Renders the page as HTML.
    ///
    /// - Throws: An error of the template parser, which is a bug.
    static func page(_ content: Any, _ name: String = "page") throws -> String {
        guard let text = try library.get().render(content, withTemplate: name) else { throw Absence() }
        return text
    }

    private static let library: Result<MustacheLibrary, any Error> = Result {
        MustacheContentTypes.register(MarkupText(), named: MarkupText.name)
        var templates: [String: MustacheTemplate] = [:]
        for (name, text) in texts {
            templates[name] = try MustacheTemplate(string: "{{% CONTENT_TYPE:\(MarkupText.name) }}\n" + text)
        }
        return MustacheLibrary(templates: templates)
    }

    static let texts: [String: String] = [
        "page": FrameTemplates.page, "act": FrameTemplates.act, "acts": FrameTemplates.acts,
        "confirmation": FrameTemplates.confirmation, "paging": FrameTemplates.paging,
        "payload": FrameTemplates.payload, "transactions": TransactionsTemplate.text,
        "inspector": TransactionsTemplate.inspector, "answers": AnswersTemplate.text,
        "notifications": OtherTemplates.notifications, "story": OtherTemplates.story, "store": OtherTemplates.store,
        "scenario": OtherTemplates.scenario, "desk": DeskTemplate.text,
    ]
}

/// Escapes text for HTML, scalar by scalar.
///
/// By characters, a quotation mark followed by a combining mark would be another character, and would end an attribute
/// unescaped.
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
