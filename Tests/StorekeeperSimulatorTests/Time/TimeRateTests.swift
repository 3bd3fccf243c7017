import Storekeeper
import Testing

@testable import StorekeeperSimulator

@Suite("Time rates") struct TimeRateTests {
    @Test(
        "Time rates have the numbers of Xcode's files",
        arguments: [
            (0, TimeRate.realTime), (1, .oneHourIsOneDay), (2, .thirtyMinutesIsOneDay), (3, .fiveMinutesIsOneDay),
            (4, .oneMinuteIsOneDay), (5, .thirtySecondsIsOneDay), (6, .oneSecondIsOneDay),
            (10, .monthlyRenewalEveryHour), (11, .monthlyRenewalEveryThirtyMinutes),
            (12, .monthlyRenewalEveryFifteenMinutes), (13, .monthlyRenewalEveryFiveMinutes),
            (15, .monthlyRenewalEveryThirtySeconds), (1000, .oneRenewalEveryFifteenMinutes),
            (1001, .oneRenewalEveryFiveMinutes), (1002, .oneRenewalEveryMinute),
            (1003, .oneRenewalEveryThirtySeconds), (1004, .oneRenewalEveryTenSeconds),
            (1005, .oneRenewalEveryTwoSeconds),
        ])
    func numbers(code: Int, rate: TimeRate) {
        let read = TimeRate.read(code: code)
        #expect(read.rate == rate && read.warning == nil)
        #expect(TimeRate.known.contains(rate))
    }

    @Test("There are eighteen time rates, each listed once")
    func known() {
        #expect(TimeRate.known.count == 18)
        #expect(Set(TimeRate.known).count == 18)
    }

    @Test("An unassigned time rate is real time, with a warning", arguments: [-1, 7, 8, 9, 14, 16, 999, 1006, .max])
    func unknown(code: Int) throws {
        let (rate, warning) = TimeRate.read(code: code)
        #expect(rate == .realTime)
        let found = try #require(warning)
        #expect(found.severity == .warning && found.code == .unknownValue && found.subject == String(code))
        #expect(found.location == "settings._timeRate")
        #expect(
            RenewalPace.xcode(TimeRate(rawValue: code)).periodEnd(of: .year, anchor: .day(0), count: 1) == .day(365))
    }
}

@Suite("Time rates of a file") struct FileTimeRateTests {
    @Test(
        "A file's time rate is the named one, otherwise the one for older readers, otherwise real time",
        arguments: [
            (1003, 6, TimeRate.oneRenewalEveryThirtySeconds, false), (0, 6, .realTime, false),
            (14, 6, .oneSecondIsOneDay, true), (14, 7, .realTime, true), (14, nil, .realTime, true),
        ] as [(Int, Int?, TimeRate, Bool)])
    func settings(code: Int, compatibility: Int?, rate: TimeRate, isOdd: Bool) {
        var settings = StoreKitSettings()
        settings.timeRateCode = code
        settings.compatibilityTimeRateCode = compatibility
        let read = TimeRate.read(settings)
        #expect(read.rate == rate && (read.warning != nil) == isOdd)
    }
}

extension Instant {
    /// Returns the start of a day, counted from 2026-01-01T00:00:00Z.
    fileprivate static func day(_ number: Int) -> Instant {
        Instant(clamped: 1_767_225_600_000).adding(days: number)
    }
}
