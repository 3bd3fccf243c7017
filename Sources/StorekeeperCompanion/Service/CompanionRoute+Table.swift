import HTTPTypes
import Storekeeper
import StorekeeperPages

/// The list of routes, in the order of the OpenAPI document.
extension CompanionRoute {
    /// All routes.
    package static let all: [CompanionRoute] =
        [
            notifications, transactions, products, entitlements, features, feature, explanation, timeline,
            subscriptions, offers, offerSignature, balances, balance, spend, grant, grants, grantAccess, revokeAccess,
            lease, checks, events, webhooks, webhookAttempts, parkedWebhooks, replayWebhook, resumeWebhook, claims,
            transfers, parked, export, erase, publishedKeys, metrics, live, ready, description,
        ] + allOfDesk

    /// The routes of the listener for health and metrics.
    static let monitoring: [CompanionRoute] = [live, ready, metrics]

    private static let customer = "/v1/customers/{customer}"

    // MARK: Evidence

    package static let notifications = CompanionRoute(
        id: "notifications", method: .post, path: "/apple/notifications", scope: nil, openLimit: .refusals,
        summary: "Receives an App Store notification, which is authenticated by its signature",
        body: [("application/json", .named("Notification", ["signedPayload": .string]))],
        answer: "The notification is stored.", problems: [503]
    ) { try await $0.takeNotification($1) }

    static let transactions = CompanionRoute(
        id: "transactions", method: .post, path: customer + "/transactions", scope: .spend,
        summary: "Stores transactions that the app submits for its customer, or receipts, which Apple exchanges",
        body: json(
            "Transactions",
            [
                "transactions": .list(of: .string).with("minItems", 1).about(
                    "Compact JWS, or receipts of the original StoreKit in base64 (at most 10), which the service "
                        + "exchanges for the transactions that the App Store has signed.")
            ]) + [("text/plain", .text)], answer: "The result.",
        schema: .intake, problems: [415, 422]
    ) { try await $0.takeTransactions($1) }

    static let claims = CompanionRoute(
        id: "claims", method: .post, path: customer + "/claims", scope: .claim,
        summary: "Assigns an unowned purchase or account token to the customer permanently",
        body: json(
            "Claim",
            ["originalTransactionID?": .text, "environment?": .text, "token?": .uuid],
            exactlyOneOf: ["originalTransactionID", "token"]),
        answer: "It belongs to the customer.",
        schema: .named("Claimed", ["claimed": .bool, "new": .int]), problems: [404, 409, 415]
    ) { try await $0.claim($1) }

    static let transfers = CompanionRoute(
        id: "transfers", method: .post, path: customer + "/transfers", scope: .admin,
        summary: "Moves a purchase or account token from its owner to the customer, recorded in both accounts",
        body: json(
            "Transfer",
            [
                "originalTransactionID?": .text, "environment?": .text, "token?": .uuid,
                "reason": .text.with("maxLength", 1024),
            ],
            exactlyOneOf: ["originalTransactionID", "token"]), answer: "It belongs to the customer.",
        schema: .named(
            "Transferred",
            [
                "transferred": .bool,
                "from?": .string.about("The owner before; absent if there was none or it was the customer."),
                "purchases?": .list(of: .string),
            ]), problems: [404, 415]
    ) { try await $0.transfer($1) }

    static let parked = CompanionRoute(
        id: "parked", method: .get, path: "/v1/parked", scope: .admin,
        summary:
            "Lists parked purchases, which have no owner or belong to a customer other than the one who submitted them",
        parameters: [after, limit], answer: "A page.",
        schema: .named(
            "ParkedPage",
            [
                "parked": .list(of: .parked),
                "next?": .int64.about("The 'after' of the next page; absent on the last."),
            ])
    ) { try await $0.parked($1) }

    // MARK: The catalog

    static let products = CompanionRoute(
        id: "products", method: .get, path: "/v1/products", scope: .check,
        summary: "The products that the app sells, in all languages or in one, with localized prices",
        parameters: [.query("locale"), .header("If-None-Match"), .header("If-Modified-Since")],
        answer: "The document of storekeeper products, without diagnostics.", schema: .products, isCacheable: true
    ) { try await $0.products($1) }

    // MARK: Answers

    static let entitlements = CompanionRoute(
        id: "entitlements", method: .get, path: customer + "/entitlements", scope: .check,
        summary: "Everything the customer owns, with reasons", parameters: [at],
        answer: "The document of storekeeper entitlements.", schema: .entitlements
    ) { try await $0.entitlements($1) }

