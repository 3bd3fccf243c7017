extension ServiceLevel {
    /// Returns the rule by which one of two answers about a product precedes the other, as a sentence.
    static func rule(byWhich winner: EntitlementAnswer, beats other: EntitlementAnswer) -> String {
        let (a, b) = (key(of: winner), key(of: other))
        if case .granted = other, winner.kind == other.kind, winner.basis != nil {
            return "A purchase that gives access comes before access without a purchase."
        }
        if a.kind != b.kind { return "Of several answers \"\(winner.word)\" comes before \"\(other.word)\"." }
        if a.lapsedAt != b.lapsedAt {
            return isPermanentlyRevoked(winner)
                ? "Of several revoked purchases the latest revocation decides."
                : "Of several ended purchases the latest purchase decides."
        }
        if a.claim / 2 != b.claim / 2 { return ruleOfStates(winner, other) }
        if a.claim != b.claim { return "The customer's own purchase comes before a shared or assigned one." }
        if a.accessEndsAt != b.accessEndsAt { return "The access that lasts longer comes first." }
        if case .granted = winner { return "Of several grants the one that ends last comes first." }
        if a.purchasedAt != b.purchasedAt { return "The later purchase comes first." }
        guard winner.basis != nil else { return "Of several requests the newest comes first." }
        return "Between equals the greater id decides, so that the answer is always the same."
    }

    /// Returns the rule by which the reason of one answer precedes the reason of another answer.
    ///
    /// If both answers have the same reason, the rule compares their states; for example, access in a grace period and
    /// access in billing retry have the same reason.
    private static func ruleOfStates(_ winner: EntitlementAnswer, _ other: EntitlementAnswer) -> String {
        guard winner.reasonWord == other.reasonWord, let best = winner.basis?.state, let next = other.basis?.state
        else { return "\"\(winner.reasonWord)\" comes before \"\(other.reasonWord)\"." }
        return "\"\(best.rawValue)\" comes before \"\(next.rawValue)\"."
    }

    private static func isPermanentlyRevoked(_ answer: EntitlementAnswer) -> Bool {
        answer.basis?.transaction.productType == .nonConsumable
    }
}
