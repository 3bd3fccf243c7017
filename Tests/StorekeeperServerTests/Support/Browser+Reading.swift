import Storekeeper
import Testing

/// Checks of a page for narrow windows, dark colours and screen readers.
extension Browser {
    /// Opens all details of a page.
    func openDetails() async throws {
        try await script("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    }

    /// Returns the number of pixels by which the page is wider than the window.
    func widthBeyond() async throws -> Int64? {
        try await script("const page = document.documentElement; return page.scrollWidth - page.clientWidth").int64
    }

    /// Returns the captions of tables with a last column that is cut off, and by how many pixels.
    func cutTables() async throws -> String? {
        try await script(
            """
            return [...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth)
                .map((one) => `${one.querySelector('caption')?.textContent}: ${one.scrollWidth - one.clientWidth}`).join();
            """
        ).string
    }

    /// Returns the roles in the accessibility tree, and the roles of elements that lack a required name.
    ///
    /// A form without a name is not a landmark, and so does not need a name.
    func rolesReadAloud() async throws -> (all: [String], nameless: [String]) {
        let named: Set<String> = [
            "button", "link", "textbox", "searchbox", "combobox", "checkbox", "spinbutton", "ComboBoxSelect", "table",
            "region", "search", "navigation", "dialog", "image", "img", "heading", "DisclosureTriangle",
        ]
        _ = try await command("Accessibility.enable")
        let tree = try await command("Accessibility.getFullAXTree")
        let nodes = try #require(tree["nodes"]?.array.map(Array.init)).filter { $0["ignored"]?.bool != true }
        let roles = nodes.map { (role: $0["role"]?["value"]?.string ?? "", name: $0["name"]?["value"]?.string ?? "") }
        return (roles.map(\.role), roles.filter { named.contains($0.role) && $0.name.isEmpty }.map(\.role))
    }

    /// Returns the faults in the structure of a page: duplicate ids, skipped heading levels, or a missing first
    /// heading.
    func disorder() async throws -> String? {
        try await script(
            """
            const ids = [...document.querySelectorAll('[id]')].map((one) => one.id);
            const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
            const levels = [...document.querySelectorAll('h1, h2, h3')].filter((one) => one.getClientRects().length)
                .map((one) => Number(one.tagName[1]));
            const first = levels.filter((one) => one === 1).length;
            const gaps = levels.some((one, at) => at > 0 && one > levels[at - 1] + 1);
            return [...twice, ...(first === 1 ? [] : [`${first} first headings`]), ...(gaps ? ['a gap'] : [])].join();
            """
        ).string
    }

    /// Returns the background colour of the page.
    func ground() async throws -> String? {
        try await script("return getComputedStyle(document.body).backgroundColor").string
    }

    /// Returns the words with a contrast of less than 4.5 to 1 with their background.
    ///
    /// - SeeAlso: W3C, "Web Content Accessibility Guidelines", 1.4.3, level AA.
    func paleWords() async throws -> String? {
        try await script(
            """
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
                while (behind && (parts(getComputedStyle(behind).backgroundColor)[3] ?? 1) === 0) {
                    behind = behind.parentElement;
                }
                const lights = [
                    light(getComputedStyle(one).color),
                    light(getComputedStyle(behind ?? document.body).backgroundColor),
                ];
                const ratio = (Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05);
                if (ratio < 4.5) found.push(`${walker.currentNode.textContent.trim()} ${ratio.toFixed(2)}`);
            }
            return found.join('; ');
            """
        ).string
    }
}
