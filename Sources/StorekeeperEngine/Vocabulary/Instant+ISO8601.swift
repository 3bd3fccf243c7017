extension Instant: CustomStringConvertible {
    /// The instant as ISO 8601 text in UTC with milliseconds, such as `2026-03-01T09:30:00.000Z`.
    ///
    /// A year outside 0000 to 9999 is written with a sign and six digits.
    public var description: String {
        let days = CivilDate.floor(millisecondsSince1970, by: 86_400_000)
        let rest = millisecondsSince1970 - days * 86_400_000
        let date = CivilDate(daysSince1970: days)
        var text = ""
        text.reserveCapacity(24)
        if (0...9999).contains(date.year) {
            text += Self.padded(date.year, to: 4)
        } else {
            text += date.year < 0 ? "-" : "+"
            text += Self.padded(abs(date.year), to: 6)
        }
        text += "-\(Self.padded(date.month, to: 2))-\(Self.padded(date.day, to: 2))T"
        text += "\(Self.padded(rest / 3_600_000, to: 2)):\(Self.padded(rest / 60_000 % 60, to: 2))"
        text += ":\(Self.padded(rest / 1000 % 60, to: 2)).\(Self.padded(rest % 1000, to: 3))Z"
        return text
    }

    private static func padded(_ number: Int64, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// Reads a time in the usual formats.
    ///
    /// - Parameter text: An RFC 3339 time with a zone (`Z`, `+hh:mm`, `+hhmm`, `+hh`); a date alone, which means
    ///   midnight in UTC; or a whole number of milliseconds since 1970. Seconds and their fraction are optional, and
    ///   digits after the millisecond are ignored. The result is `nil` for any other text, such as a time of day
    ///   without a zone or a day that does not exist.
    public init?(_ text: String) {
        var reader = DigitReader(Array(text.utf8))
        if let milliseconds = reader.wholeNumber() {
            self.init(millisecondsSince1970: milliseconds)
            return
        }
        guard let year = reader.digits(4), reader.consume("-"), let month = reader.digits(2), reader.consume("-"),
            let day = reader.digits(2), (1...12).contains(month),
            (1...CivilDate.length(ofMonth: month, in: year)).contains(day)
        else { return nil }
        let midnight = CivilDate(year: year, month: month, day: day).daysSince1970 * 86_400_000
        if reader.isAtEnd {
            self.init(millisecondsSince1970: midnight)
            return
        }
        guard reader.consume("T") || reader.consume("t") || reader.consume(" "), let hour = reader.digits(2), hour < 24,
            reader.consume(":"), let minute = reader.digits(2), minute < 60
        else { return nil }
        var milliseconds: Int64 = (hour * 60 + minute) * 60_000
        if reader.consume(":") {
            // RFC 3339 allows a leap second; it is read as the first second of the next minute.
            guard let second = reader.digits(2), second <= 60 else { return nil }
            milliseconds += second * 1000
            if reader.consume(".") || reader.consume(",") {
                guard let fraction = reader.fractionInMilliseconds() else { return nil }
                milliseconds += fraction
            }
        }
        guard let offset = reader.zoneOffsetInMinutes(), reader.isAtEnd else { return nil }
        self.init(millisecondsSince1970: midnight + milliseconds - offset * 60_000)
    }
}

/// Reads numbers with a fixed count of digits from the start of a text.
private struct DigitReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    /// Returns the whole text as a number, or `nil` if it is not a number; consumes no characters.
    func wholeNumber() -> Int64? {
        let digits = bytes.first == UInt8(ascii: "-") ? bytes.dropFirst() : bytes[...]
        guard !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int64(String(decoding: bytes, as: UTF8.self))
    }

    mutating func consume(_ character: Character) -> Bool {
        guard position < bytes.count, bytes[position] == character.asciiValue else { return false }
        position += 1
        return true
    }

    mutating func digits(_ count: Int) -> Int64? {
        guard bytes.count - position >= count else { return nil }
        var value: Int64 = 0
        for byte in bytes[position..<position + count] {
            guard (48...57).contains(byte) else { return nil }
            value = value * 10 + Int64(byte - 48)
        }
        position += count
        return value
    }

    mutating func fractionInMilliseconds() -> Int64? {
        var value: Int64 = 0
        var count = 0
        while let digit = digits(1) {
            if count < 3 { value = value * 10 + digit }
            count += 1
        }
        guard count > 0 else { return nil }
        for _ in min(count, 3)..<3 { value *= 10 }
        return value
    }

    mutating func zoneOffsetInMinutes() -> Int64? {
        if consume("Z") || consume("z") { return 0 }
        let isNegative = consume("-")
        guard isNegative || consume("+"), let hours = digits(2), hours < 24 else { return nil }
        let hadColon = consume(":")
        let minutes = digits(2)
        if hadColon, minutes == nil { return nil }
        guard (minutes ?? 0) < 60 else { return nil }
        let offset = hours * 60 + (minutes ?? 0)
        return isNegative ? -offset : offset
    }
}
