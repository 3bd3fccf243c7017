import HTTPTypes
import Storekeeper
import StorekeeperPages

/// The list of routes, in the order of the OpenAPI document.
extension CompanionRoute {
    /// All routes.
    package static let all: [CompanionRoute] = [
        notifications, transactions, products, entitlements, features, feature, explanation, timeline, subscriptions,
        offers, offerSignature, balances, balance, spend, grant, grants, grantAccess, revokeAccess, lease, checks,
        events, webhooks, webhookAttempts, parkedWebhooks, replayWebhook, resumeWebhook, claims, transfers, parked,
        export, erase, publishedKeys, metrics, live, ready, description, desk, deskTicket, deskGrant, deskRevocation,
        deskFetch, deskClaim, deskTransfer, deskErasure, deskWebhooks, deskResume, deskReplay, deskStyle, deskScript,
        deskIcon,
    ]

    /// The routes of the listener for health and metrics.
    static let monitoring: [CompanionRoute] = [live, ready, metrics]

    private static let customer = "/v1/customers/{customer}"

    // MARK: Evidence

    package static let notifications = CompanionRoute(
        "notifications", .post, "/apple/notifications", nil, openLimit: .refusals,
        "Receives an App Store notification, which is authenticated by its signature",
        body: Body("Notification", [.required("signedPayload", nil, .string)], allowsOthers: true),
        answer: "The notification is stored.", problems: [503]
    ) { try await $0.takeNotification($1) }

    static let transactions = CompanionRoute(
        "transactions", .post, customer + "/transactions", .spend,
        "Stores transactions that the app submits for its customer, or receipts, which Apple exchanges",
        body: Body("Transactions", [.required("transactions", nil, evidence)], mayBeText: true), answer: "The result.",
        problems: [415, 422]
    ) { try await $0.takeTransactions($1) }

    static let claims = CompanionRoute(
        "claims", .post, customer + "/claims", .claim,
        "Assigns an unowned purchase or account token to the customer permanently",
        body: Body("Claim", purchase, oneOf: "originalTransactionID", "token"),
        answer: "It belongs to the customer.", problems: [404, 409, 415]
    ) { try await $0.claim($1) }

    static let transfers = CompanionRoute(
        "transfers", .post, customer + "/transfers", .admin,
        "Moves a purchase or account token from its owner to the customer, recorded in both accounts",
        body: Body(
            "Transfer", purchase + [.required("reason", nil, shortText)], oneOf: "originalTransactionID", "token"),
        answer: "It belongs to the customer.", problems: [404, 415]
    ) { try await $0.transfer($1) }

    static let parked = CompanionRoute(
        "parked", .get, "/v1/parked", .admin,
        "Lists parked purchases, which have no owner or belong to a customer other than the one who submitted them",
        parameters: [.after, .limit], answer: "A page."
    ) { try await $0.parked($1) }

    // MARK: The catalog

    static let products = CompanionRoute(
        "products", .get, "/v1/products", .check,
        "The products that the app sells, in all languages or in one, with localized prices",
        parameters: [
            Parameter("locale"), Parameter("If-None-Match", isHeader: true),
            Parameter("If-Modified-Since", isHeader: true),
        ],
        answer: "The document of storekeeper products, without diagnostics.", content: CatalogListing.self,
        isCacheable: true
    ) { try await $0.products($1) }

    // MARK: Answers

    static let entitlements = CompanionRoute(
        "entitlements", .get, customer + "/entitlements", .check,
        "Everything the customer owns, with reasons", parameters: [.at],
        answer: "The document of storekeeper entitlements."
    ) { try await $0.entitlements($1) }

    static let features = CompanionRoute(
        "features", .get, customer + "/features", .check,
        "The features of the customer",
        parameters: [.at], answer: "The features."
    ) { FeatureAnswers(try await $0.answers($1)) }

    static let feature = CompanionRoute(
        "feature", .get, customer + "/features/{feature}", .check,
        "Whether the customer has a feature", parameters: [.at], answer: "The document of storekeeper check.",
        problems: [404]
    ) { try await $0.feature($1) }

    static let explanation = CompanionRoute(
        "explanation", .get, customer + "/explanation", .check,
        "Why the customer has, or does not have, a product or feature",
        parameters: [Parameter("product"), Parameter("feature"), .at], answer: "The document of storekeeper explain.",
        problems: [404]
    ) { try await $0.explanation($1) }

