import Foundation
import Storekeeper
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of the page in a browser, used with the mouse and the keyboard.
@Suite(.system, .inBrowser, .serialized, .timeLimit(.minutes(5)))
struct PageInBrowserTests {
    @Test("A person buys, inspects, refunds, advances by a year and filters")
    func journey() async throws {
        let served = try await ServedStore()
        try await served.local.serving { url in
            try await Browser.with(url) { browser in
                try await browser.open()
                try await browser.choose("gold.monthly", in: "#buy-buy-subject")
                try await browser.choose("bert", in: "#buy-buy-by")
                try await browser.click("#buy-button")
                try await browser.wait(for: "gold.monthly", in: "#transactions tbody")
                #expect(try await browser.text(".notice.success").contains("bert: subscribed gold.monthly"))
                #expect(served.store.transactions.map(\.person) == ["bert"])

                try await browser.click(".row-link")
                try await browser.wait(for: "purchased", in: "#inspector-head")
                #expect(try await browser.text("#signed").contains("productId"))
                try await browser.click("#near-refund-button")
                try await browser.wait(for: "refunded", in: "#inspector-head")
                #expect(try await browser.text("#transactions tbody").contains("refunded"))

                try await browser.choose("gold.yearly", in: "#buy-buy-subject")
                try await browser.click("#buy-button")
                try await browser.wait(until: "document.querySelectorAll('.row-link').length === 2")
                try await browser.click("#step-year")
                try await browser.wait(for: "2027-01-01", in: "#clock-face")
                try await browser.wait(for: "2 periods, next on 2028-01-01", in: "#transactions tbody")

                // The script sets the value, because typed words would filter after a moment by themselves, and would
                // replace the address to which the back button leads.
                try await browser.script("document.querySelector('#find').value = 'gold.m'")
                try await browser.click("#filter-button")
                try await browser.wait(for: "1 of 3", in: "#listing .count")

                try await browser.type("soon", into: "#jump")
                try await browser.click("#jump-button")
                try await browser.wait(for: "is not a valid time", in: ".notice.failure")
                #expect(try await browser.script("return document.querySelector('#jump').value").string == "soon")
                #expect(try await browser.text("#listing .count").contains("1 of 3"))

                try await browser.script("history.back()")
                try await browser.wait(until: "document.querySelectorAll('.row-link').length === 2")
            }
        }
    }

    @Test("A story is saved as a file, and the file can be loaded again")
    func scenario() async throws {
        let served = try await ServedStore()
        for step in ["buy gold.monthly by anna", "advance 2 months", "buy coins.100 by bert"] {
            try await served.step(step)
        }
        let before = served.store.transactions
        let folder = FileManager.default.temporaryDirectory.appending(path: "storekeeper-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await served.local.serving { url in
            try await Browser.with(url) { browser in
                _ = try await browser.command(
                    "Browser.setDownloadBehavior",
                    .object(["behavior": .string("allow"), "downloadPath": .string(folder.path)]))
                try await browser.open("/?view=scenario")
                try await browser.click("#save")
                let file = folder.appending(path: "scenario.yaml")
                for _ in 0..<600 where !FileManager.default.fileExists(atPath: file.path) {
                    try await Task.sleep(for: .milliseconds(50))
                }
                try await served.step("buy coins.500 by anna")
                try await browser.wait(for: "coins.500", in: "#scenario-text")
                try await browser.type(file.path, into: "#load-file")
                try await browser.click("#load-form [name=confirmed]")
                try await browser.click("#load-button")
                // The renewals are one row with their purchase.
                try await browser.wait(until: "document.querySelectorAll('.row-link').length === 2")
                #expect(served.store.transactions == before)

                // A file that is not a scenario leaves the store unchanged.
                try Data("steps: [".utf8).write(to: file)
                try await browser.open("/?view=scenario")
                try await browser.type(file.path, into: "#load-file")
                try await browser.click("#load-form [name=confirmed]")
                try await browser.click("#load-button")
                try await browser.wait(until: "document.querySelector('.notice.failure')")
                #expect(served.store.transactions == before)
            }
        }
    }

