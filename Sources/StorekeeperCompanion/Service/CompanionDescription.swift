/// The OpenAPI document of the companion service, generated from the routes.
///
/// - SeeAlso: OpenAPI Initiative, "OpenAPI Specification", version 3.1.
enum CompanionDescription {
    /// The document in YAML.
    static let text = head + paths + components + CompanionSchemas.requests + CompanionSchemas.answers

    private static let head = """
        openapi: 3.1.0
        info:
          title: Storekeeper, the companion service
          version: "1"
          description: What customers of the App Store own, and why.
        paths:

        """

    /// The parameters and responses of a route, in addition to its method and path.
    private struct Operation {
        let summary: String
        /// The parameters of the query and the header, each a line of YAML.
        var parameters: [String] = []
        /// The schemas of the body, by content type.
        var body: [(type: String, schema: String)] = []
        /// A description of the response.
        let answer: String
        /// The name of the response's schema, if it is JSON.
        var schema: String?
        /// The content types of the response, if it is not JSON or has others.
        var types: [String] = []
        /// The problem statuses that only this route has.
        var problems: [Int] = []
    }

    private static var paths: String {
        var text = ""
        var known: Set<String> = []
        for route in CompanionRoute.allCases where known.insert(route.path).inserted {
            text += "  \(route.path):\n"
            let names = route.path.split(separator: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().dropLast() }
            if !names.isEmpty { text += "    parameters:\n" }
            for name in names {
                text += "      - {name: \(name), in: path, required: true, schema: {type: string, minLength: 1}}\n"
            }
            for sibling in CompanionRoute.allCases where sibling.path == route.path { text += self.text(of: sibling) }
        }
        return text
    }

