import Foundation
import HTTPTypes
import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperPages

@Suite("Access without a purchase, over HTTP") struct CompanionGrantTests {
    private static func body(_ subject: String = #""feature":"pro""#, until: String = "2099-01-01") -> String {
        #"{\#(subject),"until":"\#(until)","reason":"an outage"}"#
    }

    private func grant(
        in shop: CompanionShop, _ body: String = body(), key: String? = "ticket", as scope: Scope = .grant
    ) async throws -> CompanionShop.Answer {
        try await shop.ask(
            "POST", "/v1/customers/anna/grants", as: scope, body: body,
            fields: key.map { ["Idempotency-Key": $0] } ?? [:])
    }

    @Test("A grant answers entitled everywhere, is recorded under the caller's name, and can be revoked")
    func granting() async throws {
        let shop = try await CompanionShop(leases: try await LeaseKeys(pem: LeaseKeys.make(), life: 300_000))
        let granted = try await grant(in: shop)
        #expect(granted.status == 200 && granted.document?["replayed"]?.bool == false, "\(granted.text)")
        #expect(granted.document?["grant"]?.object?["recordedBy"]?.string == "the-grant")
        #expect(try await grant(in: shop).document?["replayed"]?.bool == true)
        for path in ["features/pro", "explanation?feature=pro"] {
            let answer = try await shop.ask("GET", "/v1/customers/anna/\(path)", as: .check)
            #expect(answer.document?["answer"]?.string == "entitled", "\(answer.text)")
            #expect(answer.document?["reason"]?.string == "granted", "\(answer.text)")
        }
        let lease = try await shop.ask("GET", "/v1/customers/anna/lease", as: .check)
        #expect(lease.document?["features"]?.array.map(Array.init)?.map(\.string) == ["pro"], "\(lease.text)")
        let checks = try await shop.ask(
            "POST", "/v1/checks", as: .check, body: #"{"customers":["bert","anna"],"feature":"pro"}"#)
        #expect(checks.document?["checks"]?.array.map(Array.init)?.last?.object?["reason"]?.string == "granted")
        let answers = try await shop.ask("GET", "/v1/customers/anna/entitlements", as: .check)
        #expect(answers.text.contains(#""grantedUntil":"2099-01-01T00:00:00.000Z""#), "\(answers.text)")

        let revoked = try await shop.ask(
            "DELETE", "/v1/customers/anna/grants/ticket?reason=mistake", as: .grant)
        #expect(revoked.document?["grant"]?.object?["revokedBy"]?.string == "the-grant", "\(revoked.text)")
        let after = try await shop.ask("GET", "/v1/customers/anna/features/pro", as: .check)
        #expect(after.document?["answer"]?.string != "entitled", "\(after.text)")
        let list = try await shop.ask("GET", "/v1/customers/anna/grants", as: .grant)
        let rows = list.document?["grants"]?.array.map(Array.init)?.map(\.object) ?? []
        #expect(rows.count == 1 && rows.first??["revocationReason"]?.string == "mistake", "\(list.text)")
        let events = try await shop.vault.events(after: .start, of: "anna", limit: 9)
        #expect(events.map { "\($0.change.after)" } == ["entitled (granted)", "unknown (neverSynced)"])
    }

    @Test("Requests that are refused say why, and change nothing")
    func refused() async throws {
        let shop = try await CompanionShop()
        _ = try await grant(in: shop)
        let cases: [(body: String, key: String?, status: Int, problem: String)] = [
            (Self.body(until: "2098-01-01"), "ticket", 422, "keyReused"), (Self.body(), nil, 400, "badRequest"),
            (Self.body(until: "2001-01-01"), "k", 400, "badRequest"),
            (Self.body(until: "soon"), "k", 400, "badRequest"),
            (Self.body(#""product":"coins.500""#), "k", 400, "consumable"),
            (Self.body(#""product":"gold""#), "k", 404, "unknownProduct"),
            (Self.body(#""feature":"prp""#), "k", 404, "unknownFeature"),
            (Self.body(#""feature":"pro","product":"gold.monthly""#), "k", 400, "badRequest"),
            (#"{"feature":"pro","until":"2099-01-01"}"#, "k", 400, "badRequest"), ("{}", "k", 400, "badRequest"),
        ]
        for (body, key, status, problem) in cases {
            let answer = try await grant(in: shop, body, key: key)
            #expect(answer.status == status && answer.problem == problem, "\(body): \(answer.text)")
        }
        let unknown = try await shop.ask("DELETE", "/v1/customers/anna/grants/other?reason=r", as: .grant)
        #expect(unknown.status == 404 && unknown.problem == "unknownGrant", "\(unknown.text)")
        let bare = try await shop.ask("DELETE", "/v1/customers/anna/grants/ticket", as: .grant)
        let detail = bare.document?["detail"]?.string ?? ""
        #expect(bare.status == 400 && detail.contains("the query parameter 'reason'"), "\(bare.text)")
        #expect(try await shop.vault.entries(after: .start, of: "anna", limit: 9).count == 1)
    }

    @Test("Only the scopes grant and admin grant, revoke and list", arguments: Scope.allCases)
    func scopes(_ scope: Scope) async throws {
        let shop = try await CompanionShop(hasDesk: true)
        let mayGrant = scope == .grant || scope == .admin
        #expect(try await grant(in: shop, as: scope).status == (mayGrant ? 200 : 403))
        #expect(try await shop.ask("GET", "/v1/customers/anna/grants", as: scope).status == (mayGrant ? 200 : 403))
        let revoked = try await shop.ask("DELETE", "/v1/customers/anna/grants/ticket?reason=r", as: scope)
        #expect(revoked.status == (mayGrant ? 200 : 403), "\(revoked.text)")
        #expect(try await shop.ask("GET", "/desk", as: scope).status == (mayGrant || scope == .desk ? 200 : 403))
    }

    // MARK: The desk

    private static let form = "application/x-www-form-urlencoded"

    @Test("The desk asks for a confirmation, grants under the caller's name, and revokes")
    func desk() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        try await shop.step("buy coins.500 by anna")
        try await shop.ingest("anna")
        let page = try await shop.ask("GET", "/desk?customer=anna", as: .grant)
        #expect(
            page.text.contains("<option value=\"feature:pro\">") && !page.text.contains("read-only"), "\(page.text)")
        let asked = try await shop.ask(
            "GET", "/desk?customer=anna&subject=feature:pro&until=2099-01-01&reason=an+outage", as: .grant)
        #expect(asked.text.contains("Give anna access to feature pro until 2099-01-01 00:00, because"), "\(asked.text)")
        #expect(asked.text.contains("It is recorded as done by the-grant."))
        #expect(try await shop.vault.load("anna").grants.isEmpty)
        for (wrong, text) in [
            ("subject=feature:pro&until=soon&reason=r", "The end is not a time"),
            ("subject=feature:pro&until=2001-01-01&reason=r", "The end is not in the future"),
            ("subject=feature:nix&until=2099-01-01&reason=r", "Choose a product or feature"),
            ("subject=feature:pro&until=2099-01-01&reason=", "Give a reason"),
        ] {
            let answer = try await shop.ask("GET", "/desk?customer=anna&\(wrong)", as: .grant)
            #expect(
                answer.text.contains(text) && !answer.text.contains("action=\"/desk/grants\""), "\(answer.text)")
        }

        // Each page has a key of its own, also behind a proxy that names all requests alike.
        let form = "/desk?customer=anna&subject=feature:pro&until=2099-01-01&reason=an+outage"
        var keys: [Substring] = []
        for _ in 0..<2 {
            let page = try await shop.ask("GET", form, as: .grant, fields: ["X-Request-Id": "proxy"])
            keys.append(try #require(page.text.firstMatch(of: /name="key" value="(desk-[^"]+)"/)).1)
        }
        #expect(keys[0] != keys[1])

        let fields = "customer=anna&subject=feature:pro&until=2099-01-01&reason=an+outage&key=desk-1"
        // The answer leads to a page of a new request, so that a reload grants nothing more.
        let done = try await send("/desk/grants", fields, in: shop)
        for part in [
            "Access to feature pro was granted until 2099-01-01 00:00.", ">Revoke…<span", "the-grant",
            "<td>active</td>",
        ] {
            #expect(done.text.contains(part), "\(part): \(done.text)")
        }
        let again = try await send("/desk/grants", fields, in: shop)
        #expect(again.text.contains("Access to feature pro was granted"))
        #expect(try await shop.vault.load("anna").grants.map(\.recordedBy) == ["the-grant"])
        let looked = try await shop.ask("GET", "/desk?customer=anna", as: .desk)
        #expect(looked.text.contains("an outage") && looked.text.contains("read-only"))
        #expect(!looked.text.contains("Revoke…") && !looked.text.contains("grant-subject"))

        let confirm = try await shop.ask("GET", "/desk?customer=anna&revoke=desk-1", as: .grant)
        #expect(confirm.text.contains("Revoke feature pro, granted to anna until 2099-01-01"), "\(confirm.text)")
        let revoked = try await send("/desk/revocations", "customer=anna&key=desk-1&reason=mistake", in: shop)
        #expect(revoked.text.contains("The access to feature pro was revoked at "), "\(revoked.text)")
        #expect(revoked.text.contains("revoked: mistake") && !revoked.text.contains(">Revoke…<span"), "\(revoked.text)")
    }

    @Test("Access is granted for a day, a week, a month or to the end of the period, and a second grant is noticed")
    func lengths() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        try await shop.step("buy silver.monthly by anna")
        try await shop.ingest("anna")
        for (length, end) in [
            ("day", "2026-01-02 00:00"), ("week", "2026-01-08 00:00"), ("month", "2026-02-01 00:00"),
            ("period", "2026-02-01 00:00"),
        ] {
            let asked = try await shop.ask(
                "GET", "/desk?customer=anna&subject=feature:pro&length=\(length)&until=&reason=r", as: .grant)
            #expect(asked.text.contains("access to feature pro until \(end), because"), "\(length): \(asked.text)")
            #expect(!asked.text.contains("is already granted"))
        }
        // A typed end takes precedence.
        let typed = try await shop.ask(
            "GET", "/desk?customer=anna&subject=feature:pro&length=day&until=2026-03-01&reason=r", as: .grant)
        #expect(typed.text.contains("until 2026-03-01 00:00, because"), "\(typed.text)")
        let none = try await shop.ask(
            "GET", "/desk?customer=anna&subject=feature:pro&length=year&until=&reason=r", as: .grant)
        #expect(none.text.contains("The end is not a time: choose a length"), "\(none.text)")
        _ = try await send(
            "/desk/grants", "customer=anna&subject=feature:pro&until=2026-03-01&reason=r&key=desk-1", in: shop)
        let again = try await shop.ask(
            "GET", "/desk?customer=anna&subject=feature:pro&length=week&until=&reason=r", as: .grant)
        #expect(
            again.text.contains("Access to feature pro is already granted until 2026-03-01 00:00."), "\(again.text)")
        // Without a running subscription, there is no end of a period.
        let bert = try await shop.ask(
            "POST", "/v1/customers/bert/balances/coins/grant", as: .spend, body: #"{"quantity":5,"reason":"a gift"}"#,
            fields: ["Idempotency-Key": "gift"])
        #expect(bert.status == 200, "\(bert.text)")
        let page = try await shop.ask("GET", "/desk?customer=bert", as: .grant)
        #expect(page.text.contains("<option value=\"month\">") && !page.text.contains("<option value=\"period\">"))
    }

    /// Sends a form of the desk, and returns the page to which the answer redirects a browser.
    private func send(_ path: String, _ fields: String, in shop: CompanionShop) async throws -> CompanionShop.Answer {
        let answer = try await shop.ask("POST", path, as: .grant, body: fields, type: Self.form)
        #expect(answer.status == 303, "\(answer.text)")
        return try await shop.ask("GET", try #require(answer.fields[.location]), as: .grant)
    }

    @Test("A grant and a revocation are undone by the form beside their confirmations")
    func undo() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        try await shop.step("buy coins.500 by anna")
        try await shop.ingest("anna")
        /// Returns the fields of the form beside the confirmation on a page.
        func undoing(_ page: String) throws -> String {
            let form = try #require(
                page.split(separator: "notice success").dropFirst().first?.split(separator: "</form>").first)
            #expect(form.contains(">Undo</button>"))
            return form.matches(of: #/name="(\w+)" value="([^"]*)"/#)
                .map { "\($0.1)=\(String($0.2).percentEncoded)" }.joined(separator: "&")
        }
        let granted = try await send(
            "/desk/grants", "customer=anna&subject=feature:pro&until=2099-01-01&reason=an+outage&key=desk-1", in: shop)
        let revoked = try await send("/desk/revocations", try undoing(granted.text), in: shop)
        #expect(revoked.text.contains("revoked: undone"), "\(revoked.text)")
        let again = try await send("/desk/grants", try undoing(revoked.text), in: shop)
        #expect(again.text.contains("Access to feature pro was granted until 2099-01-01 00:00."), "\(again.text)")
        let grants = try await shop.vault.load("anna").grants
        #expect(
            grants.map { $0.revocation == nil } == [false, true] && grants.map(\.reason) == ["an outage", "an outage"])
        // A key that may only look has no form.
        let looked = try await shop.ask("GET", "/desk?customer=anna&granted=desk-1", as: .desk)
        #expect(looked.status == 200 && !looked.text.contains(">Undo</button>"))
    }

    @Test("Forms of other sites, incomplete forms, and keys that may only look change nothing")
    func foreign() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        try await shop.step("buy coins.500 by anna")
        try await shop.ingest("anna")
        let fields = "customer=anna&subject=feature:pro&until=2099-01-01&reason=r&key=k"
        for header in [["Sec-Fetch-Site": "cross-site"], ["Origin": "https://evil.example"]] {
            let answer = try await shop.ask(
                "POST", "/desk/grants", as: .grant, body: fields, type: Self.form, fields: header)
            #expect(answer.status == 403 && answer.problem == "foreignOrigin", "\(answer.text)")
        }
        #expect(try await shop.ask("POST", "/desk/grants", as: .desk, body: fields, type: Self.form).status == 403)
        for wrong in [
            fields + "&key=k", "customer=anna", fields + "&more=1", fields.replacing("reason=r", with: "reason="),
        ] {
            #expect(try await shop.ask("POST", "/desk/grants", as: .grant, body: wrong, type: Self.form).status == 400)
        }
        #expect(try await shop.ask("POST", "/desk/grants", as: .grant, body: fields).status == 415)
        #expect(try await shop.vault.load("anna").grants.isEmpty)
        let closed = try await CompanionShop()
        #expect(try await closed.ask("POST", "/desk/grants", as: .grant, body: fields, type: Self.form).status == 404)
    }
}