    @Test("Everything can be done with the keyboard, and the focus is always visible")
    func keyboard() async throws {
        let served = try await ServedStore()
        for step in ["buy coins.100 by anna", "buy gold.monthly by bert", "buy coins.500 by bert"] {
            try await served.step(step)
        }
        try await served.local.serving { url in
            try await Browser.with(url) { browser in
                try await browser.open()
                func focused() async throws -> String {
                    try await browser.script("return document.activeElement.id || document.activeElement.className")
                        .string
                        ?? ""
                }
                try await browser.press(.tab)
                #expect(try await focused() == "skip")
                let walk = try await Self.walk(browser)
                for id in ["step-event", "jump", "play-button", "buy-button", "find", "keys-button"] {
                    #expect(walk.contains(id), "the tab key does not reach \(id)")
                }

                try await browser.script("document.activeElement.blur()")
                try await browser.press("/")
                #expect(try await focused() == "find")
                try await browser.press("c", "o", "i", .enter)
                try await browser.wait(for: "2 of 3", in: "#listing .count")
                try await browser.press(.escape, "j", "j", "k", .down, .enter)
                try await browser.wait(for: "coins.100", in: "#inspector-heading")
                let row = try await focused()
                #expect(row.hasPrefix("row-"))
                try await browser.press(.escape)
                try await browser.wait(until: "!document.querySelector('#inspector')")
                #expect(try await focused() == row)

                try await browser.press("?")
                try await browser.wait(until: "document.querySelector('#keys').open")
                // While the dialog is open, and when shortcuts are switched off, keys do nothing on the page.
                try await browser.press("2")
                try await browser.click("#keys-on")
                try await browser.press(.escape)
                try await browser.wait(until: "!document.querySelector('#keys').open")
                try await browser.press("2", "n")
                #expect(try await browser.text(".views [aria-current]") == "Transactions")
                try await browser.script("localStorage.clear()")
                try await browser.press("2")
                try await browser.wait(for: "Answers", in: ".views [aria-current]")
                try await browser.press("n")
                try await browser.wait(
                    until: "!document.querySelector('#clock-face').innerText.includes('2026-01-01 00:00:00')")
            }
        }
    }

    /// Returns the elements that the tab key reaches, until it reaches the first element again, and expects that each
    /// shows its focus.
    private static func walk(_ browser: Browser) async throws -> Set<String> {
        var seen: Set<String> = []
        for _ in 0..<80 {
            try await browser.press(.tab)
            let found = try await browser.script(
                """
                const one = document.activeElement;
                const looks = [getComputedStyle(one), getComputedStyle(one, '::after')];
                return [one.id || one.dataset.key || one.textContent, looks.some((look) => look.outlineStyle !== 'none'),
                    one === document.body];
                """)
            let parts = try #require(found.array.map(Array.init))
            if parts[2].bool == true { break }
            let name = parts[0].string ?? ""
            #expect(parts[1].bool == true, "\(name) does not show that it has the focus")
            seen.insert(name)
        }
        return seen
    }

    @Test("Changes by others appear at once, and do not disturb a person who is typing")
    func live() async throws {
        let served = try await ServedStore()
        try await served.step("buy coins.100 by anna")
        try await served.local.serving { url in
            try await Browser.with(url) { browser in
                try await browser.open("/?selected=\(try #require(served.store.transactions.first).id)")
                try await browser.click("#buy-options summary")
                try await browser.type("promotional lo", into: "#buy-buy-key-offer")
                try await browser.script("document.querySelector('#buy-buy-key-offer').setSelectionRange(2, 5)")
                try await served.step("buy gold.monthly by bert")
                try await served.step("refund coins.100 by anna")
                try await browser.wait(until: "document.querySelectorAll('.row-link').length === 2")
                try await browser.wait(for: "refunded", in: "#inspector-head")
                let field = try await browser.script(
                    "const one = document.activeElement; return [one.id, one.value, one.selectionStart, one.selectionEnd]"
                )
                let expected = ["buy-buy-key-offer", "promotional lo"]
                #expect(field.array.map { $0.prefix(2).compactMap(\.string) } == expected)
                #expect(field.array.map { $0.dropFirst(2).compactMap(\.int64) } == [2, 5])

                // A row that has the focus keeps the focus when the table changes.
                try await browser.script("document.querySelectorAll('.row-link')[1].focus()")
                try await served.step("new person zoe")
                try await served.step("buy coins.500 by zoe")
                try await browser.wait(until: "document.querySelectorAll('.row-link').length === 3")
                #expect(try await browser.script("return document.activeElement.className").string == "row-link")
                #expect(try await browser.text("#customers").contains("zoe"))
                // After another store is loaded, the page shows all of it. No transaction is selected, because the
                // browser's console would report the request for a transaction that no longer exists.
                try await browser.open()
                _ = try await served.local.load(served.scenario)
                try await browser.wait(for: "0 transactions", in: "#listing .count")
            }
        }
    }

