import Hummingbird
import NIOCore
import StorekeeperPages

/// The OpenAPI document of the companion service, generated from the routes.
enum CompanionDescription {
    /// The document in YAML.
    static let text = OpenAPIDocument.text(
        title: "Storekeeper, the companion service", about: "What App Store customers own, and why.",
        operations: CompanionRoute.all.map(\.operation), others: [.event, .webhookMessage],
        security: ["key": ["type": "http", "scheme": "bearer"]])

    /// The response with the document.
    static var response: Response {
        Response(
            status: .ok, headers: [.contentType: "application/yaml"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

extension CompanionRoute {
    /// The route in the document.
    fileprivate var operation: OpenAPIOperation {
        var answers = [(status: 200, value: answer(answer, content))]
        if redirects { answers.append((303, answer("A page of the desk."))) }
        if isCacheable { answers.append((304, answer("The response has not changed."))) }
        answers += problemStatuses.map { ($0, isForPeople ? Self.problemOrPage : Self.problem) }
        let extra: KeyValuePairs<String, OpenAPIValue> =
            if let scope {
                ["security": [["key": []]], "x-scope": .string(scope.rawValue)]
            } else {
                ["security": []]
            }
        return OpenAPIOperation(
            method, path, id: id, summary: summary, parameters: parameters, body: body, extra: extra, answers: answers)
    }

    private var content: [OpenAPIOperation.Content] {
        (schema.map { [("application/json", $0)] } ?? []) + types.map { ($0, .string) }
    }

    private func answer(_ about: String, _ content: [OpenAPIOperation.Content] = []) -> OpenAPIValue {
        OpenAPIOperation.answer(
            about,
            headers: isCacheable
                ? ["X-Request-Id": Self.requestID, "ETag": Self.eTag, "Last-Modified": Self.lastModified]
                : ["X-Request-Id": Self.requestID],
            content)
    }

    // MARK: Components

    private static let requestID = header(
        "RequestID", "The id of the request in the log; the caller's id if it is 1 to 128 visible ASCII characters.")
    private static let eTag = header("ETag", "The version of the response; send it in If-None-Match.")
    private static let lastModified = header(
        "LastModified",
        "When the catalog files changed; send it in If-Modified-Since. Absent if it is not known.")

    private static let problem = problem("Problem", "The error and its remedy.")
    private static let problemOrPage = problem(
        "ProblemOrPage", "The error and its remedy; a page for a browser.", [("text/html", .string)])

    private static func header(_ name: String, _ about: String) -> OpenAPIValue {
        .reference("headers", name, ["description": .string(about), "schema": Schema.string.value])
    }

    private static func problem(
        _ name: String, _ about: String, _ more: [OpenAPIOperation.Content] = []
    ) -> OpenAPIValue {
        .reference(
            "responses", name,
            OpenAPIOperation.answer(
                about, headers: ["X-Request-Id": requestID], [("application/problem+json", .problem)] + more))
    }
}
