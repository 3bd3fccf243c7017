import Crypto
import HTTPTypes
import Hummingbird
import NIOCore
import Storekeeper
import StorekeeperPages

/// The route for the catalog.
extension CompanionService {
    /// Responds with the document of `storekeeper products --format json` with `--localizations` or `--locale`.
    ///
    /// Responds with 304 if the client already has this document.
    func products(_ request: CompanionRequest) async throws -> Response {
        var texts = Catalog.Texts.all
        if let text = try request.parameter("locale") {
            guard let locale = LocaleID(checking: text) else {
                throw Problem.badRequest("'locale' is not a language", "write it like de or de_CH")
            }
            texts = .localized(locale)
        }
        let bytes = await pool.catalog.listing(texts).json.bytes()
        let tag = "\"" + Base64URL.encode(Array(SHA256.hash(data: bytes).prefix(16))) + "\""
        var headers: HTTPFields = [
            // The response requires a key, so only the client itself may cache it, and must revalidate it before each
            // use.
            .contentType: "application/json", .cacheControl: "private, no-cache", .eTag: tag,
        ]
        let changed = catalogChangedAt()
        headers[.lastModified] = changed.map(HTTPDate.text)
        if isKnown(tag, changed, in: request.http.headers) { return Response(status: .notModified, headers: headers) }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Returns whether the headers show that a client already has this version of a response.
    ///
    /// - SeeAlso: RFC 9110, section 13.2.2.
    private func isKnown(_ tag: String, _ changed: Instant?, in headers: HTTPFields) -> Bool {
        let tags = headers[values: .ifNoneMatch]
        if !tags.isEmpty {
            return tags.flatMap { $0.split(separator: ",") }.contains { part in
                let known = part.filter { $0 != " " }
                return known == "*" || known == tag || known == "W/" + tag
            }
        }
        guard let since = headers[.ifModifiedSince].flatMap(HTTPDate.instant), let changed else { return false }
        // The times are compared for equality, because a catalog that is older than the client's copy must be sent as
        // well, for example after a rollback.
        return changed.millisecondsSince1970 / 1000 == since.millisecondsSince1970 / 1000
    }
}
