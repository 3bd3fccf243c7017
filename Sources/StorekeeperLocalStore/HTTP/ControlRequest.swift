import HTTPTypes
import Hummingbird
import Storekeeper
import StorekeeperPages

/// A request by which tests control or inspect a local App Store: its description, and the function that responds.
struct ControlRequest: Sendable {
    let method: HTTPRequest.Method
    /// The path in the syntax of `openapi.yaml`.
    let path: String
    /// The description of the request in `openapi.yaml`.
    let operation: OpenAPIDocument.Operation
    let respond: @Sendable (ControlAPI, RequestValues) async throws -> Response

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - summary: What the request does, as one sentence without a full stop.
    ///   - note: What the summary does not say.
    ///   - answer: A description of the response.
    ///   - content: The schemas of the response, by content type.
    ///   - problems: The error statuses, besides those of all requests with a body or with the name of a customer.
    private init(
        _ method: HTTPRequest.Method, _ path: String, _ summary: String, _ note: String? = nil,
        parameters: [RequestParameter] = [], body: BodyDescription? = nil, answer: String,
        content: [String: JSONSchema], problems: [Int] = [],
        respond: @escaping @Sendable (ControlAPI, RequestValues) async throws -> Response
    ) {
        self.method = method
        self.path = "/local/v1\(path)"
        self.respond = respond
        var responses = ["200": OpenAPIDocument.response(answer, content)]
        let usual = (body == nil ? [] : [400, 415]) + (path.contains("{name}") ? [422] : [])
        for status in usual + problems {
            responses[String(status)] = OpenAPIDocument.reference("responses", "Problem")
        }
        operation = OpenAPIDocument.Operation(
            method.rawValue, self.path, parameters: parameters, body: body, responses: responses,
            schemas: Array(content.values), ["summary": .string(summary), "description": .text(note)])
    }

    /// Creates a request whose response is the JSON of a value.
    private init<Content: JSONTyped>(
        _ method: HTTPRequest.Method, _ path: String, _ summary: String, _ note: String? = nil,
        parameters: [RequestParameter] = [], body: BodyDescription? = nil, answer: String, problems: [Int] = [],
        content: @escaping @Sendable (ControlAPI, RequestValues) async throws -> Content
    ) {
        self.init(
            method, path, summary, note, parameters: parameters, body: body, answer: answer,
            content: ["application/json": Content.jsonSchema], problems: problems
        ) { .json(try await content($0, $1).json) }
    }

    /// All requests.
    static let all = [
        overview, root, happenings, transactions, notifications, evidence, appTransaction, receipt, expectations,
        scenario, certificates, setCertificates, messaging, review, display, faults, steps, story, undo, redo, place,
        branches, comparison,
    ]

    // MARK: Inspecting

    private static let overview = ControlRequest(
        .get, "", "The time, the apps and customers, and the next events", answer: "The store"
    ) { control, _ in control.overview }

    private static let root = ControlRequest(
        .get, "/root.pem", "The root certificate, for verifiers to trust", answer: "PEM",
        content: ["application/x-pem-file": .string]
    ) { control, _ in Response(control.rootPEM, type: "application/x-pem-file") }

    private static let happenings = ControlRequest(
        .get, "/happenings", "What has happened, in order", parameters: [.afterHappenings],
        answer: "What has happened", problems: [400]
    ) { $0.happenings(after: try $1.query.count("after")) }

    private static let transactions = ControlRequest(
        .get, "/transactions", "The transactions, with their ids and orders",
        parameters: [RequestParameter("person", "The customer; all customers by default.")],
        answer: "Transactions in the order of their ids"
    ) { $0.transactions(of: $1.query.value("person")) }

    private static let notifications = ControlRequest(
        .get, "/notifications", "The notifications, with the attempts to send them", parameters: [.afterHappenings],
        answer: "Notifications in the order in which they were first sent", problems: [400]
    ) { try $0.notifications(after: try $1.query.count("after")) }

    private static let evidence = ControlRequest(
        .get, "/people/{name}/evidence", "The newest copies of all evidence signed about a customer",
        parameters: [.app], answer: "Compact JWS"
    ) { try $0.evidence(of: $1["name"], app: $1.query.value("app")) }

