import Testing

@testable import Storekeeper

struct BackoffTests {
    private func waits(_ rule: Backoff, salt: RetrySalt = .stream, count: Int = 8) -> [Int64] {
        var schedule = BackoffSchedule(rule, salt: salt)
        return (0..<count).map { _ in schedule.fail() }
    }

    @Test("Delays double up to the limit, and start again after a success")
    func doubles() {
        #expect(
            waits(Backoff(first: .milliseconds(1_000), longest: .milliseconds(10_000), jitter: 0), count: 6)
                == [1_000, 2_000, 4_000, 8_000, 10_000, 10_000]
        )
        var schedule = BackoffSchedule(
            Backoff(first: .milliseconds(5), longest: .milliseconds(100), jitter: 0), salt: .stream)
        _ = (schedule.fail(), schedule.fail())
        schedule.succeed()
        #expect(schedule.fail() == 5)
    }

    @Test("Jitter stays within its share, and depends on the seed and the salt only")
    func jitter() {
        let rule = Backoff(first: .milliseconds(1_000), longest: .milliseconds(60_000), jitter: 50, seed: 7)
        let plain = waits(Backoff(first: .milliseconds(1_000), longest: .milliseconds(60_000), jitter: 0))
        for (wait, full) in zip(waits(rule), plain) { #expect((full / 2...full).contains(wait)) }
        #expect(waits(rule) == waits(rule))
        #expect(waits(rule) != waits(rule, salt: .item))
    }

    @Test("No rule and no number of failures overflows a delay", arguments: [1, 2, Int64.max])
    func extremes(first: Int64) {
        let all = waits(
            Backoff(first: .milliseconds(first), longest: .milliseconds(Int64.max), jitter: 100, seed: 1), count: 200)
        #expect(all.allSatisfy { $0 >= 1 })
    }
}
