public import FoundationEssentials

/// A point in time, exact to the millisecond.
///
/// The engine computes only with instants, which count whole milliseconds since 1970-01-01T00:00:00Z in UTC, without
/// leap seconds. `Date` is used only in API with StoreKit's names, because the binary fraction of seconds in a `Date`
/// cannot represent every millisecond exactly.
public struct Instant: InstantProtocol, Sendable {
    /// The number of milliseconds since 1970-01-01T00:00:00Z; negative for an earlier instant.
    public let millisecondsSince1970: Int64

    /// The greatest distance of an instant from 1970, in milliseconds; it is about 273,000 years.
    ///
    /// The limit keeps every sum of an instant and a period within `Int64`.
    package static let limit: Int64 = 8_640_000_000_000_000

    /// The earliest representable instant, which is used for a range without a beginning.
    public static let distantPast = Instant(clamped: -limit)

    /// The latest representable instant, which is used for a range without an end.
    public static let distantFuture = Instant(clamped: limit)

    /// Creates an instant from milliseconds since 1970.
    ///
    /// - Parameter millisecondsSince1970: A number in the range from ``distantPast`` to ``distantFuture``. The result
    ///   is `nil` for any other number.
    public init?(millisecondsSince1970: Int64) {
        guard (-Self.limit...Self.limit).contains(millisecondsSince1970) else { return nil }
        self.millisecondsSince1970 = millisecondsSince1970
    }

    /// Creates an instant from milliseconds since 1970, clamped to the limits.
    package init(clamped milliseconds: Int64) {
        millisecondsSince1970 = min(max(milliseconds, -Self.limit), Self.limit)
    }

    /// Creates an instant from a date, rounded to the nearest millisecond and clamped to the limits.
    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        if milliseconds.isNaN {
            self.init(clamped: 0)
        } else if milliseconds >= Double(Self.limit) {
            self = .distantFuture
        } else if milliseconds <= -Double(Self.limit) {
            self = .distantPast
        } else {
            self.init(clamped: Int64(milliseconds))
        }
    }

    /// The same point in time as a `Date`.
    public var date: Date { Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1000) }

    /// Returns the instant that is later by a duration, or earlier if the duration is negative, clamped to the limits.
    ///
    /// Fractions of a millisecond in the duration are ignored.
    public func advanced(by duration: Duration) -> Instant { adding(milliseconds: duration.milliseconds) }

    /// Returns the time from this instant to another; negative if the other instant is earlier.
    public func duration(to other: Instant) -> Duration { .milliseconds(other.milliseconds(since: self)) }

    /// Returns the instant that is later by a number of milliseconds, or earlier if the number is negative, clamped to
    /// the limits.
    package func adding(milliseconds: Int64) -> Instant {
        let (sum, overflow) = millisecondsSince1970.addingReportingOverflow(milliseconds)
        if overflow { return milliseconds < 0 ? .distantPast : .distantFuture }
        return Instant(clamped: sum)
    }

    /// Returns the instant that is a number of days, each of 24 hours, later, clamped to the limits.
    package func adding(days: Int) -> Instant {
        let (milliseconds, overflow) = Int64(days).multipliedReportingOverflow(by: 86_400_000)
        if overflow { return days < 0 ? .distantPast : .distantFuture }
        return adding(milliseconds: milliseconds)
    }

    /// Returns the instant that is a number of months later in the Gregorian calendar in UTC, clamped to the limits.
    ///
    /// The day of the month stays the same. If the new month is too short, the last day of the new month is used.
    package func adding(months: Int) -> Instant {
        guard months.magnitude <= Self.limit / 86_400_000 else { return months < 0 ? .distantPast : .distantFuture }
        let days = CivilDate.floor(millisecondsSince1970, by: 86_400_000)
        let timeOfDay = millisecondsSince1970 - days * 86_400_000
        let day = CivilDate(daysSince1970: days).adding(months: Int64(months))
        return Instant(clamped: day.daysSince1970 * 86_400_000 + timeOfDay)
    }

    /// Returns the number of milliseconds from another instant to this instant; negative if the other instant is later.
    package func milliseconds(since other: Instant) -> Int64 {
        millisecondsSince1970 - other.millisecondsSince1970
    }

    /// Returns whether an instant is before another.
    public static func < (left: Instant, right: Instant) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }
}

extension Instant? {
    /// Replaces the instant by another if the other is earlier; `nil` is later than every instant.
    package mutating func lower(to other: Instant?) {
        if let other, self.map({ other < $0 }) ?? true { self = other }
    }
}

/// Shorter texts of an instant, for people to read.
extension Instant {
    /// The time to the second, such as `2026-03-01T09:30:00Z`.
    package var toSeconds: String { String(description.prefix { $0 != "." }) + "Z" }
    /// The time to the minute, such as `2026-03-01T09:30Z`.
    package var toMinutes: String { String(toSeconds.dropLast(4)) + "Z" }
    /// The day, such as `2026-03-01`.
    package var day: String { String(description.prefix { $0 != "T" }) }

    /// The day, and the time of day unless it is zero: `2026-03-01`, `2026-03-01 09:30`, `2026-03-01 09:30:15`.
    package var brief: String {
        let clock = toSeconds.dropFirst(day.utf8.count + 1).dropLast()
        if clock == "00:00:00" { return day }
        return "\(day) \(clock.hasSuffix(":00") ? clock.dropLast(3) : clock)"
    }
}

extension Instant: Codable {
    /// Encodes the text of ``description``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// Decodes a text that `encode(to:)` writes, or another text that ``init(_:)-(String)`` reads.
    ///
    /// - Throws: `DecodingError` for any other text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let instant = Instant(text) ?? Instant(farYear: text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not an ISO 8601 time")
        }
        self = instant
    }

    /// Reads a time with a year that consists of a sign and six digits.
    private init?(farYear text: String) {
        let digits = text.dropFirst().prefix(6)
        guard let sign = text.first, sign == "+" || sign == "-", digits.count == 6, let number = Int64(digits) else {
            return nil
        }
        // The calendar repeats every 400 years, which are 146,097 days.
        let year = sign == "-" ? -number : number
        let periods = CivilDate.floor(year - 2000, by: 400)
        guard let near = Instant("\(year - periods * 400)\(text.dropFirst(7))") else { return nil }
        self.init(millisecondsSince1970: near.millisecondsSince1970 + periods * 146_097 * 86_400_000)
    }
}

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