    private static let appTransaction = ControlRequest(
        .get, "/people/{name}/app-transaction", "The app transaction of a customer", parameters: [.app],
        answer: "Compact JWS"
    ) { try $0.appTransaction(of: $1["name"], app: $1.query.value("app")) }

    private static let receipt = ControlRequest(
        .get, "/people/{name}/receipt", "The app receipt of a customer, in the format of the original StoreKit",
        parameters: [.app], answer: "A receipt in base64"
    ) { try $0.receipt(of: $1["name"], app: $1.query.value("app")) }

    private static let expectations = ControlRequest(
        .get, "/people/{name}/expectations", "What is true of a customer at present, as expectations of scenarios",
        "Each is the text of a step without its first word 'expect', as the parameter expect takes it.",
        parameters: [.app],
        answer: "Answers, balances, subscriptions, and signed values of the newest transaction of each product"
    ) { try $0.expectations(of: $1["name"], app: $1.query.value("app")) }

    private static let scenario = ControlRequest(
        .get, "/scenario", "A scenario that reproduces everything that has happened, or a test made from it",
        "A test is played before it is returned; if an expectation is not met, the status is 422. A file contains its "
            + "catalogs, a folder has them next to the scenario. The tests in Swift, Python and bash contain the story "
            + "and its catalogs; the last two start a local App Store.",
        parameters: [
            RequestParameter(
                "format", "scenario by default, which names its catalogs.", .words(of: SavedTest.Format.self)),
            RequestParameter(
                "expect",
                "What to expect at the end, such as 'entitled pro because active for anna'; repeated for more.",
                .array(of: .string)),
        ],
        answer: "YAML, for storekeeper simulate, or the test",
        content: [
            "application/yaml": JSONSchema(type: "object"),
            "application/x-tar": JSONSchema(type: "string", ["format": .string("binary")]),
            "text/x-swift": .string, "text/x-python": .string, "application/x-sh": .string,
        ], problems: [400, 422]
    ) { try await $0.scenario($1.query) }

    // MARK: Certificates and messages

    private static let certificates = ControlRequest(
        .get, "/certificates", "The statuses that the OCSP responder reports", answer: "The status of each certificate"
    ) { control, _ in control.certificates }

    private static let setCertificates = ControlRequest(
        .post, "/certificates", "Sets the statuses that the OCSP responder reports", body: .certificates,
        answer: "The status of each certificate"
    ) { try $0.setCertificates($1.body) }

    private static let messaging = ControlRequest(
        .get, "/messaging", "The retention messages of an app, with their reviews", parameters: [.app],
        answer: "The retention messages", problems: [400]
    ) { try $0.messaging(of: $1.query.value("app")) }

    private static let review = ControlRequest(
        .post, "/messaging", "Reviews an image, a message, or all later uploads",
        "In the sandbox uploads are approved at once, in production they are pending until this request.",
        body: .review, answer: "The retention messages"
    ) { try $0.review($1.body) }

    private static let display = ControlRequest(
        .post, "/messaging/display",
        "Displays the page to cancel a subscription, and returns the retention message on it",
        "If the app has set a URL for real-time messages, it is asked; otherwise, or if its response names no message "
            + "that can be displayed, the default message of the product and the locale is the one.",
        body: .display, answer: "The message"
    ) { try await $0.display($1.body) }

    private static let faults = ControlRequest(
        .get, "/faults", "The active faults, which steps begin and end",
        "A step begins one: \"fault history how 500 times 2\", \"fault notifications how delayed span 2 hours\". It "
            + "ends after that number of times, or with all others by \"fault none\". A request of the App Store Server "
            + "API that a fault affects receives an error, or a body that is slow, cut or halved.",
        answer: "The active faults, oldest first"
    ) { control, _ in control.faults }

    // MARK: Steps

    private static let steps = ControlRequest(
        .post, "/steps", "Carries out steps",
        "Stops at the first step that fails; earlier steps remain done. When this returns, the resulting notifications "
            + "were sent, whether or not they were accepted. Time stands still between steps; a step that advances it "
            + "lets each event in between happen at its own instant, including retries of notifications.",
        body: .steps, answer: "The results", problems: [422]
    ) { try await $0.carryOut($1.body) }