    static let features = CompanionRoute(
        id: "features", method: .get, path: customer + "/features", scope: .check,
        summary: "The features of the customer",
        parameters: [at], answer: "The features.",
        schema: .named("FeatureAnswers", ["at": .time, "verified": .bool, "features": .list(of: .featureAnswer)])
    ) { try await $0.part("features", $1) }

    static let feature = CompanionRoute(
        id: "feature", method: .get, path: customer + "/features/{feature}", scope: .check,
        summary: "Whether the customer has a feature", parameters: [at], answer: "The document of storekeeper check.",
        schema: .check, problems: [404]
    ) { try await $0.feature($1) }

    static let explanation = CompanionRoute(
        id: "explanation", method: .get, path: customer + "/explanation", scope: .check,
        summary: "Why the customer has, or does not have, a product or feature",
        parameters: [.query("product"), .query("feature"), at], answer: "The document of storekeeper explain.",
        schema: .explanation, problems: [404]
    ) { try await $0.explanation($1) }

    static let timeline = CompanionRoute(
        id: "timeline", method: .get, path: customer + "/timeline", scope: .check,
        summary: "The customer's entitlements over time; an image if the Accept header asks for image/svg+xml",
        parameters: [.query("from", .instant), .query("until", .instant)],
        answer: "The document of storekeeper timeline.",
        schema: .timelines, types: ["image/svg+xml"]
    ) { try await $0.timeline($1) }

    static let subscriptions = CompanionRoute(
        id: "subscriptions", method: .get, path: customer + "/subscriptions", scope: .check,
        summary: "The statuses of the customer's subscriptions, by group", parameters: [at], answer: "The groups.",
        schema: .named("GroupAnswers", ["at": .time, "verified": .bool, "groups": .list(of: .groupAnswer)])
    ) { try await $0.part("groups", $1) }

    static let offers = CompanionRoute(
        id: "offers", method: .get, path: customer + "/offers", scope: .check,
        summary: "Whether the customer may have each offer of the catalog, why, and until when",
        parameters: [at, .query("product")], answer: "The document of storekeeper offers.", schema: .offers,
        problems: [404]
    ) { try await $0.offers($1) }

    static let offerSignature = CompanionRoute(
        id: "offerSignature", method: .post, path: customer + "/offers/{offer}/signature", scope: .offer,
        summary: "Signs a promotional offer for an eligible customer, or the eligibility for an introductory offer",
        body: json(
            "OfferRequest",
            [
                "product": .text,
                "kind?": .words("promotional", "introductory").with("default", "promotional").about(
                    "Of an introductory offer the path has the word introductory as id; transactionID is required."),
                "account?": .text.about(
                    "For the original form: the customer's id, or an appAccountToken that belongs to the customer. A "
                        + "promotional offer needs this member or transactionID."),
                "transactionID?": .text.about(
                    "For the JWS: any transaction of the customer, or their app transaction id, that the vault "
                        + "knows."),
                "allow?": .bool.about(
                    "Whether the customer gets the introductory offer, whatever the rules say; absent to follow "
                        + "them."),
            ]), answer: "The signatures, which are valid for 24 hours.", schema: .offerSignature,
        problems: [404, 409, 415]
    ) { try await $0.signOffer($1) }

    static let checks = CompanionRoute(
        id: "checks", method: .post, path: "/v1/checks", scope: .check, summary: "The same check for many customers",
        body: json(
            "Checks",
            [
                "customers": .list(of: .text).with("minItems", 1).with("maxItems", 1000), "feature?": .text,
                "product?": .text, "at?": .instant,
            ],
            exactlyOneOf: ["feature", "product"]),
        answer: "One answer per customer, in order; an answer has its own 'at' if its time is later than the "
            + "service's clock.",
        schema: .named("CheckAnswers", ["at": .time, "checks": .list(of: .check)]), problems: [404, 415]
    ) { try await $0.checks($1) }

    static let events = CompanionRoute(
        id: "events", method: .get, path: "/v1/events", scope: .admin,
        summary: "Past and new changes of entitlements, as a stream; starts after Last-Event-ID or 'after'",
        parameters: [.query("after", .eventID), .header("Last-Event-ID", .eventID)],
        answer:
            "A stream of server-sent events; the data of each is an Event. It ends when its key expires, is removed "
            + "or loses the scope.", types: ["text/event-stream"],
        problems: [410]
    ) { try await $0.events($1) }

    // MARK: Webhooks

    private static let webhook = "/v1/webhooks/{webhook}"

    static let webhooks = CompanionRoute(
        id: "webhooks", method: .get, path: "/v1/webhooks", scope: .admin,
        summary: "Webhooks, with the numbers of waiting and failing customers and of parked messages",
        answer: "The webhooks.",
        schema: .named("Webhooks", ["webhooks": .list(of: .webhook)])
    ) { try await $0.webhooks($1) }

