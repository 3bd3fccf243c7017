import CoreMetrics
import Foundation
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

@Suite("Metrics for Prometheus") struct PrometheusMetricsTests {
    @Test("All recorded values are exported, by name and label") func text() {
        let metrics = PrometheusMetrics()
        metrics.makeCounter(label: "http.requests", dimensions: [("route", "a\"b\\c\nd")]).increment(by: 2)
        metrics.makeCounter(label: "http.requests", dimensions: [("route", "a\"b\\c\nd")]).increment(by: 1)
        metrics.makeCounter(label: "tries_total", dimensions: []).increment(by: 7)
        metrics.makeMeter(label: "1st", dimensions: []).set(1.5)
        metrics.makeRecorder(label: "size", dimensions: [], aggregate: false).record(3 as Int64)
        #expect(
            metrics.text == """
                # TYPE _1st gauge
                _1st 1.5
                # TYPE http_requests_total counter
                http_requests_total{route="a\\"b\\\\c\\nd"} 3
                # TYPE size gauge
                size 3.0
                # TYPE tries_total counter
                tries_total 7

                """)
    }

    @Test(
        "A delimiter beside a combining mark, or after a letter to which it is joined, is escaped in a label",
        arguments: [
            ("\"\u{301}} 1", "\\\"\u{301}} 1"), ("\u{600}\"} 1", "\u{600}\\\"} 1"), ("\\\u{301}", "\\\\\u{301}"),
            ("\u{600}\\", "\u{600}\\\\"), ("\n\u{301}", "\\n\u{301}"),
        ])
    func hostileLabels(value: String, escaped: String) {
        let metrics = PrometheusMetrics()
        metrics.makeCounter(label: "x", dimensions: [("a", value)]).increment(by: 1)
        let text = "# TYPE x_total counter\nx_total{a=\"\(escaped)\"} 1\n"
        #expect(metrics.text.utf8.elementsEqual(text.utf8), "\(metrics.text)")
    }

    @Test("A timer is exported as a histogram in seconds with cumulative buckets") func histogram() throws {
        let metrics = PrometheusMetrics()
        let timer = metrics.makeTimer(label: "took", dimensions: [("a", "b")])
        for milliseconds in [0.1, 1, 3, 30_000] as [Double] { timer.recordNanoseconds(Int64(milliseconds * 1_000_000)) }
        let lines = metrics.text.split(separator: "\n").map(String.init)
        #expect(lines.first == "# TYPE took_seconds histogram")
        #expect(lines.contains(#"took_seconds_bucket{a="b",le="0.0005"} 1"#))
        #expect(lines.contains(#"took_seconds_bucket{a="b",le="0.001"} 2"#))
        #expect(lines.contains(#"took_seconds_bucket{a="b",le="10.0"} 3"#))
        #expect(lines.contains(#"took_seconds_bucket{a="b",le="+Inf"} 4"#))
        #expect(lines.contains(#"took_seconds_count{a="b"} 4"#))
        #expect(lines.last == #"took_seconds_count{a="b"} 4"#)
        let sum = lines.first { $0.hasPrefix("took_seconds_sum") }?.split(separator: " ").last.flatMap { Double($0) }
        #expect(abs(try #require(sum) - 30.0041) < 1e-9)
    }

    @Test("Metrics of two kinds do not share a name") func kinds() {
        let metrics = PrometheusMetrics()
        metrics.makeMeter(label: "x", dimensions: []).set(1.0)
        metrics.makeRecorder(label: "x", dimensions: [], aggregate: true).record(1.0)
        #expect(metrics.text.contains("# TYPE x gauge\n") && metrics.text.contains("# TYPE x_histogram histogram\n"))
    }

    private static let deployment = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Deployment")

    @Test("The dashboard shows each metric of the service's own that the page on deployment lists, and no other")
    func listedMetrics() throws {
        let page = try String(contentsOf: Self.deployment.appending(path: "README.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `storekeeper_") }
        var listed: Set<String> = []
        for row in rows {
            let names = try #require(row.split(separator: "|").first).matches(of: /`([a-z_]+)`/).map { String($0.1) }
            let first = try #require(names.first)
            // "`storekeeper_webhook_waiting`, `_failing`" lists two metrics.
            let stem = first.prefix(upTo: try #require(first.lastIndex(of: "_")))
            listed.formUnion(names.map { $0.hasPrefix("_") ? stem + $0 : $0 })
        }
        #expect(listed.count >= 14)
        let dashboard = try String(contentsOf: Self.deployment.appending(path: "dashboard.json"), encoding: .utf8)
        let shown = dashboard.matches(of: /storekeeper_[a-z_]+/).map { String($0.0).replacing(/_bucket$/, with: "") }
        #expect(Set(shown) == listed)
    }

    @Test("The dashboard uses only metrics and routes that exist") func dashboard() throws {
        let text = try String(contentsOf: Self.deployment.appending(path: "dashboard.json"), encoding: .utf8)
        _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let metrics = PrometheusMetrics()
        metrics.makeTimer(label: "http.server.request.duration", dimensions: []).recordNanoseconds(1)
        let names = Set(text.matches(of: /http_[a-z_]+_(?:count|bucket|sum|total)\b/).map { String($0.0) })
        #expect(names.count >= 2)
        for name in names { #expect(metrics.text.contains(name), "\(name)") }
        let routes = Set(text.matches(of: /http_route=\\"([^"\\]+)/).map { String($0.1) })
        #expect(routes.count >= 3)
        for route in routes { #expect(CompanionRoute.all.contains { $0.path == route }, "\(route)") }
    }
}
