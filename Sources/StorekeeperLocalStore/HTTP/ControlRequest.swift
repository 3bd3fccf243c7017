import HTTPTypes
import Hummingbird
import Storekeeper
import StorekeeperPages

/// A request by which tests control or inspect a local App Store: its method, its path, its description, and the function
/// that responds.
struct ControlRequest: Sendable {
    typealias Parameter = OpenAPIOperation.Parameter

    let method: HTTPRequest.Method
    let path: String
    /// The request in the API description.
    let operation: OpenAPIOperation
    let respond: @Sendable (ControlAPI, RequestValues) async throws -> Response

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - problems: The error statuses, in addition to those of all requests that change something.
    ///   - answer: A description of the response.
    ///   - schema: The schema of the response; `nil` if the response is not JSON.
    ///   - content: The other content types of the response.
    private init(
        _ method: HTTPRequest.Method, _ path: String, _ summary: String, details: String? = nil,
        parameters: [Parameter] = [], body: Schema? = nil, isBodyRequired: Bool = true, problems: Set<Int> = [],
        answer: String, _ schema: Schema? = nil, content: [OpenAPIOperation.Content] = [],
        respond: @escaping @Sendable (ControlAPI, RequestValues) async throws -> Response
    ) {
        self.method = method
        self.path = "/local/v1\(path)"
        self.respond = respond
        let content = (schema.map { [("application/json", $0)] } ?? []) + content
        let problems = problems.union(method == .get ? [] : [400, 415])
        operation = OpenAPIOperation(
            method, self.path, summary: summary, details: details, parameters: parameters,
            body: body.map { [("application/json", $0)] } ?? [], isBodyRequired: isBodyRequired,
            answers: [(200, OpenAPIOperation.answer(answer, content))] + problems.sorted().map { ($0, Self.problem) })
    }

    // MARK: Parts

    private static let app = Parameter.query("app", about: "A bundle id; the first app by default.")
    private static let count = Schema.int.with("minimum", 0)
    private static let after = Parameter.query("after", count, about: "The number of happenings to skip.")
    private static let problem = OpenAPIValue.reference(
        "responses", "Problem",
        OpenAPIOperation.answer(
            "RFC 9457, the error and its remedy",
            [
                (
                    "application/problem+json",
                    [
                        "type": .string, "title": .string.about("A code that stays the same."), "status": .int,
                        "detail": .string,
                    ]
                )
            ]))

    /// All requests.
    static let all = inspections + messaging + changes + story

    // MARK: Inspecting

    private static let inspections = [
        ControlRequest(
            .get, "", "The time, the apps and customers, and the next events", answer: "The store", .overview
        ) { control, _ in .json(control.overview) },
        ControlRequest(
            .get, "/root.pem", "The root certificate, for verifiers to trust", answer: "PEM",
            content: [("application/x-pem-file", .string)]
        ) { control, _ in Response(control.rootPEM, type: "application/x-pem-file") },
        ControlRequest(
            .get, "/happenings", "What has happened, in order", parameters: [after], problems: [400],
            answer: "What has happened",
            ["happenings": .list(of: .happening), "now": .time, "count": .int.about("The number of all happenings.")]
        ) { .json($0.happenings(after: try $1.query.count("after"))) },
        ControlRequest(
            .get, "/transactions", "The transactions, with their ids and orders",
            parameters: [.query("person", about: "The customer; all customers by default.")],
            answer: "Transactions in the order of their ids",
            ["transactions": .list(of: .transaction), "now": .time, "count": .int]
        ) { .json($0.transactions(of: $1.query.value("person"))) },
        ControlRequest(
            .get, "/notifications", "The notifications, with the attempts to send them", parameters: [after],
            problems: [400], answer: "Notifications in the order in which they were first sent",
            ["notifications": .list(of: .notification), "now": .time, "count": .int]
        ) { .json(try $0.notifications(after: try $1.query.count("after"))) },
        ControlRequest(
            .get, "/people/{name}/evidence", "The newest copies of all evidence signed about a customer",
            parameters: [app], problems: [422], answer: "Compact JWS", ["evidence": .list(of: .string)]
        ) { .json(try $0.evidence(of: $1["name"], app: $1.query.value("app"))) },
        ControlRequest(
            .get, "/people/{name}/app-transaction", "The app transaction of a customer", parameters: [app],
            problems: [422], answer: "Compact JWS", ["signedAppTransactionInfo": .string]
        ) { .json(try $0.appTransaction(of: $1["name"], app: $1.query.value("app"))) },
        ControlRequest(
            .get, "/people/{name}/receipt", "The app receipt of a customer, in the format of the original StoreKit",
            parameters: [app], problems: [422], answer: "A receipt in base64", ["receipt-data": .string]
        ) { .json(try $0.receipt(of: $1["name"], app: $1.query.value("app"))) },
        ControlRequest(
            .get, "/people/{name}/expectations", "What is true of a customer at present, as expectations of scenarios",
            details: "Each is the text of a step without its first word 'expect', as the parameter expect takes it.",
            parameters: [app], problems: [422],
            answer: "Answers, balances, subscriptions, and signed values of the newest transaction of each product",
            ["expectations": .list(of: .string), "now": .time]
        ) { .json(try $0.expectations(of: $1["name"], app: $1.query.value("app"))) },
        ControlRequest(
            .get, "/scenario", "A scenario that reproduces everything that has happened, or a test made from it",
            details: "A test is played before it is returned; if an expectation is not met, the status is 422. A file "
                + "contains its catalogs, a folder has them next to the scenario. The tests in Swift, Python and bash "
                + "contain the story and its catalogs; the last two start a local App Store.",
            parameters: [
                .query(
                    "format", .words(of: SavedTest.Format.self),
                    about: "scenario by default, which names its catalogs."),
                .query(
                    "expect", .list(of: .string),
                    about:
                        "What to expect at the end, such as 'entitled pro because active for anna'; repeated for more."),
            ], problems: [400, 422], answer: "YAML, for storekeeper simulate, or the test",
            content: [
                ("application/yaml", .object), ("application/x-tar", .string.with("format", "binary")),
                ("text/x-swift", .string), ("text/x-python", .string), ("application/x-sh", .string),
            ]
        ) { try await $0.scenario($1.query) },
    ]

