import HTTPTypes
import Hummingbird
import NIOCore

/// The OpenAPI document of the companion service, generated from the routes.
///
/// - SeeAlso: OpenAPI Initiative, "OpenAPI Specification", version 3.1.
enum CompanionDescription {
    /// The document in YAML.
    static let text = head + paths + components + CompanionSchemas.requests + CompanionSchemas.answers

    /// The response with the document.
    static var response: Response {
        Response(
            status: .ok, headers: [.contentType: "application/yaml"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    private static let head = """
        openapi: 3.1.0
        info:
          title: Storekeeper, the companion service
          version: "1"
          description: What App Store customers own, and why.
        paths:

        """

    private static var paths: String {
        var text = ""
        var known: Set<String> = []
        for route in CompanionRoute.all where known.insert(route.path).inserted {
            text += "  \(route.path):\n"
            let names = route.path.split(separator: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().dropLast() }
            if !names.isEmpty { text += "    parameters:\n" }
            for name in names {
                text += "      - {name: \(name), in: path, required: true, schema: {type: string, minLength: 1}}\n"
            }
            for sibling in CompanionRoute.all where sibling.path == route.path { text += self.text(of: sibling) }
        }
        return text
    }

    private static func text(of route: CompanionRoute) -> String {
        var lines = [
            "    \(route.method.rawValue.lowercased()):", "      operationId: \(route.id)",
            "      summary: \(route.summary)",
        ]
        if !route.parameters.isEmpty {
            lines.append("      parameters:")
            lines += route.parameters.map { "        - {\($0)}" }
        }
        if !route.body.isEmpty {
            lines += ["      requestBody:", "        required: true", "        content:"]
            lines += route.body.map { "          \($0.type): {schema: {\($0.schema)}}" }
        }
        lines.append("      security: [\(route.scope == nil ? "" : "{key: []}")]")
        if let scope = route.scope { lines.append("      x-scope: \(scope.rawValue)") }
        lines.append("      responses:")
        let json = route.schema.map { ##"application/json: {schema: {$ref: "#/components/schemas/\##($0)"}}"## }
        let content = (json.map { [$0] } ?? []) + route.types.map { "\($0): {schema: {type: string}}" }
        let contents = content.isEmpty ? "" : ", content: {\(content.joined(separator: ", "))}"
        let validators =
            route.isCacheable
            ? ##", ETag: {$ref: "#/components/headers/ETag"}, Last-Modified: {$ref: "#/components/headers/LastModified"}"##
            : ""
        let head = ##"headers: {X-Request-Id: {$ref: "#/components/headers/RequestID"}\##(validators)}"##
        lines.append("        \"200\": {description: \"\(route.answer)\", \(head)\(contents)}")
        if route.redirects { lines.append("        \"303\": {description: \"A page of the desk.\", \(head)}") }
        if route.isCacheable {
            lines.append("        \"304\": {description: \"The response has not changed.\", \(head)}")
        }
        for status in route.problemStatuses {
            let name = route.isForPeople ? "ProblemOrPage" : "Problem"
            lines.append("        \"\(status)\": {$ref: \"#/components/responses/\(name)\"}")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let components = #"""
        components:
          securitySchemes:
            key: {type: http, scheme: bearer}
          headers:
            RequestID:
              description: The id of the request in the log; the caller's id if it is 1 to 128 visible ASCII characters.
              schema: {type: string}
            ETag: {description: The version of the response; send it in If-None-Match., schema: {type: string}}
            LastModified:
              description: When the catalog files changed; send it in If-Modified-Since. Absent if it is not known.
              schema: {type: string}
          responses:
            Problem:
              description: The error and its remedy.
              headers: {X-Request-Id: {$ref: "#/components/headers/RequestID"}}
              content:
                application/problem+json: {schema: {$ref: "#/components/schemas/Problem"}}
            ProblemOrPage:
              description: The error and its remedy; a page for a browser.
              headers: {X-Request-Id: {$ref: "#/components/headers/RequestID"}}
              content:
                application/problem+json: {schema: {$ref: "#/components/schemas/Problem"}}
                text/html: {schema: {type: string}}
          schemas:

        """#
}
