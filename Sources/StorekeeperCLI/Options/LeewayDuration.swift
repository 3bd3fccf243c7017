/// Parses the renewal leeway.
enum LeewayDuration {
    /// The longest leeway: one day.
    static let limitInMilliseconds: Int64 = 86_400_000

    /// Returns the milliseconds of a duration; `nil` for other text and for a duration above the limit.
    ///
    /// A duration is ISO 8601 text of weeks, days, hours, minutes and seconds (`PT1H`, `P1D`, `PT1H30M`), or one of the
    /// short forms `90s`, `5m`, `1h`, `1d`.
    static func milliseconds(_ text: String, limit: Int64 = limitInMilliseconds) -> Int64? {
        var rest = Array(text.utf8)[...]
        let total: Int64?
        if rest.first == UInt8(ascii: "P") {
            rest = rest.dropFirst()
            let parts = rest.split(separator: UInt8(ascii: "T"), maxSplits: 1, omittingEmptySubsequences: false)
            guard let days = parts.first, parts.count == 2 ? !parts[1].isEmpty : !days.isEmpty else { return nil }
            let time = parts.count == 2 ? parts[1] : []
            total = sum(of: days, units: [("W", 604_800_000), ("D", 86_400_000)]).flatMap { first in
                sum(of: time, units: [("H", 3_600_000), ("M", 60_000), ("S", 1000)]).map { first + $0 }
            }
        } else {
            guard !rest.isEmpty else { return nil }
            total = sum(of: rest, units: [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000)])
        }
        guard let total, total <= limit else { return nil }
        return total
    }

    /// Returns the short form of a duration, such as `5m`, without a remainder below a second.
    static func text(_ milliseconds: Int64) -> String {
        let units: [(Int64, String)] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s")]
        let (length, letter) = units.first { milliseconds > 0 && milliseconds % $0.0 == 0 } ?? (1000, "s")
        return "\(milliseconds / length)\(letter)"
    }

    /// Returns the milliseconds in a text that consists of numbers with units, such as `1H30M`.
    ///
    /// Each unit may occur once, and a larger unit must precede a smaller unit.
    private static func sum(of text: ArraySlice<UInt8>, units: [(letter: Character, length: Int64)]) -> Int64? {
        var rest = text
        var remaining = units[...]
        var total: Int64 = 0
        while !rest.isEmpty {
            let digits = rest.prefix { (48...57).contains($0) }
            rest = rest.dropFirst(digits.count)
            // A number of nine digits cannot overflow Int64, even in the largest unit.
            guard (1...9).contains(digits.count), let number = Int64(String(decoding: digits, as: UTF8.self)),
                let letter = rest.popFirst(),
                let unit = remaining.firstIndex(where: { $0.letter.asciiValue == letter })
            else { return nil }
            total += number * remaining[unit].length
            remaining = remaining[(unit + 1)...]
        }
        return total
    }
}
