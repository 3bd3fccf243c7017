import AsyncHTTPClient
import HTTPTypes
import NIOCore
import NIOHTTP1
import Storekeeper
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of the protection from pages of other sites, and from hostile names and files.
@Suite(.system) struct PageSafetyTests {
    private static let hostile = #"<script>alert(1)</script>"'&{{token}}"#

    @Test("Names are escaped and never read as HTML", arguments: PageLocation.View.allCases)
    func escaping(_ view: PageLocation.View) async throws {
        let scenario = try Scenario(
            reading: """
                story: '<b id=x>"{{story}}"&'
                app: com.example.game
                catalog: [Products.json]
                people: ['<i>"''&']
                steps: []
                """, file: "hostile.yaml"
        ) { name in
            CatalogFile(
                name: name, bytes: Array(#"{"products": [{"id": "<u>\"'&{{a}}", "type": "consumable"}]}"#.utf8))
        }
        let runner = try await ScenarioRunner(scenario)
        let local = await LocalAppStore(store: runner.store, scenario: scenario)
        let client = PageClient(local: local)
        let bought = try await client.act("buy-buy")
        #expect(bought.status == 303, "\(bought.failure ?? "")")
        let selected = try #require(local.store.transactions.first).id
        for address in [
            "/?view=\(view)&selected=\(selected)", "/?view=\(view)&person=%3Ci%3E%22'%26&why=%3Cu%3E",
            "/?view=\(view)&from=%22%3E%3Cs%3E&product=%22%3E%3Cs%3E&done=0",
        ] {
            let page = await client.get(address)
            #expect(page.status == 200)
            for tag in ["<b id", "<i>", "<u>", "<s>"] { #expect(!page.text.contains(tag), "\(address)") }
            #expect(page.text.contains("&lt;b id=x&gt;&quot;{{story}}&quot;&amp;"))
        }
    }

    @Test("A form without the token of this run changes nothing")
    func token() async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        let form = try #require(await client.get("/?person=anna").form("buy-buy"))
        for token in ["", "guessed"] {
            let answer = await client.send(form, ["token": token, "subject": "coins.100"])
            #expect(answer.status == 403 && answer.failure?.contains("Nothing was done") == true)
        }
        #expect(served.store.transactions.isEmpty)
        #expect(served.local.formToken != (try await ServedStore()).local.formToken)
    }

    @Test(
        "A form from another origin changes nothing, and other host names are refused",
        arguments: [
            ("POST", [("origin", "http://evil.example")], 403), ("POST", [("origin", "null")], 403),
            ("POST", [("sec-fetch-site", "cross-site")], 403), ("POST", [("sec-fetch-site", "same-site")], 403),
            ("POST", [("host", "evil.example")], 403), ("GET", [("host", "evil.example:80")], 403),
            ("GET", [("sec-fetch-site", "cross-site")], 200), ("POST", [("sec-fetch-site", "same-origin")], 303),
            ("POST", [], 303), ("GET", [("host", "localhost")], 200), ("GET", [("host", "[::1]:8080")], 200),
        ] as [(String, [(String, String)], UInt)])
    func foreign(_ method: String, _ headers: [(String, String)], _ status: UInt) async throws {
        let served = try await ServedStore()
        let token = served.local.formToken
        try await served.local.serving { url in
            var request = HTTPClientRequest(url: method == "GET" ? "\(url)/" : "\(url)/page/steps")
            request.method = .init(rawValue: method)
            request.headers.add(name: "content-type", value: "application/x-www-form-urlencoded")
            for header in headers { request.headers.replaceOrAdd(name: header.0, value: header.1) }
            if method == "POST" { request.body = .bytes(Array("token=\(token)&word=advance&subject=1+day".utf8)) }
            // Redirects are not followed.
            let client = HTTPClient(configuration: .init(redirectConfiguration: .disallow))
            let response = try await client.execute(request, timeout: .seconds(60))
            #expect(response.status.code == status)
            if status == 200 {
                let body = String(buffer: try await response.body.collect(upTo: 1 << 20))
                #expect(body.contains(token))
            }
            try await client.shutdown()
        }
        #expect((served.store.now > SimulatedAppStore.defaultStart) == (status == 303))
    }

    @Test(
        "The page loads nothing from other origins and contains no inline script or style",
        arguments: ["/", "/page/style.css", "/page/script.js", "/page/icon.svg"])
    func policy(_ address: String) async throws {
        let served = try await ServedStore()
        let page = await PageClient(local: served.local).get(address)
        let policy = try #require(page.header("Content-Security-Policy"))
        #expect(policy.hasPrefix("default-src 'none'"))
        #expect(page.header("X-Content-Type-Options") == "nosniff" && page.header("Cache-Control") == "no-store")
        #expect(!page.text.replacing("http://www.w3.org/2000/svg", with: "").contains(#/https?:\/\/|url\(|@import/#))
        if address == "/" {
            #expect(!policy.contains("unsafe"))
            #expect(!page.text.contains(#/ (style|on[a-z]+)="|<style|javascript:/#))
        }
    }

    @Test("A refused form keeps its input and says what is wrong")
    func refusal() async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        let answer = try await client.act(
            "buy-buy", ["subject": "gold.monthly", "key-offer": "promotional <none>", "key-quantity": "two"],
            on: "/?person=anna&state=refunded")
        #expect(answer.status == 422)
        #expect(answer.failure?.contains("That cannot be done") == true)
        let form = try #require(answer.form("buy-buy"))
        #expect(form.contains { $0 == ("key-offer", "promotional <none>") })
        #expect(form.contains { $0 == ("key-quantity", "two") } && form.contains { $0 == ("subject", "gold.monthly") })
        #expect(answer.text.contains("id=\"buy-options\" open"))
        #expect(answer.text.contains("<option value=\"refunded\" selected>"))
        #expect(served.store.transactions.isEmpty)
        let jump = try await client.act("jump-form", ["subject": "soon"])
        #expect(jump.status == 422 && jump.form("jump-form")?.contains { $0 == ("subject", "soon") } == true)
    }

    @Test(
        "A form that the page does not offer gets an error that says what is wrong",
        arguments: [
            ("word=expect&subject=entitled+pro", 422), ("word=fly", 422), ("", 422), ("word=refund&subject=", 422),
            ("word=refund&subject=transaction+99", 422), ("word=set&setting=&value=", 422),
            ("word=set&setting=ask+to+buy&value=perhaps", 422), ("word=advance&subject=-1+day", 422),
            ("word=advance+to&subject=1990-01-01", 422), ("word=buy&subject=nothing&by=anna", 422),
            ("word=buy&subject=coins.100&by=nobody", 422),
            ("word=buy&subject=coins.100&by=anna&key-quantity=many", 422),
            ("word=buy&subject=coins.100&by=anna&app=com.other", 422),
        ])
    func nonsense(_ fields: String, _ status: Int) async throws {
        let served = try await ServedStore()
        let client = PageClient(local: served.local)
        let answer = await client.send([("token", served.local.formToken)] + fields.formFields)
        #expect(answer.status == status)
        #expect(answer.failure != nil)
        #expect(served.store.transactions.isEmpty)
    }

    @Test("A form without a subject is refused, even if there is only one customer")
    func emptySubject() async throws {
        let served = try await ServedStore(people: ["anna"])
        let client = PageClient(local: served.local)
        for word in ["fail billing", "clear", "new family"] {
            let answer = await client.send([("token", served.local.formToken), ("word", word), ("subject", "")])
            #expect(answer.status == 422 && answer.failure?.contains("does not name a subject") == true)
        }
        #expect(served.store.accountSummaries.allSatisfy { !$0.paymentsFail && $0.family == nil })
    }

    @Test(
        "A body that is not a form is refused",
        arguments: [nil, "text/plain", "application/json", "multipart/form-data"])
    func otherBodies(_ type: String?) async throws {
        let served = try await ServedStore()
        let response = await served.local.respond(
            .post, "/page/steps", fields: [.contentType: type].compactMapValues(\.self),
            body: Array("token=\(served.local.formToken)&word=advance&subject=1+day".utf8))
        #expect(response.status == 400)
        #expect(served.store.now == SimulatedAppStore.defaultStart)
    }
}