    // MARK: Retention messages

    private static let messaging = [
        ControlRequest(
            .get, "/messaging", "The retention messages of an app, with their reviews", parameters: [app],
            problems: [400], answer: "The retention messages", .messaging
        ) { .json(try $0.messaging(of: $1.query.value("app"))) },
        ControlRequest(
            .post, "/messaging", "Reviews an image, a message, or all later uploads",
            details: "In the sandbox uploads are approved at once, in production they are pending until this request.",
            body: .review, answer: "The retention messages", .messaging
        ) { .json(try $0.review($1.body)) },
        ControlRequest(
            .post, "/messaging/display",
            "Displays the page to cancel a subscription, and returns the retention message on it",
            details:
                "If the app has set a URL for real-time messages, it is asked; otherwise, or if its response names "
                + "no message that can be displayed, the default message of the product and the locale is the one.",
            body: .display, answer: "The message",
            [
                "source": .words(
                    "message", "alternateProduct", "promotionalOffer", "advancedCommerceInfo", "default", "none"),
                "message?": .retentionMessage,
                "result?": .string.about("The result of the request to the app's server."),
                "milliseconds?": .int.about("The time until its response."),
                "response?": .object.about("The response of the app's server."),
                "problem?": .string.about("Why that response was not followed."),
            ]
        ) { .json(try await $0.display($1.body)) },
    ]

    // MARK: Changing

    private static let changes = [
        ControlRequest(
            .get, "/certificates", "The statuses that the OCSP responder reports",
            answer: "The status of each certificate", .certificates
        ) { control, _ in .json(control.certificates) },
        ControlRequest(
            .post, "/certificates", "Sets the statuses that the OCSP responder reports", body: .certificates,
            answer: "The status of each certificate", .certificates
        ) { .json(try $0.setCertificates($1.body)) },
        ControlRequest(
            .get, "/faults", "The active faults, which steps begin and end",
            details: #"A step begins one: "fault history how 500 times 2", "fault notifications how delayed span 2 "#
                + #"hours". It ends after that number of times, or with all others by "fault none". A request of the "#
                + "App Store Server API that a fault affects receives an error, or a body that is slow, cut or halved.",
            answer: "The active faults, oldest first", ["faults": .list(of: .fault)]
        ) { control, _ in .json(control.faults) },
        ControlRequest(
            .post, "/steps", "Carries out steps",
            details: "Stops at the first step that fails; earlier steps remain done. When this returns, the resulting "
                + "notifications were sent, whether or not they were accepted. Time stands still between steps; a step "
                + "that advances it lets each event in between happen at its own instant, including retries of "
                + "notifications.",
            body: .closed([
                "step?": .string.with("examples", ["buy gold.monthly by anna", "advance 31 days"]),
                "steps?": .list(of: .string).with("minItems", 1),
            ]).exactlyOne(of: ["step", "steps"]),
            problems: [422], answer: "The results",
            ["now": .time, "outcomes": .list(of: .outcome), "happenings": .list(of: .happening)]
        ) { .json(try await $0.carryOut($1.body)) },
    ]

    // MARK: The story

    private static let story = [
        ControlRequest(
            .get, "/story", "The story, its steps and branches, and the current place",
            details: "Every step of a test or of the page and every request of the App Store Server API that changes "
                + "the store is a step. After a return to an earlier step, the next action begins another branch.",
            parameters: [.query("after", count, about: "The number of steps to skip.")], problems: [400],
            answer: "The story", .story
        ) { .json($0.story(after: try $1.query.count("after"))) },
        ControlRequest(
            .post, "/story/undo", "Goes back to the step before the current one, time included",
            details: "The response is the story without its steps, as are those of the following requests. "
                + "Notifications are not sent again.",
            body: .empty, isBodyRequired: false, problems: [422], answer: "The story", .story
        ) { .json(try await $0.undo($1.body)) },
        ControlRequest(
            .post, "/story/redo", "Does the step again that was undone last", body: .empty, isBodyRequired: false,
            problems: [422], answer: "The story", .story
        ) { .json(try await $0.redo($1.body)) },
        ControlRequest(
            .post, "/story/place", "Goes to a step, or to the last step of a branch", body: .place, problems: [422],
            answer: "The story", .story
        ) { .json(try await $0.go($1.body)) },
        ControlRequest(
            .post, "/story/branches", "Names a branch, deletes it, or restores it", body: .branchChange,
            problems: [422], answer: "The story", .story
        ) { .json(try $0.changeBranch($1.body)) },
        ControlRequest(
            .get, "/story/comparison", "Compares what customers have at the ends of two branches",
            parameters: [.query("first", count, isRequired: true), .query("second", count, isRequired: true)],
            problems: [400, 422], answer: "What differs between two branches", .comparison
        ) { .json(try $0.comparison(try $1.query.count("first"), with: try $1.query.count("second"))) },
    ]
}
