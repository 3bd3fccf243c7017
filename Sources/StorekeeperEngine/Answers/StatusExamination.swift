/// Compares the App Store's own statuses of a chain with the states that follow from the evidence.
struct StatusExamination {
    private let chain: PurchaseChain.ID
    private let phases: SubscriptionPhases
    private let isReplaced: Bool
    private let statuses: [ReportedStatus]

    init(_ history: PurchaseHistory, _ chain: PurchaseChain.ID, resolver: EntitlementResolver) {
        self.chain = chain
        phases = SubscriptionPhases(policy: resolver.policy)
        statuses = Array(history.reportedStatuses[chain] ?? [])
        isReplaced =
            statuses.isEmpty
            ? false : history.chains[chain].map { ReplacedChains(history).contains($0, chain) } ?? false
    }

    /// Returns the diagnostics about statuses that differ from the state of a line of service.
    ///
    /// The state is computed for the instant of the status, from the renewal infos and statuses that were signed by
    /// then. Of equal differences only the latest is returned.
    func differences(in line: GroupMembers.Line) -> [Diagnostic] {
        guard !statuses.isEmpty else { return [] }
        let places = line.places
        var latest: [Difference: Instant] = [:]
        for status in statuses {
            guard let reported = RenewalState.allCases.first(where: { Int64($0.number) == status.number }),
                let state = state(at: status.signedAt, in: line, places), state != reported
            else { continue }
            let difference = Difference(reported: reported, state: state)
            latest[difference] = max(latest[difference] ?? status.signedAt, status.signedAt)
        }
        return latest.map { difference, instant in
            Diagnostic(
                .warning, .statusDiffers, subject: chain.originalID.rawValue,
                message:
                    "the App Store's status of \(chain.originalID) at \(instant) is \(difference.reported.rawValue) "
                    + "(\(difference.reported.number)), but the evidence signed by then leads to \(difference.state.rawValue) "
                    + "(\(difference.state.number)): fetch the customer's history")
        }
    }

    private struct Difference: Hashable {
        let reported: RenewalState
        let state: RenewalState
    }

    /// Returns the state of a line at an instant, from what was signed by then; `nil` if it cannot be determined.
    private func state(
        at instant: Instant, in line: GroupMembers.Line, _ places: [RenewalPairing.Place]
    ) -> RenewalState? {
        guard let place = places.last(where: { $0.period.purchasedAt <= instant }) else { return nil }
        let fact = place.period.decider(at: instant)
        // A copy that was signed later does not tell what was known at the instant: the renewal may have recovered in a
        // grace period since, and an earlier copy may have been different.
        if fact.signedAt > instant { return nil }
        let pairing = RenewalPairing(
            LeafArray(line.pairing.infos.prefix { $0.renewalInfo.signedAt <= instant }),
            statuses: line.pairing.statuses.filter { $0.signedAt <= instant })
        let course = pairing.course(at: RenewalPairing.Place(former: place.former, period: place.period))
        var found: [SubscriptionPhase] = []
        phases.find(
            of: fact, from: fact.purchasedAt, to: .distantFuture, course: course, isReplaced: isReplaced, in: &found)
        return found.last { $0.from <= instant }?.state
    }
}
