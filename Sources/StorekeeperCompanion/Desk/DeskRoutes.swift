import HTTPTypes
import StorekeeperPages

/// The routes of the support desk, in the order of the OpenAPI document.
extension CompanionRoute {
    static let allOfDesk = [
        desk, deskTicket, deskGrant, deskRevocation, deskFetch, deskClaim, deskTransfer, deskErasure, deskWebhooks,
        deskResume, deskReplay, deskStyle, deskScript, deskIcon,
    ]

    package static let desk = CompanionRoute(
        id: "desk", method: .get, path: "/desk", scope: .desk,
        summary: "The customer support page, for a search by customer, transaction, order or token, or one customer",
        parameters: [
            "search", "customer", "at", "asKnownAt", "span", "why", "only", "before", "after",
            "subject", "length", "until", "reason", "revoke", "claim", "granted", "revoked", "assigned", "moved",
            "fetched",
            "lang",
        ].map { .query($0) },
        answer: "HTML; a search that finds one customer leads to the customer's page.", types: ["text/html"],
        redirects: true, problems: [404]
    ) { try await $0.desk($1) }

    static let deskTicket = CompanionRoute(
        id: "deskTicket", method: .get, path: "/desk/ticket.txt", scope: .desk,
        summary: "The summary of a customer as plain text, for a ticket",
        parameters: ["customer", "at", "asKnownAt", "lang"].map { .query($0) }, answer: "Text.",
        types: ["text/plain"], problems: [404]
    ) { try await $0.deskTicket($1) }

    static let deskGrant = deskForm(
        "deskGrant", "/desk/grants", scope: .grant,
        "Gives access to the customer shown on the support page, as its form asks", "DeskGrant",
        [
            "customer": .text, "subject": .text.about("'feature:' or 'product:' and the id."), "until": .text,
            "reason": .text, "key": .text,
        ], problems: [422]
    ) { try await $0.deskGrant($1) }

    static let deskRevocation = deskForm(
        "deskRevocation", "/desk/revocations", scope: .grant,
        "Revokes access of the customer shown on the support page, as its form asks", "DeskRevocation",
        ["customer": .text, "key": .text, "reason": .text]
    ) { try await $0.deskRevocation($1) }

    static let deskFetch = deskForm(
        "deskFetch", "/desk/fetches", scope: .grant,
        "Asks Apple for everything about the customer shown on the support page", "DeskCustomer", ["customer": .text]
    ) { try await $0.deskFetch($1) }

    static let deskClaim = deskForm(
        "deskClaim", "/desk/claims", scope: .claim,
        "Assigns an unowned purchase or token to the customer shown on the support page", "DeskClaim",
        ["customer": .text, "purchase": purchase]
    ) { try await $0.deskClaim($1) }

    static let deskTransfer = deskForm(
        "deskTransfer", "/desk/transfers", scope: .admin,
        "Moves another customer's purchase or token to the customer shown on the support page", "DeskTransfer",
        ["customer": .text, "purchase": purchase, "reason": .text]
    ) { try await $0.deskTransfer($1) }

    static let deskErasure = deskForm(
        "deskErasure", "/desk/erasures", scope: .admin,
        "Erases the customer shown on the support page, whose id is typed again", "DeskErasure",
        [
            "customer": .text, "typed": .text.about("The id again; anything else erases nothing."), "reason": .text,
        ]
    ) { try await $0.deskErasure($1) }

    static let deskWebhooks = CompanionRoute(
        id: "deskWebhooks", method: .get, path: "/desk/webhooks", scope: .desk,
        summary: "The support page with the state of the webhooks and the parked messages",
        parameters: ["resumed", "replayed", "lang"].map { .query($0) }, answer: "HTML.", types: ["text/html"],
        problems: [404]
    ) { try await $0.deskWebhooks($1) }

    static let deskResume = deskForm(
        "deskResume", "/desk/webhooks/resume", scope: .admin, "Resumes a webhook, as the form of the page asks",
        "DeskWebhook", ["webhook": .text]
    ) { try await $0.deskResume($1) }

    static let deskReplay = deskForm(
        "deskReplay", "/desk/webhooks/replay", scope: .admin,
        "Posts the parked messages of a webhook again, as the form of the page asks", "DeskWebhook", ["webhook": .text]
    ) { try await $0.deskReplay($1) }

    static let deskStyle = asset("deskStyle", "style.css", "The style sheet of those pages", "text/css") {
        service, _ in try service.deskAsset(DeskStyle.text, "text/css; charset=utf-8")
    }

    static let deskScript = asset("deskScript", "script.js", "The script of those pages", "text/javascript") {
        service, _ in try service.deskAsset(DeskScript.text, "text/javascript; charset=utf-8")
    }

    static let deskIcon = asset("deskIcon", "icon.svg", "The icon of those pages", "image/svg+xml") {
        service, _ in try service.deskAsset(PageStyle.icon, "image/svg+xml")
    }

    private static let purchase = Schema.text.about("An original transaction id or a token.")

    /// Returns a route that receives a form from a page of the support desk.
    private static func deskForm(
        _ id: String, _ path: String, scope: Scope, _ summary: String, _ name: String, _ fields: Schema,
        problems: [Int] = [],
        _ handler: @escaping Handler
    ) -> CompanionRoute {
        CompanionRoute(
            id: id, method: .post, path: path, scope: scope, summary: summary, parameters: [.query("lang")],
            body: [("application/x-www-form-urlencoded", .named(name, .closed(fields)))],
            answer: "HTML, because the form has changed nothing.", types: ["text/html"], redirects: true,
            problems: [404, 415] + problems, handler: handler)
    }

    /// Returns the route of a static file of the support desk, which is the same for all callers.
    private static func asset(
        _ id: String, _ name: String, _ summary: String, _ type: String, _ handler: @escaping Handler
    ) -> CompanionRoute {
        CompanionRoute(
            id: id, method: .get, path: "/desk/\(name)", scope: nil, summary: summary, answer: "Text.", types: [type],
            problems: [404], handler: handler)
    }
}
