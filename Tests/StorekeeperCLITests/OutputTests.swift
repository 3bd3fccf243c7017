import Storekeeper
import Testing

@testable import StorekeeperCLI

struct RelativeTimeTests {
    @Test(
        "A relative time is printed in the largest unit that it fills",
        arguments: [
            (0, "now"), (999, "now"), (-999, "now"), (1000, "in 1 second"), (-61_000, "1 minute ago"),
            (2 * 3_600_000 + 1, "in 2 hours"), (-86_400_000, "1 day ago"), (3 * 86_400_000, "in 3 days"),
            (59 * 86_400_000, "in 59 days"), (60 * 86_400_000, "in 2 months"), (-364 * 86_400_000, "12 months ago"),
            (365 * 86_400_000, "in 1 year"), (730 * 86_400_000, "in 2 years"),
        ] as [(Int64, String)])
    func words(milliseconds: Int64, words: String) throws {
        let now = try #require(Instant("2026-03-01T09:30:00Z"))
        #expect(RelativeTime.words(for: now.adding(milliseconds: milliseconds), at: now) == words)
    }

    @Test("A time is printed exactly, followed by the relative time")
    func text() throws {
        let now = try #require(Instant("2026-03-01T09:30:00Z"))
        #expect(RelativeTime.text(now.adding(days: 14), at: now) == "2026-03-15T09:30:00.000Z (in 14 days)")
        #expect(RelativeTime.words(for: .distantFuture, at: .distantPast).hasPrefix("in "))
    }
}

struct TextTableTests {
    @Test("Columns are as wide as their widest cell, and no line ends in spaces")
    func columns() {
        var table = TextTable("A", "LONG", "C")
        table.add("1", "", "x")
        table.add("wide", "2", "")
        table.add("e\u{1B}[2J", "é", "y")
        let lines = table.lines(TerminalStyle(isColored: false))
        #expect(lines == ["A      LONG  C", "1            x", "wide   2", "e [2J  é     y"])
    }

    @Test("Only the heading is bold, and only with colour")
    func style() {
        var table = TextTable("A")
        table.add("1")
        #expect(table.lines(TerminalStyle(isColored: true)) == ["\u{1B}[1mA\u{1B}[0m", "1"])
    }
}

struct TextOutputTests {
    private static let hostile = "a\u{9B}2J\u{7F}\u{202E}é\u{200D}\u{2028}"

    private static func written(isTerminal: Bool, _ write: (TextOutput) -> Void) -> String {
        var written: [UInt8] = []
        let output = TextOutput(isTerminal: isTerminal) { written += $0 }
        write(output)
        output.flush()
        return String(decoding: written, as: UTF8.self)
    }

    @Test("JSON on a terminal has escapes for what a terminal obeys, and elsewhere its usual bytes") func json() {
        let text = JSONText.object(["id": .string(Self.hostile)])
        let plain = #"{"id":"\#(Self.hostile)"}"# + "\n"
        let escaped = #"{"id":"a\u009b2J\u007f\u202eé"# + "\u{200D}" + #"\u2028"}"# + "\n"
        #expect(Self.written(isTerminal: false) { $0.json(text) } == plain)
        #expect(Self.written(isTerminal: true) { $0.json(text) } == escaped)
        #expect(Self.written(isTerminal: false) { $0.bytes(Array(plain.utf8)) } == plain)
        #expect(Self.written(isTerminal: true) { $0.bytes(Array(plain.utf8)) } == escaped)
        let pretty = Self.written(isTerminal: true) { $0.json(text, .pretty) }
        #expect(pretty.split(separator: "\n").count == 3)
    }

    @Test("A line keeps its styles and line breaks, and nothing else that controls a terminal") func line() {
        let style = TerminalStyle(isColored: true)
        let text = style.red("a") + "\n\tb\u{1B}]0;owned\u{07}\u{1B}[2J\u{1B}[\r\u{9B}2J\u{202E}c\u{1B}"
        let expected = "\u{1B}[31ma\u{1B}[0m\n\tb ]0;owned  [2J [  2J c \n"
        #expect(Self.written(isTerminal: false) { $0.line(text) } == expected)
    }
}

struct ConsoleTests {
    private func console(_ environment: [String: String], isTerminal: Bool) -> Console {
        Console(
            output: TextOutput { _ in }, errors: TextOutput { _ in }, environment: environment, now: .distantPast,
            isOutputTerminal: isTerminal)
    }

    @Test(
        "Colour is used for terminals only, and not with NO_COLOR",
        arguments: [
            ([:], true, true), ([:], false, false), (["NO_COLOR": "1"], true, false), (["NO_COLOR": ""], true, true),
            (["TERM": "dumb"], true, false),
        ] as [([String: String], Bool, Bool)])
    func color(environment: [String: String], isTerminal: Bool, isColored: Bool) {
        #expect(console(environment, isTerminal: isTerminal).style.isColored == isColored)
    }

    @Test("A command runs in memory and returns its status")
    func inMemory() async {
        var written: [UInt8] = []
        var errors: [UInt8] = []
        let console = Console(
            output: TextOutput { written += $0 }, errors: TextOutput { errors += $0 }, environment: [:],
            now: .distantPast)
        let status = await CommandLineTool(console: console).run(["completions", "ksh"])
        #expect(status == .usage)
        #expect(written.isEmpty)
        #expect(String(decoding: errors, as: UTF8.self).hasPrefix("storekeeper: error: 'ksh' is not a supported shell"))
    }
}