    static let webhookAttempts = CompanionRoute(
        id: "webhookAttempts", method: .get, path: webhook + "/attempts", scope: .admin,
        summary: "Attempts of the last thirty days to deliver messages, the newest first",
        parameters: [
            .query("customer"),
            .query("before", .string.with("pattern", "^(0|-?[1-9][0-9]{0,14})-(0|[1-9][0-9]{0,18})$")), limit,
        ], answer: "A page.",
        schema: .named(
            "WebhookAttemptPage",
            [
                "attempts": .list(of: .webhookAttempt),
                "next?": .string.about("The value of 'before' that requests the next page; absent on the last page."),
            ]), problems: [404]
    ) { try await $0.webhookAttempts($1) }

    static let parkedWebhooks = CompanionRoute(
        id: "parkedWebhooks", method: .get, path: webhook + "/parked", scope: .admin,
        summary: "Messages that were given up, oldest event first",
        parameters: [after, limit], answer: "A page.",
        schema: .named(
            "ParkedWebhookPage",
            [
                "parked": .list(of: .parkedWebhook),
                "next?": .int64.about("The value of 'after' that requests the next page; absent on the last page."),
            ]), problems: [404]
    ) { try await $0.parkedWebhooks($1) }

    static let replayWebhook = CompanionRoute(
        id: "replayWebhook", method: .post, path: webhook + "/replay", scope: .admin,
        summary: "Posts events after an event, or those that were given up, again in the order of each customer",
        body: json(
            "WebhookReplay",
            [
                "after?": .eventID, "customer?": .text.about("With after: only events about this customer."),
                "parked?": .bool.with("const", true).about(
                    "The parked messages, and the later events of their customers."),
            ],
            exactlyOneOf: ["after", "parked"]), answer: "They are posted again.",
        schema: .named(
            "WebhookReplayed",
            [
                "webhook": .string, "after?": .int64.about("The number of the event."),
                "messages?": .int.about("How many were given up."),
            ]),
        problems: [404, 410, 415]
    ) { try await $0.replayWebhook($1) }

    static let resumeWebhook = CompanionRoute(
        id: "resumeWebhook", method: .post, path: webhook + "/resume", scope: .admin,
        summary: "Posts again to a receiver that has answered with 410", answer: "The receiver gets messages again.",
        schema: .named(
            "WebhookResumed", ["webhook": .string, "resumed": .bool.about("False if nothing was stopped.")]),
        problems: [404]
    ) { try await $0.resumeWebhook($1) }

    // MARK: Balances

    static let balances = CompanionRoute(
        id: "balances", method: .get, path: customer + "/balances", scope: .check,
        summary: "The customer's balances", answer: "The balances.",
        schema: .named("Balances", .list(of: .balance))
    ) { try await $0.balances($1) }

    static let balance = CompanionRoute(
        id: "balance", method: .get, path: customer + "/balances/{balance}", scope: .check,
        summary: "One balance; 0 if it never changed", answer: "The balance.",
        schema: .balance, problems: [404]
    ) { try await $0.balance($1) }

    static let spend = CompanionRoute(
        id: "spend", method: .post, path: customer + "/balances/{balance}/spend", scope: .spend,
        summary: "Subtracts from a balance, once for each Idempotency-Key", parameters: [idempotencyKey],
        body: json("Spend", ["quantity": .int64.with("minimum", 1)]),
        answer: "The receipt; a repeated request returns the same one.", schema: .receipt, problems: [409, 415, 422]
    ) { try await $0.move($1, isGrant: false) }

    static let grant = CompanionRoute(
        id: "grant", method: .post, path: customer + "/balances/{balance}/grant", scope: .spend,
        summary: "Adds to a balance, once for each Idempotency-Key", parameters: [idempotencyKey],
        body: json("Grant", ["quantity": .int64.with("minimum", 1), "reason": .text]),
        answer: "The receipt; a repeated request returns the same one.", schema: .receipt, problems: [409, 415, 422]
    ) { try await $0.move($1, isGrant: true) }

    // MARK: Access without a purchase

    static let grants = CompanionRoute(
        id: "grants", method: .get, path: customer + "/grants", scope: .grant,
        summary: "The access that was granted to the customer without a purchase, with ended and revoked grants",
        answer: "The grants, in the order in which they were made.",
        schema: .named("Grants", ["grants": .list(of: .accessGrant)])
    ) { try await $0.grants($1) }

