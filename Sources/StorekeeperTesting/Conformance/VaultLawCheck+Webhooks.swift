import Storekeeper

extension VaultLawCheck {
    static var webhookChecks: [VaultCheck<Tested>] {
        [
            VaultCheck("events are queued for a webhook once, and delivered in the order of their customer") {
                try await $0.queuedEvents()
            },
            VaultCheck("a failure delays the events of its customer and no others") { try await $0.failedMessage() },
            VaultCheck("each node receives different customers of a webhook, until its lease ends") {
                try await $0.leasedQueues()
            },
            VaultCheck("events are delivered again from a place on, also while a later one is posted") {
                try await $0.replayedEvents()
            },
            VaultCheck("attempts and parked messages are listed page by page") { try await $0.webhookLog() },
            VaultCheck("a stopped webhook delivers nothing until it is resumed") { try await $0.stoppedWebhook() },
            VaultCheck("an erasure removes what webhooks keep of the customer") { try await $0.webhookErasure() },
        ]
    }

    private static var name: String { "billing" }
    private static func lease(_ node: String) -> WakeLease { WakeLease(node: node, duration: .seconds(60)) }
    private static func later(_ seconds: Int64) -> Instant { Instant.day(10).adding(milliseconds: seconds * 1_000) }

    /// Writes events about a customer, and returns the events.
    private func write(_ count: Int, about customer: CustomerID) async throws -> [StoreEvent] {
        let version = try await vault.version(of: customer).version
        let changes = (0..<count).map { VaultShop.event("badge", at: .day(Int($0))) }
        return try await commit(
            CommitBatch(customer: customer, at: .day(1), expectedVersion: version, events: changes)
        ).events
    }

    /// Queues all events that are not queued yet.
    @discardableResult
    private func queueAll(at now: Instant) async throws -> Bool {
        let start = try await vault.webhookState(of: Self.name)?.queuedThrough ?? .start
        let events = try await vault.events(after: start, of: nil, limit: 1_000)
        let rows = events.map { (customer: $0.customer, place: $0.place) }
        return try await vault.changeWebhook(Self.name, of: Set(rows.map(\.customer)).sorted(), isWhole: true) {
            step in step.queue(rows, after: start, at: now)
        }
    }

    private func begin() async throws {
        try await vault.changeWebhook(Self.name, of: [], isWhole: true) { step in step.begin(after: .start) }
    }

    private func take(
        _ customers: [CustomerID], _ node: String = "a", at now: Instant
    ) async throws -> [WebhookQueue] {
        try await vault.changeWebhook(Self.name, of: customers, isWhole: false) { step in
            step.take(customers, Self.lease(node), at: now)
        }
    }

    private func record(
        _ queue: WebhookQueue, _ event: StoreEvent, _ progress: WebhookStep.Progress,
        _ node: String = "a", at now: Instant, number: Int64 = 1
    ) async throws -> WebhookQueue? {
        let outcome: WebhookAttempt.Outcome =
            switch progress {
            case .done: .delivered
            case .retry: .failed
            case .parked: .parked
            case .kept: .gone
            }
        let attempt = WebhookAttempt(
            webhook: Self.name, place: WebhookAttempt.Place(at: now, number: number), customer: event.customer,
            event: event.place, messageID: "\(event.place)-0123456789abcdef", number: queue.failures + 1,
            milliseconds: 12, outcome: outcome, status: outcome == .delivered ? 200 : 500,
            problem: outcome == .delivered ? nil : "it failed")
        return try await vault.changeWebhook(Self.name, of: [event.customer], isWhole: false) { step in
            step.record(attempt, of: queue, through: event.place, as: progress, Self.lease(node), at: now)
        }
    }

