/// Compares the App Store's own statuses of a chain with the states that follow from the evidence.
struct StatusExamination {
    private let chain: PurchaseChain.ID
    private let phases: SubscriptionPhases
    private let isReplaced: Bool
    private let statuses: [ReportedStatus]
    private let supersededCopies: SupersededCopies

    init(_ history: PurchaseHistory, _ chain: PurchaseChain.ID, resolver: EntitlementResolver) {
        self.chain = chain
        phases = SubscriptionPhases(policy: resolver.policy)
        statuses = Array(history.reportedStatuses[chain] ?? [])
        supersededCopies = history.supersededCopies
        isReplaced =
            statuses.isEmpty
            ? false : history.chains[chain].map { ReplacedChains(history).contains($0, chain) } ?? false
    }

    /// Returns the diagnostics about statuses that differ from the state of a line of service.
    ///
    /// The state is computed for the instant of the status, from the renewal infos and statuses that were signed by
    /// then. Of equal differences only the latest is returned.
    func differences(in line: GroupDirectory.Line) -> [Diagnostic] {
        guard !statuses.isEmpty else { return [] }
        let places = line.places
        var latest: [Difference: Instant] = [:]
        for status in statuses {
            let states = states(at: status.signedAt, in: line, places)
            guard let reported = RenewalState.allCases.first(where: { Int64($0.number) == status.number }),
                let state = states.first, !states.contains(reported)
            else { continue }
            let difference = Difference(reported: reported, state: state)
            latest[difference] = max(latest[difference] ?? status.signedAt, status.signedAt)
        }
        return latest.map { difference, instant in
            Diagnostic(
                .statusDiffers, subject: chain.originalID.rawValue,
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

    /// Returns the states of a line at an instant that are possible by what was signed by then, the likeliest first;
    /// none if the state cannot be determined.
    ///
    /// If the newest copy of a transaction was signed later, it proves what the older copies proved. Its revocation counts
    /// from its own date.
    private func states(
        at instant: Instant, in line: GroupDirectory.Line, _ places: [RenewalPairing.Place]
    ) -> [RenewalState] {
        guard let index = places.lastIndex(where: { $0.period.purchasedAt <= instant }),
            let likeliest = state(at: instant, of: places[index], in: line)
        else { return [] }
        var states = [likeliest]
        let fact = places[index].period.decider(at: instant)
        if fact.signedAt > instant {
            // The copies of then ended at another time, or did not say that the customer upgraded.
            if isExtended(fact) || (fact.isUpgraded && fact.periodEnd <= instant) { return [] }
            // A refund may have been reversed since.
            states.append(.revoked)
        }
        if !wasKnown(places[index], at: instant, in: line) {
            guard index > 0, let former = state(at: instant, of: places[index - 1], in: line) else { return [] }
            states.append(former)
        }
        return states
    }

    /// Returns whether the end of a transaction's period was changed.
    private func isExtended(_ fact: TransactionFact) -> Bool {
        supersededCopies.copies(of: fact.key).contains { $0.said.expiresAt != fact.transaction.expiresAt }
    }

    /// Returns whether a period was certainly known at an instant after its beginning.
    ///
    /// A renewal that succeeds in a grace period is backdated to the end of the previous period. Before it succeeded, no
    /// copy of it existed, and no renewal info named its end.
    private func wasKnown(_ place: RenewalPairing.Place, at instant: Instant, in line: GroupDirectory.Line) -> Bool {
        let period = place.period
        if period.facts.contains(where: { $0.signedAt <= instant }) { return true }
        let mayBeBackdated =
            place.former.map { $0.end == period.purchasedAt } ?? (period.first.transaction.reason != .purchase)
        return !mayBeBackdated
            || line.pairing.infos.contains {
                $0.renewalInfo.signedAt <= instant && $0.renewalInfo.renewsAt == period.end
            }
    }

    /// Returns the state at an instant of a line whose last period is the given one.
    private func state(
        at instant: Instant, of place: RenewalPairing.Place, in line: GroupDirectory.Line
    ) -> RenewalState? {
        let fact = place.period.decider(at: instant)
        let pairing = RenewalPairing(
            Array(line.pairing.infos.prefix { $0.renewalInfo.signedAt <= instant }),
            statuses: line.pairing.statuses.filter { $0.signedAt <= instant })
        let course = pairing.course(at: RenewalPairing.Place(former: place.former, period: place.period))
        var found: [SubscriptionPhase] = []
        phases.find(
            of: fact, from: fact.purchasedAt, to: .distantFuture, course: course, isReplaced: isReplaced, in: &found)
        return found.last { $0.from <= instant }?.state
    }
}
