/// The app transactions that count, as sources of the timelines of features.
struct PaidAppSources: Sendable {
    /// The app transactions of accepted environments.
    let all: [AppTransactionFact]

    init(_ all: [AppTransactionFact] = []) { self.all = all }

    /// Returns the answers of the app transactions that give a feature, one timeline for each of them.
    func timelines(of feature: Feature) -> [Timeline<EntitlementAnswer>] {
        rights(to: feature).map { right in
            var answers = Timeline<EntitlementAnswer>(.never)
            answers.append(.paidApp(right), from: right.since)
            if right.endsAt < .distantFuture { answers.append(.never, from: right.endsAt) }
            return answers
        }
    }

    /// Returns the rights to a feature that the app transactions give.
    func rights(to feature: Feature) -> [PaidApp] {
        guard feature.isForPaidApp else { return [] }
        return all.compactMap { fact in
            let record = fact.appTransaction
            guard feature.isGiven(by: record) else { return nil }
            let since = record.originallyPurchasedAt ?? record.signedAt
            let right = PaidApp(fact: fact, since: since, endsAt: record.revokedAt ?? .distantFuture)
            return right.since < right.endsAt ? right : nil
        }
    }
}

extension Feature {
    /// Whether customers of the paid app have the feature.
    package var isForPaidApp: Bool { originalVersionBefore != nil || originalPurchaseBefore != nil }

    /// Returns whether an app transaction gives the feature, by its first version or by its first download.
    func isGiven(by appTransaction: AppTransaction) -> Bool {
        isGiven(byVersion: appTransaction.originalAppVersion)
            || isGiven(byPurchase: appTransaction.originallyPurchasedAt)
    }

    /// Returns whether the version of the first download gives the feature.
    func isGiven(byVersion version: String?) -> Bool {
        guard let limit = originalVersionBefore.flatMap(AppVersion.init), let first = version.flatMap(AppVersion.init)
        else { return false }
        return first < limit
    }

    /// Returns whether the time of the first download gives the feature.
    func isGiven(byPurchase instant: Instant?) -> Bool {
        guard let limit = originalPurchaseBefore, let instant else { return false }
        return instant < limit
    }
}

extension Resolution {
    /// Returns the answer about a product that counts for a feature with ``Feature/paidPeriods``; `nil` if no such
    /// feature names the product.
    package func paidAnswer(for id: Product.ID, at instant: Instant) -> EntitlementAnswer? {
        paidProducts[id]?.timeline.value(at: instant)
    }

    /// Returns the rights to a feature that app transactions give at an instant.
    package func paidAppRights(to feature: Feature, at instant: Instant) -> [PaidApp] {
        paidApps.rights(to: feature).filter { $0.since <= instant && instant < $0.endsAt }
    }
}
