import Storekeeper
import StorekeeperTesting

/// Merging evidence into kept answers, which are published after each piece.
func updateCases(_ customers: SampleCustomers) throws -> BenchmarkGroup {
    let updates = 200
    let usualName = "a renewal, 1,000"
    let walkName = BaselineWork.wholeWalkName(customers.huge.transactions.count)
    return BenchmarkGroup(
        title: "Updating the answers of a customer (per update)",
        cases: [
            BaselineWork.wholeWalk(over: customers.huge.transactions),
            try updateCase("a renewal, 10", customers.small, renewals(of: customers.small, updates)),
            try updateCase(usualName, customers.usual, renewals(of: customers.usual, updates)),
            try updateCase(
                "a renewal, 100,000", customers.huge, renewals(of: customers.huge, updates),
                targets: [.time(of: usualName, atMost: 3)]),
            try updateCase(
                "a late renewal info, 1,000", customers.usual, renewalInfos(of: customers.usual, updates),
                targets: [.comparedTime(of: usualName)]),
            try updateCase(
                "a late renewal info, 100,000", customers.huge, renewalInfos(of: customers.huge, updates),
                targets: [.comparedTime(of: usualName)]),
            try updateCase(
                "a refund of long ago, 1,000", customers.usual, refunds(of: customers.usual),
                targets: [.comparedTime(of: usualName)]),
            try updateCase(
                "a refund of long ago, 100,000", customers.huge, refunds(of: customers.huge),
                targets: [.time(of: walkName, atMost: 1), .comparedTime(of: usualName)]),
        ], rounds: 9)
}

/// Merges pieces of evidence one after another, each of which changes an answer.
private func updateCase(
    _ name: String, _ customer: SampleCustomer, _ evidence: [CheckedEvidence], targets: [BenchmarkCase.Target] = []
) throws -> BenchmarkCase {
    guard let first = evidence.first else { throw BenchmarkError("the case has no evidence") }
    let warm = LiveResolution(history: customer.history, resolver: SampleShop.resolver)
    let rest = evidence.dropFirst()
    return .timed(name, operations: rest.count, targets: targets) {
        var live = warm
        // The first update after a copy copies the history; a customer in use is not copied.
        live.merge([first])
        var published = live.resolution
        let start = Stopwatch.threadTime.seconds
        for item in rest {
            guard live.merge([item]) else { throw BenchmarkError("an update changed nothing") }
            published = live.resolution
        }
        let seconds = Stopwatch.threadTime.seconds - start
        blackHole(published)
        return seconds
    }
}

private func renewals(of customer: SampleCustomer, _ count: Int) throws -> [CheckedEvidence] {
    var draft = customer.newest
    return try (0...count).map { _ in
        draft = .renewal(of: draft)
        return .transaction(.verified(try draft.transaction()))
    }
}

private func renewalInfos(of customer: SampleCustomer, _ count: Int) throws -> [CheckedEvidence] {
    let end = customer.newest.expiresAt ?? customer.newest.purchasedAt
    return try (0...count).map { number in
        var info = RenewalInfoDraft(for: customer.newest).grace(until: end.adding(days: 1 + number % 16))
        info.signedAt = end.adding(milliseconds: Int64(number))
        return .renewalInfo(.verified(try info.renewalInfo()))
    }
}

private func refunds(of customer: SampleCustomer) throws -> [CheckedEvidence] {
    try customer.middle.map { draft in
        let end = customer.newest.expiresAt ?? customer.newest.purchasedAt
        var refunded = draft.revoked(at: draft.purchasedAt.adding(days: 3))
        refunded.signedAt = end
        return .transaction(.verified(try refunded.transaction()))
    }
}
