import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperSimulator

private let second: Int64 = 1000
private let minute = 60 * second
private let hour = 60 * minute
private let day = 24 * hour

/// The six durations that a subscription may have.
private let lengths = ["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"]

/// A row of Apple's tables: the lengths of the six periods, of the grace period for a week and for other periods, and
/// of billing retry.
struct PaceRow: Sendable, CustomTestStringConvertible {
    var name: String
    var pace: RenewalPace
    var periods: [Int64]
    var weeklyGrace: Int64
    var grace: Int64
    var retry: Int64

    var testDescription: String { name }

    init(
        _ name: String, _ pace: RenewalPace, _ periods: [Int64], weeklyGrace: Int64, grace: Int64, retry: Int64
    ) {
        self.name = name
        self.pace = pace
        self.periods = periods
        self.weeklyGrace = weeklyGrace
        self.grace = grace
        self.retry = retry
    }

    /// Returns the row of a rate at which all periods have the same length.
    static func fixed(_ name: String, _ pace: RenewalPace, _ tick: Int64) -> PaceRow {
        PaceRow(
            name, pace, Array(repeating: tick, count: 6), weeklyGrace: tick, grace: tick, retry: 2 * tick)
    }

    /// Returns the row of a rate that sets the length of a day.
    static func days(_ rate: TimeRate, _ day: Int64) -> PaceRow {
        PaceRow(
            "a day is \(day) ms", .xcode(rate), [7, 30, 60, 90, 180, 365].map { $0 * day }, weeklyGrace: 6 * day,
            grace: 16 * day, retry: 60 * day)
    }

    static let all: [PaceRow] = [
        PaceRow(
            "Xcode, an hour", .xcode(.monthlyRenewalEveryHour),
            [15 * minute, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour], weeklyGrace: 12 * minute + 51 * second,
            grace: 30 * minute, retry: 2 * hour),
        PaceRow(
            "Xcode, 30 minutes", .xcode(.monthlyRenewalEveryThirtyMinutes),
            [10 * minute, 30 * minute, hour, 90 * minute, 3 * hour, 6 * hour],
            weeklyGrace: 8 * minute + 34 * second, grace: 15 * minute, retry: hour),
        PaceRow(
            "Xcode, 15 minutes", .xcode(.monthlyRenewalEveryFifteenMinutes),
            [5 * minute, 15 * minute, 30 * minute, 45 * minute, 90 * minute, 3 * hour],
            weeklyGrace: 4 * minute + 17 * second, grace: 7 * minute + 30 * second, retry: 30 * minute),
        PaceRow(
            "Xcode, 5 minutes", .xcode(.monthlyRenewalEveryFiveMinutes),
            [3 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute, hour],
            weeklyGrace: 2 * minute + 34 * second, grace: 2 * minute + 30 * second, retry: 10 * minute),
        PaceRow(
            "Xcode, 30 seconds", .xcode(.monthlyRenewalEveryThirtySeconds),
            [10 * second, 30 * second, minute, 90 * second, 3 * minute, 6 * minute], weeklyGrace: 9 * second,
            grace: 15 * second, retry: minute),
        .fixed("Xcode, every 15 minutes", .xcode(.oneRenewalEveryFifteenMinutes), 15 * minute),
        .fixed("Xcode, every 5 minutes", .xcode(.oneRenewalEveryFiveMinutes), 5 * minute),
        .fixed("Xcode, every minute", .xcode(.oneRenewalEveryMinute), minute),
        .fixed("Xcode, every 30 seconds", .xcode(.oneRenewalEveryThirtySeconds), 30 * second),
        .fixed("Xcode, every 10 seconds", .xcode(.oneRenewalEveryTenSeconds), 10 * second),
        .fixed("Xcode, every 2 seconds", .xcode(.oneRenewalEveryTwoSeconds), 2 * second),
        .days(.oneHourIsOneDay, hour), .days(.thirtyMinutesIsOneDay, 30 * minute),
        .days(.fiveMinutesIsOneDay, 5 * minute), .days(.oneMinuteIsOneDay, minute),
        .days(.thirtySecondsIsOneDay, 30 * second), .days(.oneSecondIsOneDay, second),
        PaceRow(
            "sandbox, 3 minutes", .sandbox(.threeMinutes),
            [3 * minute, 3 * minute, 6 * minute, 9 * minute, 18 * minute, 36 * minute],
            weeklyGrace: 2 * minute + 34 * second, grace: 90 * second, retry: 6 * minute),
        PaceRow(
            "sandbox, 5 minutes", .sandbox(.fiveMinutes),
            [3 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute, hour],
            weeklyGrace: 2 * minute + 34 * second, grace: 2 * minute + 30 * second, retry: 10 * minute),
        PaceRow(
            "sandbox, 15 minutes", .sandbox(.fifteenMinutes),
            [5 * minute, 15 * minute, 30 * minute, 45 * minute, 90 * minute, 3 * hour],
            weeklyGrace: 4 * minute + 17 * second, grace: 7 * minute + 30 * second, retry: 30 * minute),
        PaceRow(
            "sandbox, 30 minutes", .sandbox(.thirtyMinutes),
            [10 * minute, 30 * minute, hour, 90 * minute, 3 * hour, 6 * hour],
            weeklyGrace: 8 * minute + 34 * second, grace: 15 * minute, retry: hour),
        PaceRow(
            "sandbox, an hour", .sandbox(.sixtyMinutes),
            [15 * minute, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour], weeklyGrace: 12 * minute + 51 * second,
            grace: 30 * minute, retry: 2 * hour),
        .fixed("TestFlight", .testFlight, day),
    ]
}

