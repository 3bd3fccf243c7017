import Storekeeper

extension ReferenceModel {
    /// Returns the app transactions of accepted environments that no newer copy replaces.
    ///
    /// Two copies are about the same download if their app and environment are equal and their app transaction ids do
    /// not contradict each other. Of copies with one signing date the copy with the earlier revocation replaces the
    /// other, and after that the copy with the greater bytes.
    static func newest(_ copies: [AppTransaction], in environments: Set<AppStore.Environment>) -> [AppTransaction] {
        func replaces(_ new: AppTransaction, _ old: AppTransaction) -> Bool {
            if new.signedAt != old.signedAt { return new.signedAt > old.signedAt }
            if new.revokedAt != old.revokedAt {
                return (new.revokedAt ?? .distantFuture) < (old.revokedAt ?? .distantFuture)
            }
            return old.jsonRepresentation.lexicographicallyPrecedes(new.jsonRepresentation)
        }
        return copies.filter { copy in
            environments.contains(copy.environment)
                && !copies.contains { other in
                    other.bundleID == copy.bundleID && other.environment == copy.environment
                        && agree(other.appTransactionID, copy.appTransactionID) && replaces(other, copy)
                }
        }
    }

    /// A customer's right to a feature because they got the app while it was paid.
    private struct Right {
        var since: Instant
        var end: Instant
    }

    /// Returns the answer about a feature if an app transaction decides it at an instant.
    ///
    /// - Parameter best: The best verdict of a purchase that gives access. A purchase decides only if it is the
    ///   customer's own, its period is running, and its access ends as late; of equal ends the later purchase decides.
    func paidApp(_ feature: Feature, at instant: Instant, besides best: ReferenceVerdict?) -> ReferenceFeatureAnswer? {
        let rights = appTransactions.compactMap { record -> Right? in
            let isBeforeVersion =
                if let limit = feature.originalVersionBefore, let version = record.originalAppVersion {
                    Self.isVersion(version, before: limit)
                } else {
                    false
                }
            let isBeforeInstant =
                if let limit = feature.originalPurchaseBefore, let bought = record.originallyPurchasedAt {
                    bought < limit
                } else {
                    false
                }
            guard isBeforeVersion || isBeforeInstant else { return nil }
            let right = Right(
                since: record.originallyPurchasedAt ?? record.signedAt, end: record.revokedAt ?? .distantFuture)
            return right.since <= instant && instant < right.end ? right : nil
        }
        let longest = rights.max { left, right in
            left.end == right.end ? left.since < right.since : left.end < right.end
        }
        guard let longest else { return nil }
        if let best, best.state == "subscribed", best.transaction.ownershipType == .purchased {
            let end = best.end ?? .distantFuture
            if end > longest.end || end == longest.end && best.transaction.purchasedAt >= longest.since { return nil }
        }
        return ReferenceFeatureAnswer(answer: "entitled", reason: "paidApp")
    }

    /// Returns whether a version precedes another; `false` if either is not numbers and dots.
    private static func isVersion(_ version: String, before limit: String) -> Bool {
        func numbers(_ text: String) -> [Int]? {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            let numbers = parts.compactMap { part in part.allSatisfy(\.isNumber) ? Int(part) : nil }
            return numbers.count == parts.count ? numbers : nil
        }
        guard let one = numbers(version), let other = numbers(limit) else { return false }
        for index in 0..<max(one.count, other.count) {
            let (left, right) = (index < one.count ? one[index] : 0, index < other.count ? other[index] : 0)
            if left != right { return left < right }
        }
        return false
    }

    /// Returns a chain's verdict about a product if periods with a free trial do not count.
    ///
    /// While a transaction with a free trial decides, the verdict is the one from just before it began to decide, without
    /// access. It may begin again, after seats that were added to the trial's period were refunded.
    func paidVerdict(of chain: ReferenceChain, on productID: Product.ID, at instant: Instant) -> ReferenceVerdict? {
        guard let verdict = verdict(of: chain, on: productID, at: instant) else { return nil }
        guard Self.isFreeTrial(verdict) else { return verdict }
        let changes = chain.facts.flatMap { [Self.begin(of: $0, in: chain), $0.expiresAt, $0.revokedAt] }
        let earlier = changes.compactMap(\.self).filter { $0 <= instant }.sorted(by: >).lazy
            .map { self.verdict(of: chain, on: productID, at: $0.adding(milliseconds: -1)) }
            .first { $0.map(Self.isFreeTrial) != true }
        guard var earlier = earlier ?? nil else { return nil }
        if earlier.answer == "entitled" {
            (earlier.answer, earlier.reason, earlier.state) = ("lapsed", "expired", "expired")
        }
        return earlier
    }

    private static func isFreeTrial(_ verdict: ReferenceVerdict) -> Bool {
        verdict.transaction.transaction.offer?.paymentMode?.rawValue == "FREE_TRIAL"
    }

    /// The instants at which the rights of the paid app's customers begin and end.
    var paidAppInstants: [Instant] {
        appTransactions.flatMap { [$0.originallyPurchasedAt, $0.signedAt, $0.revokedAt].compactMap(\.self) }
    }
}
