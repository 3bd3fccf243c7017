import Foundation
import Storekeeper
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Requests pages like a browser without a script: it reads forms and sends them.
struct PageClient: Sendable {
    let local: LocalAppStore

    /// A page or a redirect.
    struct Page: Sendable, CustomStringConvertible {
        let status: Int
        let headers: [(name: String, value: String)]
        let text: String

        var description: String { "\(status) \(location ?? failure ?? "")" }

        func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

        /// The target of a redirect after a successful form.
        var location: String? { header("Location") }

        /// The ids of the table's rows, in order.
        var rows: [String] { text.matches(of: #/class="row-link" id="row-([0-9]+)"/#).map { String($0.1) } }

        /// The text of the page's failure notice.
        var failure: String? {
            text.firstMatch(of: #/(?s)<section class="notice failure".*?</section>/#).map {
                PageClient.words(String($0.0))
            }
        }

        /// The form with an id, with its field values; a choice without a selected option has its first.
        func form(_ id: String) -> [(name: String, value: String)]? {
            for match in text.matches(of: #/(?s)<form ([^>]*)>(.*?)</form>/#)
            where match.1.contains("id=\"\(id)\"") {
                return PageClient.fields(String(match.2))
            }
            return nil
        }
    }

    func get(_ address: String = "/") async -> Page {
        let parts = address.split(separator: "?", maxSplits: 1).map(String.init)
        let path = (parts.first ?? "").split(separator: "/").map(\.percentDecoded)
        return await ask(APIRequest("GET", path, query: (parts.count > 1 ? parts[1] : "").formFields))
    }

    /// Sends a form, with some of its fields filled in.
    func send(
        _ form: [(name: String, value: String)], _ filled: [String: String] = [:], to path: String = "/page/steps"
    ) async -> Page {
        let fields =
            form.map { ($0.name, filled[$0.name] ?? $0.value) }
            + filled.filter { name, _ in !form.contains { $0.name == name } }.map { ($0.key, $0.value) }
        let body = fields.map { "\($0.0.percentEncoded)=\($0.1.percentEncoded)" }.joined(separator: "&")
        return await ask(
            APIRequest(
                "POST", path.split(separator: "/").map(String.init),
                headers: ["content-type": "application/x-www-form-urlencoded"], body: Array(body.utf8)))
    }

    /// Finds a form on a page and sends it.
    func act(_ id: String, _ filled: [String: String] = [:], on address: String = "/") async throws -> Page {
        let page = await get(address)
        return await send(try #require(page.form(id), "no form \(id) at \(address)"), filled)
    }

    private func ask(_ request: APIRequest) async -> Page {
        let response = await local.respond(to: request)
        return Page(
            status: response.status, headers: response.headers, text: String(decoding: response.body, as: UTF8.self))
    }

    // MARK: HTML

    /// The text of an HTML fragment.
    static func words(_ html: String) -> String {
        unescaped(html.replacing(#/<[^>]*>/#, with: " ")).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private static func fields(_ html: String) -> [(name: String, value: String)] {
        html.matches(of: #/(?s)<input ([^>]*)>|<select ([^>]*)>(.*?)</select>|<textarea ([^>]*)>(.*?)</textarea>/#)
            .compactMap { match in
                let attributes = String(match.1 ?? match.2 ?? match.4 ?? "")
                guard let name = value(of: "name", attributes) else { return nil }
                // A box that is not ticked is not sent.
                if attributes.contains("type=\"checkbox\""), !attributes.contains(" checked") { return nil }
                if let options = match.3 {
                    let all = options.matches(of: #/<option value="([^"]*)"( selected)?>/#)
                    let chosen = all.first { $0.2 != nil } ?? all.first
                    return (name, chosen.map { unescaped(String($0.1)) } ?? "")
                }
                return (name, match.5.map { unescaped(String($0)) } ?? value(of: "value", attributes) ?? "")
            }
    }

    private static func value(of name: String, _ attributes: String) -> String? {
        guard let start = attributes.firstRange(of: "\(name)=\"") else { return nil }
        return unescaped(String(attributes[start.upperBound...].prefix { $0 != "\"" }))
    }

    private static func unescaped(_ text: String) -> String {
        text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
    }
}
