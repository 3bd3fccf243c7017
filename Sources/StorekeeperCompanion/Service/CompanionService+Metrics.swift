import CoreMetrics
import FoundationEssentials
import Hummingbird
import NIOCore
import Storekeeper

/// The route for the service's metrics.
extension CompanionService {
    /// The time for which a response waits for the vault, shorter than the time limit of a collector.
    private static let patience = Duration.seconds(2)
    private static let parkedPage = 1_000

    /// Responds with the metrics of this process, even if the vault cannot be read.
    func metricsResponse() async throws -> Response {
        guard let metrics = configuration.metrics else { throw Problem.notFound }
        ServiceState.makeCounters()
        gauge("storekeeper.vault.writes.waiting", state.writes)
        gauge("storekeeper.streams", state.streams)
        gauge("storekeeper.stores", pool.count)
        if let use = pool.vault.connectionUse {
            gauge("storekeeper.vault.connections.busy", use.busy)
            gauge("storekeeper.vault.connections.waiting", use.waiting)
        }
        if pool.vault.sharing != nil {
            let since = pool.subscribedSince
            gauge("storekeeper.vault.subscribed", since == nil || pool.excessiveAge != nil ? 0 : 1)
            let age = since.map { pool.clock.now.milliseconds(since: $0) } ?? 0
            gauge("storekeeper.vault.subscription.age.seconds", seconds: Double(age) / 1000)
        }
        measureProcess()
        await measureVault()
        return Response(
            status: .ok, headers: [.contentType: PrometheusMetrics.contentType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text)))
    }

    private func gauge(_ label: String, _ value: Int) { Gauge(label: label).record(Double(value)) }
    private func gauge(_ label: String, seconds: Double) { Gauge(label: label).record(seconds) }

    // MARK: The vault

    /// Measures the vault, and waits for the result at most for ``patience``.
    ///
    /// A call to a database that hangs cannot be cancelled. Its task therefore goes on after the response, and only one
    /// such task runs at a time.
    private func measureVault() async {
        let seen = state.measured.count
        if state.beginMeasuring() {
            Task {
                await readVault()
                state.endMeasuring()
            }
        }
        let clock = WallClock()
        try? await clock.wait(for: state.measured, after: seen, until: clock.now.advanced(by: Self.patience))
        if state.measured.count == seen { gauge("storekeeper.vault.ready", 0) }
    }

    /// Reads the vault; the numbers of an earlier reading stay if the vault cannot be read.
    private func readVault() async {
        let start = ContinuousClock.now
        do {
            _ = try await pool.vault.nextWake()
            gauge("storekeeper.vault.latency.seconds", seconds: (ContinuousClock.now - start) / .seconds(1))
            gauge("storekeeper.vault.ready", try await fault() == nil ? 1 : 0)
            // The number is at most the size of one page of the list, so that the request stays cheap.
            gauge(
                "storekeeper.vault.parked",
                try await pool.vault.parked(after: .start, limit: Self.parkedPage).rows.count)
            try await countWebhooks()
        } catch {
            gauge("storekeeper.vault.ready", 0)
        }
    }

    // MARK: The process

    /// Measures the memory and the open files of this process, by Prometheus' names for them; does nothing on a system
    /// without `/proc`.
    private func measureProcess() {
        if let status = try? Data(contentsOf: URL(filePath: "/proc/self/status")) {
            let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
            // The line is like 'VmRSS:    12345 kB'.
            let words = lines.first { $0.hasPrefix("VmRSS:") }?.split(whereSeparator: \.isWhitespace) ?? []
            if let kilobytes = words.dropFirst().first.flatMap({ Int($0) }) {
                gauge("process.resident.memory.bytes", kilobytes * 1024)
            }
        }
        if let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            gauge("process.open.fds", files.count)
        }
    }
}
