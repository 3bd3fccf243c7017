import Foundation
import Storekeeper
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of the page of the local App Store and of the desk, used only with the keyboard.
@Suite(.system, .inBrowser, .serialized, .timeLimit(.minutes(5)))
struct KeyboardTests {
    @Test("A person without a mouse buys, advances the time, inspects, undoes, opens a row and filters")
    func table() async throws {
        let served = try await ServedStore()
        try await served.step("buy silver.monthly by bert")
        try await served.local.serving { url in
            try await Browser.with(url) { browser in
                try await browser.open()
                // The first element that the tab key reaches is a link that skips the parts that all views have.
                try await browser.tab(to: ".skip")
                try await browser.press(.enter)
                try await browser.tab(to: "[data-key='view Transactions']")
                try await browser.tab(to: "#buy-buy-subject")
                try await browser.chooseByKeys("gold.monthly")
                try await browser.tab(to: "#buy-buy-by")
                try await browser.chooseByKeys("anna")
                try await browser.tab(to: "#buy-button")
                try await browser.press(.space)
                try await browser.wait(for: "gold.monthly", in: "#transactions tbody")
                #expect(served.store.transactions.last?.person == "anna")
                try await browser.wait(for: "subscribed gold.monthly", in: "#voice")
                #expect(try await browser.isFocused("#buy-button"))

                try await browser.tab(to: "#step-month", isBackwards: true)
                for month in 2...4 {
                    try await browser.press(.enter)
                    try await browser.wait(for: "2026-0\(month)-01", in: "#clock-face")
                }
                #expect(try await browser.isFocused("#step-month"))

                try await browser.tab(to: ".fold")
                try await browser.press(.enter)
                try await browser.wait(until: "document.activeElement.ariaExpanded === 'true'")
                let rows = try await browser.script("return document.querySelectorAll('.row-link').length").int64 ?? 0
                #expect(rows > 2)
                try await browser.tab(to: ".earlier .row-link")
                let row = try await browser.focus().name
                try await browser.press(.enter)
                try await browser.wait(until: "document.querySelector('#inspector')")
                // Pressing Enter again moves the focus to the details, however many rows are below.
                #expect(try await browser.isFocused("#\(row)"))
                try await browser.press(.enter)
                try await browser.wait(until: "document.activeElement.id === 'inspector'")
                try await browser.tab(to: "#near-refund-button")
                try await browser.press(.space)
                try await browser.wait(for: "refunded", in: "#inspector-head")
                try await browser.press(.escape)
                try await browser.wait(until: "!document.querySelector('#inspector')")
                #expect(try await browser.isFocused("#\(row)"))

                try await browser.press("z", holding: [.control])
                try await browser.wait(for: "Undone: refund", in: "#voice")
                #expect(!served.store.transactions.contains { $0.state == .refunded })

                try await browser.press("/")
                #expect(try await browser.isFocused("#find"))
                try await browser.typeByKeys("gold")
                try await browser.wait(for: " of ", in: "#listing .count")
                try await browser.tab(to: "[data-key='clear filter']")
                try await browser.press(.enter)
                try await browser.wait(until: "!document.querySelector('[data-key=\"clear filter\"]')")
                // The link with the focus no longer exists. An element near it has the focus, so that the next key
                // continues there.
                #expect(try await browser.script("return document.activeElement !== document.body").bool == true)
            }
        }
    }

    @Test("A person without a mouse looks at another instant, goes to a step and saves a test")
    func views() async throws {
        let served = try await ServedStore()
        for step in ["buy gold.monthly by anna", "advance 2 months", "buy coins.100 by anna"] {
            try await served.step(step)
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "storekeeper-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await served.local.serving { url in
            try await Browser.with(url) { browser in
                _ = try await browser.command(
                    "Browser.setDownloadBehavior",
                    .object(["behavior": .string("allow"), "downloadPath": .string(folder.path)]))
                try await browser.open()
                try await browser.tab(to: "[data-key='customer anna']")
                try await browser.press(.enter)
                try await browser.wait(for: "Timeline of anna", in: "#timeline-heading")
                try await browser.tab(to: "#timeline-frame")
                try await browser.press("+")
                try await browser.wait(until: "location.search.includes('span=') && !document.querySelector('.moving')")
                let left = "Number(document.querySelector('#timeline-frame svg').dataset.from)"
                let before = try await browser.script("return \(left)").int64 ?? 0
                try await browser.press(.right)
                try await browser.wait(until: "\(left) > \(before) && !document.querySelector('.moving')")
                try await browser.press("0")
                try await browser.wait(until: "!location.search.includes('span=')")
                try await browser.tab(to: "#timeline-frame .bar")
                try await browser.wait(for: "entitled", in: "#timeline-tip")
                try await browser.press(.enter)
                try await browser.wait(for: "As of 2026-01-01", in: "#moment")
                try await browser.tab(to: "#to-present", isBackwards: true)
                try await browser.press(.enter)
                try await browser.wait(until: "!document.querySelector('#moment')")
                try await browser.tab(to: "#at-field")
                try await browser.typeByKeys("2026-01-20")
                try await browser.press(.enter)
                try await browser.wait(for: "As of 2026-01-20", in: "#moment")

                try await browser.tab(to: "[data-key='view Story']", isBackwards: true)
                try await browser.press(.enter)
                try await browser.wait(until: "document.querySelector('#book-heading')")
                try await browser.tab(to: "#step-1-button")
                try await browser.press(.enter)
                try await browser.wait(for: "Back at: buy gold.monthly", in: "#voice")
                #expect(served.store.transactions.count == 1)

                try await browser.tab(to: "[data-key='view Scenario']", isBackwards: true)
                try await browser.press(.enter)
                try await browser.wait(until: "document.querySelector('#expectations')")
                try await browser.tab(to: "#expectations summary")
                if try await browser.script("return document.activeElement.parentElement.open").bool == false {
                    try await browser.press(.enter)
                }
                try await browser.tab(to: "#expectations input")
                let ticked = "document.activeElement.checked"
                let was = try await browser.script("return \(ticked)").bool ?? false
                try await browser.press(.space)
                #expect(try await browser.script("return \(ticked)").bool == !was)
                try await browser.tab(to: "#save-curl")
                try await browser.press(.enter)
                let file = folder.appending(path: "a-shop-for-tests.sh")
                for _ in 0..<600 where !FileManager.default.fileExists(atPath: file.path) {
                    try await Task.sleep(for: .milliseconds(50))
                }
                #expect(FileManager.default.fileExists(atPath: file.path))
            }
        }
    }