    static let timeline = CompanionRoute(
        "timeline", .get, customer + "/timeline", .check,
        "The customer's entitlements over time; an image if the Accept header asks for image/svg+xml",
        parameters: [Parameter("from", nil, instant), Parameter("until", nil, instant)],
        answer: "The document of storekeeper timeline.", content: TimelineDocument.self, types: ["image/svg+xml"]
    ) { try await $0.timeline($1) }

    static let subscriptions = CompanionRoute(
        "subscriptions", .get, customer + "/subscriptions", .check,
        "The statuses of the customer's subscriptions, by group", parameters: [.at], answer: "The groups."
    ) { GroupAnswers(try await $0.answers($1)) }

    static let offers = CompanionRoute(
        "offers", .get, customer + "/offers", .check,
        "Whether the customer may have each offer of the catalog, why, and until when",
        parameters: [.at, Parameter("product")], answer: "The document of storekeeper offers.",
        problems: [404]
    ) { try await $0.offers($1) }

    static let offerSignature = CompanionRoute(
        "offerSignature", .post, customer + "/offers/{offer}/signature", .offer,
        "Signs a promotional offer for an eligible customer, or the eligibility for an introductory offer",
        body: Body(
            "OfferRequest",
            [
                .required("product"),
                .optional(
                    "kind",
                    "Of an introductory offer the path has the word introductory as id; transactionID is required.",
                    JSONSchema(
                        type: "string",
                        [
                            "enum": .array([.string("promotional"), .string("introductory")]),
                            "default": .string("promotional"),
                        ])),
                .optional(
                    "account",
                    "For the original form: the customer's id, or an appAccountToken that belongs to the customer. A "
                        + "promotional offer needs this member or transactionID."),
                .optional(
                    "transactionID",
                    "For the JWS: any transaction of the customer, or their app transaction id, that the vault knows."),
                .optional(
                    "allow",
                    "Whether the customer gets the introductory offer, whatever the rules say; absent to follow them.",
                    .boolean),
            ]), answer: "The signatures, which are valid for 24 hours.",
        problems: [404, 409, 415]
    ) { try await $0.signOffer($1) }

    static let checks = CompanionRoute(
        "checks", .post, "/v1/checks", .check,
        "The same check for many customers",
        body: Body(
            "Checks",
            [
                .required("customers", nil, customers), .optional("feature"), .optional("product"),
                .optional("at", nil, instant),
            ], oneOf: "feature", "product"),
        answer: "One answer per customer, in order; an answer has its own 'at' if its time is later than the "
            + "service's clock.", problems: [404, 415]
    ) { try await $0.checks($1) }

    static let events = CompanionRoute(
        "events", .get, "/v1/events", .admin,
        "Past and new changes of entitlements, as a stream; starts after Last-Event-ID or 'after'",
        parameters: [
            Parameter("after", nil, FeedCursor.schema),
            Parameter("Last-Event-ID", nil, FeedCursor.schema, isHeader: true),
        ],
        answer:
            "A stream of server-sent events; the data of each is an Event. It ends when its key expires, is removed "
            + "or loses the scope.", types: ["text/event-stream"],
        problems: [410]
    ) { try await $0.events($1) }

    // MARK: Webhooks

    private static let webhook = "/v1/webhooks/{webhook}"

    static let webhooks = CompanionRoute(
        "webhooks", .get, "/v1/webhooks", .admin,
        "Webhooks, with the numbers of waiting and failing customers and of parked messages",
        answer: "The webhooks."
    ) { try await $0.webhooks($1) }

    static let webhookAttempts = CompanionRoute(
        "webhookAttempts", .get, webhook + "/attempts", .admin,
        "Attempts of the last thirty days to deliver messages, the newest first",
        parameters: [Parameter("customer"), Parameter("before", nil, attemptPlace), .limit], answer: "A page.",
        problems: [404]
    ) { try await $0.webhookAttempts($1) }

    static let parkedWebhooks = CompanionRoute(
        "parkedWebhooks", .get, webhook + "/parked", .admin,
        "Messages that were given up, oldest event first",
        parameters: [.after, .limit], answer: "A page.", problems: [404]
    ) { try await $0.parkedWebhooks($1) }

