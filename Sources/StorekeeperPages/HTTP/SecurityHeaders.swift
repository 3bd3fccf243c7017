package import HTTPTypes

/// Security headers that restrict what a browser does with a page.
///
/// - SeeAlso: W3C, "Content Security Policy Level 3".
package enum SecurityHeaders {
    /// Returns the header fields for a content type; only an SVG picture may contain inline styles.
    package static func fields(of contentType: String) -> HTTPFields {
        let policy =
            contentType == "image/svg+xml"
            ? "default-src 'none'; style-src 'unsafe-inline'"
            : "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
                + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        return [
            .contentSecurityPolicy: policy, .xContentTypeOptions: "nosniff", .referrerPolicy: "same-origin",
            .crossOriginOpenerPolicy: "same-origin", .crossOriginResourcePolicy: "same-origin",
            .cacheControl: "no-store",
        ]
    }
}
