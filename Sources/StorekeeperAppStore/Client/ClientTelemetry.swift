public import Logging
public import Metrics
import Storekeeper
public import Tracing

/// Receives the logs, metrics and spans of a client; by default, nothing is recorded.
///
/// A log at any level contains no token, key, payload or customer id.
///
/// Metrics: `storekeeper_app_store_requests_total` counts attempts by `endpoint`, `environment` and `outcome` (`ok`, or
/// the code of the error); `storekeeper_app_store_retries_total` counts repeated attempts by `endpoint`;
/// `storekeeper_app_store_request_duration_seconds` times attempts by `endpoint` and `environment`.
public struct ClientTelemetry: Sendable {
    let logger: Logger
    let metrics: any MetricsFactory
    let tracer: (any Tracer)?

    /// Creates the telemetry of a client.
    ///
    /// - Parameters:
    ///   - logger: The logger, which receives each attempt at the level `debug`, and nothing at higher levels.
    ///   - metrics: Creates the counters and timers.
    ///   - tracer: Traces each call in a span; `nil` traces nothing.
    public init(
        logger: Logger = Logger(label: "storekeeper.app-store", factory: { _ in SwiftLogNoOpLogHandler() }),
        metrics: any MetricsFactory = NOOPMetricsHandler.instance, tracer: (any Tracer)? = nil
    ) {
        self.logger = logger
        self.metrics = metrics
        self.tracer = tracer
    }

    /// Records one attempt.
    func record(
        _ endpoint: AppStoreServerEndpoint, _ environment: AppStore.Environment, attempt: Int, milliseconds: Int64,
        error: AppStoreServerError?
    ) {
        let place = [("endpoint", endpoint.rawValue), ("environment", environment.rawValue)]
        let outcome = error?.code.rawValue ?? "ok"
        Counter(
            label: "storekeeper_app_store_requests_total", dimensions: place + [("outcome", outcome)], factory: metrics
        ).increment()
        if attempt > 1 {
            Counter(
                label: "storekeeper_app_store_retries_total", dimensions: [("endpoint", endpoint.rawValue)],
                factory: metrics
            ).increment()
        }
        Timer(
            label: "storekeeper_app_store_request_duration_seconds", dimensions: place,
            preferredDisplayUnit: .seconds, factory: metrics
        ).recordMilliseconds(max(milliseconds, 0))
        logger.debug(
            "request to the App Store",
            metadata: [
                "endpoint": "\(endpoint.rawValue)", "environment": "\(environment.rawValue)", "attempt": "\(attempt)",
                "milliseconds": "\(milliseconds)", "outcome": "\(outcome)",
                "code": error?.apiCode.map { "\($0.rawValue)" } ?? "none",
            ])
    }

    /// Runs a closure, within a span if a tracer is set.
    func spanning<Value>(
        _ endpoint: AppStoreServerEndpoint, _ environment: AppStore.Environment, _ work: () async throws -> Value
    ) async throws -> Value {
        guard let tracer else { return try await work() }
        let span = tracer.startAnySpan(
            "App Store \(endpoint.rawValue)", context: ServiceContext.current ?? .topLevel, ofKind: .client)
        span.attributes["storekeeper.environment"] = environment.rawValue
        defer { span.end() }
        do {
            return try await ServiceContext.$current.withValue(span.context) { try await work() }
        } catch {
            let code = (error as? AppStoreServerError)?.code.rawValue ?? "cancelled"
            span.setStatus(SpanStatus(code: .error))
            span.attributes["storekeeper.error"] = code
            throw error
        }
    }
}