    static let replayWebhook = CompanionRoute(
        "replayWebhook", .post, webhook + "/replay", .admin,
        "Posts events after an event, or those that were given up, again in the order of each customer",
        body: Body(
            "WebhookReplay",
            [
                .optional("after", nil, FeedCursor.schema),
                .optional("customer", "With after: only events about this customer."),
                .optional(
                    "parked", "The parked messages, and the later events of their customers.",
                    JSONSchema(type: "boolean", ["const": .bool(true)])),
            ], oneOf: "after", "parked"), answer: "They are posted again.",
        problems: [404, 410, 415]
    ) { try await $0.replayWebhook($1) }

    static let resumeWebhook = CompanionRoute(
        "resumeWebhook", .post, webhook + "/resume", .admin,
        "Posts again to a receiver that has answered with 410", answer: "The receiver gets messages again.",
        problems: [404]
    ) { try await $0.resumeWebhook($1) }

    // MARK: Balances

    static let balances = CompanionRoute(
        "balances", .get, customer + "/balances", .check,
        "The customer's balances", answer: "The balances."
    ) { try await $0.balances($1) }

    static let balance = CompanionRoute(
        "balance", .get, customer + "/balances/{balance}", .check,
        "One balance; 0 if it never changed", answer: "The balance.", problems: [404]
    ) { try await $0.balance($1) }

    static let spend = CompanionRoute(
        "spend", .post, customer + "/balances/{balance}/spend", .spend,
        "Subtracts from a balance, once for each Idempotency-Key", parameters: [.idempotencyKey],
        body: Body("Spend", [quantity]),
        answer: "The receipt; a repeated request returns the same one.", problems: [409, 415, 422]
    ) { try await $0.move($1, isGrant: false) }

    static let grant = CompanionRoute(
        "grant", .post, customer + "/balances/{balance}/grant", .spend,
        "Adds to a balance, once for each Idempotency-Key", parameters: [.idempotencyKey],
        body: Body("Grant", [quantity, .required("reason")]),
        answer: "The receipt; a repeated request returns the same one.", problems: [409, 415, 422]
    ) { try await $0.move($1, isGrant: true) }

    // MARK: Access without a purchase

    static let grants = CompanionRoute(
        "grants", .get, customer + "/grants", .grant,
        "The access that was granted to the customer without a purchase, with ended and revoked grants",
        answer: "The grants, in the order in which they were made."
    ) { try await $0.grants($1) }

    static let grantAccess = CompanionRoute(
        "grantAccess", .post, customer + "/grants", .grant,
        "Gives the customer access to a feature or product without a purchase, once for each Idempotency-Key",
        parameters: [.idempotencyKey],
        body: Body(
            "GrantAccess",
            [
                .optional("feature"), .optional("product", "Any product except a consumable."),
                .required("until", nil, instant), .required("reason"),
            ], oneOf: "feature", "product"),
        answer: "The grant; a repeated request returns the same one.",
        problems: [404, 415, 422]
    ) { try await $0.grantAccess($1) }

    static let revokeAccess = CompanionRoute(
        "revokeAccess", .delete, customer + "/grants/{key}", .grant,
        "Ends access that was granted with the given Idempotency-Key",
        parameters: [.reason],
        answer: "The revoked grant; a repeated request returns the same one.", problems: [404]
    ) { try await $0.revokeAccess($1) }

    // MARK: Leases

    static let lease = CompanionRoute(
        "lease", .get, customer + "/lease", .check,
        "A short-lived signed list of the customer's features, for processes that check entitlements offline",
        answer: "A JWT signed with ES256, and its expiry.", problems: [404]
    ) { try await $0.lease($1) }

    package static let publishedKeys = CompanionRoute(
        "publishedKeys", .get, "/.well-known/jwks.json", nil,
        "The public keys that verify leases", answer: "A JWK set.",
        // Clients may cache the keys, because keys change rarely and a new key is published before it signs.
        cacheControl: "public, max-age=300", problems: [404]
    ) { service, _ in try service.leaseKeys().published }

    // MARK: Custody

