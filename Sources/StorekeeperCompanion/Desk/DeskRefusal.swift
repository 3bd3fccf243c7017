import StorekeeperCharts
import StorekeeperPages

/// The page that a browser shows if its request to the desk was refused.
///
/// Without a valid access key, the page names neither the app nor a customer, because its reader has no key.
struct DeskRefusal {
    /// The texts by their keys.
    let text: [String: String]
    let language: String
    /// The subject of the page, for its title and heading.
    let subject: String
    /// The reason why the request was refused.
    let reason: String
    /// Whether the reason is in English, whatever the language of the page.
    let isEnglish: Bool
    /// What the reader can do; `nil` if the reason says it.
    let hint: String?
    /// The URL of the start page; `nil` if the reader may not open it.
    let homeAddress: String?

    /// Makes the page about a problem.
    ///
    /// - Parameters:
    ///   - caller: The caller; `nil` without a valid access key.
    ///   - scope: The scope that the request needs.
    init(_ problem: Problem, caller: Caller?, needing scope: Scope?, _ texts: DeskTexts) {
        text = texts.page
        language = texts.language.rawValue
        homeAddress = caller?.has(.desk) == true ? "/desk" : nil
        // The problems that have a meaning for a person are about the key.
        let meaning = problem.kind.meanings[texts.language]
        subject = texts(meaning == nil ? .refusedHeading : .keyHeading)
        isEnglish = meaning == nil
        if let meaning {
            reason = meaning.filling(["own": caller?.scopes ?? "–", "scope": scope?.rawValue ?? "–"])
            hint = texts(problem.status == 401 ? .keyHint : .keyOther)
        } else {
            reason = "\(problem.title): \(problem.detail)"
            hint = nil
        }
    }

    /// Renders the page as HTML.
    ///
    /// - Throws: An error of the template parser, which is a bug.
    func html() throws -> String { try DeskContent.templates.page(self, "refusal") }
}

/// The template of the page.
enum DeskRefusalTemplate {
    static let text = """
        {{> head}}
        </head>
        <body>
        <main id="main">
        <h1>{{subject}}</h1>
        <section class="notice failure" role="alert"><p class="heading"{{#isEnglish}} lang="en"{{/isEnglish}}>{{reason}}</p></section>
        {{#hint}}<p>{{hint}}</p>{{/hint}}
        {{#homeAddress}}<p><a href="{{homeAddress}}">{{text.customers}}</a></p>{{/homeAddress}}
        </main>
        </body>
        </html>

        """
}