@Suite("Accelerated paces") struct AcceleratedPaceTests {
    @Test("Each period has the length in Apple's tables", arguments: PaceRow.all)
    func periods(row: PaceRow) throws {
        let anchor = try #require(Instant("2026-01-31T10:00:00.250Z"))
        for (period, milliseconds) in zip(lengths, row.periods) {
            for count in [1, 2, 13] {
                let end = row.pace.periodEnd(of: try length(of: period), anchor: anchor, count: count)
                #expect(end.milliseconds(since: anchor) == milliseconds * Int64(count), "\(period), \(count) times")
            }
        }
    }

    @Test("The grace period is scaled like the periods", arguments: PaceRow.all)
    func grace(row: PaceRow) throws {
        for period in lengths {
            let grace = row.pace.graceLength(of: try length(of: period), setting: .days16)
            #expect(grace == (period == "P1W" ? row.weeklyGrace : row.grace), "\(period)")
        }
        #expect(row.pace.graceLength(of: .week, setting: .days28) == row.weeklyGrace)
    }

    @Test(
        "Billing retry is scaled like the periods, and is half as long again with a commitment", arguments: PaceRow.all)
    func retry(row: PaceRow) {
        #expect(row.pace.retryLength(isCommitment: false) == row.retry)
        #expect(row.pace.retryLength(isCommitment: true) == row.retry * 3 / 2)
    }

    @Test(
        "Other grace periods are scaled in proportion to sixteen days",
        arguments: [
            (RenewalPace.sandbox(.sixtyMinutes), "P1M", GracePeriodLength.days3, 5 * minute + 38 * second),
            (.sandbox(.sixtyMinutes), "P1M", .days28, 52 * minute + 30 * second),
            (.sandbox(.sixtyMinutes), "P1W", .days3, 6 * minute + 26 * second),
            (.xcode(.oneMinuteIsOneDay), "P1Y", .days3, 3 * minute),
            (.xcode(.oneMinuteIsOneDay), "P1W", .days3, 3 * minute),
            (.testFlight, "P1M", .days3, day),
        ])
    func otherGrace(pace: RenewalPace, period: String, setting: GracePeriodLength, length milliseconds: Int64) throws {
        #expect(try pace.graceLength(of: length(of: period), setting: setting) == milliseconds)
    }

