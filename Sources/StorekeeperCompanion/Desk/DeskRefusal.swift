import StorekeeperPages

/// The page that a browser shows if its request to the desk had no valid access key.
///
/// The page names neither the app nor a customer, because its reader has no key.
struct DeskRefusal {
    /// The texts by their keys.
    let text: [String: String]
    let language: String
    /// The reason why the request was refused.
    let reason: String

    /// Makes the page about a problem with an access key, whose code is also the key of its text.
    init(problem code: String, _ texts: DeskTexts) {
        text = texts.page
        language = texts.language.rawValue
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
        <!doctype html>
        <html lang="{{language}}">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>{{text.keyHeading}} – Storekeeper</title>
        <link rel="icon" href="/desk/icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/desk/style.css">
        </head>
        <body>
        <main id="main">
        <h1>{{text.keyHeading}}</h1>
        <section class="notice failure" role="alert"><p class="heading">{{reason}}</p></section>
        <p>{{text.keyHint}}</p>
        </main>
        </body>
        </html>

        """
}
