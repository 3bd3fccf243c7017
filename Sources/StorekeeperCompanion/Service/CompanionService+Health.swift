import CoreMetrics
import Hummingbird
import NIOCore
import Storekeeper

/// How the service is, for those who watch it.
extension CompanionService {
    /// What was counted in this process.
    func told() async throws -> Response {
        guard let metrics else { throw Problem.notFound }
        gauge("storekeeper.vault.writes.waiting", state.writes)
        gauge("storekeeper.streams", state.streams)
        gauge("storekeeper.vault.ready", try await fault() == nil ? 1 : 0)
        gauge("storekeeper.vault.parked", try await parkedCount())
        return Response(
            status: .ok, headers: [.contentType: PrometheusMetrics.contentType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text)))
    }

    private func gauge(_ label: String, _ value: Int) { Gauge(label: label).record(Double(value)) }

    private static let parkedPage = 1_000

    /// How much is parked; of more than a page of it as much as a page holds, so that asking stays cheap.
    private func parkedCount() async throws -> Int {
        try await pool.vault.parked(after: .start, limit: Self.parkedPage).rows.count
    }

    /// Whether questions can be answered and what comes can be written.
    func ready() async throws -> Response {
        if let fault = try await fault() {
            throw Problem(503, "notReady", "The vault cannot be used now", fault)
        }
        return Self.json(
            .object(["status": .string("ready"), "lastNotification": .time(state.lastNotification)]))
    }

    /// Why the vault cannot be used as it should; `nil` where it can.
    private func fault() async throws -> String? {
        if let fault = storageFault() { return fault }
        _ = try await pool.vault.nextWake()
        guard state.writeFailure != nil else { return nil }
        // Nobody writes to a node that is not ready: whether it could, it has to find out by itself.
        do throws(VaultError) {
            try await pool.vault.setCursor(
                UpdateCursor(rawValue: String(clock.now.millisecondsSince1970)), of: "storekeeper.ready")
            state.noteWrite(failure: nil)
            return nil
        } catch {
            return "the last write failed; the log says why"
        }
    }

    /// Notes that something is written, and what came of it.
    func written<Value>(_ work: () async throws -> Value) async throws -> Value {
        state.beginWrite()
        defer { state.endWrite() }
        do {
            let value = try await work()
            state.noteWrite(failure: nil)
            return value
        } catch let error as VaultError {
            state.noteWrite(failure: error)
            throw error
        }
    }
}