    @Test(
        "Each day of an offer lasts a thirtieth of a month, or one tick",
        arguments: [
            (RenewalPace.xcode(.monthlyRenewalEveryFiveMinutes), "P3D", 30 * second),
            (.xcode(.monthlyRenewalEveryFiveMinutes), "P2W", 140 * second),
            (.xcode(.monthlyRenewalEveryFiveMinutes), "P7D", 3 * minute),
            (.xcode(.monthlyRenewalEveryThirtySeconds), "P3D", 3 * second),
            (.xcode(.monthlyRenewalEveryHour), "P4M", 4 * hour),
            (.xcode(.oneRenewalEveryTwoSeconds), "P3D", 2 * second),
            (.xcode(.oneRenewalEveryTwoSeconds), "P2Y", 2 * second),
            (.xcode(.oneSecondIsOneDay), "P2W", 14 * second),
            (.xcode(.oneSecondIsOneDay), "P14M", 425 * second),
            (.sandbox(.threeMinutes), "P3D", 18 * second),
            (.testFlight, "P3D", day),
        ])
    func offers(pace: RenewalPace, period: String, length milliseconds: Int64) throws {
        let anchor = Instant.day(0)
        #expect(
            try pace.periodEnd(of: length(of: period), anchor: anchor, count: 1)
                == anchor.adding(milliseconds: milliseconds))
    }

    @Test("Only the environments of testers limit the number of renewals")
    func maximumRenewals() {
        #expect(SandboxSpeed.allCases.allSatisfy { RenewalPace.sandbox($0).maximumRenewals == 12 })
        #expect(RenewalPace.testFlight.maximumRenewals == 6)
        #expect(RenewalPace.realTime.maximumRenewals == nil)
        #expect(TimeRate.known.allSatisfy { RenewalPace.xcode($0).maximumRenewals == nil })
    }

    @Test(
        "Other waits are scaled in proportion to a month",
        arguments: [
            (RenewalPace.realTime, day, day), (.xcode(.realTime), day, day),
            (.xcode(.monthlyRenewalEveryFiveMinutes), day, 10 * second), (.xcode(.oneMinuteIsOneDay), day, minute),
            (.xcode(.oneRenewalEveryThirtySeconds), day, second), (.testFlight, 30 * day, day),
            (.sandbox(.sixtyMinutes), 45 * day, 90 * minute), (.xcode(.oneSecondIsOneDay), 1, 1),
            (.xcode(.oneSecondIsOneDay), 0, 0), (.xcode(.oneSecondIsOneDay), -5, 0), (.realTime, -5, 0),
            (.testFlight, Int64.max, Int64.max / 30),
        ])
    func waits(pace: RenewalPace, wait: Int64, scaled: Int64) {
        #expect(pace.scaled(wait) == scaled)
    }
}

@Suite("The pace of real time") struct RealTimePaceTests {
    @Test(
        "Periods follow the calendar, counted from the anchor",
        arguments: [
            ("P1M", "2026-01-31", 1, "2026-02-28"), ("P1M", "2026-01-31", 2, "2026-03-31"),
            ("P1M", "2026-01-31", 3, "2026-04-30"), ("P1M", "2028-01-31", 1, "2028-02-29"),
            ("P1M", "2028-01-31", 2, "2028-03-31"), ("P1M", "2026-12-31", 2, "2027-02-28"),
            ("P2M", "2025-12-31", 1, "2026-02-28"), ("P3M", "2025-11-30", 1, "2026-02-28"),
            ("P6M", "2025-08-31", 1, "2026-02-28"), ("P6M", "2025-08-31", 2, "2026-08-31"),
            ("P1Y", "2024-02-29", 1, "2025-02-28"), ("P1Y", "2024-02-29", 4, "2028-02-29"),
            ("P1Y", "2096-02-29", 4, "2100-02-28"), ("P1Y", "2096-02-29", 8, "2104-02-29"),
            ("P1W", "2026-02-26", 1, "2026-03-05"), ("P1W", "2028-02-26", 1, "2028-03-04"),
            ("P3D", "2026-02-26", 1, "2026-03-01"), ("P1M", "2026-03-31", 0, "2026-03-31"),
        ])
    func calendar(period: String, anchor: String, count: Int, end: String) throws {
        let anchor = try #require(Instant(anchor + "T23:59:59.999Z"))
        let expected = try #require(Instant(end + "T23:59:59.999Z"))
        let length = try length(of: period)
        #expect(RenewalPace.realTime.periodEnd(of: length, anchor: anchor, count: count) == expected)
    }

