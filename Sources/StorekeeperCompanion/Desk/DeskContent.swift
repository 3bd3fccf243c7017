import Storekeeper
import StorekeeperPages

/// What the desk says: the page on which somebody looks a customer up and sees why they have what they have.
///
/// It changes nothing.
struct DeskContent {
    /// A movement of a balance.
    struct Movement {
        let time: String
        let kind: String
        let balance: String
        let change: String
        let after: String
        let cause: String
    }

    /// What was typed to find somebody.
    let asked: String
    let app: String
    /// When the last notification of the App Store came that was believed; `nil`: none since the process began.
    let lastNotification: String?
    /// Why nothing is shown.
    var notice: String?
    var answers: AnswersContent?
    /// The newest first.
    var movements: [Movement] = []
    var movementsNote: String?

    /// The most movements that are shown.
    static let mostMovements = 50

    /// The page as HTML.
    ///
    /// - Throws: What the templates' reader throws, which is a mistake of ours.
    func page() throws -> String { try Self.templates.page(self, "desk") }

    private static let templates = PageTemplates(["desk": DeskTemplate.text])

    /// The movements of an account, the newest of many.
    static func movements(_ entries: [LedgerEntry]) -> [Movement] {
        entries.suffix(mostMovements).reversed().map { entry in
            let cause =
                switch entry.cause {
                case .transaction(let key, let productID, _): "\(productID), transaction \(key.transactionID)"
                case .request(let key, let reason): [reason, "key \(key)"].compactMap(\.self).joined(separator: ", ")
                }
            return Movement(
                time: entry.at.brief, kind: entry.kind.rawValue, balance: entry.balance.rawValue,
                change: entry.change > 0 ? "+\(entry.change)" : "\(entry.change)", after: "\(entry.after)",
                cause: cause)
        }
    }
}

/// The template of the desk.
enum DeskTemplate {
    static let text = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>{{#answers}}{{customer}} – {{/answers}}Storekeeper</title>
        <link rel="icon" href="/desk/icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/desk/style.css">
        </head>
        <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="bar">
        <div class="brand">
        <svg class="logo" viewBox="0 0 24 24" aria-hidden="true"><path d="M4 8h16l-1.2 12H5.2z"/><path class="line" d="M8.5 8V6.5a3.5 3.5 0 0 1 7 0V8"/></svg>
        <div><h1>What does this customer own, and why?</h1><p class="soft">Storekeeper · {{app}} · nothing here changes anything · {{#lastNotification}}last notification of the App Store {{lastNotification}}{{/lastNotification}}{{^lastNotification}}no notification of the App Store since the service began{{/lastNotification}}</p></div>
        </div>
        <form class="act" method="get" action="/desk" role="search" aria-label="Look a customer up">
        <span class="field"><label for="customer">customer</label><input id="customer" name="customer" value="{{asked}}" required autocomplete="off" spellcheck="false" size="38"></span>
        <button class="primary">Look up</button>
        </form>
        </header>
        <main id="main" tabindex="-1">
        {{#notice}}<section class="notice failure" role="status"><p class="heading">{{notice}}</p></section>{{/notice}}
        {{^answers}}{{^notice}}<p class="soft">Type the app's own id of a customer.</p>{{/notice}}{{/answers}}
        {{#answers}}
        {{> answers}}
        {{/answers}}
        {{^empty(movements)}}<section aria-labelledby="movements-heading">
        <h3 id="movements-heading">Movements of balances, the newest first</h3>
        {{#movementsNote}}<p class="soft">{{movementsNote}}</p>{{/movementsNote}}
        <div class="scroll"><table class="list"><caption class="unseen">Movements of balances</caption>
        <thead><tr><th scope="col">Time</th><th scope="col">Kind</th><th scope="col">Balance</th><th scope="col">Change</th><th scope="col">After</th><th scope="col">Cause</th></tr></thead>
        <tbody>{{#movements}}<tr><th scope="row">{{time}}</th><td>{{kind}}</td><td>{{balance}}</td><td>{{change}}</td><td>{{after}}</td><td>{{cause}}</td></tr>
        {{/movements}}</tbody></table></div>
        </section>{{/empty(movements)}}
        </main>
        </body>
        </html>

        """
}
