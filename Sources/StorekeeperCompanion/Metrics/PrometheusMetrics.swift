public import CoreMetrics
import Synchronization

/// Collects the metrics of swift-metrics in this process and renders them for Prometheus.
///
/// The names of counters end in `_total`, and timers become histograms in seconds. Characters that Prometheus does not
/// allow become underscores: for example, `http.server.requests` becomes `http_server_requests`.
///
/// - SeeAlso: Prometheus, "Text-based format", version 0.0.4.
public final class PrometheusMetrics: MetricsFactory {
    /// The media type of the text.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The metrics of this process, for `MetricsSystem.bootstrap`, which a process may call only once.
    public static let shared = PrometheusMetrics()

    private struct Family {
        let kind: String
        var series: [String: any MetricSeries] = [:]
    }

    private let families = Mutex<[String: Family]>([:])

    /// Makes an empty collection of metrics.
    public init() {}

    // MARK: Recording

    /// Returns a counter.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, "counter", suffix: "_total", dimensions) { MetricCounter() }
    }

    /// Returns a gauge.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, "gauge", dimensions) { MetricGauge() }
    }

    /// Returns a histogram if values are aggregated, or else a gauge of the last value.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        if aggregate { return series(label, "histogram", dimensions) { MetricHistogram() } }
        return series(label, "gauge", dimensions) { MetricGauge() }
    }

    /// Returns a histogram of durations in seconds.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, "histogram", suffix: "_seconds", dimensions) { MetricHistogram() }
    }

    /// Does nothing, because the counts are reported until the process ends.
    public func destroyCounter(_ handler: any CounterHandler) {}
    /// Does nothing, because the counts are reported until the process ends.
    public func destroyMeter(_ handler: any MeterHandler) {}
    /// Does nothing, because the counts are reported until the process ends.
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Does nothing, because the counts are reported until the process ends.
    public func destroyTimer(_ handler: any TimerHandler) {}

    /// Returns the series with a name and dimensions; creates it on first use.
    private func series<Series: MetricSeries>(
        _ label: String, _ kind: String, suffix: String = "", _ dimensions: [(String, String)], make: () -> Series
    ) -> Series {
        var name = Self.name(label)
        if !name.hasSuffix(suffix) { name += suffix }
        let labels = Self.labels(dimensions)
        return families.withLock { families in
            // Prometheus allows only one kind for each name, so a metric of a second kind gets a suffix.
            if let family = families[name], family.kind != kind { name += "_\(kind)" }
            var family = families[name] ?? Family(kind: kind)
            let found = family.series[labels] as? Series ?? make()
            family.series[labels] = found
            families[name] = family
            return found
        }
    }

    // MARK: Reading

    /// All metrics in Prometheus format, sorted by name.
    public var text: String {
        let families = families.withLock { $0 }
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            text += "# TYPE \(name) \(family.kind)\n"
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                for line in series.lines {
                    let all = [labels, line.label].filter { !$0.isEmpty }.joined(separator: ",")
                    text += "\(name)\(line.suffix)\(all.isEmpty ? "" : "{\(all)}") \(line.value)\n"
                }
            }
        }
        return text
    }

    private static func name(_ label: String) -> String {
        let name = String(label.unicodeScalars.map { Self.isOfNames($0) ? Character($0) : "_" })
        return name.first?.isNumber == false ? name : "_" + name
    }

    private static func isOfNames(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }

    private static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.map { name, value in "\(Self.name(name))=\"\(Self.escaped(value))\"" }.joined(separator: ",")
    }

    /// Escapes the value of a label, one Unicode scalar at a time, because a quotation mark beside a combining mark is
    /// not a `Character` of its own, but ends the value as well.
    private static func escaped(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