    static let export = CompanionRoute(
        "export", .get, customer + "/export", .admin,
        "Exports all data of the customer, in the format of storekeeper vault import",
        answer: "Lines of JSON.", types: ["application/jsonl"], problems: [404]
    ) { try await $0.export($1) }

    static let erase = CompanionRoute(
        "erase", .delete, customer, .admin,
        "Erases all data of the customer, and keeps a proof of the erasure",
        parameters: [.reason],
        answer: "The proof.", problems: [404]
    ) { try await $0.erase($1) }

    // MARK: The service itself

    static let metrics = CompanionRoute(
        "metrics", .get, "/metrics", .check,
        "The metrics of this process, for Prometheus",
        answer: "Text.", types: ["text/plain"], problems: [404]
    ) { service, _ in try await service.metricsResponse() }

    static let live = CompanionRoute(
        "live", .get, "/health/live", nil, openLimit: .none,
        "Whether the process is alive",
        answer: "The process is alive."
    ) { _, _ in Health(status: "live") }

    static let ready = CompanionRoute(
        "ready", .get, "/health/ready", nil, openLimit: .none,
        "Whether the vault can be read and written", answer: "The vault is available.",
        problems: [503]
    ) { service, _ in try await service.ready() }

    static let description = CompanionRoute(
        "description", .get, "/openapi.yaml", nil,
        "This document",
        answer: "The document.",
        types: ["application/yaml"]
    ) { _, _ in CompanionDescription.response }

    // MARK: The desk

    package static let desk = CompanionRoute(
        "desk", .get, "/desk", .desk,
        "The customer support page, for a search by customer, transaction, order or token, or one customer",
        parameters: [
            "search", "customer", "at", "asKnownAt", "span", "why", "only", "before", "after",
            "subject", "length", "until", "reason", "revoke", "claim", "granted", "revoked", "assigned", "moved",
            "fetched", "lang",
        ].map { Parameter($0) },
        answer: "HTML; a search that finds one customer leads to the customer's page.", types: ["text/html"],
        redirects: true, problems: [404]
    ) { try await $0.desk($1) }

    static let deskTicket = CompanionRoute(
        "deskTicket", .get, "/desk/ticket.txt", .desk,
        "The summary of a customer as plain text, for a ticket",
        parameters: ["customer", "at", "asKnownAt", "lang"].map { Parameter($0) }, answer: "Text.",
        types: ["text/plain"], problems: [404]
    ) { try await $0.deskTicket($1) }

    static let deskGrant = deskForm(
        "deskGrant", "/desk/grants", scope: .grant,
        "Gives access to the customer shown on the support page, as its form asks", "DeskGrant",
        [
            .required("customer"), .required("subject", "'feature:' or 'product:' and the id."), .required("until"),
            .required("reason"), .required("key"),
        ], problems: [422]
    ) { try await $0.deskGrant($1) }

    static let deskRevocation = deskForm(
        "deskRevocation", "/desk/revocations", scope: .grant,
        "Revokes access of the customer shown on the support page, as its form asks", "DeskRevocation",
        [.required("customer"), .required("key"), .required("reason")]
    ) { try await $0.deskRevocation($1) }

    static let deskFetch = deskForm(
        "deskFetch", "/desk/fetches", scope: .grant,
        "Asks Apple for everything about the customer shown on the support page", "DeskCustomer",
        [.required("customer")]
    ) { try await $0.deskFetch($1) }

    static let deskClaim = deskForm(
        "deskClaim", "/desk/claims", scope: .claim,
        "Assigns an unowned purchase or token to the customer shown on the support page", "DeskClaim",
        [.required("customer"), purchaseField]
    ) { try await $0.deskClaim($1) }

    static let deskTransfer = deskForm(
        "deskTransfer", "/desk/transfers", scope: .admin,
        "Moves another customer's purchase or token to the customer shown on the support page", "DeskTransfer",
        [.required("customer"), purchaseField, .required("reason")]
    ) { try await $0.deskTransfer($1) }

    static let deskErasure = deskForm(
        "deskErasure", "/desk/erasures", scope: .admin,
        "Erases the customer shown on the support page, whose id is typed again", "DeskErasure",
        [
            .required("customer"), .required("typed", "The id again; anything else erases nothing."),
            .required("reason"),
        ]
    ) { try await $0.deskErasure($1) }

