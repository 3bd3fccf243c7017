import CoreMetrics
import Logging
import Storekeeper
import StorekeeperAppStore
import Synchronization

/// Posts the events of a vault to one endpoint.
///
/// A delivery works in rounds. A round queues the next events of the feed for their customers, leases customers that
/// have a due event, and posts the events of these customers. The events of one customer are posted one after another.
final class WebhookDelivery: Sendable {
    /// The objects that all deliveries of a process share.
    struct Parts: Sendable {
        let lease: WakeLease
        let backoff: Backoff
        let logger: Logger
        let clock: any StoreClock
        /// The signal that events may be waiting to be queued or posted.
        let work: ChangeSignal
    }

    /// The maximum number of attempts at one time.
    private static let concurrency = 16
    /// The maximum number of events that are queued in one atomic write, which locks their customers.
    private static let pageSize = 100
    /// The number of customers that are listed together.
    private static let wakePage = 64
    /// The longest pause between rounds, in milliseconds; it is short because a command of another process sends no
    /// signal.
    private static let longestPause: Int64 = 5_000
    /// The time without an accepted message after which an accepted message shows that the receiver works again, in
    /// milliseconds.
    private static let outage: Int64 = 30_000

    let endpoint: WebhookEndpoint
    private let transport: any HTTPTransport
    private let parts: Parts
    /// The customers with events that this process is posting.
    private let busy = Mutex<Set<CustomerID>>([])
    /// When the receiver last accepted a message of this process; `nil` if it has accepted none.
    private let acceptedAt = Mutex<Instant?>(nil)
    /// The customers whose next attempt the receiver has postponed with `Retry-After`, and until when.
    private let postponed = Mutex<[CustomerID: Instant]>([:])

    init(to endpoint: WebhookEndpoint, transport: any HTTPTransport, parts: Parts) {
        self.endpoint = endpoint
        self.transport = transport
        self.parts = parts
    }

    private var name: String { endpoint.name }
    private var now: Instant { parts.clock.now }

