import Foundation
import Storekeeper
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of the page's timeline in a browser, with the keyboard and the mouse, and of its labels at several widths.
@Suite(.system, .inBrowser, .serialized, .timeLimit(.minutes(5)))
struct TimelineInBrowserTests {
    /// Opens the page of a customer with gold and a failed payment, a refunded product, and a pass, over some months.
    private func look(
        width: Int = 1280, isDark: Bool = false, _ body: @escaping @Sendable (Browser) async throws -> Void
    ) async throws {
        let served = try await ServedStore()
        for step in [
            "buy gold.monthly by anna", "advance 20 days", "buy remove.ads by anna", "advance 25 days",
            "refund remove.ads by anna", "fail billing anna", "advance 30 days", "buy silver.monthly by bert",
        ] { try await served.step(step) }
        try await served.local.serving { url in
            try await Browser.with(url, width: width, isDark: isDark) { browser in try await body(browser) }
        }
    }

    @Test("The keyboard zooms, moves and shows all, and nothing else on the page moves")
    func keyboard() async throws {
        try await look { browser in
            try await browser.open("/?person=anna")
            let place = "return Math.round(document.querySelector('#transactions-heading').getBoundingClientRect().top)"
            let before = try await browser.script(place).int64
            try await browser.script("document.querySelector('#timeline-frame').focus()")
            try await browser.press("+")
            // The timeline becomes wider at once, before the server has drawn it again.
            let span =
                "(Number(document.querySelector('#timeline-frame svg').dataset.to) "
                + "- Number(document.querySelector('#timeline-frame svg').dataset.from))"
            let full =
                "(document.querySelector('#timeline-frame').dataset.last "
                + "- document.querySelector('#timeline-frame').dataset.first)"
            try await browser.wait(until: "Math.abs(\(span) / \(full) - 0.5) < 0.01")
            try await browser.wait(until: "location.search.includes('span=') && !document.querySelector('.moving')")
            #expect(try await browser.script(place).int64 == before)
            #expect(try await browser.script("return document.activeElement.id").string == "timeline-frame")

            let left = "document.querySelector('#timeline-frame svg').dataset.from"
            let first = try await browser.script("return \(left)").string ?? ""
            try await browser.press(Browser.Key(rawValue: "\u{E014}"))
            try await browser.wait(until: "Number(\(left)) > \(first)")
            try await browser.press("0")
            try await browser.wait(until: "!location.search.includes('span=') && \(span) === Number(\(full))")
            try await browser.press("-")
            try await browser.wait(until: "!location.search.includes('span=')")
        }
    }

    @Test("A timeline that arrives late does not replace that of another customer")
    func late() async throws {
        try await look { browser in
            try await browser.open("/?person=anna")
            try await browser.script(
                """
                const direct = window.fetch;
                window.fetch = async (address, options) => {
                  const isZoom = String(address).includes("span=");
                  if (isZoom) await new Promise((go) => setTimeout(go, 1500));
                  const answer = await direct(address, options);
                  if (isZoom) window.hasArrived = true;
                  return answer;
                };
                document.querySelector("#timeline-frame").focus();
                """)
            try await browser.press("+")
            try await Task.sleep(for: .milliseconds(300))
            try await browser.click("#customers [href*=bert]")
            try await browser.wait(until: "location.search.includes('bert')")
            try await browser.wait(until: "window.hasArrived")
            try await Task.sleep(for: .milliseconds(300))
            #expect(try await browser.script("return location.search").string?.contains("anna") == false)
            let timeline = try await browser.script("return document.querySelector('#timeline')?.textContent ?? ''")
            #expect(timeline.string?.contains("silver.monthly") == true)
            #expect(timeline.string?.contains("gold.monthly") == false)
        }
    }