    func queuedEvents() async throws {
        let own = try await write(2, about: "anna")
        expect(try await vault.webhookState(of: Self.name), is: nil, "the state of an unknown webhook")
        try await begin()
        try await begin()
        expect(try await queueAll(at: Self.later(0)), "events were not queued")
        expect(try await queueAll(at: Self.later(0)), is: false, "whether events are queued twice")
        let state = try await vault.webhookState(of: Self.name)
        expect(state?.queuedThrough, is: own[1].place, "the place up to which events were queued")
        var rows = try await vault.webhookWakes(of: Self.name, after: nil, limit: 10)
        expect(rows, is: [WakeRow(customer: "anna", at: Self.later(0), hold: nil)], "the customers who are due")
        guard let first = try await take(["anna"], at: Self.later(0)).first else {
            throw ConformanceFailure("a customer who is due could not be leased")
        }
        expect(first.deliveredThrough, is: .start, "where the events of the customer begin")
        expect(first.queuedThrough, is: own[1].place, "where the events of the customer end")
        let second = try await record(first, own[0], .done, at: Self.later(1))
        expect(second?.deliveredThrough, is: own[0].place, "where the customer's events continue")
        // Another event is queued while the customer's last event is being delivered.
        let more = try await write(1, about: "anna")
        try await queueAll(at: Self.later(2))
        guard let second, let third = try await record(second, own[1], .done, at: Self.later(3)) else {
            throw ConformanceFailure("an event that arrived during a delivery is not delivered")
        }
        expect(third.queuedThrough, is: more[0].place, "the new end of the customer's events")
        expect(
            try await record(third, more[0], .done, at: Self.later(4)), is: nil, "what is left to deliver")
        rows = try await vault.webhookWakes(of: Self.name, after: nil, limit: 10)
        expect(rows, is: [], "the customers who are due in the end")
    }

    func failedMessage() async throws {
        let (anna, ben) = (try await write(2, about: "anna"), try await write(1, about: "ben"))
        try await begin()
        try await queueAll(at: Self.later(0))
        guard let first = try await take(["anna"], at: Self.later(0)).first else {
            throw ConformanceFailure("a customer who is due could not be leased")
        }
        let retry = WebhookStep.Progress.retry(at: Self.later(90))
        expect(try await record(first, anna[0], retry, at: Self.later(1)), is: nil, "the queue to continue")
        let rows = try await vault.webhookWakes(of: Self.name, after: nil, limit: 10)
        expect(rows.map(\.customer), is: ["ben", "anna"], "the customers in the order of their instants")
        expect(rows.map(\.at), is: [Self.later(0), Self.later(90)], "the instants when they are due")
        let page = try await vault.webhookWakes(of: Self.name, after: rows.first, limit: 10)
        expect(page, is: Array(rows.dropFirst()), "the customers after the first")
        expect(try await take(["anna"], at: Self.later(60)), is: [], "a customer who is not due yet")
        let others = try await take(["anna", "ben"], "b", at: Self.later(60))
        expect(others.map(\.customer), is: ["ben"], "the other customer")
        if let queue = others.first {
            expect(
                try await record(queue, ben[0], .done, "b", at: Self.later(61)), is: nil,
                "what is left of the other customer")
        }
        let again = try await take(["anna"], "b", at: Self.later(90)).first
        expect(again?.failures, is: 1, "the number of failures")
        expect(again?.deliveredThrough, is: .start, "where the events of the customer begin")
        expect(again?.failingSince, is: Self.later(1), "the instant of the first failure")
        let summary = try await vault.webhookSummaries().first
        expect(summary?.waiting, is: 1, "the number of waiting customers")
        expect(summary?.failing, is: 1, "the number of failing customers")
        expect(summary?.failingSince, is: Self.later(1), "the instant of the oldest failure")
    }

    func leasedQueues() async throws {
        let count = 24
        let customers = (1...count).map { CustomerID(rawValue: "c\($0)") }.sorted()
        var events: [StoreEvent] = []
        for customer in customers { events += try await write(1, about: customer) }
        try await begin()
        try await queueAll(at: Self.later(0))
        // Each node tries to lease all customers.
        let taken = try await withThrowingTaskGroup(of: [CustomerID].self) { group in
            for node in 1...6 {
                group.addTask {
                    try await take(customers, "node \(node)", at: Self.later(0)).map(\.customer)
                }
            }
            return try await group.reduce(into: [CustomerID]()) { $0 += $1 }
        }
        expect(taken.sorted(), is: customers, "the customers leased to nodes that ask at once")
        expect(
            try await take(customers, "late", at: Self.later(59)), is: [], "what is left while leases last")
        let over = try await take(["c1"], "late", at: Self.later(60)).first
        expect(over?.hold?.node, is: "late", "the node that takes over when the lease has ended")
        // The first node reports an attempt after its lease has ended. The report does not change the queue, but the
        // attempt is in the log.
        if let over, let event = events.first(where: { $0.customer == "c1" }) {
            let result = try await record(over, event, .done, "node 1", at: Self.later(61))
            expect(result, is: nil, "the queue of a node without lease")
            let now = try await take(["c1"], "late", at: Self.later(62)).first
            expect(now?.deliveredThrough, is: over.deliveredThrough, "the place after a report without lease")
        }
        let attempts = try await vault.webhookAttempts(of: Self.name, about: nil, before: nil, limit: 10)
        expect(attempts.count, is: 1, "the number of attempts")
    }

