import Mustache

/// The templates of the page.
enum PageTemplates {
    /// A page cannot be made because a template cannot be read: a mistake of ours.
    struct Absence: Error {}

    /// The page as HTML.
    ///
    /// - Throws: What the templates' reader throws, which is a mistake of ours.
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
