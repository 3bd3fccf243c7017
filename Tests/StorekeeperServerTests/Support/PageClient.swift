import Foundation
import HTTPTypes
import Storekeeper
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// A client that requests pages, reads their forms and sends them, like a browser without scripts.
struct PageClient: Sendable {
    let local: LocalAppStore

    /// A page or a redirect.
    struct Page: Sendable, CustomStringConvertible {
        let status: Int
        let headers: HTTPFields
        let text: String

        init(_ response: LocalResponse) {
            (status, headers) = (response.status, response.headers)
            text = String(decoding: response.body, as: UTF8.self)
        }

        var description: String { "\(status) \(location ?? failure ?? "")" }

        func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }

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

        /// Returns the fields of the form with an id, and their values.
        ///
        /// The value of a choice without a selected option is its first option.
        func form(_ id: String) -> [(name: String, value: String)]? {
            for match in text.matches(of: #/(?s)<form ([^>]*)>(.*?)</form>/#)
            where match.1.contains("id=\"\(id)\"") {
                return PageClient.fields(String(match.2))
            }
            return nil
        }
    }

    func get(_ address: String = "/") async -> Page {
        Page(await local.respond(.get, address))
    }

    /// Sends a form, with some of its fields filled in.
    func send(
        _ form: [(name: String, value: String)], _ filled: [String: String] = [:], to path: String = "/page/steps"
    ) async -> Page {
        let fields =
            form.map { ($0.name, filled[$0.name] ?? $0.value) }
            + filled.filter { name, _ in !form.contains { $0.name == name } }.map { ($0.key, $0.value) }
        let body = fields.map { "\($0.0.percentEncoded)=\($0.1.percentEncoded)" }.joined(separator: "&")
        let type = "application/x-www-form-urlencoded"
        return Page(await local.respond(.post, path, fields: [.contentType: type], body: Array(body.utf8)))
    }

    /// Finds a form on a page and sends it.
    func act(_ id: String, _ filled: [String: String] = [:], on address: String = "/") async throws -> Page {
        let page = await get(address)
        return await send(try #require(page.form(id), "no form \(id) at \(address)"), filled)
    }

    // MARK: HTML

    /// Returns the text of an HTML fragment.
    static func words(_ html: String) -> String {
        unescaped(html.replacing(#/<[^>]*>/#, with: " ")).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private static func fields(_ html: String) -> [(name: String, value: String)] {
        html.matches(of: #/(?s)<input ([^>]*)>|<select ([^>]*)>(.*?)</select>|<textarea ([^>]*)>(.*?)</textarea>/#)
            .compactMap { match in
                let attributes = String(match.1 ?? match.2 ?? match.4 ?? "")
                guard let name = value(of: "name", attributes) else { return nil }
                // Browsers do not send a box that is not ticked.
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
