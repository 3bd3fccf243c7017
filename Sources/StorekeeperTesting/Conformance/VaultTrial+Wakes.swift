import Storekeeper

extension VaultTrial {
    static var wakeChecks: [VaultCheck<Tested>] {
        [
            VaultCheck("each node is given another customer who is due") { try await $0.twoTakers() },
            VaultCheck("a lease ends, so that a dead node is made up for") { try await $0.endedLease() },
            VaultCheck("leases stand clocks that differ") { try await $0.differentClocks() },
            VaultCheck("nodes that ask at once are given different customers") { try await $0.manyTakers() },
        ]
    }

    private static func lease(_ node: String) -> WakeLease { WakeLease(node: node, duration: .seconds(60)) }

    private func wake(_ customer: CustomerID, at instant: Instant?) async throws {
        try await commit(CommitBatch(customer: customer, at: .day(1), wakeAt: instant))
    }

    private func turn(_ node: String, at now: Instant) async throws -> WakeTurn {
        try await vault.leaseWake(Self.lease(node), at: now)
    }

    private static func later(_ seconds: Int64) -> Instant { Instant.day(10).adding(milliseconds: seconds * 1_000) }

    func twoTakers() async throws {
        expect(try await turn("a", at: .day(10)), is: .wait(until: nil), "what to do where nobody waits")
        for (number, customer) in (["c1", "c2", "c3"] as [CustomerID]).enumerated() {
            try await wake(customer, at: .day(2 + number))
        }
        try await wake("c4", at: Self.later(30))
        expect(try await turn("a", at: .day(1)), is: .wait(until: .day(2)), "what to do before anybody is due")
        expect(try await turn("a", at: .day(10)), is: .announce("c1", since: .day(2)), "the turn of the first node")
        expect(try await turn("b", at: .day(10)), is: .announce("c2", since: .day(3)), "the turn of the second node")
        expect(try await turn("a", at: .day(10)), is: .announce("c1", since: .day(2)), "the turn of who asks again")
        let picture = try await VaultPicture(of: vault)
        expect(try await turn("c", at: .day(10)), is: .announce("c3", since: .day(4)), "the turn of the third node")
        try await expectUnchanged(since: picture, by: "a lease")
        expect(
            try await turn("d", at: .day(10)), is: .wait(until: Self.later(30)),
            "what to do until another customer is due")
        expect(
            try await turn("d", at: Self.later(30)), is: .announce("c4", since: Self.later(30)),
            "the turn of who has waited")
        expect(
            try await turn("e", at: Self.later(30)), is: .wait(until: Self.later(60)),
            "what to do until the first lease ends")
        // Whoever has announced notes the next wake, which is nobody's.
        try await wake("c1", at: Self.later(20))
        expect(
            try await turn("e", at: Self.later(30)), is: .announce("c1", since: Self.later(20)),
            "the turn once another wake is noted")
        try await wake("c1", at: nil)
        expect(try await turn("f", at: Self.later(30)), is: .wait(until: Self.later(60)), "what is left")
    }

    func endedLease() async throws {
        try await wake("c1", at: .day(2))
        expect(try await turn("a", at: .day(10)), is: .announce("c1", since: .day(2)), "the turn of the first node")
        let last = Self.later(60).adding(milliseconds: -1)
        expect(try await turn("b", at: last), is: .wait(until: Self.later(60)), "what to do while the lease lasts")
        expect(
            try await turn("b", at: Self.later(60)), is: .announce("c1", since: .day(2)),
            "the turn when the lease has ended")
        expect(
            try await turn("a", at: Self.later(61)), is: .wait(until: Self.later(120)),
            "what the first node is to do when it comes back")
        _ = try await vault.erase("c1", reason: "asked for", at: .day(11))
        try await wake("c1", at: .day(2))
        expect(
            try await turn("a", at: Self.later(61)), is: .announce("c1", since: .day(2)),
            "the turn once who was leased was erased and came back")
    }

    func differentClocks() async throws {
        try await wake("c1", at: .day(2))
        expect(try await turn("a", at: .day(10)), is: .announce("c1", since: .day(2)), "the turn of the first node")
        expect(
            try await turn("behind", at: Self.later(-50)), is: .wait(until: Self.later(60)),
            "what a node whose clock is behind is to do")
        expect(
            try await turn("far behind", at: Self.later(-3_600)), is: .announce("c1", since: .day(2)),
            "the turn of a node that would wait for an hour")
        try await wake("c1", at: .day(3))
        expect(try await turn("ahead", at: .day(30)), is: .announce("c1", since: .day(3)), "the turn of who is ahead")
        expect(
            try await turn("a", at: .day(10)), is: .announce("c1", since: .day(3)),
            "the turn of a node that would wait for days")
    }

    func manyTakers() async throws {
        let count = 24
        for number in 1...count { try await wake(CustomerID(rawValue: "c\(number)"), at: .day(2)) }
        let turns = try await withThrowingTaskGroup(of: WakeTurn.self) { group in
            for number in 1...count { group.addTask { try await turn("node \(number)", at: .day(10)) } }
            return try await group.reduce(into: [WakeTurn]()) { $0.append($1) }
        }
        expect(Set(turns).count, is: count, "the number of different turns of nodes that ask at once")
        expect(!turns.contains(.wait(until: Self.later(60))), "a node has to wait although somebody was due")
        expect(try await turn("another", at: .day(10)), is: .wait(until: Self.later(60)), "what is left for one more")
    }
}
