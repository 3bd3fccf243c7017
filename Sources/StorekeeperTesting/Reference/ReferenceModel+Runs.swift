public import Storekeeper

extension ReferenceModel {
    /// The sorted instants at which an answer could change.
    ///
    /// Each instant is in the evidence or is computed from the evidence.
    public var candidateInstants: [Instant] {
        var instants = Set(grantInstants + paidAppInstants)
        for transaction in transactions {
            let expiry = transaction.expiresAt ?? transaction.purchasedAt
            instants.formUnion([transaction.purchasedAt, transaction.signedAt, expiry])
            instants.formUnion([expiry.adding(days: 28), expiry.adding(days: 60), expiry.adding(days: 90)])
            instants.insert(expiry.adding(milliseconds: policy.renewalLeeway))
            if let revokedAt = transaction.revokedAt { instants.insert(revokedAt) }
        }
        for report in chains.flatMap(\.reports) { instants.insert(report.signedAt) }
        for info in renewalInfos {
            instants.insert(info.signedAt)
            if let end = info.gracePeriodExpiresAt { instants.insert(end) }
        }
        for productID in Set(transactions.map(\.productID)) {
            for access in accesses(to: productID) { instants.formUnion([access.start, access.end]) }
        }
        return instants.sorted()
    }

    /// Returns the span around an instant in which a product's answer and reason do not change.
    ///
    /// - Parameters:
    ///   - productID: The product.
    ///   - instant: The instant.
    ///   - candidates: The sorted instants to examine; ``candidateInstants`` contains all the instants that are needed.
    public func run(product productID: Product.ID, at instant: Instant, candidates: [Instant]) -> ReferenceRun {
        run(at: instant, candidates: candidates) {
            let answer = answer(product: productID, at: $0)
            return [answer.answer, answer.reason]
        }
    }

    /// Returns the span around an instant in which a feature's answer and reason do not change.
    ///
    /// - Parameters:
    ///   - featureID: The feature.
    ///   - instant: The instant.
    ///   - candidates: The sorted instants to examine; ``candidateInstants`` contains all the instants that are needed.
    public func run(feature featureID: Feature.ID, at instant: Instant, candidates: [Instant]) -> ReferenceRun {
        run(at: instant, candidates: candidates) {
            let answer = feature(featureID, at: $0)
            return [answer.answer, answer.reason]
        }
    }

    private func run(at instant: Instant, candidates: [Instant], look: (Instant) -> [String]) -> ReferenceRun {
        let here = look(instant)
        var run = ReferenceRun(since: nil, until: nil)
        var earliest: Instant?
        var isBroken = false
        for candidate in candidates.reversed() where candidate <= instant {
            guard look(candidate) == here else {
                isBroken = true
                break
            }
            earliest = candidate
        }
        // Answers do not change before the first candidate.
        if isBroken || look(.distantPast) != here { run.since = earliest }
        run.until = candidates.first { $0 > instant && look($0) != here }
        return run
    }

    /// Returns the next instant at which any answer, status, highest status or balance changes.
    ///
    /// - Parameters:
    ///   - instant: The instant after which to look.
    ///   - candidates: The sorted instants to examine; ``candidateInstants`` contains all the instants that are needed.
    /// - Returns: The instant; `nil` if nothing changes after the given instant.
    public func nextChange(after instant: Instant, candidates: [Instant]) -> Instant? {
        let here = answersSnapshot(at: instant)
        return candidates.first { $0 > instant && answersSnapshot(at: $0) != here }
    }

    /// Returns all values that ``nextChange(after:candidates:)`` compares.
    private func answersSnapshot(at instant: Instant) -> [[String]] {
        func line(_ status: ReferenceStatus) -> [String] {
            [status.originalTransactionID, status.environment, status.state, status.productID.rawValue]
        }
        var answersSnapshot: [[String]] = []
        for productID in productIDs {
            let answer = answer(product: productID, at: instant)
            answersSnapshot.append([productID.rawValue, answer.answer, answer.reason])
        }
        for feature in catalog.features {
            let answer = self.feature(feature.id, at: instant)
            answersSnapshot.append([feature.id.rawValue, answer.answer, answer.reason])
        }
        // A subscription without a group in the evidence or the catalog is not in a list of statuses.
        answersSnapshot += statuses(at: instant).filter { $0.groupID != nil }.map(line)
        answersSnapshot += groupIDs.map { [$0.rawValue] + (highest(group: $0, at: instant).map(line) ?? []) }
        answersSnapshot += consumables(at: instant).map {
            [$0.id.rawValue, String($0.credited), String($0.clawedBack)]
        }
        return answersSnapshot
    }
}
