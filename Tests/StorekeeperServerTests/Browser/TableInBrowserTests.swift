import Storekeeper
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of the table and of the catalog in a browser.
@Suite(.system, .inBrowser, .serialized, .timeLimit(.minutes(5)))
struct TableInBrowserTests {
    @Test("Renewals are opened with the keyboard, and the focus stays")
    func opening() async throws {
        let served = try await ServedStore()
        for step in ["buy silver.monthly by anna", "buy coins.100 by bert", "advance 13 months"] {
            try await served.step(step)
        }
        let id = try #require(served.store.transactions.last).id
        try await served.local.serving { url in
            try await Browser.with(url) { browser in
                try await browser.open()
                try await browser.wait(for: "14 periods, next on 2027-03-01", in: "#transactions tbody")
                try await browser.script("document.querySelector('#row-\(id)').focus()")
                try await browser.press(.tab)
                #expect(try await browser.script("return document.activeElement.id").string == "fold-\(id)")
                try await browser.press(.enter)
                try await browser.wait(until: "document.querySelectorAll('.row-link').length === 15")
                #expect(try await browser.script("return document.activeElement.id").string == "fold-\(id)")
                // Changes that were not made on this page appear, and the row stays open.
                try await served.step("buy coins.500 by bert")
                try await browser.wait(until: "document.querySelectorAll('.row-link').length === 16")
                try await browser.press(.enter)
                try await browser.wait(until: "document.querySelectorAll('.row-link').length === 3")
            }
        }
    }

    @Test("The table is filtered while a person types, and the caret stays")
    func typing() async throws {
        let served = try await ServedStore()
        for step in ["buy silver.monthly by anna", "buy coins.100 by bert", "buy coins.500 by anna"] {
            try await served.step(step)
        }
        try await served.local.serving { url in
            try await Browser.with(url) { browser in
                try await browser.open()
                try await browser.press("/", "c", "o", "i", "n")
                try await browser.wait(for: "2 of 3", in: "#listing .count")
                try await browser.press("s", " ", "a", "n", "n", "a")
                try await browser.wait(for: "1 of 3", in: "#listing .count")
                let field = try await browser.script(
                    "const one = document.activeElement; return [one.id, one.value, one.selectionStart]")
                #expect(field.array.map { $0.prefix(2).compactMap(\.string) } == ["find", "coins anna"])
                #expect(try await browser.script("return location.search").string == "?find=coins+anna")
                // An action leads back to the filtered table.
                try await browser.choose("remove.ads", in: "#buy-buy-subject")
                try await browser.click("#buy-button")
                try await browser.wait(for: "1 of 4", in: "#listing .count")
                try await browser.click("#filter-clear a")
                try await browser.wait(until: "document.querySelector('#find').value === ''")
                let count = try await browser.text("#listing .count")
                #expect(count.contains("4 transactions") && !count.contains("1 of"))
            }
        }
    }

    @Test("A customer agrees to a higher price in the row")
    func consent() async throws {
        let served = try await ServedStore()
        for step in ["buy silver.monthly by anna", "price silver.monthly to 29.99 consent required"] {
            try await served.step(step)
        }
        let id = try #require(served.store.transactions.first).id
        try await served.local.serving { url in
            try await Browser.with(url) { browser in
                try await browser.open()
                try await browser.wait(for: "Asked to agree to $29.99", in: "#transactions tbody")
                try await browser.click("#row-consent-yes-\(id)-button")
                try await browser.wait(for: "Agreed to $29.99", in: "#transactions tbody")
            }
        }
    }

