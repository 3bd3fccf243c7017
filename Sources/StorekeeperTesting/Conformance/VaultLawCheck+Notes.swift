import Storekeeper

extension VaultLawCheck {
    static var noteChecks: [VaultCheck<Tested>] {
        [
            VaultCheck("events are written with their batch, in order") { try await $0.events() },
            VaultCheck("a cursor is kept for each backend") { try await $0.cursorsOfBackends() },
            VaultCheck("a notification is seen once") { try await $0.notifications() },
            VaultCheck("pending purchases wait until they are resolved or expire") { try await $0.pendingPurchases() },
            VaultCheck("the customer with the earliest wake comes first") { try await $0.wakes() },
            VaultCheck("the instants of evaluation and sync never decrease") { try await $0.evaluatedThrough() },
        ]
    }

    func events() async throws {
        var batch = try Self.batch([VaultShop.badge("1")])
        batch.expectedVersion = 0
        batch.events = [VaultShop.event("badge", at: .day(1)), VaultShop.event("coins", at: .day(2))]
        let receipt = try await commit(batch)
        expect(receipt.events.map(\.change), is: batch.events, "the changes on the receipt")
        expect(receipt.events.map(\.customer), is: ["anna", "anna"], "the customers of the events")
        expect(try await vault.events(after: .start, of: nil, limit: 10), is: receipt.events, "the events")
        // A repeated batch is stale, so it does not write its event a second time.
        guard case .stale = try await vault.commit(batch) else {
            throw ConformanceFailure("a repeated batch was not reported as stale")
        }
        expect(
            try await vault.events(after: .start, of: "anna", limit: 10), is: receipt.events, "the events after a retry"
        )
        expect(
            try await vault.events(after: receipt.events[0].place, of: "anna", limit: 10), is: [receipt.events[1]],
            "the events after the first")
    }

    func cursorsOfBackends() async throws {
        expect(try await vault.cursor(of: "app store"), is: nil, "the cursor of a backend that was never read")
        try await vault.setCursor(UpdateCursor(rawValue: "1"), of: "app store")
        try await vault.setCursor(UpdateCursor(rawValue: "9"), of: "simulator")
        try await vault.setCursor(UpdateCursor(rawValue: "2"), of: "app store")
        expect(try await vault.cursor(of: "app store")?.rawValue, is: "2", "the cursor that was set last")
        expect(try await vault.cursor(of: "simulator")?.rawValue, is: "9", "the cursor of the other backend")
    }

    func notifications() async throws {
        var batch = try Self.batch([])
        batch.notifications = ["n-1", "n-2"]
        expect(try await commit(batch).repeatedNotifications, is: [], "the repeated notifications at first")
        batch.recipient = .customer("ben")
        batch.notifications = ["n-2", "n-3"]
        expect(
            try await commit(batch).repeatedNotifications, is: ["n-2"],
            "the repeated notifications for another customer")
        // Most notifications are about a customer, but some are about the app or an unknown customer.
        batch = CommitBatch(for: .owner(primary: nil), at: .day(1), notifications: ["n-3", "n-4"])
        expect(
            try await commit(batch).repeatedNotifications, is: ["n-3"], "the repeated notifications without a customer")
        expect(
            try await vault.seenNotifications(among: ["n-1", "n-3", "n-4", "n-5"]), is: ["n-1", "n-3", "n-4"],
            "the notifications that were seen before")
        expect(
            try await vault.seenNotifications(among: []), is: [], "the number of seen notifications of an empty list")
    }

    func pendingPurchases() async throws {
        let first = PendingPurchase(productID: "badge", reason: .askToBuy, startedAt: .day(1), endsAt: .day(2))
        let second = PendingPurchase(productID: "coins", reason: .askToBuy, startedAt: .day(1), endsAt: .day(9))
        var batch = try Self.batch([], at: .day(1))
        batch.pending = [first, second]
        let version = try await commit(batch).version
        expect(Set(try await vault.load("anna").pending), is: [first, second], "the pending purchases")
        let later = PendingPurchase(productID: "coins", reason: .askToBuy, startedAt: .day(3), endsAt: .day(12))
        batch = try Self.batch([], at: .day(3))
        batch.pending = [later]
        expect(try await commit(batch).version > version, "a pending purchase did not change the version")
        expect(
            try await vault.load("anna").pending, is: [later],
            "the pending purchases once one expired and one began again")
        batch = try Self.batch([], at: .day(4))
        batch.settledPending = ["coins", "unheard of"]
        try await commit(batch)
        expect(try await vault.load("anna").pending, is: [], "the pending purchases once it is resolved")
    }

    func wakes() async throws {
        func setWake(_ instant: Instant?, of customer: CustomerID) async throws {
            var batch = try Self.batch([], for: customer)
            batch.wakeAt = instant
            // A batch with `syncedAt` makes the vault store the customer.
            batch.syncedAt = .day(1)
            try await commit(batch)
        }
        func expectWake(_ customer: CustomerID?, _ instant: Instant?, _ when: String) async throws {
            let wake = try await vault.nextWake()
            expect(wake?.customer, is: customer, "the customer who is woken \(when)")
            expect(wake?.at, is: instant, "the instant of the wake \(when)")
        }
        try await expectWake(nil, nil, "at first")
        try await setWake(.day(20), of: "anna")
        try await setWake(.day(10), of: "carl")
        try await expectWake("carl", .day(10), "of two")
        try await setWake(.day(10), of: "ben")
        try await expectWake("ben", .day(10), "of two at one instant")
        try await setWake(nil, of: "ben")
        try await setWake(.day(30), of: "carl")
        try await expectWake("anna", .day(20), "after the others moved on")
    }

    func evaluatedThrough() async throws {
        for (evaluated, synced) in [(5, 3), (4, 9), (nil, nil), (6, 1)] as [(Int?, Int?)] {
            var batch = try Self.batch([])
            batch.evaluatedThrough = evaluated.map(Instant.day)
            batch.syncedAt = synced.map(Instant.day)
            try await commit(batch)
        }
        let record = try await vault.load("anna")
        expect(record.evaluatedThrough, is: .day(6), "the greatest instant of evaluation")
        expect(record.syncedAt, is: .day(9), "the greatest instant of a sync")
        var batch = try Self.batch([])
        batch.evaluatedThrough = .day(2)
        try await commit(batch)
        expect(
            try await vault.load("anna").evaluatedThrough, is: .day(6), "the instant after an earlier one was committed"
        )
    }
}
