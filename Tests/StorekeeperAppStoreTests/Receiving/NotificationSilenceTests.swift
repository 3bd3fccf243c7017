import Storekeeper
import StorekeeperAppStore
import Testing

/// Tests of the alarm for a notification type that no longer arrives.
struct NotificationSilenceTests {
    private static let start = Instant(clamped: 1_772_358_600_000)
    private static func hour(_ number: Double) -> Instant { start.adding(milliseconds: Int64(number * 3_600_000)) }

    /// Returns a record of a type that has arrived once an hour, `count` times.
    private func hourly(_ count: Int, _ rule: NotificationSilence.Rule = .init()) -> NotificationSilence {
        var silence = NotificationSilence(rule: rule)
        for number in 0..<count { silence.record(.didRenew, at: Self.hour(Double(number))) }
        return silence
    }

    @Test(
        "A type is silent after more than 12 usual gaps",
        arguments: [(11.9, false), (12.0, false), (12.01, true), (400.0, true)])
    func limit(hours: Double, isSilent: Bool) {
        let silence = hourly(20)
        #expect(silence.alarms(at: Self.hour(19 + hours)).map(\.type) == (isSilent ? [.didRenew] : []))
    }

    @Test func `Without enough gaps there is no alarm`() {
        #expect(hourly(8).alarms(at: Self.hour(10_000)).isEmpty)
        #expect(!hourly(9).alarms(at: Self.hour(10_000)).isEmpty)
    }

    @Test func `A frequent type may be silent for six hours`() {
        var silence = NotificationSilence()
        for second in 0..<100 { silence.record(.oneTimeCharge, at: Self.hour(Double(second) / 3_600)) }
        #expect(silence.alarms(at: Self.hour(6)).isEmpty)
        #expect(silence.alarms(at: Self.hour(6.1)).map(\.type) == [.oneTimeCharge])
    }

    @Test func `An alarm ends with the next notification of its type only`() {
        var silence = hourly(20)
        for number in 0..<20 { silence.record(.refund, at: Self.hour(Double(number))) }
        #expect(silence.alarms(at: Self.hour(60)).map(\.type) == [.didRenew, .refund])
        silence.record(.didRenew, at: Self.hour(60))
        #expect(silence.alarms(at: Self.hour(60)).map(\.type) == [.refund])
    }

    @Test func `A late notification changes nothing, and the usual gap adapts`() {
        var silence = hourly(20)
        silence.record(.didRenew, at: Self.hour(3))
        #expect(silence == hourly(20))
        for day in 1...200 { silence.record(.didRenew, at: Self.hour(19 + 24 * Double(day))) }
        let usual = silence.rhythms[.didRenew]?.usualGap ?? 0
        #expect(usual > 20 * 3_600_000 && usual <= 24 * 3_600_000)
    }

    @Test func `A stored rhythm continues unchanged`() {
        let kept = hourly(20).rhythms
        let silence = NotificationSilence(rhythms: kept)
        #expect(silence == hourly(20))
        let odd = NotificationSilence(rhythms: [.test: .init(lastSeen: Self.start, gaps: 64, usualGap: .max)])
        #expect(odd.alarms(at: .distantFuture).isEmpty)
    }

    @Test func `A flood of unknown types does not fill the memory`() {
        var silence = NotificationSilence()
        for number in 0..<1_000 {
            silence.record(NotificationType(rawValue: "T\(number)"), at: Self.hour(Double(number)))
        }
        #expect(silence.rhythms.count == NotificationSilence.capacity)
        #expect(silence.rhythms[NotificationType(rawValue: "T999")] != nil)
    }
}
