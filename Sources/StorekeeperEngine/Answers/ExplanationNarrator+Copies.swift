extension ExplanationNarrator {
    /// The steps about earlier signed copies of the product's transactions that differ from the newest copies.
    var supersededCopies: [RankedStep] {
        let counted = history.chains.filter { state.resolver.policy.rule(for: $0.key.environment) == state.rule }
        return counted.keys.sorted(by: Self.precedes).flatMap { id in
            (history.chains[id]?.facts ?? []).filter { $0.productID == productID }.flatMap(
                supersededCopies(of:))
        }
    }

    private func supersededCopies(of fact: TransactionFact) -> [RankedStep] {
        let newest = SupersededCopy(fact.transaction)
        return history.supersededCopies.copies(of: fact.key).map { copy in
            let (said, holds) = Self.difference(copy.said, newest)
            let id = fact.transaction.id
            let isReceipt = copy.said.isFromReceipt
            return RankedStep(
                .copy, at: copy.signedAt,
                "\(isReceipt ? "\(fact.isFromReceipt ? "an older" : "a") receipt says of" : "an older copy of") transaction "
                    + "\(id)\(isReceipt ? "" : " says"): \(said)",
                effect:
                    "none: the \(fact.isFromReceipt ? "receipt made" : "copy signed") \(fact.signedAt) says: \(holds)",
                rule: isReceipt && !fact.isFromReceipt
                    ? "A receipt counts only for transactions of which no signed copy is known."
                    : "Of several copies of a transaction the newest-signed counts, in any order of arrival.")
        }
    }

    /// Returns, in words, the values in which two copies differ: first those of the older copy, then those of the
    /// newest.
    private static func difference(_ older: SupersededCopy, _ newest: SupersededCopy) -> (String, String) {
        var parts: [(String, String)] = []
        if older.revokedAt != newest.revokedAt || older.revocationPercentage != newest.revocationPercentage {
            parts.append(
                (revocation(older) ?? "not yet revoked", revocation(newest) ?? "no longer revoked"))
        }
        if older.isUpgraded != newest.isUpgraded {
            parts.append(older.isUpgraded ? ("upgraded", "not upgraded") : ("not yet upgraded", "upgraded"))
        }
        if older.expiresAt != newest.expiresAt { parts.append((period(older), period(newest))) }
        return (parts.map(\.0).joined(separator: ", "), parts.map(\.1).joined(separator: ", "))
    }

    private static func revocation(_ copy: SupersededCopy) -> String? {
        guard let revokedAt = copy.revokedAt else { return nil }
        let share = copy.revocationPercentage.map { ", \(Percentage.text($0)) of the price" } ?? ""
        return "revoked at \(revokedAt)\(share)"
    }

    private static func period(_ copy: SupersededCopy) -> String {
        copy.expiresAt.map { "period to \($0)" } ?? "no expiry"
    }
}
