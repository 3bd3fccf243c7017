import FoundationEssentials
import Storekeeper
import StorekeeperTesting
import Testing

@Suite("Instants") struct InstantTests {
    @Test(
        "Instants are read in every common notation",
        arguments: [
            ("2026-03-01T09:30:00.000Z", 1_772_357_400_000),
            ("2026-03-01T09:30:00Z", 1_772_357_400_000),
            ("2026-03-01T09:30Z", 1_772_357_400_000),
            ("2026-03-01t09:30z", 1_772_357_400_000),
            ("2026-03-01 09:30Z", 1_772_357_400_000),
            ("2026-03-01T10:30:00+01:00", 1_772_357_400_000),
            ("2026-03-01T10:30:00+0100", 1_772_357_400_000),
            ("2026-03-01T10:30+01", 1_772_357_400_000),
            ("2026-03-01T04:00:00-05:30", 1_772_357_400_000),
            ("2026-03-01", 1_772_323_200_000),
            ("1772357400000", 1_772_357_400_000),
            ("-1", -1),
            ("0", 0),
            ("2026-03-01T09:30:00.1Z", 1_772_357_400_100),
            ("2026-03-01T09:30:00.0019999Z", 1_772_357_400_001),
            ("2024-02-29T00:00:00Z", 1_709_164_800_000),
            ("1970-01-01T00:00:00.001Z", 1),
            ("1969-12-31T23:59:59.999Z", -1),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000),
        ])
    func reading(text: String, milliseconds: Int64) {
        #expect(Instant(text)?.millisecondsSince1970 == milliseconds)
    }

    @Test(
        "A time without a zone, or a day that does not exist, is refused",
        arguments: [
            "2026-03-01T09:30:00", "2026-03-01T09:30", "2026-02-29", "2026-13-01", "2026-00-10", "2026-04-31",
            "2026-03-01T24:00:00Z", "2026-03-01T09:60Z", "2026-03-01T09:30:61Z", "2026-03-01T09:30:00.Z", "",
            "yesterday", "2026-03-01T", "2026-03-01T09Z", "2026-03-01T09:30:00Zjunk", "2026-03-01T09:30:00+1",
            "2026-03-01T09:30:00+01:", "12.5", "99999999999999999999", "9000000000000000", " 2026-03-01",
        ])
    func refusing(text: String) {
        #expect(Instant(text) == nil)
    }

    @Test("Instants are written with milliseconds, in UTC")
    func writing() {
        #expect(Instant(clamped: 1_772_357_400_007).description == "2026-03-01T09:30:00.007Z")
        #expect(Instant(clamped: -1).description == "1969-12-31T23:59:59.999Z")
        // Xcode writes this value as the date of the first download. It is two days before the year 1.
        #expect(Instant(clamped: -62_135_769_600_000).description == "0000-12-30T00:00:00.000Z")
        #expect(Instant.distantFuture.description.hasPrefix("+275760-"))
    }

    @Test("Instants survive writing and reading, to the millisecond")
    func roundTrip() {
        checkProperty(
            "an instant is read as it was written", cases: 2000,
            generate: { Instant(clamped: Int64.random(in: -62_167_219_200_000...253_402_300_799_999, using: &$0)) },
            holds: { Instant($0.description) == $0 && Instant($0.date) == $0 })
    }

    @Test("Arithmetic on instants stays within their limits")
    func limits() {
        #expect(Instant.distantFuture.adding(milliseconds: .max) == .distantFuture)
        #expect(Instant.distantPast.adding(milliseconds: .min) == .distantPast)
        #expect(Instant.day(0).adding(days: .max) == .distantFuture)
        #expect(Instant.day(0).adding(days: .min) == .distantPast)
        #expect(Instant(millisecondsSince1970: .max) == nil)
        #expect(Instant(Date(timeIntervalSince1970: .infinity)) == .distantFuture)
        #expect(Instant(Date(timeIntervalSince1970: .nan)) == Instant(clamped: 0))
    }
}

@Suite("Subscription periods") struct SubscriptionPeriodTests {
    @Test(
        "Periods keep the day of the month, or take the last day of a shorter month",
        arguments: [
            ("P1M", "2026-01-31", 1, "2026-02-28"), ("P1M", "2026-01-31", 2, "2026-03-31"),
            ("P1M", "2024-01-31", 1, "2024-02-29"), ("P1Y", "2024-02-29", 1, "2025-02-28"),
            ("P1Y", "2024-02-29", 4, "2028-02-29"), ("P1W", "2026-02-26", 1, "2026-03-05"),
            ("P3D", "2026-02-26", 1, "2026-03-01"), ("P6M", "2026-08-31", 1, "2027-02-28"),
            ("P1M", "2026-03-31", -1, "2026-02-28"),
        ])
    func arithmetic(period: String, start: String, count: Int, end: String) throws {
        let start = try #require(Instant(start))
        #expect(SubscriptionPeriod(period).end(from: start, count: count) == Instant(end))
    }

    @Test(
        "A text that is not a duration of one unit is kept as an invalid period",
        arguments: ["P1M2D", "PT1H", "1M", "P0M", "P", "", "P-1D", "P9999999D"])
    func invalid(text: String) {
        let period = SubscriptionPeriod(text)
        #expect(!period.isValid && period.text == text && period.end(from: .day(0)) == nil)
    }

    @Test(
        "All parts of an access duration are multiplied and added at once, the months first",
        arguments: [
            ("P1Y2M3D", "2026-01-31", 1, "2027-04-03"), ("P1Y2M3D", "2026-01-31", 2, "2028-06-06"),
            ("P1M1D", "2026-01-31", 1, "2026-03-01"), ("P1Y1W", "2024-02-29", 1, "2025-03-07"),
            ("P0Y1M0D", "2026-01-31", 1, "2026-02-28"), ("P1M", "2026-01-31", 2, "2026-03-31"),
            ("P90D", "2026-01-01", 2, "2026-06-30"),
        ])
    func accessDuration(text: String, start: String, count: Int, end: String) throws {
        let (start, duration) = (try #require(Instant(start)), SubscriptionPeriod(text))
        #expect(duration.isAccessDuration && duration.text == text)
        #expect(duration.accessEnd(from: start, count: count) == Instant(end))
        #expect(duration.accessEnd(from: start, count: .max) == .distantFuture)
    }

    @Test(
        "A text that is not a duration of years, months, weeks and days is not an access duration",
        arguments: [
            "P1D2M", "P1M1M", "P0M0D", "P1Y2", "P1YT2H", "PT1H", "P", "", "P1.5Y2M", "p1Y2M", "P1Y-2M", "P1YM",
            "P1Y2Mé", "P9999999Y1M",
        ])
    func invalidAccessDuration(text: String) {
        let duration = SubscriptionPeriod(text)
        #expect(!duration.isAccessDuration && duration.text == text)
        #expect(duration.accessEnd(from: .day(0), count: 1) == nil)
    }

    @Test("Periods of equal length are equal")
    func equality() {
        #expect(SubscriptionPeriod("P7D") == SubscriptionPeriod("P1W"))
        #expect(SubscriptionPeriod("P12M") == SubscriptionPeriod("P1Y"))
        #expect(SubscriptionPeriod("P30D") != SubscriptionPeriod("P1M"))
    }
}