    @Test("The clock runs when played, and stops when paused")
    func play() async throws {
        let served = try await ServedStore()
        try await served.step("buy gold.monthly by anna")
        try await served.local.serving { url in
            try await Browser.with(url) { browser in
                try await browser.open()
                try await browser.choose("1 month", in: "#speed")
                try await browser.click("#play-button")
                try await browser.wait(until: "document.querySelector('#clock-face time').dateTime >= '2026-03-01'")
                #expect(try await browser.text("#play-button").contains("Pause"))
                #expect(try await browser.text("#transactions tbody").contains("periods"))
                try await browser.click("#play-button")
                try await browser.wait(for: "Play", in: "#play-button")
                // An advance that was already requested still changes the clock. After that, the clock stands still.
                var moves = 0
                var seen = served.store.now
                repeat {
                    (seen, moves) = (served.store.now, moves + 1)
                    try await Task.sleep(for: .milliseconds(1200))
                } while served.store.now != seen && moves < 10
                #expect(moves < 10)
            }
        }
    }

    @Test("The buttons of the clock keep their places while time passes", arguments: [400, 1280])
    func clockStays(_ width: Int) async throws {
        let served = try await ServedStore()
        try await served.local.serving { url in
            try await Browser.with(url, width: width) { browser in
                try await browser.open()
                try await browser.script("document.querySelector('#clock-fold').open = true")
                func places() async throws -> [Int64] {
                    try await browser.script(
                        """
                        return [...document.querySelectorAll('.clock button, .clock input')].flatMap((one) => {
                          const box = one.getBoundingClientRect();
                          return [Math.round(box.left), Math.round(box.top), Math.round(box.width)];
                        });
                        """
                    ).array?.compactMap(\.int64) ?? []
                }
                try await browser.wait(for: "Nothing is due", in: "#step-event")
                let before = try await places()
                #expect(before.count > 20)
                try await served.step("buy gold.monthly by anna")
                try await browser.wait(for: "Renewal of Gold for anna", in: "#step-event")
                #expect(try await places() == before)
                try await served.step("advance 1 hour")
                try await browser.wait(for: "01:00:00", in: "#clock-face")
                #expect(try await places() == before)
                try await browser.click("#step-event")
                try await browser.wait(for: "2026-01-08 00:00:00", in: "#clock-face")
            }
        }
    }

    @Test("A double click buys once, and a second click at the same place does nothing else")
    func doubleClick() async throws {
        let served = try await ServedStore()
        try await served.local.serving { url in
            try await Browser.with(url) { browser in
                try await browser.open()
                try await browser.choose("coins.100", in: "#buy-buy-subject")
                // As in a double click by a person, the second click does not wait for the response to the first.
                try await browser.script(
                    """
                    const click = () => document.querySelector('#buy-button').click();
                    click();
                    setTimeout(click, 30);
                    setTimeout(() => { click(); window.hasClicked = true; }, 250);
                    """)
                try await browser.wait(until: "window.hasClicked")
                try await browser.wait(for: "coins.100", in: "#transactions tbody")
                try await browser.click(".row-link")
                try await browser.wait(for: "purchased", in: "#inspector-head")
                // After the first click, another button is at the place of the pressed one. The second click of a
                // double click must not press it.
                try await browser.script(
                    """
                    document.querySelector('#near-finish-button').click();
                    const timer = setInterval(() => {
                      if (document.querySelector('#near-finish-button')) return;
                      clearInterval(timer);
                      document.querySelector('#near button').click();
                      window.hasPressed = true;
                    }, 10);
                    """)
                try await browser.wait(until: "window.hasPressed")
                try await Task.sleep(for: .milliseconds(500))
                #expect(served.store.transactions.map(\.state) == [.purchased])
                #expect(served.store.transactions.first?.isFinished == true)
            }
        }
        #expect(served.store.transactions.count == 1)
    }

    @Test("The page works the same without its script")
    func plain() async throws {
        let served = try await ServedStore()
        try await served.local.serving { url in
            try await Browser.with(url) { browser in
                _ = try await browser.command("Emulation.setScriptExecutionDisabled", .object(["value": .bool(true)]))
                try await browser.open("/?person=anna")
                try await browser.choose("coins.100", in: "#buy-buy-subject")
                try await browser.click("#buy-button")
                try await browser.wait(for: "coins.100", in: "#transactions tbody")
                #expect(try await browser.text(".notice.success").contains("anna: bought coins.100"))
                try await browser.click(".row-link")
                try await browser.wait(for: "coins.100", in: "#inspector-heading")
                try await browser.click("#near-refund-button")
                try await browser.wait(for: "refunded", in: "#inspector-head")
            }
        }
    }

    @Test("A response that is not a page is shown with its text, until the next action")
    func textResponse() async throws {
        let served = try await ServedStore()
        try await served.local.serving { url in
            try await Browser.with(url) { browser in
                try await browser.open()
                try await browser.script("document.querySelector('#filter-form').action = '/page/version'")
                try await browser.click("#filter-button")
                try await browser.wait(for: "(status 200)", in: "#notices")
                #expect(try await browser.script("return document.querySelector('#offline').hidden").bool == true)
            }
        }
    }
}