    @Test("Ends of periods agree with SubscriptionPeriod for any anchor, and increase")
    func agreesWithPeriods() {
        checkProperty(
            "the end of a period is that of SubscriptionPeriod", cases: 2000,
            generate: { random in
                (
                    period: random.pick("P1W", "P1M", "P2M", "P3M", "P6M", "P1Y", "P3D", "P14D", "P5Y"),
                    anchor: Instant(clamped: Int64.random(in: 0...4_102_444_800_000, using: &random)),
                    count: random.number(in: 1...240)
                )
            },
            holds: { input in
                let period = SubscriptionPeriod(input.period)
                let length = try length(of: input.period)
                let end = RenewalPace.realTime.periodEnd(of: length, anchor: input.anchor, count: input.count)
                let previous = RenewalPace.realTime.periodEnd(
                    of: length, anchor: input.anchor, count: input.count - 1)
                return end == period.end(from: input.anchor, count: input.count) && previous < end
            })
    }

    @Test(
        "Grace periods are those of App Store Connect, for a week at most six days",
        arguments: [
            ("P1W", GracePeriodLength.days3, 3), ("P1W", .days16, 6), ("P1W", .days28, 6), ("P7D", .days28, 6),
            ("P1M", .days3, 3), ("P1M", .days16, 16), ("P1M", .days28, 28), ("P1Y", .days16, 16),
        ])
    func grace(period: String, setting: GracePeriodLength, days: Int64) throws {
        for pace in [RenewalPace.realTime, .xcode(.realTime)] {
            #expect(try pace.graceLength(of: length(of: period), setting: setting) == days * day)
        }
    }

    @Test("Billing retry lasts 60 days, with a commitment 90")
    func retry() {
        #expect(RenewalPace.realTime.retryLength(isCommitment: false) == 60 * day)
        #expect(RenewalPace.realTime.retryLength(isCommitment: true) == 90 * day)
    }

    @Test("The end of a period stays within the range of instants")
    func limits() {
        for pace in [RenewalPace.realTime, .testFlight, .xcode(.oneHourIsOneDay), .sandbox(.sixtyMinutes)] {
            for length in [PeriodLength.week, .month, .year] {
                #expect(pace.periodEnd(of: length, anchor: .distantFuture, count: 1) == .distantFuture)
                #expect(pace.periodEnd(of: length, anchor: .distantPast, count: .max) == .distantFuture)
                #expect(pace.periodEnd(of: length, anchor: .distantFuture, count: .min) == .distantPast)
            }
        }
    }
}

/// Returns the length of a valid period.
private func length(of period: String) throws -> PeriodLength {
    try #require(PeriodLength(SubscriptionPeriod(period)))
}

@Suite("Lengths of periods") struct PeriodLengthTests {
    @Test("Periods of equal length are equal")
    func equality() {
        #expect(PeriodLength(SubscriptionPeriod("P1M2D")) == nil)
        #expect(PeriodLength(SubscriptionPeriod("P7D")) == .week)
        #expect(PeriodLength(SubscriptionPeriod("P1W")) == .week)
        #expect(PeriodLength(SubscriptionPeriod("P1M")) == .month)
        #expect(PeriodLength(SubscriptionPeriod("P12M")) == .year)
        #expect(PeriodLength(SubscriptionPeriod("P1Y")) == .year)
        #expect(PeriodLength(SubscriptionPeriod("P30D")) != .month)
    }
}
