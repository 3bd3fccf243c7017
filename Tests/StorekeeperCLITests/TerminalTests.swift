import Foundation
import Storekeeper
import Testing

@testable import StorekeeperCLI

/// A pseudo-terminal with a given width, which is closed when the value is released.
private final class PseudoTerminal {
    let descriptor: Int32

    init(columns: UInt16) throws {
        descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(descriptor >= 0)
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(descriptor, UInt(TIOCSWINSZ), &size) == 0)
    }

    deinit { close(descriptor) }
}

struct TerminalWidthTests {
    @Test("A terminal reports its width; other files have none")
    func asked() throws {
        for (columns, expected) in [(93, 93), (0, nil)] as [(UInt16, Int?)] {
            let terminal = try PseudoTerminal(columns: columns)
            withExtendedLifetime(terminal) { #expect(Terminal.width(of: terminal.descriptor) == expected) }
        }
        let pipe = Pipe()
        #expect(Terminal.width(of: pipe.fileHandleForReading.fileDescriptor) == nil)
        #expect(Terminal.width(of: -1) == nil)
    }

    @Test(
        "A terminal's width precedes COLUMNS, which precedes 80; a pipe is not limited",
        arguments: [
            (true, 72, "100", 72), (true, nil, "100", 100), (true, nil, nil, 80), (true, nil, "x", 80),
            (true, nil, "0", 80), (true, nil, "-3", 80), (true, nil, "99999999999999999999", 80),
            (false, nil, nil, nil), (false, nil, "x", nil), (false, nil, "60", 60),
        ] as [(Bool, Int?, String?, Int?)])
    func order(isTerminal: Bool, terminal: Int?, named: String?, expected: Int?) {
        let console = Console(
            output: TextOutput { _ in }, errors: TextOutput { _ in },
            environment: named.map { ["COLUMNS": $0] } ?? [:], now: .distantPast, isOutputTerminal: isTerminal,
            outputColumns: terminal)
        #expect(console.columns == expected)
        #expect(console.width == expected ?? 80)
    }

    @Test(
        "Columns are counted as terminals draw them",
        arguments: [("gold", 4), ("é", 1), ("e\u{301}", 1), ("会員", 4), ("👍", 2), ("♥\u{FE0F}", 2), ("", 0)])
    func columns(text: String, columns: Int) { #expect(text.columns == columns) }

    @Test("A shortened text keeps both ends or its beginning, and never exceeds its width")
    func shortened() {
        #expect("com.example.gold.monthly".abbreviated(to: 12) == "com.exam…hly")
        #expect("会員会員会員".abbreviated(to: 8) == "会員…員")
        #expect("gold".abbreviated(to: 4) == "gold")
        #expect("gold.monthly".cut(to: 5) == "gold…")
        for width in 0...14 {
            for text in ["com.example.gold.monthly", "会員会員会員会員", "e\u{301}e\u{301}👍👍👍abcdefgh"] {
                #expect(text.abbreviated(to: width).columns <= width)
                #expect(text.cut(to: width).columns <= width)
            }
        }
    }

    @Test("Text is wrapped at spaces, and a long word has its own line")
    func wrapped() {
        #expect("one two three".wrapped(to: 8) == ["one two", "three"])
        #expect("  one two three".wrapped(to: 9, indent: "  ") == ["  one two", "  three"])
        #expect("see https://example.com/x now".wrapped(to: 10) == ["see", "https://example.com/x", "now"])
        #expect("one two three".wrapped(to: nil) == ["one two three"])
        #expect("".wrapped(to: 8) == [""])
    }
}

struct FittedTableTests {
    private let style = TerminalStyle(isColored: false)

    private func table() throws -> TextTable {
        let now = try #require(Instant("2026-03-01T09:30:00Z"))
        var table = TextTable("PRODUCT", "ANSWER", "UNTIL", "TRANSACTION")
        table.add([
            .text("gold.monthly"), .text("entitled"), .time(now.adding(days: 3), at: now), .text("2000000123456789"),
        ])
        table.add([.text("silver"), .text("never"), .time(nil, at: now)])
        table.widthReductions = [.shorten("UNTIL"), .shorten("UNTIL"), .drop("TRANSACTION"), .shorten("UNTIL")]
        return table
    }

    @Test(
        "The least important parts are omitted first",
        arguments: [
            (nil, "gold.monthly  entitled  2026-03-04T09:30:00.000Z (in 3 days)  2000000123456789"),
            (76, "gold.monthly  entitled  2026-03-04T09:30:00Z (in 3 days)  2000000123456789"),
            (70, "gold.monthly  entitled  2026-03-04T09:30:00Z  2000000123456789"),
            (50, "gold.monthly  entitled  2026-03-04T09:30:00Z"),
            (42, "gold.monthly  entitled  2026-03-04T09:30Z"),
            (36, "gold.monthly  entitled  2026-03-…30Z"),
        ] as [(Int?, String)])
    func widthReductions(width: Int?, line: String) throws {
        #expect(try table().lines(style, width: width)[1] == line)
    }

    @Test("No line is wider than the terminal, and a coloured cell keeps its colour")
    func everyWidth() throws {
        for width in 40...120 {
            for line in try table().lines(style, width: width) { #expect(line.columns <= width) }
        }
        let painted = try table().lines(style, width: 30, painting: 1) { text, word in "<\(word)>" + text }
        #expect(painted[1].contains("<entitled>"))
    }

    @Test("Columns with wide characters are aligned")
    func wide() {
        var table = TextTable("NAME", "N")
        table.add("会員", "1")
        table.add("gold", "2")
        #expect(table.lines(style) == ["NAME  N", "会員  1", "gold  2"])
    }
}

struct ProgressBarTests {
    /// Records the drawings of a progress bar, and is the bar's clock.
    private final class Desk {
        var now = ContinuousClock.now
        var drawn = ""

        func bar(
            of total: Int?, unit: String = "items", columns: Int = 60, isTerminal: Bool = true, isShown: Bool = true,
            environment: [String: String] = [:]
        ) -> ProgressBar {
            let console = Console(
                output: TextOutput { _ in },
                errors: TextOutput { [unowned self] in drawn += String(decoding: $0, as: UTF8.self) },
                environment: environment, now: .distantPast, isErrorTerminal: isTerminal, errorColumns: columns)
            return ProgressBar("Verifying", of: total, unit: unit, on: console, isShown: isShown) { [unowned self] in
                now
            }
        }
    }

    @Test("A progress bar appears after a while, redraws itself, and leaves nothing behind")
    func life() {
        let desk = Desk()
        let bar = desk.bar(of: 1000)
        bar.advance(by: 100)
        #expect(desk.drawn.isEmpty)
        desk.now += .seconds(2)
        bar.advance(by: 150)
        #expect(desk.drawn == "\r\u{1B}[KVerifying \(Self.bar(desk)) 25%, 250 of 1000 items, 6 s left")
        let first = desk.drawn
        bar.advance(by: 1)
        #expect(desk.drawn == first, "no sooner than the interval")
        bar.end()
        #expect(desk.drawn == first + "\r\u{1B}[K")
        bar.end()
        #expect(desk.drawn == first + "\r\u{1B}[K")
    }

    /// Returns the last drawn bar, after checking that a quarter of it is filled.
    private static func bar(_ desk: Desk) -> String {
        let bar = desk.drawn.filter { $0 == "━" || $0 == "─" }
        #expect(bar.count >= 8)
        #expect(bar.count(where: { $0 == "━" }) == bar.count / 4)
        return bar
    }

    @Test("No progress bar is drawn for quick work, a pipe, a dumb terminal, or among results")
    func silence() {
        for (isTerminal, isShown, environment, seconds) in [
            (true, true, [:], 0.4), (false, true, [:], 9), (true, false, [:], 9), (true, true, ["TERM": "dumb"], 9),
        ] as [(Bool, Bool, [String: String], Double)] {
            let desk = Desk()
            let bar = desk.bar(of: 10, isTerminal: isTerminal, isShown: isShown, environment: environment)
            desk.now += .seconds(seconds)
            bar.advance()
            bar.end()
            #expect(desk.drawn.isEmpty)
        }
    }

    @Test("A progress bar fits any terminal, for any counts", arguments: [1, 10, 20, 40, 79, 300])
    func fits(columns: Int) {
        for (total, unit) in [(nil, "items"), (0, "items"), (100, "items"), (123_456_789, "bytes")] as [(Int?, String)]
        {
            let desk = Desk()
            let bar = desk.bar(of: total, unit: unit, columns: columns)
            for done in [0, 50, 100, 200, Int.max] {
                desk.now += .seconds(1)
                bar.advance(to: done)
            }
            for line in desk.drawn.split(separator: "\r") { #expect(line.dropFirst(3).count < max(columns, 1)) }
            #expect(!desk.drawn.isEmpty)
        }
    }
}