    func replayedEvents() async throws {
        let own = try await write(3, about: "anna")
        try await begin()
        try await queueAll(at: Self.later(0))
        guard let first = try await take(["anna"], at: Self.later(0)).first,
            let second = try await record(first, own[0], .done, at: Self.later(1), number: 1),
            let third = try await record(second, own[1], .done, at: Self.later(2), number: 2)
        else { throw ConformanceFailure("events could not be delivered") }
        try await vault.changeWebhook(Self.name, of: [], isWhole: true) { step in step.replay(after: .start) }
        try await queueAll(at: Self.later(3))
        expect(
            try await take(["anna"], "b", at: Self.later(4)), is: [],
            "the queues that another node may lease while an event is posted")
        expect(
            try await record(third, own[2], .done, at: Self.later(5), number: 3), is: nil,
            "the queue to continue after a replay")
        guard let again = try await take(["anna"], "b", at: Self.later(6)).first else {
            throw ConformanceFailure("events that were requested again are not delivered")
        }
        expect(again.deliveredThrough, is: .start, "where the events begin again")
        for (index, event) in own.enumerated() {
            guard let queue = try await take(["anna"], "b", at: Self.later(7)).first else {
                throw ConformanceFailure("the lease of a node was not given to it again")
            }
            _ = try await record(
                queue, event, .done, "b", at: Self.later(7), number: Int64(4 + index))
        }
        let rows = try await vault.webhookWakes(of: Self.name, after: nil, limit: 10)
        expect(rows, is: [], "the customers who are due in the end")
        try await vault.changeWebhook(Self.name, of: ["anna"], isWhole: true) { step in
            step.replay("anna", after: own[1].place, at: Self.later(8))
        }
        let last = try await take(["anna"], at: Self.later(8)).first
        expect(last?.deliveredThrough, is: own[1].place, "where the customer's events begin again")
        expect(last?.queuedThrough, is: own[2].place, "where they end")
    }

    func webhookLog() async throws {
        let own = try await write(3, about: "anna") + (try await write(1, about: "ben"))
        try await begin()
        try await queueAll(at: Self.later(0))
        var queue = try await take(["anna"], at: Self.later(0)).first
        for (number, event) in own.prefix(3).enumerated() {
            guard let present = queue else { throw ConformanceFailure("a customer's queue has ended too early") }
            queue = try await record(
                present, event, number == 2 ? .done : .parked, at: Self.later(Int64(number)),
                number: Int64(number))
        }
        if let other = try await take(["ben"], at: Self.later(5)).first {
            _ = try await record(other, own[3], .done, at: Self.later(5), number: .max)
        }
        let all = try await vault.webhookAttempts(of: nil, about: nil, before: nil, limit: 10)
        expect(all.map(\.customer), is: ["ben", "anna", "anna", "anna"], "the customers of the attempts")
        expect(all.map(\.outcome), is: [.delivered, .delivered, .parked, .parked], "the outcomes, the newest first")
        expect(all.last?.problem, is: "it failed", "the problem of an attempt")
        expect(all.last?.status, is: 500, "the status of an attempt")
        expect(all.first?.problem, is: nil, "the problem of a delivered message")
        var (pages, place) = ([WebhookAttempt](), WebhookAttempt.Place?.none)
        while let next = try await vault.webhookAttempts(of: Self.name, about: nil, before: place, limit: 1).first {
            pages.append(next)
            place = next.place
        }
        expect(pages, is: all, "the attempts page by page")
        let anna = try await vault.webhookAttempts(of: Self.name, about: "anna", before: nil, limit: 10)
        expect(anna, is: Array(all.dropFirst()), "the attempts about one customer")
        expect(
            try await vault.webhookAttempts(of: "other", about: nil, before: nil, limit: 10), is: [],
            "the attempts of another webhook")
        let parked = try await vault.parkedWebhooks(of: Self.name, after: .start, limit: 10)
        expect(parked.map(\.event), is: own.prefix(2).map(\.place), "the parked messages")
        expect(parked.map(\.since), is: [Self.later(0), Self.later(1)], "since when they are parked")
        let rest = try await vault.parkedWebhooks(of: Self.name, after: own[0].place, limit: 10)
        expect(rest, is: Array(parked.dropFirst()), "the parked messages after the first")
        expect(try await vault.webhookSummaries().first?.parked, is: 2, "the number of parked messages")
        // A parked message that is delivered later is no longer parked.
        try await vault.changeWebhook(Self.name, of: ["anna"], isWhole: true) { step in
            step.replay("anna", after: .start, at: Self.later(8))
        }
        if let queue = try await take(["anna"], at: Self.later(8)).first {
            _ = try await record(queue, own[0], .done, at: Self.later(8), number: 9)
        }
        let left = try await vault.parkedWebhooks(of: Self.name, after: .start, limit: 10)
        expect(left.map(\.event), is: [own[1].place], "the messages that stay parked")
        // After an attempt a month later, the oldest attempts are deleted.
        let month = Self.later(40 * 86_400)
        if let queue = try await take(["anna"], at: month).first {
            _ = try await record(queue, own[1], .done, at: month, number: 10)
        }
        let kept = try await vault.webhookAttempts(of: nil, about: nil, before: nil, limit: 10)
        expect(kept.first?.place.at, is: month, "the newest attempt")
        expect(kept.count < 6, "no attempt was forgotten")
    }

