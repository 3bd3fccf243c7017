import Storekeeper
import StorekeeperPages

/// The OpenAPI document of a local App Store.
///
/// The document describes the store's own requests in full. For requests of Apple's APIs, the document refers to
/// Apple's documentation.
///
/// - SeeAlso: OpenAPI Specification 3.1.
enum LocalDescription {
    static let text = OpenAPIDocument(
        title: "A local App Store",
        """
        Served by `storekeeper local-app-store`. Under /inApps, /groups and /advancedCommerce it implements Apple's
        "App Store Server API", "Retention Messaging API" and "Advanced Commerce API", including bearer tokens.
        Under /local tests control it without a token, with the steps of scenarios. Changes must be sent as
        application/json and, while it listens on this machine only, to the host localhost or a loopback address.
        Times are RFC 3339 in UTC with milliseconds.
        POST /verifyReceipt, Apple's deprecated check of receipts, answers 410.

        """, ControlRequest.all.map(\.operation),
        components: [
            "responses": .object([
                "Problem": OpenAPIDocument.response(
                    "RFC 9457, the error and its remedy",
                    ["application/problem+json": ControlProblem.shape.schema])
            ])
        ],
        schemas: [ControlProblem.shape.schema]
    ).text
}