    /// Posts events until the task is cancelled.
    func run(_ vault: any TransactionalVault) async {
        // Each counter is present before it counts anything, so that a first increase is visible.
        for outcome in [WebhookAttempt.Outcome.delivered, .failed, .parked, .gone] { _ = attempts(outcome) }
        var hasBegun = false
        var schedule = BackoffSchedule(parts.backoff, salt: .webhook)
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let seen = parts.work.count
                do throws(VaultError) {
                    if !hasBegun { try await begin(in: vault) }
                    hasBegun = true
                    let isMore = try await queuePage(in: vault)
                    let (taken, next) = try await take(from: vault)
                    for queue in taken { group.addTask { await self.deliver(queue, from: vault) } }
                    schedule = BackoffSchedule(parts.backoff, salt: .webhook)
                    if isMore, hasRoom { continue }
                    let latest = now.adding(milliseconds: Self.longestPause)
                    try? await parts.clock.wait(
                        for: parts.work, after: seen, until: min(next ?? latest, latest))
                } catch {
                    report(error)
                    try? await parts.clock.wait(until: now.adding(milliseconds: schedule.fail()))
                }
            }
        }
    }

    private var hasRoom: Bool { busy.withLock { $0.count } < Self.concurrency }

    private func report(_ error: VaultError) {
        parts.logger.error("the vault failed: \(error)", metadata: ["webhook": "\(name)"])
    }

    // MARK: Queueing

    /// Adds the webhook to the vault, so that deliveries begin after the newest event; does nothing if the vault
    /// already has the webhook.
    private func begin(in vault: any TransactionalVault) async throws(VaultError) {
        guard try await vault.webhookState(of: name) == nil else { return }
        let newest = try await FeedCursor.newest(in: vault).place
        try await vault.changeWebhook(name, of: [], isWhole: true) { step in step.begin(after: newest) }
    }

    /// Queues the next page of the feed.
    ///
    /// - Returns: Whether the feed may have another page.
    private func queuePage(in vault: any TransactionalVault) async throws(VaultError) -> Bool {
        let epoch = vault.feedEpoch
        guard let state = try await vault.webhookState(of: name), state.pause == nil else { return false }
        let events = try await vault.events(after: state.queuedThrough, of: nil, limit: Self.pageSize)
        guard !events.isEmpty else { return false }
        let rows = events.map { (customer: $0.customer, place: $0.place) }
        let (customers, now) = (Set(rows.map(\.customer)).sorted(), now)
        _ = try await vault.changeWebhook(name, of: customers, isWhole: true) { step -> Bool in
            // If a standby has replaced the server meanwhile, the places may belong to other events.
            guard vault.feedEpoch == epoch else { return false }
            return step.queue(rows, after: state.queuedThrough, at: now)
        }
        return events.count == Self.pageSize
    }

    // MARK: Leasing

    /// Leases customers that have a due event, up to the number that this process can serve.
    ///
    /// - Returns: The queues of the leased customers, and the instant at which the next customer is due.
    private func take(
        from vault: any TransactionalVault
    ) async throws(VaultError) -> (taken: [WebhookQueue], next: Instant?) {
        let now = now
        let (customers, next) = try await due(in: vault, at: now)
        guard !customers.isEmpty else { return ([], next) }
        busy.withLock { $0.formUnion(customers) }
        var taken: [WebhookQueue] = []
        defer {
            let rest = Set(customers).subtracting(taken.map(\.customer))
            busy.withLock { $0.subtract(rest) }
        }
        let lease = parts.lease
        taken = try await vault.changeWebhook(name, of: customers, isWhole: false) { step in
            step.take(customers, lease, at: now)
        }
        return (taken, next)
    }

    /// Returns customers that have a due event and no lease of another process, and the instant at which the next
    /// customer is due.
    private func due(
        in vault: any TransactionalVault, at now: Instant
    ) async throws(VaultError) -> (customers: [CustomerID], next: Instant?) {
        let busy = busy.withLock { $0 }
        var (found, next, last) = ([CustomerID](), Instant?.none, WakeRow?.none)
        while busy.count + found.count < Self.concurrency {
            let page = try await vault.webhookWakes(of: name, after: last, limit: Self.wakePage)
            for row in page where !busy.contains(row.customer) && busy.count + found.count < Self.concurrency {
                var search = WakeSearch(parts.lease, at: now)
                switch search.examine(at: [row], isLast: true) {
                case .announce: found.append(row.customer)
                case .wait(let instant): next = [next, instant].compactMap(\.self).min()
                case nil: break
                }
                // The rows are sorted by time, so no customer in a following row is due.
                if row.at > now { return (found, next) }
            }
            guard page.count == Self.wakePage else { break }
            last = page.last
        }
        return (found, next)
    }

    // MARK: Posting

    /// Posts a customer's events one after another, until an event fails or no event is left.
    private func deliver(_ first: WebhookQueue, from vault: any TransactionalVault) async {
        defer {
            busy.withLock { _ = $0.remove(first.customer) }
            parts.work.send()
        }
        var queue = Optional(first)
        do throws(VaultError) {
            while let present = queue { queue = try await step(present, in: vault) }
        } catch {
            report(error)
            // The lease is not released, so that this process can use the lease again after the wait.
            try? await parts.clock.wait(until: now.advanced(by: parts.backoff.first))
        }
    }

    /// Posts the next event of a customer, and records the result.
    ///
    /// - Returns: The queue to continue with, if this process still has the lease.
    private func step(
        _ queue: WebhookQueue, in vault: any TransactionalVault
    ) async throws(VaultError) -> WebhookQueue? {
        let next = try await vault.events(after: queue.deliveredThrough, of: queue.customer, limit: 1).first
        guard let event = next, !event.place.isAfter(queue.queuedThrough) else {
            // The queue has no event left: the events were erased, or a replay was requested from a position after the
            // last event.
            return try await record(nil, of: queue, through: queue.queuedThrough, as: .done, in: vault)
        }
        guard !Task.isCancelled, let (attempt, reply) = await attempt(event, queue) else {
            return try await record(nil, of: queue, through: event.place, as: .kept, in: vault)
        }
        let following = try await record(
            attempt, of: queue, through: event.place, as: progress(of: attempt, reply, queue), in: vault)
        if attempt.outcome == .gone {
            let now = now
            try await vault.changeWebhook(name, of: [], isWhole: true) { step in
                step.pause(because: "the receiver answered with status 410", at: now)
            }
        }
        note(attempt)
        if attempt.outcome == .delivered { try await retryAfterOutage(in: vault) }
        return following
    }

    /// Posts the messages that have failed in an outage without a wait if the receiver has accepted its first message
    /// after the outage.
    ///
    /// A message that had failed before keeps its waits: the receiver has accepted another message since, so that it is
    /// the message that the receiver does not accept.
    private func retryAfterOutage(in vault: any TransactionalVault) async throws(VaultError) {
        let now = now
        let previous = acceptedAt.withLock { accepted in
            defer { accepted = now }
            return accepted
        }
        if let previous, now.milliseconds(since: previous) < Self.outage { return }
        let spared = postponed.withLock { postponed in
            postponed = postponed.filter { $0.value > now }
            return Set(postponed.keys)
        }
        do throws(VaultError) {
            _ = try await vault.retryWebhook(name, at: now, failingSince: previous ?? .distantPast, except: spared)
        } catch {
            // The next accepted message is then the first one after the outage.
            acceptedAt.withLock { $0 = previous }
            throw error
        }
    }

    private func record(
        _ attempt: WebhookAttempt?, of queue: WebhookQueue, through place: FeedPlace,
        as progress: WebhookStep.Progress, in vault: any TransactionalVault
    ) async throws(VaultError) -> WebhookQueue? {
        let (lease, now) = (parts.lease, now)
        return try await vault.changeWebhook(name, of: [queue.customer], isWhole: false) { step in
            step.record(attempt, of: queue, through: place, as: progress, lease, at: now)
        }
    }

    /// Posts an event.
    ///
    /// - Returns: `nil` if the task was cancelled.
    private func attempt(
        _ event: StoreEvent, _ queue: WebhookQueue
    ) async -> (attempt: WebhookAttempt, reply: WebhookReply)? {
        let (message, began) = (WebhookMessage(event), now)
        let request = message.request(to: endpoint.url, secrets: endpoint.secrets, at: began)
        let transport = transport
        var reply: WebhookReply
        do {
            let response = try await parts.clock.within(endpoint.timeout) { try await transport.send(request) }
            reply = WebhookReply(response, at: now)
        } catch {
            if Task.isCancelled { return nil }
            reply = WebhookReply(error)
        }
        if reply.outcome == .failed,
            now.milliseconds(since: queue.failingSince ?? began) >= endpoint.givesUpAfter.milliseconds
        {
            reply.outcome = .parked
        }
        let attempt = WebhookAttempt(
            webhook: name, place: WebhookAttempt.Place(at: began, number: .random(in: 0...Int64.max)),
            customer: queue.customer, event: event.place, messageID: message.id, number: queue.failures + 1,
            milliseconds: max(now.milliseconds(since: began), 0), outcome: reply.outcome, status: reply.status,
            problem: reply.problem)
        return (attempt, reply)
    }

    /// Returns the next state of a message.
    ///
    /// If the receiver asks for a longer wait than the backoff, the message waits until the instant that the receiver
    /// names.
    private func progress(
        of attempt: WebhookAttempt, _ reply: WebhookReply, _ queue: WebhookQueue
    ) -> WebhookStep.Progress {
        postponed.withLock { $0[attempt.customer] = nil }
        switch attempt.outcome {
        case .delivered: return .done
        case .parked: return .parked
        case .gone: return .kept
        case .failed:
            var schedule = BackoffSchedule(
                parts.backoff, salt: .webhook, number: UInt64(bitPattern: attempt.event.number), after: queue.failures)
            let next = now.adding(milliseconds: schedule.fail())
            guard let asked = reply.retryAt, asked > next else { return .retry(at: next) }
            postponed.withLock { $0[attempt.customer] = asked }
            return .retry(at: asked)
        }
    }

    /// The counter of the attempts with an outcome.
    private func attempts(_ outcome: WebhookAttempt.Outcome) -> Counter {
        Counter(label: "storekeeper.webhook.attempts", dimensions: [("webhook", name), ("outcome", outcome.rawValue)])
    }

    /// Counts an attempt, and logs a failure without the customer's id.
    private func note(_ attempt: WebhookAttempt) {
        attempts(attempt.outcome).increment()
        Timer(label: "storekeeper.webhook.attempt", dimensions: [("webhook", name)])
            .recordMilliseconds(attempt.milliseconds)
        guard let problem = attempt.problem else { return }
        let metadata: Logger.Metadata = [
            "webhook": "\(name)", "message": "\(attempt.messageID)", "attempt": "\(attempt.number)",
        ]
        switch attempt.outcome {
        case .delivered: break
        case .failed:
            parts.logger.log(
                level: attempt.number == 1 ? .warning : .info, "a webhook failed: \(problem)", metadata: metadata)
        case .parked:
            parts.logger.error(
                "a webhook was parked: \(problem); repair the receiver, then use 'storekeeper vault webhooks replay'",
                metadata: metadata)
        case .gone:
            parts.logger.error(
                "webhooks are stopped: \(problem); use 'storekeeper vault webhooks resume' if it should receive them",
                metadata: metadata)
        }
    }
}