    private static func text(of route: CompanionRoute) -> String {
        let operation = operation(of: route)
        var lines = [
            "    \(route.method.lowercased()):", "      operationId: \(route.rawValue)",
            "      summary: \(operation.summary)",
        ]
        if !operation.parameters.isEmpty {
            lines.append("      parameters:")
            lines += operation.parameters.map { "        - {\($0)}" }
        }
        if !operation.body.isEmpty {
            lines += ["      requestBody:", "        required: true", "        content:"]
            lines += operation.body.map { "          \($0.type): {schema: {\($0.schema)}}" }
        }
        lines.append("      security: [\(route.scope == nil ? "" : "{key: []}")]")
        if let scope = route.scope { lines.append("      x-scope: \(scope.rawValue)") }
        lines.append("      responses:")
        let json = operation.schema.map { ##"application/json: {schema: {$ref: "#/components/schemas/\##($0)"}}"## }
        let content = (json.map { [$0] } ?? []) + operation.types.map { "\($0): {schema: {type: string}}" }
        let contents = content.isEmpty ? "" : ", content: {\(content.joined(separator: ", "))}"
        let head = ##"headers: {X-Request-Id: {$ref: "#/components/headers/RequestID"}}"##
        lines.append("        \"200\": {description: \"\(operation.answer)\", \(head)\(contents)}")
        for status in problems(of: route, operation) {
            lines.append("        \"\(status)\": {$ref: \"#/components/responses/Problem\"}")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the problem statuses of a route: those of all routes of its kind, and its own.
    private static func problems(of route: CompanionRoute, _ operation: Operation) -> [Int] {
        var statuses = Set(operation.problems)
        // Every route refuses a malformed address.
        statuses.insert(400)
        if route.scope != nil { statuses.formUnion([401, 403, 503]) }
        if !route.isHealth { statuses.insert(429) }
        if !operation.body.isEmpty { statuses.formUnion([400, 408, 413]) }
        if !operation.body.isEmpty, route != .notifications { statuses.insert(415) }
        return statuses.sorted()
    }

    private static let at = ##"name: at, in: query, schema: {$ref: "#/components/schemas/Instant"}"##
    private static func query(_ name: String, _ schema: String = "type: string") -> String {
        "name: \(name), in: query, schema: {\(schema)}"
    }
    private static func instant(_ name: String) -> String { at.replacing("at", with: name, maxReplacements: 1) }
    private static func schema(_ name: String) -> [(type: String, schema: String)] {
        [("application/json", ##"$ref: "#/components/schemas/\##(name)""##)]
    }
    private static let key =
        #"name: Idempotency-Key, in: header, required: true, schema: {type: string, pattern: "^[!-~]{1,256}$"}"#
    private static let cursor = ##"schema: {$ref: "#/components/schemas/EventID"}"##

    private static func operation(of route: CompanionRoute) -> Operation {
        switch route {
        case .notifications:
            Operation(
                summary: "Takes a notification of the App Store, believed by its signature alone",
                body: schema("Notification"), answer: "It is written.", problems: [503])
        case .transactions:
            Operation(
                summary: "Takes in transactions that the app shows for its customer",
                body: schema("Transactions") + [("text/plain", "type: string, minLength: 1")],
                answer: "What became of them.", schema: "Intake",
                problems: [422])
        case .entitlements:
            Operation(
                summary: "All that the customer has, and why", parameters: [at],
                answer: "The document of storekeeper entitlements.", schema: "Entitlements")
        case .features:
            Operation(
                summary: "The features of the customer", parameters: [at], answer: "The features.",
                schema: "FeatureAnswers")
        case .feature:
            Operation(
                summary: "Whether the customer has a feature", parameters: [at],
                answer: "The document of storekeeper check.", schema: "Check", problems: [404])
        case .explanation:
            Operation(
                summary: "Why the customer has a product or feature, or has it not",
                parameters: [at, query("product"), query("feature")], answer: "The document of storekeeper explain.",
                schema: "Explanation", problems: [404])
        case .timeline:
            Operation(
                summary: "What the customer has over time; a picture for who accepts image/svg+xml",
                parameters: [instant("from"), instant("until")], answer: "The document of storekeeper timeline.",
                schema: "Timelines", types: ["image/svg+xml"])
        case .subscriptions:
            Operation(
                summary: "The statuses of the customer's subscriptions, by group", parameters: [at],
                answer: "The groups.", schema: "GroupAnswers")
        case .balances:
            Operation(
                summary: "What the customer has of what is counted", answer: "The balances.", schema: "Balances")
        case .balance:
            Operation(
                summary: "One balance; 0 where nothing ever moved it", answer: "The balance.", schema: "BalanceRow")
        case .spend:
            Operation(
                summary: "Spends; once for each Idempotency-Key", parameters: [key], body: schema("Spend"),
                answer: "The receipt, the same when it is repeated.", schema: "Receipt", problems: [409, 422])
        case .grant:
            Operation(
                summary: "Gives; once for each Idempotency-Key", parameters: [key], body: schema("Grant"),
                answer: "The receipt, the same when it is repeated.", schema: "Receipt", problems: [409, 422])
        case .lease:
            Operation(
                summary: "What the customer has for a short while, signed, for processes that check it by themselves",
                answer: "A JWT, ES256, and when it ends.", schema: "Lease", problems: [404])
        case .checks:
            Operation(
                summary: "The same check for many customers", body: schema("Checks"),
                answer: "An answer for each, in their order; with its own at if the customer's now is later than the "
                    + "service's clock.", schema: "CheckAnswers", problems: [404])
        case .events:
            Operation(
                summary: "What has changed, and what changes, as it does; goes on after Last-Event-ID or after",
                parameters: [
                    "name: after, in: query, \(cursor)", "name: Last-Event-ID, in: header, \(cursor)",
                ], answer: "Server-sent events without end; the data of each is an Event.",
                types: ["text/event-stream"], problems: [410])
        case .claims:
            Operation(
                summary: "Makes a purchase without token, or a token, the customer's, for good", body: schema("Claim"),
                answer: "It is theirs.", schema: "Claimed", problems: [409])
        case .parked:
            Operation(
                summary: "What is put aside because it is nobody's, or another's than it was shown for",
                parameters: [
                    query("after", "type: integer, format: int64, minimum: 0"),
                    query("limit", "type: integer, minimum: 1, maximum: 1000"),
                ], answer: "A page.", schema: "ParkedPage")
        case .export:
            Operation(
                summary: "All that is kept about the customer, as storekeeper vault import reads it",
                answer: "Lines of JSON.", types: ["application/jsonl"], problems: [404])
        case .erase:
            Operation(
                summary: "Takes out all about the customer, and keeps the proof that it was done",
                parameters: ["name: reason, in: query, required: true, schema: {type: string, minLength: 1}"],
                answer: "The proof.", schema: "Erasure", problems: [404])
        case .publishedKeys:
            Operation(
                summary: "The keys by which leases are checked", answer: "A JWK set.", schema: "KeySet", problems: [404]
            )
        case .metrics:
            Operation(
                summary: "What this process has counted, for Prometheus", answer: "Text.", types: ["text/plain"],
                problems: [404])
        case .desk:
            Operation(
                summary: "A page on which a person looks a customer up", parameters: [query("customer"), query("why")],
                answer: "HTML.", types: ["text/html"], problems: [404])
        case .deskTimeline:
            Operation(
                summary: "The drawing of that page", parameters: [query("customer")], answer: "A picture.",
                types: ["image/svg+xml"], problems: [404])
        case .deskStyle, .deskIcon:
            Operation(
                summary: "What that page looks like", answer: "Text.",
                types: [route == .deskIcon ? "image/svg+xml" : "text/css"], problems: [404])
        case .live: Operation(summary: "Whether the process answers", answer: "It does.", schema: "Health")
        case .ready:
            Operation(
                summary: "Whether the vault can be read and written", answer: "It can.", schema: "Health",
                problems: [503])
        case .description: Operation(summary: "This document", answer: "It.", types: ["application/yaml"])
        }
    }

    private static let components = #"""
        components:
          securitySchemes:
            key: {type: http, scheme: bearer}
          headers:
            RequestID:
              description: The name of the request in the log; the caller's own, where it is 1 to 128 visible ASCII characters.
              schema: {type: string}
          responses:
            Problem:
              description: Why it is not answered, and what to do.
              headers: {X-Request-Id: {$ref: "#/components/headers/RequestID"}}
              content:
                application/problem+json: {schema: {$ref: "#/components/schemas/Problem"}}
          schemas:

        """#
}
