import StorekeeperPages

/// The OpenAPI document of a local App Store.
///
/// The document describes the store's own requests in full. For requests of Apple's APIs, the document refers to
/// Apple's documentation.
enum LocalDescription {
    static let text = OpenAPIDocument.text(
        title: "A local App Store",
        about: """
            Served by `storekeeper local-app-store`. Under /inApps, /groups and /advancedCommerce it implements Apple's
            "App Store Server API", "Retention Messaging API" and "Advanced Commerce API", including bearer tokens.
            Under /local tests control it without a token, with the steps of scenarios. Changes must be sent as
            application/json and, while it listens on this machine only, to the host localhost or a loopback address.
            Times are RFC 3339 in UTC with milliseconds.
            POST /verifyReceipt, Apple's deprecated check of receipts, answers 410.
            """,
        operations: ControlRequest.all.map(\.operation))
}
