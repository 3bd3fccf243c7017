import CoreMetrics
import HTTPTypes
import Synchronization

/// Records the durations of requests by route and status, and creates each metric only once.
///
/// - SeeAlso: OpenTelemetry, "Semantic conventions for HTTP metrics", `http.server.request.duration`.
final class RouteMetrics: Sendable {
    private struct Key: Hashable {
        let route: CompanionRoute.ID
        let status: Int
    }

    private let timers = Mutex<[Key: CoreMetrics.Timer]>([:])

    /// Records a request.
    func record(_ route: CompanionRoute, _ status: Int, took duration: Duration) {
        let key = Key(route: route.id, status: status)
        let timer = timers.withLock { timers in
            if let timer = timers[key] { return timer }
            let timer = CoreMetrics.Timer(
                label: "http.server.request.duration",
                dimensions: [
                    ("http.route", route.path), ("http.request.method", route.method.rawValue),
                    ("http.response.status_code", String(status)),
                ])
            timers[key] = timer
            return timer
        }
        let (seconds, attoseconds) = duration.components
        timer.recordNanoseconds(seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
    }
}
