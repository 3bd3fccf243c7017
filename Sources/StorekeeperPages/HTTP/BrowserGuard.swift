/// What a browser must not do with an answer of a page.
///
/// - SeeAlso: W3C, "Content Security Policy Level 3".
package enum BrowserGuard {
    /// The fields of the head; a picture has its styles in it, nothing else may.
    package static func fields(of contentType: String) -> [(name: String, value: String)] {
        let policy =
            contentType == "image/svg+xml"
            ? "default-src 'none'; style-src 'unsafe-inline'"
            : "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
                + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        return [
            ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"), ("Cache-Control", "no-store"),
        ]
    }
}
