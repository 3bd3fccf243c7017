import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of the desk of the companion service in a browser.
@Suite(.system, .inBrowser, .serialized, .timeLimit(.minutes(5)))
struct DeskInBrowserTests {
    /// Opens the desk in a browser that has an admin key.
    private static func look(
        width: Int = 1280, isDark: Bool = false, _ body: @escaping @Sendable (Browser) async throws -> Void
    ) async throws {
        let shop = try await CompanionShop(hasDesk: true)
        for steps in [
            ["buy gold.monthly by anna", "buy coins.500 by anna"], ["fail billing anna", "advance 5 weeks"],
        ] {
            for step in steps { try await shop.step(step) }
            try await shop.ingest("anna")
        }
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
            try await browser.type("  anna ", into: "#search")
            try await browser.press(.enter)
            try await browser.wait(for: "What anna owns", in: "main")
            let drawn = try await browser.script(
                "return document.querySelector('#timeline-frame .bar').getBoundingClientRect().width > 100")
            #expect(drawn.bool == true)
            #expect(try await browser.script("return location.search").string == "?customer=anna")
            #expect(try await browser.script("return document.title").string == "anna – Storekeeper")
            try await browser.click("a[href*='why=gold.monthly']")
            try await browser.wait(for: "Why gold.monthly: access ended", in: "main")
        }
    }

    @Test(
        "The desk is readable in a narrow window, in dark colours and with a screen reader",
        arguments: [(400, false), (1280, true), (2560, false)])
    func read(_ width: Int, isDark: Bool) async throws {
        try await Self.look(width: width, isDark: isDark) { browser in
            for address in [
                "/desk", "/desk?customer=anna&why=gold.monthly", "/desk?customer=anna&lang=de&at=2026-01-10",
                "/desk?customer=nobody", "/desk?search=a&lang=de", "/desk?search=nobody", "/desk?customer=anna&claim=7",
                "/desk?customer=anna&subject=feature:pro&until=2099-01-01&reason=r", "/desk/webhooks",
                "/desk?customer=anna&lang=de&at=2026-01-10T09:30:15Z&asKnownAt=2026-01-20&span=2026-01-01..2026-01-20",
            ] {
                try await browser.open(address)
                try await browser.openDetails()
                #expect(try await browser.widthBeyond() == 0, "\(address)")
                let cut = try await browser.cutTables()
                #expect(cut == "", "\(address)")
                #expect(try await browser.paleWords() == "", "\(address)")
                #expect(try await browser.rolesReadAloud().nameless.isEmpty, "\(address)")
                let disorder = try await browser.disorder()
                #expect(disorder == "", "\(address)")
                if address.contains("customer=anna") {
                    #expect(try await browser.timelineFaults() == "", "\(address)")
                }
            }
        }
    }

    @Test("The text and the link for a ticket are copied, and the buttons are there only with the script") func copy()
        async throws
    {
        try await Self.look { browser in
            try await browser.open("/desk?customer=anna")
            // Record the copied texts, because a test has no access to the clipboard.
            try await browser.script(
                """
                window.copies = [];
                Object.defineProperty(navigator, 'clipboard', {value: {writeText: async (text) => { copies.push(text); }}});
                """)
            try await browser.click("[data-copy]")
            try await browser.wait(for: "Copied", in: "#copied")
            try await browser.click("[data-copy-link]")
            try await browser.wait(until: "window.copies.length === 2")
            let copies = try await browser.script("return JSON.stringify(copies)").string ?? ""
            #expect(copies.contains("anna · com.example.game") && copies.contains("500 bought + 0 granted"))
            let link = try await browser.script("return copies[1].replace(location.origin, '')").string ?? ""
            #expect(link.hasPrefix("/desk?customer=anna&at="))
            try await browser.open(link)
            try await browser.wait(for: "from what was known at", in: "main")
            #expect(try await browser.script("return document.querySelector('#print').hidden").bool == false)
        }
    }

    @Test("The day before is shown with the keyboard alone, and the answer stays beside the picture")
    func stepper() async throws {
        try await Self.look { browser in
            try await browser.open("/desk?customer=anna")
            for expected in ["a day earlier", "a day later"] {
                try await browser.script(
                    """
                    [...document.querySelectorAll('#times .step:first-of-type a')]
                      .find((one) => one.textContent === '\(expected)').focus();
                    """)
                let before = try await browser.script("return location.search").string ?? ""
                try await browser.press(.enter)
                try await browser.wait(until: "location.search !== '\(before)' && location.search.includes('at=')")
                try await browser.wait(for: "This is not the present", in: "main")
                try await Self.checkAnswer(in: browser)
            }
        }
    }

    /// Checks that the answers at the chosen time, and the top of the picture, are inside of the window.
    private static func checkAnswer(in browser: Browser) async throws {
        try await browser.wait(until: "document.readyState === 'complete'")
        let inside = try await browser.script(
            """
            const inside = (one) => { const { top, bottom } = one.getBoundingClientRect();
              return top >= -1 && bottom <= innerHeight + 1; };
            const frame = document.querySelector('#timeline-frame').getBoundingClientRect();
            return inside(document.querySelector('#times .moment-answers')) && frame.top < innerHeight;
            """)
        #expect(inside.bool == true)
    }

    @Test("A click on the timeline shows the answers of that time, from what was known at the chosen one")
    func timeline() async throws {
        try await Self.look { browser in
            try await browser.open("/desk?customer=anna&lang=de&asKnownAt=2026-02-02")
            let place =
                try await browser.script(
                    """
                    const bar = document.querySelector('#timeline-frame :is(.access, .trial):not(.expected)');
                    bar.scrollIntoView({ block: 'center' });
                    const box = bar.getBoundingClientRect();
                    return [Math.round(box.left + box.width / 2), Math.round(box.top + box.height / 2)];
                    """
                ).array?.compactMap(\.int64) ?? []
            try #require(place.count == 2)
            func mouse(_ type: String) async throws {
                _ = try await browser.command(
                    "Input.dispatchMouseEvent",
                    .object([
                        "type": .string(type), "x": .whole(Int(place[0])), "y": .whole(Int(place[1])),
                        "button": .string(type == "mouseMoved" ? "none" : "left"), "clickCount": .whole(1),
                    ]))
            }
            try await mouse("mouseMoved")
            try await browser.wait(for: "hat Zugriff", in: "#timeline-tip")
            #expect(try await browser.text("#timeline-tip").contains("entitled (active)\nVon 01.01.2026 00:00 bis "))
            try await mouse("mousePressed")
            try await mouse("mouseReleased")
            try await browser.wait(for: "Das ist nicht die Gegenwart", in: "main")
            let query = try await browser.script("return location.search").string ?? ""
            #expect(
                query.contains("at=2026-01-") && query.contains("asKnownAt=2026-02-02") && query.contains("lang=de"))
            #expect(try await browser.text("#answers").contains("aus dem, was am 02.02.2026 00:00 bekannt war"))
            try await Self.checkAnswer(in: browser)
        }
    }

    @Test("The keyboard zooms and moves the timeline, and its links follow") func zoom() async throws {
        try await Self.look { browser in
            try await browser.open("/desk?customer=anna&why=gold.monthly")
            let frame = "document.querySelector('#timeline-frame')"
            try await browser.script("\(frame).focus()")
            let spans = "return document.querySelector('#times .step a').search.includes('span=')"
            try await browser.press("+")
            try await browser.wait(until: "location.search.includes('span=') && !document.querySelector('.moving')")
            #expect(try await browser.script("return location.search.includes('why=')").bool == true)
            #expect(try await browser.script("return document.activeElement.id").string == "timeline-frame")
            #expect(try await browser.script(spans).bool == true)
            let left = "Number(\(frame).querySelector('svg').dataset.from)"
            let first = try await browser.script("return String(\(left))").string ?? ""
            try await browser.press(Browser.Key(rawValue: "\u{E012}"))
            try await browser.wait(until: "\(left) < \(first) && !document.querySelector('.moving')")
            try await browser.script("\(frame).focus()")
            try await browser.press("0")
            try await browser.wait(until: "!location.search.includes('span=') && !document.querySelector('.moving')")
            #expect(try await browser.script(spans).bool == false)
        }
    }

    @Test("Without the script, links zoom and show other times") func links() async throws {
        try await Self.look { browser in
            _ = try await browser.command("Emulation.setScriptExecutionDisabled", .object(["value": .bool(true)]))
            try await browser.open("/desk?customer=anna&lang=de&only=balances")
            try await browser.click("[data-key='part 1 Monat']")
            try await browser.wait(until: "location.search.includes('span=')")
            #expect(try await browser.script("return location.search.includes('only=balances')").bool == true)
            try await browser.type("2026-01-10T09:30:15Z", into: "#at")
            try await browser.click("#travel button")
            try await browser.wait(for: "Stand 10.01.2026 09:30:15, aus allen", in: "#answers")
            #expect(try await browser.script("return location.search.includes('span=')").bool == true)
            // The form does not change the time when it is sent again with another time of knowledge.
            try await browser.type("2026-01-20", into: "#asKnownAt")
            try await browser.click("#travel button")
            try await browser.wait(for: "Stand 10.01.2026 09:30:15, aus dem, was am 20.01.2026 00:00", in: "#answers")
            try await browser.click("#runs summary")
            try await browser.click("#runs td a")
            try await browser.wait(until: "location.search.includes('at=2026-') && location.hash === '#timeline'")
        }
    }

    @Test("Access is granted by keyboard alone: search, form, confirmation") func keyboard() async throws {
        try await Self.look { browser in
            try await browser.open("/desk?customer=anna")
            // Every control can be reached by the tab key, and shows its focus.
            let reached = try await browser.script(
                """
                const all = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary')]
                  .filter((one) => one.checkVisibility());
                return all.filter((one) => one.tabIndex < 0).length;
                """)
            #expect(reached.int64 == 0)
            try await browser.script("document.querySelector('#grant-until').focus()")
            try await browser.press(
                "2", "0", "9", "9", "-", "0", "1", "-", "0", "1", .tab, "s", "o", "r", "r", "y", .enter)
            try await browser.wait(for: "It is recorded as done by the-admin", in: "#grants")
            try await browser.script("document.querySelector('form[action=\"/desk/grants\"] button').focus()")
            try await browser.press(.enter)
            try await browser.wait(for: "active", in: "#grants table")
            #expect(try await browser.text("#grants table").contains("sorry"))
        }
    }

    @Test("A customer is erased after a confirmation") func erase() async throws {
        try await Self.look { browser in
            try await browser.open("/desk?customer=anna")
            try await browser.click("#erase summary")
            try await browser.type("anna", into: "#erase-typed")
            try await browser.type("asked", into: "#erase-reason")
            try await browser.click("#erase .danger")
            try await browser.wait(for: "Erased:", in: ".notice.success")
        }
    }

    @Test("Printed, the page has its answers and neither forms nor links to actions") func print() async throws {
        try await Self.look { browser in
            try await browser.open("/desk?customer=anna")
            _ = try await browser.command("Emulation.setEmulatedMedia", .object(["media": .string("print")]))
            let hidden = try await browser.script(
                """
                const isShown = (selector) => [...document.querySelectorAll(selector)].some((one) => one.checkVisibility());
                return JSON.stringify(['form', 'button', '.button', 'nav', '#actions', '#ticket', 'h2', '#products table',
                  '#history table'].map(isShown));
                """)
            #expect(hidden.string == "[false,false,false,false,false,false,true,true,true]")
            #expect(try await browser.paleWords() == "")
            #expect(
                try await browser.script("return getComputedStyle(document.body).backgroundColor").string
                    == "rgb(255, 255, 255)")
        }
    }
}
