import Storekeeper
import StorekeeperPages

/// The content of the desk: a page to look up a customer and see why they own what they own.
///
/// Only its part about access without a purchase changes anything.
struct DeskContent {
    /// An entry of an account.
    struct Movement {
        let time: String
        let kind: String
        let balance: String
        let change: String
        let after: String
        let cause: String
    }

    /// An offer, and whether the customer may have it.
    struct OfferRow {
        let product: String
        let offer: String
        let answer: String
        let until: String
    }

    /// A subscription, with Apple's pages on which the customer can act.
    struct ActionRow {
        let product: String
        let state: String
        let links: [Link]

        /// A page of Apple.
        struct Link {
            let name: String
            let url: String
        }
    }

    /// The submitted search text.
    let asked: String
    let app: String
    /// When the last verified notification of the App Store arrived; `nil` if none has since the process began.
    let lastNotification: String?
    /// Whether the caller may only look.
    var isReadOnly = true
    /// Why nothing is shown.
    var notice: String?
    var answers: AnswersContent?
    /// The offers, in the order of the catalog.
    var offers: [OfferRow] = []
    /// The subscriptions on which the customer can act.
    var actions: [ActionRow] = []
    /// The access without a purchase.
    var grants: DeskGrants?
    /// The entries, newest first.
    var movements: [Movement] = []
    var movementsNote: String?

    /// The maximum number of entries shown.
    static let mostMovements = 50

    /// Renders the page as HTML.
    ///
    /// - Throws: An error of the template parser, which is a bug.
    func page() throws -> String { try Self.templates.page(self, "desk") }

    /// Shows the offers that the customer may have, and the pages on which the customer can act.
    mutating func show(_ answers: CustomerOffers) {
        offers = answers.rows.map { row in
            OfferRow(
                product: row.productID.rawValue,
                offer: [row.offer.kind.rawValue, row.offer.id?.rawValue].compactMap(\.self).joined(separator: " "),
                answer: "\(row.answer.word) (\(row.answer.reasonWord))", until: row.until?.brief ?? "")
        }
        actions = answers.groups.flatMap(\.statuses).filter { !$0.links.isEmpty }.map { status in
            ActionRow(
                product: status.transaction.productID.rawValue, state: status.state.rawValue,
                links: status.links.map { ActionRow.Link(name: $0.deskName, url: $0.url) })
        }
    }

    private static let templates = PageTemplates(["desk": DeskTemplate.text, "grants": DeskGrantsTemplate.text])

    /// Returns the newest entries of an account.
    static func movements(_ entries: [LedgerEntry]) -> [Movement] {
        entries.filter(\.kind.movesBalance).suffix(mostMovements).reversed().map { entry in
            let cause =
                switch entry.cause {
                case .transaction(let key, let productID, _): "\(productID), transaction \(key.transactionID)"
                case .request(let key, let reason): [reason, "key \(key)"].compactMap(\.self).joined(separator: ", ")
                case .access(_, _, let key, _), .revocation(let key, _): "key \(key)"
                }
            return Movement(
                time: entry.at.brief, kind: entry.kind.rawValue, balance: entry.balance.rawValue,
                change: entry.change > 0 ? "+\(entry.change)" : "\(entry.change)", after: "\(entry.after)",
                cause: cause)
        }
    }
}

extension AppStoreLink {
    /// The name of the page for support staff.
    fileprivate var deskName: String {
        switch self {
        case .manage: "manage subscriptions"
        case .billing: "correct the payment"
        case .refund: "request a refund"
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
        <div><h1>What does this customer own, and why?</h1><p class="soft">Storekeeper · {{app}} · {{#isReadOnly}}read-only · {{/isReadOnly}}{{#lastNotification}}last notification from the App Store {{lastNotification}}{{/lastNotification}}{{^lastNotification}}no notification from the App Store since the service started{{/lastNotification}}</p></div>
        </div>
        <form class="act" method="get" action="/desk" role="search" aria-label="Look up a customer">
        <span class="field"><label for="customer">customer</label><input id="customer" name="customer" value="{{asked}}" required autocomplete="off" spellcheck="false" size="38"></span>
        <button class="primary">Look up</button>
        </form>
        </header>
        <main id="main" tabindex="-1">
        {{#notice}}<section class="notice failure" role="status"><p class="heading">{{notice}}</p></section>{{/notice}}
        {{^answers}}{{^notice}}<p class="soft">Enter the id of a customer in your app.</p>{{/notice}}{{/answers}}
        {{#answers}}
        {{> answers}}
        {{/answers}}
        {{^empty(offers)}}<section aria-labelledby="offers-heading">
        <h3 id="offers-heading">Offers that the customer may have</h3>
        <div class="scroll"><table class="list"><caption class="unseen">Offers that the customer may have</caption>
        <thead><tr><th scope="col">Product</th><th scope="col">Offer</th><th scope="col">Answer</th><th scope="col">Until</th></tr></thead>
        <tbody>{{#offers}}<tr><th scope="row">{{product}}</th><td>{{offer}}</td><td>{{answer}}</td><td>{{until}}</td></tr>
        {{/offers}}</tbody></table></div>
        </section>{{/empty(offers)}}
        {{^empty(actions)}}<section aria-labelledby="actions-heading">
        <h3 id="actions-heading">Where the customer can act</h3>
        <div class="scroll"><table class="list"><caption class="unseen">Where the customer can act</caption>
        <thead><tr><th scope="col">Product</th><th scope="col">State</th><th scope="col">Pages of Apple to send to the customer</th></tr></thead>
        <tbody>{{#actions}}<tr><th scope="row">{{product}}</th><td>{{state}}</td><td>{{#links}}<a href="{{url}}" rel="noreferrer">{{name}}</a> {{/links}}</td></tr>
        {{/actions}}</tbody></table></div>
        </section>{{/empty(actions)}}
        {{#grants}}{{> grants}}{{/grants}}
        {{^empty(movements)}}<section aria-labelledby="movements-heading">
        <h3 id="movements-heading">Changes of balances, newest first</h3>
        {{#movementsNote}}<p class="soft">{{movementsNote}}</p>{{/movementsNote}}
        <div class="scroll"><table class="list"><caption class="unseen">Changes of balances</caption>
        <thead><tr><th scope="col">Time</th><th scope="col">Kind</th><th scope="col">Balance</th><th scope="col">Change</th><th scope="col">After</th><th scope="col">Cause</th></tr></thead>
        <tbody>{{#movements}}<tr><th scope="row">{{time}}</th><td>{{kind}}</td><td>{{balance}}</td><td>{{change}}</td><td>{{after}}</td><td>{{cause}}</td></tr>
        {{/movements}}</tbody></table></div>
        </section>{{/empty(movements)}}
        </main>
        </body>
        </html>

        """
}