    static let deskWebhooks = CompanionRoute(
        "deskWebhooks", .get, "/desk/webhooks", .desk,
        "The support page with the state of the webhooks and the parked messages",
        parameters: ["resumed", "replayed", "lang"].map { Parameter($0) }, answer: "HTML.", types: ["text/html"],
        problems: [404]
    ) { try await $0.deskWebhooks($1) }

    static let deskResume = deskForm(
        "deskResume", "/desk/webhooks/resume", scope: .admin, "Resumes a webhook, as the form of the page asks",
        "DeskWebhook", [.required("webhook")]
    ) { try await $0.deskResume($1) }

    static let deskReplay = deskForm(
        "deskReplay", "/desk/webhooks/replay", scope: .admin,
        "Posts the parked messages of a webhook again, as the form of the page asks", "DeskWebhook",
        [.required("webhook")]
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

    /// Returns a route that receives a form from a page of the support desk.
    private static func deskForm(
        _ id: String, _ path: String, scope: Scope, _ summary: String, _ name: String, _ fields: [Body.Member],
        problems: [Int] = [], _ handler: @escaping Handler
    ) -> CompanionRoute {
        CompanionRoute(
            id, .post, path, scope, summary, parameters: [Parameter("lang")],
            body: Body(name, fields, isForm: true),
            answer: "HTML, because the form has changed nothing.", types: ["text/html"], redirects: true,
            problems: [404, 415] + problems, handler: handler)
    }

    /// Returns the route of a static file of the support desk, which is the same for all callers.
    private static func asset(
        _ id: String, _ name: String, _ summary: String, _ type: String, _ handler: @escaping Handler
    ) -> CompanionRoute {
        CompanionRoute(
            id, .get, "/desk/\(name)", nil, summary, answer: "Text.", types: [type],
            problems: [404], handler: handler)
    }

    // MARK: Members and fields

    private static let quantity = Body.Member.required(
        "quantity", nil, JSONSchema(type: "integer", ["format": .string("int64"), "minimum": .integer(1)]))
    private static let shortText = JSONSchema(
        type: "string", ["minLength": .integer(1), "maxLength": .integer(1024)])
    /// The members that name a purchase or an account token.
    private static let purchase: [Body.Member] = [
        .optional("originalTransactionID"), .optional("environment"),
        .optional("token", nil, JSONSchema(type: "string", ["format": .string("uuid")])),
    ]
    private static let purchaseField = Body.Member.required("purchase", "An original transaction id or a token.")
    private static let evidence = JSONSchema.array(of: .string, ["minItems": .integer(1)]).noted(
        "Compact JWS, or receipts of the original StoreKit in base64 (at most \(CompanionService.maximumReceipts)), "
            + "which the service exchanges for the transactions that the App Store has signed.")
    private static let customers = JSONSchema.array(
        of: .nonEmpty, ["minItems": .integer(1), "maxItems": .whole(CompanionService.maximumCustomers)])
    private static let attemptPlace = JSONSchema(
        type: "string", ["pattern": .string("^(0|-?[1-9][0-9]{0,14})-(0|[1-9][0-9]{0,18})$")])
    /// The schema of a time in a request.
    fileprivate static let instant = JSONSchema(
        type: "string",
        [
            "anyOf": .array([
                .object(["format": .string("date-time")]), .object(["pattern": .string("^-?[0-9]{1,15}$")]),
            ])
        ]
    ).noted(
        "A time with a zone, such as 2026-03-01T09:30:00Z, or milliseconds since 1970. The default of 'at' is the "
            + "current time: the later of the service's clock and the newest signature of the customer's evidence, if "
            + "that is at most 60 seconds ahead."
    ).named("Instant")
}

extension RequestParameter {
    static let at = Self("at", nil, CompanionRoute.instant)
    /// The number of the last row of the page before.
    static let after = Self("after", in: 0...Int64.max)
    /// The maximum number of rows of a page.
    static let limit = Self("limit", in: 1...1_000)
    static let reason = Self("reason", nil, .nonEmpty, isRequired: true)
    static let idempotencyKey = Self(
        "Idempotency-Key", "Identifies the request among those of one customer.",
        JSONSchema(type: "string", ["pattern": .string("^[!-~]{1,256}$")]), isHeader: true, isRequired: true)
}
