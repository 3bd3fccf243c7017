import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of the timeline on a touch screen.
@Suite(.system, .inBrowser, .serialized, .timeLimit(.minutes(5)))
struct TouchTests {
    /// The edges of the axis in milliseconds, and the box of the picture in pixels.
    private struct Picture {
        let from, to, left, top, width, height: Double

        var span: Double { to - from }

        init(_ browser: Browser) async throws {
            let numbers =
                try await browser.script(
                    """
                    const svg = document.querySelector('#timeline-frame svg');
                    const box = svg.getBoundingClientRect();
                    return JSON.stringify([Number(svg.dataset.from), Number(svg.dataset.to), box.left, box.top, box.width,
                      box.height]);
                    """
                ).string?.dropFirst().dropLast().split(separator: ",").compactMap { Double($0) } ?? []
            try #require(numbers.count == 6)
            (from, to, left, top, width, height) = (
                numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]
            )
        }

        /// Returns the point at the given fractions of the width and the height.
        func point(_ across: Double, _ down: Double = 0.5) -> (x: Int64, y: Int64) {
            (Int64(left + width * across), Int64(top + height * down))
        }
    }

    @Test("One finger moves the timeline and taps an instant, two zoom, and a vertical move scrolls the page")
    func timeline() async throws {
        let served = try await ServedStore()
        for step in ["buy gold.monthly by anna", "advance 20 days", "buy remove.ads by anna", "advance 2 months"] {
            try await served.step(step)
        }
        try await served.local.serving { url in
            try await Browser.with(url, width: 800) { browser in
                _ = try await browser.command(
                    "Emulation.setTouchEmulationEnabled",
                    .object(["enabled": .bool(true), "maxTouchPoints": .whole(5)]))
                try await browser.open("/?person=anna")
                try await browser.script(
                    "document.querySelector('#timeline-frame svg').scrollIntoView({ block: 'center' })")
                let settled = "!document.querySelector('.moving') && location.search.includes('span=')"

                let all = try await Picture(browser)
                try await browser.touch(
                    [all.point(0.45), all.point(0.4), all.point(0.35), all.point(0.3)],
                    [all.point(0.55), all.point(0.6), all.point(0.65), all.point(0.7)])
                try await browser.wait(until: settled)
                let near = try await Picture(browser)
                #expect(abs(near.span / all.span - 0.25) < 0.05)
                #expect(abs((near.from + near.to) / 2 - (all.from + all.to) / 2) < all.span * 0.05)

                try await browser.touch([near.point(0.7), near.point(0.6), near.point(0.5)])
                let left = "Number(document.querySelector('#timeline-frame svg').dataset.from)"
                try await browser.wait(until: "\(settled) && \(left) > \(Int64(near.from))")
                let later = try await Picture(browser)
                #expect(abs((later.from - near.from) / near.span - 0.2) < 0.05)
                #expect(abs(later.span / near.span - 1) < 0.01)

                // A page may move on after the finger has left it. A tap during this movement only stops it.
                try await browser.script(
                    """
                    window.start = scrollY;
                    window.stands = false;
                    addEventListener('scrollend', () => { window.stands = true });
                    """)
                try await browser.touch([later.point(0.5, 0.9), later.point(0.5, 0.5), later.point(0.5, 0.1)])
                try await browser.wait(until: "scrollY > window.start && window.stands")
                let scrolled = try await Picture(browser)
                #expect(scrolled.from == later.from && scrolled.to == later.to)

                try await browser.script("scrollTo(0, window.start)")
                try await browser.wait(until: "scrollY === window.start")
                try await browser.touch([later.point(0.5, 0.98)])
                try await browser.wait(until: "document.querySelector('#moment')")
                let time =
                    try await browser.script(
                        "return Date.parse(new URL(location).searchParams.get('at'))"
                    ).int64 ?? 0
                #expect(abs(Double(time) - (later.from + later.to) / 2) < later.span * 0.02)
            }
        }
    }
}
