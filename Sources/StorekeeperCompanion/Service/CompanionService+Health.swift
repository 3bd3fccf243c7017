import Hummingbird
import Logging
import Storekeeper

/// The routes for the service's health.
extension CompanionService {
    /// Logs a failure inside the service, unless many failures were logged shortly before.
    ///
    /// While the vault is unavailable, every request fails for the same reason. The next logged line contains the
    /// number of omitted lines.
    func logFailure(_ text: String, _ logger: @autoclosure () -> Logger) {
        guard logLimits.wait(ofKey: "failures in the log", perSecond: 0.2, burst: 20) == nil else {
            return state.omitFailure()
        }
        let omitted = state.takeOmittedFailures()
        logger().error("\(text)", metadata: omitted > 0 ? ["omitted": "\(omitted)"] : nil)
    }

    /// Responds with the service's readiness: whether the vault can be read and written, and whether the node hears the
    /// writes of other nodes.
    func ready() async throws -> Response {
        if let fault = try await fault() {
            throw Problem(.notReady, fault)
        }
        return Self.json(
            .object(["status": .string("ready"), "lastNotification": .time(state.lastNotification)]))
    }

    /// Returns the reason why the vault is not usable, or why answers from memory may be too old; `nil` if the node is
    /// ready.
    func fault() async throws -> String? {
        if let fault = configuration.storageFault() { return fault }
        if let age = pool.excessiveAge {
            return "this node does not hear the writes of other nodes; the customers in its memory are "
                + "\(Int64(age / .seconds(1))) s old, so it reads the vault before each answer"
        }
        _ = try await pool.vault.nextWake()
        guard state.writeFailure != nil else { return nil }
        // A node that is not ready receives no requests that write, so it must itself write something to find out
        // whether writes work again.
        do throws(VaultError) {
            try await pool.vault.setCursor(
                UpdateCursor(rawValue: String(clock.now.millisecondsSince1970)), of: "storekeeper.ready")
            state.countWrite(failure: nil)
            return nil
        } catch {
            return "the last write failed; the log says why"
        }
    }

    /// Performs a write, and records in the service's state whether it succeeded.
    func written<Value>(_ work: () async throws -> Value) async throws -> Value {
        state.beginWrite()
        defer { state.endWrite() }
        do {
            let value = try await work()
            state.countWrite(failure: nil)
            return value
        } catch let error as VaultError {
            state.countWrite(failure: error)
            throw error
        }
    }
}
