import Storekeeper
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests that the pages load nothing from other servers.
@Suite struct PageAssetsTests {
    /// Returns the addresses that a page loads by itself, with the names of their elements.
    private static func loaded(by page: String) -> [(element: String, address: String)] {
        page.matches(of: #/<(\w+)\b([^>]*)>/#).flatMap { tag -> [(String, String)] in
            if tag.1 == "a" || tag.1 == "form" { return [] }
            return tag.2.matches(of: #/\s(?:xlink:)?(?:src|href|srcset|data|poster|action)="([^"]*)"/#).map {
                (String(tag.1), String($0.1))
            }
        }
    }

    private static func check(_ page: String, _ name: String, _ read: (String) async throws -> String) async throws {
        let all = loaded(by: page)
        #expect(Set(all.map(\.element)).isSuperset(of: ["script", "link"]), "\(name)")
        for one in all { #expect(one.address.hasPrefix("/") && !one.address.hasPrefix("//"), "\(name): \(one)") }
        // The page itself contains no scripts and no styles, which its content security policy refuses.
        #expect(
            page.firstMatch(of: #/<script(?![^>]* src=)|<style|\sstyle="|\son[a-z]+="|javascript:/#) == nil, "\(name)")
        for one in Set(all.filter { $0.element == "script" }.map(\.address)) {
            let script = try await read(one)
            #expect(script.firstMatch(of: #/https?:|\bimport\b|\beval\b|XMLHttpRequest|WebSocket/#) == nil, "\(one)")
        }
        for one in all where one.element == "link" {
            #expect(
                try await read(one.address).firstMatch(of: #/url\(|@import|@font-face|<script|<image/#) == nil, "\(one)"
            )
        }
    }

    @Test("The page of the local App Store loads nothing from elsewhere")
    func manager() async throws {
        let served = try await ServedStore()
        for step in ["buy gold.monthly by anna", "advance 1 month"] { try await served.step(step) }
        let client = PageClient(local: served.local)
        for view in PageLocation.View.allCases {
            let page = await client.get("/?view=\(view)&person=anna&why=gold.monthly&at=2026-01-10")
            try await Self.check(page.text, "\(view)") { await client.get($0).text }
        }
    }

    @Test("The desk loads nothing from elsewhere")
    func desk() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        try await shop.step("buy gold.monthly by anna")
        try await shop.ingest("anna")
        for address in ["/desk", "/desk?customer=anna&why=gold.monthly", "/desk?lang=de", "/desk/webhooks"] {
            let page = try await shop.ask("GET", address)
            try await Self.check(page.text, address) { try await shop.ask("GET", $0).text }
        }
    }

    @Test("The check finds content that is loaded from elsewhere")
    func elsewhere() {
        let page = "<p><a href=\"https://a.example\">a</a><img alt=\"\" src=\"https://b.example/c.png\"><link href='x'>"
        #expect(Self.loaded(by: page).map(\.address) == ["https://b.example/c.png"])
    }
}
