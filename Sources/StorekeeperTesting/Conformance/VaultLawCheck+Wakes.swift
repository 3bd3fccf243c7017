import Storekeeper

extension VaultLawCheck {
    static var wakeChecks: [VaultCheck<Tested>] {
        [
            VaultCheck("each node receives a different customer who is due") { try await $0.twoTakers() },
            VaultCheck("a lease ends, so that another node replaces a dead one") { try await $0.endedLease() },
            VaultCheck("leases tolerate clocks that differ") { try await $0.differentClocks() },
            VaultCheck("nodes that ask at once receive different customers") { try await $0.manyTakers() },
        ]
    }

    private static func lease(_ node: String) -> WakeLease { WakeLease(node: node, duration: .seconds(60)) }

    private func wake(_ customer: CustomerID, at instant: Instant?) async throws {
        // A batch with `syncedAt` makes the vault store the customer.
        try await commit(CommitBatch(customer: customer, at: .day(1), wakeAt: instant, syncedAt: .day(1)))
    }

    private func turn(_ node: String, at now: Instant) async throws -> WakeDecision {
        try await vault.leaseWake(Self.lease(node), at: now)
    }

    private static func later(_ seconds: Int64) -> Instant { Instant.day(10).adding(milliseconds: seconds * 1_000) }

    func twoTakers() async throws {
        expect(try await turn("a", at: .day(10)), is: .wait(until: nil), "the next action without wakes")
        for (number, customer) in (["c1", "c2", "c3"] as [CustomerID]).enumerated() {
            try await wake(customer, at: .day(2 + number))
        }
        try await wake("c4", at: Self.later(30))
        expect(try await turn("a", at: .day(1)), is: .wait(until: .day(2)), "the next action before a customer is due")
        expect(try await turn("a", at: .day(10)), is: .announce("c1", since: .day(2)), "the turn of the first node")
        expect(try await turn("b", at: .day(10)), is: .announce("c2", since: .day(3)), "the turn of the second node")
        expect(
            try await turn("a", at: .day(10)), is: .announce("c1", since: .day(2)),
            "the turn of the first node, repeated")
        let picture = try await VaultPicture(of: vault)
        expect(try await turn("c", at: .day(10)), is: .announce("c3", since: .day(4)), "the turn of the third node")
        try await expectUnchanged(since: picture, by: "a lease")
        expect(
            try await turn("d", at: .day(10)), is: .wait(until: Self.later(30)),
            "the next action until another customer is due")
        expect(
            try await turn("d", at: Self.later(30)), is: .announce("c4", since: Self.later(30)),
            "the turn of the node that waited")
        expect(
            try await turn("e", at: Self.later(30)), is: .wait(until: Self.later(60)),
            "the next action until the first lease ends")
        // After a node has announced the changes that were due at a wake, it stores the next wake, which is not leased.
        try await wake("c1", at: Self.later(20))
        expect(
            try await turn("e", at: Self.later(30)), is: .announce("c1", since: Self.later(20)),
            "the turn once another wake is stored")
        try await wake("c1", at: nil)
        expect(try await turn("f", at: Self.later(30)), is: .wait(until: Self.later(60)), "the next action afterwards")
    }

    func endedLease() async throws {
        try await wake("c1", at: .day(2))
        expect(try await turn("a", at: .day(10)), is: .announce("c1", since: .day(2)), "the turn of the first node")
        let last = Self.later(60).adding(milliseconds: -1)
        expect(try await turn("b", at: last), is: .wait(until: Self.later(60)), "the next action while the lease lasts")
        expect(
            try await turn("b", at: Self.later(60)), is: .announce("c1", since: .day(2)),
            "the turn when the lease has ended")
        expect(
            try await turn("a", at: Self.later(61)), is: .wait(until: Self.later(120)),
            "the next action of the first node when it returns")
        _ = try await vault.erase("c1", reason: "asked for", at: .day(11))
        try await wake("c1", at: .day(2))
        expect(
            try await turn("a", at: Self.later(61)), is: .announce("c1", since: .day(2)),
            "the turn once the leased customer was erased and returned")
    }

    func differentClocks() async throws {
        try await wake("c1", at: .day(2))
        expect(try await turn("a", at: .day(10)), is: .announce("c1", since: .day(2)), "the turn of the first node")
        expect(
            try await turn("behind", at: Self.later(-50)), is: .wait(until: Self.later(60)),
            "the next action of a node whose clock is behind")
        expect(
            try await turn("far behind", at: Self.later(-3_600)), is: .announce("c1", since: .day(2)),
            "the turn of a node that would wait for an hour")
        try await wake("c1", at: .day(3))
        expect(
            try await turn("ahead", at: .day(30)), is: .announce("c1", since: .day(3)),
            "the turn of the node that is ahead")
        expect(
            try await turn("a", at: .day(10)), is: .announce("c1", since: .day(3)),
            "the turn of a node that would wait for days")
    }

    func manyTakers() async throws {
        let count = 24
        for number in 1...count { try await wake(CustomerID(rawValue: "c\(number)"), at: .day(2)) }
        let turns = try await withThrowingTaskGroup(of: WakeDecision.self) { group in
            for number in 1...count { group.addTask { try await turn("node \(number)", at: .day(10)) } }
            return try await group.reduce(into: [WakeDecision]()) { $0.append($1) }
        }
        expect(Set(turns).count, is: count, "the number of different turns of nodes that ask at once")
        expect(!turns.contains(.wait(until: Self.later(60))), "a node has to wait although a customer was due")
        expect(
            try await turn("another", at: .day(10)), is: .wait(until: Self.later(60)),
            "the next action of one more node")
    }
}
