import InMemoryTracing
import Logging
import Metrics
import Storekeeper
import StorekeeperTesting
import Synchronization
import Testing
import Tracing

@testable import StorekeeperAppStore

@Suite("Logs, metrics and traces of a client") struct TelemetryTests {
    /// Records log lines and metrics.
    final class TelemetryRecorder: Sendable {
        let lines = Mutex<[(level: Logger.Level, text: String)]>([])
        let counted = Mutex<[String]>([])
    }

    struct Handler: LogHandler {
        let notes: TelemetryRecorder
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            notes.lines.withLock { $0.append((event.level, "\(event.message) \(metadata.joined(separator: " "))")) }
        }
    }

    /// Makes meters that record each update.
    final class Factory: MetricsFactory {
        let notes: TelemetryRecorder
        init(_ notes: TelemetryRecorder) { self.notes = notes }

        final class Meter: CounterHandler, RecorderHandler, TimerHandler {
            let name: String
            let notes: TelemetryRecorder
            init(_ name: String, _ notes: TelemetryRecorder) { (self.name, self.notes) = (name, notes) }
            func increment(by amount: Int64) { notes.counted.withLock { $0.append(name) } }
            func reset() {}
            func record(_ value: Int64) {}
            func record(_ value: Double) {}
            func recordNanoseconds(_ duration: Int64) { notes.counted.withLock { $0.append(name) } }
        }

        private func meter(_ label: String, _ dimensions: [(String, String)]) -> Meter {
            Meter(([label] + dimensions.map { "\($0.0)=\($0.1)" }).joined(separator: " "), notes)
        }

        func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
            meter(label, dimensions)
        }
        func makeRecorder(
            label: String, dimensions: [(String, String)], aggregate: Bool
        ) -> any RecorderHandler { meter(label, dimensions) }
        func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { meter(label, dimensions) }
        func destroyCounter(_ handler: any CounterHandler) {}
        func destroyRecorder(_ handler: any RecorderHandler) {}
        func destroyTimer(_ handler: any TimerHandler) {}
    }

    @Test("Attempts are counted and logged, without tokens, ids or signed texts") func attempts() async throws {
        let notes = TelemetryRecorder()
        let telemetry = ClientTelemetry(
            logger: Logger(label: "test", factory: { _ in Handler(notes: notes) }), metrics: Factory(notes))
        let draft = TransactionDraft.purchase(of: TestShop.coins, at: .day(0), id: "70002")
        let tokens = try await Fixture.withClient(
            telemetry: telemetry,
            serving: { _, count in
                count == 0 ? .answer(503) : .json(#"{"signedTransactionInfo":"\#(draft.jws)"}"#)
            }
        ) { client, server in
            _ = try await client.transaction("70002")
            return server.requests.compactMap { $0.fields["authorization"]?.dropFirst("Bearer ".count) }
        }
        let lines = notes.lines.withLock { $0 }
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.level == .debug })
        for line in lines.map(\.text) {
            #expect(line.contains("endpoint=transactionInfo"))
            #expect(!line.contains("70002") && !line.contains(draft.jws))
            #expect(tokens.allSatisfy { !line.contains($0) })
        }
        let place = "endpoint=transactionInfo environment=Production"
        #expect(
            notes.counted.withLock { $0 } == [
                "storekeeper_app_store_requests_total \(place) outcome=serverFailure",
                "storekeeper_app_store_request_duration_seconds \(place)",
                "storekeeper_app_store_requests_total \(place) outcome=ok",
                "storekeeper_app_store_retries_total endpoint=transactionInfo",
                "storekeeper_app_store_request_duration_seconds \(place)",
            ])
    }

    @Test("A call is one span, regardless of the number of attempts, and records its error") func spans() async throws {
        let tracer = InMemoryTracer()
        let draft = TransactionDraft.purchase(of: TestShop.coins, at: .day(0), id: "70002")
        try await Fixture.withClient(
            telemetry: ClientTelemetry(tracer: tracer),
            serving: { _, count in
                switch count {
                case 0: .answer(503)
                case 1: .json(#"{"signedTransactionInfo":"\#(draft.jws)"}"#)
                default: .answer(401)
                }
            }
        ) { client, _ in
            try await tracer.withAnySpan("a request of the game") { _ in _ = try await client.transaction("70002") }
            await #expect(throws: AppStoreServerError.self) { _ = try await client.transaction("70002") }
        }
        let spans = tracer.finishedSpans
        #expect(tracer.activeSpans.isEmpty)
        try #require(
            spans.map(\.operationName) == [
                "App Store transactionInfo", "a request of the game", "App Store transactionInfo",
            ])
        #expect(spans[0].parentSpanID == spans[1].spanID && spans[2].parentSpanID == nil)
        #expect(spans[0].kind == .client && spans[0].status == nil)
        #expect(spans[0].attributes["storekeeper.environment"]?.toSpanAttribute() == .string("Production"))
        #expect(spans[2].status?.code == .error)
        #expect(spans[2].attributes["storekeeper.error"]?.toSpanAttribute() == .string("unauthorized"))
        for span in spans {
            span.attributes.forEach { _, value in #expect(!"\(value)".contains("70002")) }
        }
    }
}
