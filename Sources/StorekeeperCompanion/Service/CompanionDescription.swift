import HTTPTypes
import Hummingbird
import NIOCore
import Storekeeper
import StorekeeperPages

/// The OpenAPI document of the companion service, which follows from the routes.
enum CompanionDescription {
    /// The document in YAML.
    static let text = OpenAPIDocument(
        title: "Storekeeper, the companion service", "What App Store customers own, and why.",
        CompanionRoute.all.map(\.operation), components: components,
        schemas: [Problem.shape.schema, StoreEvent.jsonSchema, WebhookMessage.shape.schema]
    ).text

    /// The response with the document.
    static var response: Response {
        Response(
            status: .ok, headers: [.contentType: "application/yaml"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    private static let components: [String: JSONText] = [
        "securitySchemes": .object(["key": .object(["type": .string("http"), "scheme": .string("bearer")])]),
        "headers": .object([
            "RequestID": header(
                "The id of the request in the log; the caller's id if it is 1 to 128 visible ASCII characters."),
            "ETag": header("The version of the response; send it in If-None-Match."),
            "LastModified": header(
                "When the catalog files changed; send it in If-Modified-Since. Absent if it is not known."),
        ]),
        "responses": .object([
            "Problem": problem("The error and its remedy."),
            "ProblemOrPage": problem("The error and its remedy; a page for a browser.", ["text/html": .string]),
        ]),
    ]

    private static func header(_ description: String) -> JSONText {
        .object(["description": .string(description), "schema": .object(JSONSchema.string.keywords)])
    }

    private static func problem(_ note: String, _ more: [String: JSONSchema] = [:]) -> JSONText {
        OpenAPIDocument.response(
            note, more.merging(["application/problem+json": Problem.shape.schema]) { own, _ in own },
            headers: ["X-Request-Id": OpenAPIDocument.reference("headers", "RequestID")])
    }
}