    @Test("A bar shows its words with the focus and below the pointer, and a click leads to that instant")
    func words() async throws {
        try await look { browser in
            try await browser.open("/?person=anna")
            try await browser.script("document.querySelector('#timeline-frame .bar').focus()")
            try await browser.wait(for: "gold.monthly: entitled (active)", in: "#timeline-tip")
            #expect(try await browser.text("#timeline-tip").contains("A free trial is running."))
            try await browser.press(.escape)
            try await browser.wait(until: "document.querySelector('#timeline-tip').hidden")
            let box =
                try await browser.script(
                    """
                    const bar = document.querySelector('#timeline-frame .grace:not(.expected)');
                    const box = bar.getBoundingClientRect();
                    return [Math.round(box.left + box.width / 2), Math.round(box.top + box.height / 2)];
                    """
                ).array?.compactMap(\.int64) ?? []
            try #require(box.count == 2)
            func mouse(_ type: String) async throws {
                _ = try await browser.command(
                    "Input.dispatchMouseEvent",
                    .object([
                        "type": .string(type), "x": .whole(Int(box[0])), "y": .whole(Int(box[1])),
                        "button": .string(type == "mouseMoved" ? "none" : "left"), "clickCount": .whole(1),
                    ]))
            }
            try await mouse("mouseMoved")
            try await browser.wait(for: "The payment failed", in: "#timeline-tip")
            try await mouse("mousePressed")
            try await mouse("mouseReleased")
            try await browser.wait(for: "what was known then", in: "#moment")
            #expect(try await browser.script("return location.search").string?.contains("at=2026-") == true)
            try await browser.wait(for: "What anna owns", in: "#answers")
            try await browser.click("#to-present")
            try await browser.wait(until: "!document.querySelector('#moment') && !location.search.includes('at=')")
        }
    }

    @Test("The picture follows the clock, and the links work without a script")
    func live() async throws {
        try await look { browser in
            try await browser.open("/?person=anna")
            let now = "document.querySelector('#timeline-frame .now').parentElement.dataset.at"
            let before = try await browser.script("return \(now)").string ?? ""
            try await browser.click("#step-week")
            try await browser.wait(until: "Number(\(now)) > \(before)")

            _ = try await browser.command("Emulation.setScriptExecutionDisabled", .object(["value": .bool(true)]))
            try await browser.open("/?person=anna")
            try await browser.click("[data-key='part 1 month']")
            try await browser.wait(until: "location.search.includes('span=')")
            try await browser.type("2026-01-03", into: "#at-field")
            try await browser.click("#at-button")
            try await browser.wait(for: "As of 2026-01-03", in: "#moment")
        }
    }

    @Test(
        "No label overlaps another or is cut off, in any width, and all words have contrast",
        arguments: [(400, false), (1280, true), (2560, false)])
    func labels(_ width: Int, isDark: Bool) async throws {
        try await look(width: width, isDark: isDark) { browser in
            for address in [
                "/?person=anna", "/?person=anna&at=2026-02-10", "/?person=anna&span=2026-02-14..2026-02-16",
                "/?view=answers&person=anna&at=2026-01-02&span=2026-01-01..2029-01-01",
            ] {
                try await browser.open(address)
                #expect(try await browser.timelineFaults() == "", "\(address)")
                #expect(try await browser.widthBeyond() == 0, "\(address)")
                #expect(try await browser.paleWords() == "", "\(address)")
                #expect(try await browser.rolesReadAloud().nameless.isEmpty, "\(address)")
                #expect(try await browser.disorder() == "", "\(address)")
            }
        }
    }
}

extension Browser {
    /// Returns the labels of the timeline that overlap others or are cut off.
    func timelineFaults() async throws -> String? {
        try await script(
            """
            const frame = document.querySelector('#timeline-frame').getBoundingClientRect();
            const texts = [...document.querySelectorAll('#timeline-frame text')]
                .map((one) => [one.textContent, one.getBoundingClientRect()]).filter(([, box]) => box.width);
            const faults = [];
            texts.forEach(([name, box], at) => {
                if (box.left < frame.left || box.right > frame.right || box.bottom > frame.bottom) faults.push(`${name} is cut off`);
                for (const [other, second] of texts.slice(at + 1)) {
                    if (box.left < second.right && second.left < box.right && box.top + 2 < second.bottom
                        && second.top + 2 < box.bottom) faults.push(`${name} overlaps ${other}`);
                }
            });
            return texts.length ? faults.join('; ') : 'no labels';
            """
        ).string
    }
}