    @Test("A person follows a transaction to its product, changes the price and adds a product")
    func catalog() async throws {
        let served = try await ServedStore()
        try await served.step("buy silver.monthly by anna")
        let id = try #require(served.store.transactions.first).id
        try await served.local.serving { url in
            try await Browser.with(url) { browser in
                try await browser.open("/?selected=\(id)")
                try await browser.click("#places a")
                try await browser.wait(for: "Silver", in: ".catalog .chosen")
                try await browser.type("7.77", into: "#item-price-key-to")
                try await browser.click("#item-price-button")
                try await browser.wait(for: "$7.77", in: ".catalog .chosen .amount")

                // The details are opened by a script, because the notice of the last action may cover them.
                try await browser.script("document.querySelector('#add-product-details').open = true")
                try await browser.type("platinum", into: "#add-product-id")
                try await browser.type("Membership", into: "#add-product-group")
                try await browser.type("much", into: "#add-product-price")
                try await browser.choose("P1M", in: "#add-product-period")
                try await browser.script("document.querySelector('#add-product-button').click()")
                try await browser.wait(until: "document.querySelector('#add-product-price-error')")
                #expect(
                    try await browser.script("return document.querySelector('#add-product-id').value").string
                        == "platinum")
                try await browser.script("document.querySelector('#add-product-price').value = ''")
                try await browser.type("19.99", into: "#add-product-price")
                try await browser.script("document.querySelector('#add-product-button').click()")
                try await browser.wait(for: "platinum", in: ".catalog .chosen")
                try await browser.click(".catalog .chosen [data-key^=sales]")
                try await browser.wait(for: "0 of 1", in: "#listing .count")
            }
        }
        #expect(try served.store.catalog().product("platinum") != nil)
    }

    @Test("The table works without the script")
    func plain() async throws {
        let served = try await ServedStore()
        for step in ["buy silver.monthly by anna", "buy coins.100 by bert", "advance 3 months"] {
            try await served.step(step)
        }
        try await served.local.serving { url in
            try await Browser.with(url) { browser in
                _ = try await browser.command("Emulation.setScriptExecutionDisabled", .object(["value": .bool(true)]))
                try await browser.open()
                try await browser.click(".fold")
                try await browser.wait(for: "2026-01-01", in: "#transactions tr.earlier:last-of-type, #transactions")
                try await browser.type("bert", into: "#find")
                try await browser.click("#filter-button")
                try await browser.wait(for: "1 of 5", in: "#listing .count")
            }
        }
    }

    @Test("A page with many rows is updated in place, in a time that is printed")
    func speed() async throws {
        let served = try await ServedStore()
        for step in ["buy silver.monthly by anna", "advance 30 years"] { try await served.step(step) }
        let id = try #require(served.store.transactions.last).id
        try await served.local.serving { url in
            try await Browser.with(url) { browser in
                try await browser.open("/?open=\(id)")
                try await browser.wait(until: "document.querySelectorAll('.row-link').length > 250")
                let rowsNow = "[...document.querySelectorAll('#transactions tr[id]')]"
                try await browser.script("\(rowsNow).forEach((row) => { row.isKept = true; })")
                try await browser.script(
                    """
                    window.inserted = 0;
                    new MutationObserver((changes) => {
                      for (const change of changes) window.inserted += change.addedNodes.length;
                    }).observe(document.querySelector('#transactions tbody'), { childList: true });
                    """)
                var figures: [Int64] = []
                for step in ["buy coins.100 by bert", "advance 1 day", "buy coins.500 by anna", "buy gems.10 by bert"] {
                    try await browser.script("delete document.body.dataset.took")
                    try await served.step(step)
                    try await browser.wait(until: "document.body.dataset.took")
                    figures.append(
                        try await browser.script("return Math.ceil(Number(document.body.dataset.took))").int64 ?? .max)
                }
                let rows = try await browser.script("return document.querySelectorAll('tr, li').length").int64 ?? 0
                print("the script took \(figures) ms to update a page with \(rows) rows")
                let kept = try await browser.script("return \(rowsNow).filter((row) => row.isKept).length")
                #expect(kept.int64 ?? 0 > 250, "the rows that did not change are the same elements")
                let inserted = try await browser.script("return window.inserted").int64
                #expect(try #require(inserted) < 40, "the rows that did not change stay in place")
                #expect(try await browser.text("#transactions tbody").contains("coins.100"))
            }
        }
    }
}
