import StorekeeperPages

/// The page that a browser shows if its request to the desk had no valid access key.
///
/// The page names neither the app nor a customer, because its reader has no key.
struct DeskRefusal {
    /// The texts by their keys.
    let text: [String: String]
    let language: String
    /// The subject of the page, for its title and heading.
    let subject: String
    /// The reason why the request was refused.
    let reason: String

    /// Makes the page about a problem with an access key, whose code is also the key of its text.
    init(problem code: String, _ texts: DeskTexts) {
        text = texts.page
        language = texts.language.rawValue
        subject = texts(.keyHeading)
        reason = texts(DeskText(rawValue: code) ?? .keyMissing)
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
        <section class="notice failure" role="alert"><p class="heading">{{reason}}</p></section>
        <p>{{text.keyHint}}</p>
        </main>
        </body>
        </html>

        """
}