    @Test("The tab key goes through each view in the order of reading, and back, without a trap")
    func order() async throws {
        let served = try await ServedStore()
        for step in [
            "new family anna", "join family bert of anna", "buy gold.monthly by anna", "advance 2 months",
            "buy coins.100 by bert", "refund coins.100 by bert",
        ] { try await served.step(step) }
        try await served.local.undo()
        try await served.step("buy coins.500 by bert")
        let id = try #require(served.store.transactions.first).id
        try await served.local.serving { url in
            try await Browser.with(url) { browser in
                for address in PageLocation.View.allCases.map({ "/?view=\($0)&person=anna&item=gold.monthly" })
                    + ["/?selected=\(id)&fold=no", "/?view=story&first=1&second=2"]
                {
                    try await browser.open(address)
                    let names = try await browser.walk()
                    #expect(names.count > 20, "\(address)")
                    #expect(names.first == "Skip to the content", "\(address)")
                    let reachable = try await browser.script(
                        """
                        const all = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]';
                        return [...document.querySelectorAll(all)].filter((one) => one.checkVisibility() && !one.disabled
                          && one.tabIndex >= 0 && !walked.has(one)).map((one) => one.outerHTML.slice(0, 120)).join();
                        """)
                    #expect(reachable.string == "", "\(address)")
                    #expect(try await browser.walk(isBackwards: true) == names.reversed(), "\(address)")
                }
            }
        }
    }

    @Test("A person without a mouse searches at the desk, opens a customer, and grants access after a confirmation")
    func desk() async throws {
        let shop = try await CompanionShop(hasDesk: true)
        for step in [
            "buy gold.monthly by anna", "advance 5 weeks", "new person annabel", "buy coins.100 by annabel",
        ] { try await shop.step(step) }
        for customer in ["anna", "annabel"] as [CustomerID] { try await shop.ingest(customer) }
        let key = try #require(shop.bearers[.admin])
        try await shop.serving { port in
            try await Browser.with("http://somebody:\(key)@127.0.0.1:\(port)") { browser in
                try await browser.open("/desk")
                try await browser.tab(to: "#search")
                try await browser.typeByKeys("ann")
                try await browser.press(.enter)
                try await browser.wait(until: "document.querySelector('#result')")
                try await browser.tab(to: "#result a[href*='customer=anna']")
                try await browser.press(.enter)
                try await browser.wait(for: "What anna owns", in: "main")
                let names = try await browser.walk()
                #expect(names.count > 20)
                #expect(try await browser.walk(isBackwards: true) == names.reversed())

                // A link in the list of sections leads directly to the section.
                try await browser.tab(to: "[href='#grants']")
                try await browser.press(.enter)
                try await browser.tab(to: "#grant-subject")
                try await browser.tab(to: "#grant-until")
                try await browser.typeByKeys("2099-01-01")
                try await browser.tab(to: "#grant-reason")
                try await browser.typeByKeys("sorry")
                try await browser.press(.enter)
                try await browser.wait(for: "It is recorded as done by the-admin", in: "#grants")
                try await browser.tab(to: "form[action='/desk/grants'] button")
                try await browser.press(.enter)
                try await browser.wait(for: "active", in: "#grants table")

                try await browser.tab(to: "#erase summary")
                try await browser.press(.enter)
                try await browser.tab(to: "#erase-typed")
                try await browser.typeByKeys("bert")
                try await browser.tab(to: "#erase-reason")
                try await browser.typeByKeys("asked")
                try await browser.tab(to: "#erase .danger")
                try await browser.press(.space)
                try await browser.wait(for: "Nothing was erased", in: "main")
            }
        }
    }
}
