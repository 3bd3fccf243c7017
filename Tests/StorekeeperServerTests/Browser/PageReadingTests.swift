import Storekeeper
import StorekeeperSimulator
import Testing

@testable import StorekeeperServer

/// The page for who reads it small, in the dark, or by ear.
@Suite(
    .enabled(if: Browser.isWanted, "there is no chromedriver (Debian's package: chromium-driver)"), .serialized,
    .timeLimit(.minutes(5)))
struct PageReadingTests {
    private func shop() async throws -> ServedStore {
        let served = try await ServedStore()
        for step in [
            "new person 'a-customer-with-a-very-long-name-that-is-one-word'".replacing("'", with: ""),
            "new family anna", "join family bert of anna", "buy gold.monthly by anna", "fail billing anna",
            "advance 2 months", "buy coins.500 by bert quantity 3", "refund coins.500 by bert", "set ask to buy yes",
            "buy remove.ads by bert",
        ] { try await served.step(step) }
        return served
    }

    /// All views, with as much open as there is.
    private func addresses(_ served: ServedStore) throws -> [String] {
        let id = try #require(served.store.transactions.first).id
        return PageLocation.View.allCases.map { "/?view=\($0.rawValue)&person=anna&why=gold.monthly" }
            + [
                "/", "/?selected=\(id)", "/?view=notifications&selected=\(served.store.happeningCount)",
                "/?product=nothing",
            ]
    }

    @Test("Nothing stands beyond the edge of a narrow window or a wide one", arguments: [400, 1280])
    func narrow(_ width: Int) async throws {
        let served = try await shop()
        let addresses = try addresses(served)
        try await served.local.serving { url in
            try await Browser.with(url, width: width) { browser in
                for address in addresses {
                    try await browser.open(address)
                    try await browser.script(
                        "document.querySelectorAll('details').forEach((one) => { one.open = true; })")
                    let beyond = try await browser.script(
                        "const page = document.documentElement; return page.scrollWidth - page.clientWidth")
                    #expect(beyond.int64 == 0, "\(address)")
                }
            }
        }
    }

    @Test("Every control has a name, and what is read aloud is in order")
    func tree() async throws {
        let served = try await shop()
        let addresses = try addresses(served)
        let named: Set<String> = [
            "button", "link", "textbox", "searchbox", "combobox", "checkbox", "spinbutton", "ComboBoxSelect", "table",
            "region", "form", "search", "navigation", "dialog", "image", "img", "heading", "DisclosureTriangle",
        ]
        try await served.local.serving { url in
            try await Browser.with(url) { browser in
                _ = try await browser.command("Accessibility.enable")
                for address in addresses {
                    try await browser.open(address)
                    try await browser.script(
                        "document.querySelectorAll('details').forEach((one) => { one.open = true; })")
                    let tree = try await browser.command("Accessibility.getFullAXTree")
                    let nodes = try #require(tree["nodes"]?.array.map(Array.init)).filter {
                        $0["ignored"]?.bool != true
                    }
                    #expect(nodes.count > 50)
                    for node in nodes {
                        let role = node["role"]?["value"]?.string ?? ""
                        let name = node["name"]?["value"]?.string ?? ""
                        #expect(!named.contains(role) || !name.isEmpty, "\(address): a \(role) without a name")
                    }
                    let order = try await browser.script(
                        """
                        const ids = [...document.querySelectorAll('[id]')].map((one) => one.id);
                        const levels = [...document.querySelectorAll('h1, h2, h3')].filter((one) => one.getClientRects().length)
                            .map((one) => Number(one.tagName[1]));
                        return [ids.filter((id, at) => ids.indexOf(id) !== at).join(), levels.filter((one) => one === 1).length,
                            levels.some((one, at) => at > 0 && one > levels[at - 1] + 1)];
                        """)
                    let parts = try #require(order.array.map(Array.init))
                    #expect(parts[0].string == "", "\(address): ids that stand twice")
                    #expect(parts[1].int64 == 1 && parts[2].bool == false, "\(address): headings")
                }
            }
        }
    }

    @Test("All that is shown has the contrast of WCAG AA", arguments: [false, true])
    func contrast(isDark: Bool) async throws {
        let served = try await shop()
        let addresses = try addresses(served)
        try await served.local.serving { url in
            try await Browser.with(url, isDark: isDark) { browser in
                for address in addresses {
                    try await browser.open(address)
                    try await browser.script(
                        "document.querySelectorAll('details').forEach((one) => { one.open = true; })")
                    let pale = try await browser.script(Self.paleWords)
                    #expect(pale.string == "", "\(address)")
                    let ground = try await browser.script("return getComputedStyle(document.body).backgroundColor")
                        .string
                    #expect(ground == (isDark ? "rgb(14, 18, 23)" : "rgb(244, 246, 248)"))
                }
            }
        }
    }

    /// The words that have less contrast than 4.5 to 1 on what is behind them.
    private static let paleWords = """
        const parts = (colour) => colour.match(/[0-9.]+/g).map(Number);
        const light = (colour) => parts(colour).slice(0, 3).map((one) => one / 255)
            .map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
            .reduce((sum, one, at) => sum + one * [0.2126, 0.7152, 0.0722][at], 0);
        const found = [];
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
            const one = walker.currentNode.parentElement;
            if (!walker.currentNode.textContent.trim() || !one.getClientRects().length) continue;
            let behind = one;
            while (behind && (parts(getComputedStyle(behind).backgroundColor)[3] ?? 1) === 0) behind = behind.parentElement;
            const lights = [light(getComputedStyle(one).color), light(getComputedStyle(behind ?? document.body).backgroundColor)];
            const ratio = (Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05);
            if (ratio < 4.5) found.push(`${walker.currentNode.textContent.trim()} ${ratio.toFixed(2)}`);
        }
        return found.join('; ');
        """
}