    static let grantAccess = CompanionRoute(
        id: "grantAccess", method: .post, path: customer + "/grants", scope: .grant,
        summary: "Gives the customer access to a feature or product without a purchase, once for each Idempotency-Key",
        parameters: [idempotencyKey],
        body: json(
            "GrantAccess",
            [
                "feature?": .text, "product?": .text.about("Any product except a consumable."), "until": .instant,
                "reason": .text,
            ],
            exactlyOneOf: ["feature", "product"]),
        answer: "The grant; a repeated request returns the same one.", schema: .grantReceipt,
        problems: [404, 415, 422]
    ) { try await $0.grantAccess($1) }

    static let revokeAccess = CompanionRoute(
        id: "revokeAccess", method: .delete, path: customer + "/grants/{key}", scope: .grant,
        summary: "Ends access that was granted with the given Idempotency-Key",
        parameters: [.query("reason", .text, isRequired: true)],
        answer: "The revoked grant; a repeated request returns the same one.", schema: .grantReceipt, problems: [404]
    ) { try await $0.revokeAccess($1) }

    // MARK: Leases

    static let lease = CompanionRoute(
        id: "lease", method: .get, path: customer + "/lease", scope: .check,
        summary: "A short-lived signed list of the customer's features, for processes that check entitlements offline",
        answer: "A JWT signed with ES256, and its expiry.",
        schema: .named(
            "Lease", ["lease": .string, "endsAt": .time, "features": .list(of: .string), "verified": .bool]),
        problems: [404]
    ) { try await $0.lease($1) }

    package static let publishedKeys = CompanionRoute(
        id: "publishedKeys", method: .get, path: "/.well-known/jwks.json", scope: nil,
        summary: "The public keys that verify leases", answer: "A JWK set.",
        schema: .named("KeySet", ["keys": .list(of: .publicKey)]), problems: [404]
    ) { service, _ in try service.publishedKeys() }

    // MARK: Custody

    static let export = CompanionRoute(
        id: "export", method: .get, path: customer + "/export", scope: .admin,
        summary: "Exports all data of the customer, in the format of storekeeper vault import",
        answer: "Lines of JSON.", types: ["application/jsonl"], problems: [404]
    ) { try await $0.export($1) }

    static let erase = CompanionRoute(
        id: "erase", method: .delete, path: customer, scope: .admin,
        summary: "Erases all data of the customer, and keeps a proof of the erasure",
        parameters: [.query("reason", .text, isRequired: true)],
        answer: "The proof.",
        schema: .named("Erasure", ["at": .time, "facts": .int, "entries": .int, "proof": .string]), problems: [404]
    ) { try await $0.erase($1) }

    // MARK: The service itself

    static let metrics = CompanionRoute(
        id: "metrics", method: .get, path: "/metrics", scope: .check,
        summary: "The metrics of this process, for Prometheus",
        answer: "Text.", types: ["text/plain"], problems: [404]
    ) { service, _ in try await service.metricsResponse() }

    static let live = CompanionRoute(
        id: "live", method: .get, path: "/health/live", scope: nil, openLimit: .none,
        summary: "Whether the process is alive",
        answer: "The process is alive.", schema: .health
    ) { _, _ in CompanionService.json(.object(["status": .string("live")])) }

    static let ready = CompanionRoute(
        id: "ready", method: .get, path: "/health/ready", scope: nil, openLimit: .none,
        summary: "Whether the vault can be read and written", answer: "The vault is available.", schema: .health,
        problems: [503]
    ) { service, _ in try await service.ready() }

    static let description = CompanionRoute(
        id: "description", method: .get, path: "/openapi.yaml", scope: nil, summary: "This document",
        answer: "The document.",
        types: ["application/yaml"]
    ) { _, _ in CompanionDescription.response }

    // MARK: Parts

    private static let at = OpenAPIOperation.Parameter.query("at", .instant)
    private static let after = OpenAPIOperation.Parameter.query("after", .int64.with("minimum", 0))
    private static let limit = OpenAPIOperation.Parameter.query("limit", .int.with("minimum", 1).with("maximum", 1000))
    private static let idempotencyKey = OpenAPIOperation.Parameter.header(
        "Idempotency-Key", .string.with("pattern", "^[!-~]{1,256}$"), isRequired: true,
        about: "Identifies the request among those of one customer.")

    /// Returns the body of a request: an object that has no other members, and exactly one of those in a list.
    private static func json(
        _ name: String, _ object: Schema, exactlyOneOf names: [String] = []
    ) -> [OpenAPIOperation.Content] {
        let closed = Schema.closed(object)
        return [("application/json", .named(name, names.isEmpty ? closed : closed.exactlyOne(of: names)))]
    }
}
