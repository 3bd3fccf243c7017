import CoreMetrics
import Synchronization

/// The values of one metric for one set of labels.
protocol MetricSeries: AnyObject, Sendable {
    /// The lines that describe the series; each has a suffix for the metric's name, an additional label, and a value.
    var lines: [(suffix: String, label: String, value: String)] { get }
}

/// A metric that counts; its value never decreases.
final class MetricCounter: MetricSeries, CounterHandler {
    private let count = Atomic<Int64>(0)

    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { count.store(0, ordering: .relaxed) }

    var lines: [(suffix: String, label: String, value: String)] {
        [("", "", String(count.load(ordering: .relaxed)))]
    }
}

/// A metric that reports the last value that was set.
final class MetricGauge: MetricSeries, MeterHandler, RecorderHandler {
    private let value = Mutex(0.0)

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }

    var lines: [(suffix: String, label: String, value: String)] { [("", "", "\(value.withLock { $0 })")] }
}

/// A histogram with fixed bounds; times are in seconds.
final class MetricHistogram: MetricSeries, TimerHandler, RecorderHandler {
    /// The upper bounds, from half a millisecond to ten seconds.
    static let bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private struct State {
        var counts = [Int](repeating: 0, count: bounds.count)
        var all = 0
        var sum = 0.0
    }

    private let state = Mutex(State())

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) {
        state.withLock { state in
            if let bound = Self.bounds.firstIndex(where: { value <= $0 }) { state.counts[bound] += 1 }
            state.all += 1
            state.sum += value
        }
    }

    var lines: [(suffix: String, label: String, value: String)] {
        let state = state.withLock { $0 }
        var below = 0
        var lines: [(suffix: String, label: String, value: String)] = []
        for (bound, count) in zip(Self.bounds, state.counts) {
            below += count
            lines.append(("_bucket", "le=\"\(bound)\"", String(below)))
        }
        lines.append(("_bucket", "le=\"+Inf\"", String(state.all)))
        return lines + [("_sum", "", "\(state.sum)"), ("_count", "", String(state.all))]
    }
}
