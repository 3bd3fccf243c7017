import Foundation
import Logging
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import Testing

@testable import StorekeeperCLI
@testable import StorekeeperCompanion

/// A process that posts the events of a vault.
struct WebhookNode {
    let sender: WebhookSender
    private let transport: AsyncHTTPTransport

    static let secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"

    /// - Parameters:
    ///   - lease: The duration of the leases, at least twice the time limit of an attempt.
    ///   - backoff: The waits between attempts.
    init(
        _ name: String, over vault: any TransactionalVault, to endpoints: WebhookEndpoint...,
        backoff: Backoff = Self.backoff(),
        clock: any StoreClock = WallClock()
    ) throws {
        let pool = StorePool(
            configuration: .init(wakeLease: WakeLease(node: name, duration: .seconds(2))), vault: vault,
            verifier: RefusingVerifier(environments: [.production]))
        let transport = try AsyncHTTPTransport(
            .init(requestTimeout: endpoints.map(\.timeout).max() ?? .seconds(5)))
        self.transport = transport
        sender = try WebhookSender(
            endpoints, pool: pool, transport: { _ in transport }, backoff: backoff,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, clock: clock)
    }

    static func backoff(seed: UInt64 = 1) -> Backoff {
        Backoff(first: .milliseconds(20), longest: .milliseconds(200), seed: seed)
    }

    static func endpoint(
        _ url: String, name: String = "billing", timeout: Duration = .seconds(5),
        givesUpAfter: Duration = .seconds(3_600)
    ) throws -> WebhookEndpoint {
        try WebhookEndpoint(
            name: name, url: url, secrets: try WebhookSecrets([secret]), timeout: timeout, givesUpAfter: givesUpAfter)
    }

    /// Runs nodes while a body runs.
    static func running(_ nodes: [WebhookNode], _ body: () async throws -> Void) async throws {
        let result: Result<Void, any Error>
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for node in nodes { group.addTask { await node.sender.run() } }
                try await body()
                group.cancelAll()
                try await group.waitForAll()
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        for node in nodes { try await node.transport.close() }
        try result.get()
    }
}

extension TransactionalVault {
    /// Registers a webhook that posts all events from the first one on.
    func beginWebhook(_ name: String = "billing") async throws {
        try await changeWebhook(name, of: [], isWhole: true) { step in step.begin(after: .start) }
    }

    /// Writes an event about each of the customers, in turn.
    @discardableResult
    func writeEvents(about customers: [CustomerID]) async throws -> [StoreEvent] {
        var events: [StoreEvent] = []
        let never = StoreEvent.Answer(word: "never", reason: "noPurchase")
        for (number, customer) in customers.enumerated() {
            let change = StoreEvent.Change(
                at: Instant(clamped: 1_800_000_000_000 + Int64(number)), subject: .feature("f"), before: never,
                after: StoreEvent.Answer(word: "entitled", reason: "active", productID: "p"))
            let version = try await version(of: customer).version
            let outcome = try await commit(
                CommitBatch(customer: customer, at: change.at, expectedVersion: version, events: [change]))
            guard case .committed(let receipt) = outcome else { throw CancellationError() }
            events += receipt.events
        }
        return events
    }
}
