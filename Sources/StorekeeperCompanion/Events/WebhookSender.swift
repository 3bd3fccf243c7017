public import Logging
public import Storekeeper
public import StorekeeperAppStore

/// Posts the events of a vault to endpoints; it signs each message, retries failures, and preserves each customer's
/// order.
///
/// The messages contain the events of the event stream. Each message is posted at least once, with the same id in each
/// attempt, until the receiver accepts it with a status from 200 to 299. A message that has failed for longer than
/// ``WebhookEndpoint/givesUpAfter`` is parked, which means that it is posted again only on request. A failure delays
/// the later events of the same customer, but not the events of other customers. The status 410 stops all deliveries to
/// the endpoint until they are resumed.
///
/// Processes that share a vault divide the customers among themselves by leases. When a process has died and its leases
/// have ended, other processes serve its customers.
public final class WebhookSender: Sendable {
    private let deliveries: [WebhookDelivery]
    private let pool: StorePool
    private let logger: Logger
    /// Signals that events may be ready to be queued or posted.
    private let work = ChangeSignal()

    /// Creates a sender, which does nothing until it runs.
    ///
    /// - Parameters:
    ///   - endpoints: The endpoints, each with its own name.
    ///   - pool: The pool with the vault that contains the events; the pool must also run.
    ///   - transport: Returns the transport to an endpoint; the transport must not follow redirects.
    ///   - backoff: The waits between attempts.
    ///   - logger: Receives failures; no line names a customer.
    ///   - clock: The clock.
    /// - Throws: ``WebhookEndpointFault`` if two endpoints have the same name.
    public init(
        _ endpoints: [WebhookEndpoint], pool: StorePool,
        transport: (WebhookEndpoint) -> any HTTPTransport,
        backoff: Backoff = Backoff(first: .seconds(5), longest: .seconds(3_600)), logger: Logger,
        clock: any StoreClock = WallClock()
    ) throws(WebhookEndpointFault) {
        var names: Set<String> = []
        for endpoint in endpoints where !names.insert(endpoint.name).inserted {
            throw WebhookEndpointFault("two webhooks are named '\(endpoint.name)'; give each a different name")
        }
        self.pool = pool
        self.logger = logger
        var random = SystemRandomNumberGenerator()
        // A lease lasts longer than any attempt, so that no lease ends during an attempt.
        let longest = (endpoints.map(\.timeout).max() ?? .zero) * 2
        let lease = WakeLease(
            node: pool.wakeLease?.node ?? StepID(using: &random).description,
            duration: longest + .seconds(5))
        let parts = WebhookDelivery.Parts(lease: lease, backoff: backoff, logger: logger, clock: clock, work: work)
        deliveries = endpoints.map { endpoint in
            WebhookDelivery(to: endpoint, transport: transport(endpoint), parts: parts)
        }
    }

    /// The endpoints.
    package var endpoints: [WebhookEndpoint] { deliveries.map(\.endpoint) }

    /// Signals that a command has changed the messages to be delivered.
    func wake() { work.send() }

    /// Posts events until the task is cancelled.
    public func run() async {
        await withDiscardingTaskGroup { group in
            for delivery in deliveries { group.addTask { [vault = pool.vault] in await delivery.run(vault) } }
            group.addTask { [work, written = pool.written] in
                var seen = written.count
                while !Task.isCancelled {
                    await written.wait(after: seen)
                    seen = written.count
                    work.send()
                }
            }
        }
    }
}