    func stoppedWebhook() async throws {
        let own = try await write(1, about: "anna")
        try await begin()
        try await queueAll(at: Self.later(0))
        if let queue = try await take(["anna"], at: Self.later(0)).first {
            expect(
                try await record(queue, own[0], .kept, at: Self.later(1)), is: nil, "the queue to continue")
        }
        try await vault.changeWebhook(Self.name, of: [], isWhole: true) { step in
            step.pause(because: "it is gone", at: Self.later(1))
        }
        let summary = try await vault.webhookSummaries().first
        expect(
            summary?.state.pause, is: WebhookState.Pause(at: Self.later(1), reason: "it is gone"), "the pause")
        expect(try await take(["anna"], at: Self.later(2)), is: [], "what is leased meanwhile")
        _ = try await write(1, about: "ben")
        expect(try await queueAll(at: Self.later(2)), is: false, "whether events are queued meanwhile")
        let first = try await vault.changeWebhook(Self.name, of: [], isWhole: true) { step in step.resume() }
        expect(first, "a stopped webhook was not resumed")
        let second = try await vault.changeWebhook(Self.name, of: [], isWhole: true) { step in step.resume() }
        expect(second, is: false, "whether a webhook is resumed twice")
        let again = try await take(["anna"], at: Self.later(3)).first
        expect(again?.failures, is: 0, "the number of failures of a message that was kept")
        expect(again?.deliveredThrough, is: .start, "where the events begin")
        expect(try await queueAll(at: Self.later(3)), "events are not queued after a resume")
    }

    func webhookErasure() async throws {
        let own = try await write(2, about: "anna") + (try await write(1, about: "ben"))
        try await begin()
        try await queueAll(at: Self.later(0))
        guard let queue = try await take(["anna"], at: Self.later(0)).first,
            let next = try await record(queue, own[0], .parked, at: Self.later(1))
        else { throw ConformanceFailure("an event could not be delivered") }
        _ = try await vault.erase("anna", reason: "asked for", at: .day(11))
        expect(
            try await record(next, own[1], .done, at: Self.later(2), number: 2), is: nil,
            "the queue of an erased customer")
        // Another node has read the feed before the erasure, and queues the erased customer's events after the erasure.
        let rows = own.map { (customer: $0.customer, place: $0.place) }
        try await vault.changeWebhook(Self.name, of: [], isWhole: true) { step in step.replay(after: .start) }
        _ = try await vault.changeWebhook(Self.name, of: ["anna", "ben"], isWhole: true) { step in
            step.queue(rows, after: .start, at: Self.later(2))
        }
        let wakes = try await vault.webhookWakes(of: Self.name, after: nil, limit: 10)
        expect(wakes.map(\.customer), is: ["ben"], "the customers with events after the erasure")
        expect(
            try await vault.webhookAttempts(of: nil, about: nil, before: nil, limit: 10), is: [],
            "the attempts about an erased customer")
        expect(
            try await vault.webhookAttempts(of: nil, about: "anna", before: nil, limit: 10), is: [],
            "the attempts about an erased customer, by id")
        expect(
            try await vault.parkedWebhooks(of: Self.name, after: .start, limit: 10), is: [],
            "the parked messages about an erased customer")
        expect(try await vault.checkIntegrity().faults, is: [], "the faults after the erasure")
    }
}
