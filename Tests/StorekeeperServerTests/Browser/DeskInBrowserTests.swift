import Storekeeper
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// The desk of the companion service in a browser, as a support agent sees it.
@Suite(
    .enabled(if: Browser.isWanted, "chromedriver is not installed (Debian's package: chromium-driver)"), .serialized,
    .timeLimit(.minutes(5)))
struct DeskInBrowserTests {
    /// Opens the desk in a browser that has an admin key.
    private static func look(
        width: Int = 1280, isDark: Bool = false, _ body: @escaping @Sendable (Browser) async throws -> Void
    ) async throws {
        let shop = try await CompanionShop(hasDesk: true)
        for step in ["buy gold.monthly by anna", "buy coins.500 by anna", "fail billing anna", "advance 5 weeks"] {
            try await shop.step(step)
        }
        try await shop.ingest("anna")
        let key = try #require(shop.bearers[.admin])
        try await shop.serving { port in
            try await Browser.with("http://somebody:\(key)@127.0.0.1:\(port)", width: width, isDark: isDark) {
                browser in
                try await browser.open("/desk")
                try await body(browser)
            }
        }
    }

    @Test("The desk finds a customer, explains an answer and draws a timeline") func found() async throws {
        try await Self.look { browser in
            try await browser.type("anna", into: "input[name=customer]")
            try await browser.press(.enter)
            try await browser.wait(for: "What anna owns", in: "main")
            let drawn = try await browser.script(
                """
                const bar = document.querySelector('svg.timeline .access');
                return bar !== null && bar.getBoundingClientRect().width > 100;
                """)
            #expect(drawn.bool == true)
            try await browser.click("a[href*='why=gold.monthly']")
            try await browser.wait(for: "Why gold.monthly is", in: "main")
            #expect(try await browser.script("return document.scripts.length").int64 == 0)
        }
    }

    @Test(
        "The desk is readable in a narrow window, in dark colours and with a screen reader",
        arguments: [(400, false), (1280, true)])
    func read(_ width: Int, isDark: Bool) async throws {
        try await Self.look(width: width, isDark: isDark) { browser in
            for address in ["/desk", "/desk?customer=anna&why=gold.monthly", "/desk?customer=nobody"] {
                try await browser.open(address)
                try await browser.openDetails()
                #expect(try await browser.widthBeyond() == 0, "\(address)")
                #expect(try await browser.paleWords() == "", "\(address)")
                #expect(try await browser.rolesReadAloud().nameless.isEmpty, "\(address)")
                let disorder = try await browser.disorder()
                #expect(disorder == "", "\(address)")
            }
        }
    }
}