    private static let story = ControlRequest(
        .get, "/story", "The story, its steps and branches, and the current place",
        "Every step of a test or of the page and every request of the App Store Server API that changes the store is a "
            + "step. After a return to an earlier step, the next action begins another branch.",
        parameters: [RequestParameter("after", "The number of steps to skip.", .count)], answer: "The story",
        problems: [400]
    ) { $0.story(after: try $1.query.count("after")) }

    private static let undo = ControlRequest(
        .post, "/story/undo", "Goes back to the step before the current one, time included",
        "The response is the story without its steps, as are those of the following requests. Notifications are not "
            + "sent again.",
        body: .empty, answer: "The story", problems: [422]
    ) { try await $0.undo($1.body) }

    private static let redo = ControlRequest(
        .post, "/story/redo", "Does the step again that was undone last", body: .empty, answer: "The story",
        problems: [422]
    ) { try await $0.redo($1.body) }

    private static let place = ControlRequest(
        .post, "/story/place", "Goes to a step, or to the last step of a branch", body: .place, answer: "The story",
        problems: [422]
    ) { try await $0.go($1.body) }

    private static let branches = ControlRequest(
        .post, "/story/branches", "Names a branch, deletes it, or restores it", body: .branch, answer: "The story",
        problems: [422]
    ) { try $0.changeBranch($1.body) }

    private static let comparison = ControlRequest(
        .get, "/story/comparison", "Compares what customers have at the ends of two branches",
        parameters: ["first", "second"].map { RequestParameter($0, nil, .count, isRequired: true) },
        answer: "What differs between two branches", problems: [400, 422]
    ) { try $0.comparison(try $1.query.count("first"), with: try $1.query.count("second")) }
}

extension RequestParameter {
    fileprivate static let afterHappenings = RequestParameter("after", "The number of happenings to skip.", .count)
    fileprivate static let app = RequestParameter("app", appNote)
}

extension BodyDescription {
    fileprivate static let certificates = BodyDescription(
        nil,
        [
            .optional("leaf", nil, OCSPResponder.Verdict.schema),
            .optional("intermediate", nil, OCSPResponder.Verdict.schema),
        ])
    /// The result of a review.
    static let review = BodyDescription(
        nil,
        [
            .required("review", nil, .words(of: RetentionMessages.Review.self)), .optional("message", nil, .uuid),
            .optional("image", nil, .uuid), .optional("app", appNote, .string),
        ])
    /// The page to cancel a subscription.
    static let display = BodyDescription(
        nil,
        [
            .required("transactionID", nil, .string),
            .optional("locale", nil, JSONSchema(type: "string", ["default": .string("en-US")])),
            .optional("app", appNote, .string),
        ])
    fileprivate static let steps = BodyDescription(
        nil,
        [
            .optional(
                "step", nil,
                JSONSchema(
                    type: "string",
                    ["examples": .array([.string("buy gold.monthly by anna"), .string("advance 31 days")])])),
            .optional("steps", nil, .array(of: .string, ["minItems": .integer(1)])),
        ], oneOf: "step", "steps")
    /// A body without members.
    static let empty = BodyDescription(nil, [], mayBeAbsent: true)
    /// A step, or a branch whose last step is meant.
    static let place = BodyDescription(
        nil, [.optional("step", nil, .number(3)), .optional("branch", nil, .number(2))], oneOf: "step", "branch")
    /// A change of a branch.
    static let branch = BodyDescription(
        nil,
        [
            .required("branch", nil, .number(2)),
            .optional("name", "The new name, at most 60 characters.", .string),
            .optional("isDeleted", "Whether it is deleted; the current branch cannot be.", .boolean),
        ], oneOf: "name", "isDeleted")
}

/// The description of the parameter and the member that name an app.
private let appNote = "A bundle id; the first app by default."

extension JSONSchema {
    fileprivate static let count = JSONSchema(type: "integer", ["minimum": .integer(0)])
    fileprivate static let uuid = JSONSchema(type: "string", ["format": .string("uuid")])

    fileprivate static func number(_ example: Int) -> JSONSchema {
        JSONSchema(type: "integer", ["examples": .array([.whole(example)])])
    }
}
