import Storekeeper

/// The answer about a product at an instant according to one of its transactions.
struct ReferenceVerdict {
    /// `entitled`, `lapsed` or `unknown`.
    var answer: String
    var reason: String
    var transaction: ReferenceFact
    /// The state of a subscription's chain; for other purchases `subscribed`, `expired` or `revoked`.
    var state: String
    /// The end of the access, which is compared if two verdicts have equal states and ownership types; `nil` means that
    /// the access does not end.
    var end: Instant?

    /// The states, beginning with the state that gives the most service.
    ///
    /// The App Store's numbers for these states are 1, 4, 3, 2 and 5.
    static let states = ["subscribed", "inGracePeriod", "inBillingRetryPeriod", "expired", "revoked"]

    static func rank(of state: String) -> Int { states.firstIndex(of: state) ?? states.count }

    /// Returns whether a verdict is better than another verdict, by comparing the states, ownership types, ends and
    /// purchases, in this order.
    ///
    /// Two non-consumables that give access have equal states and ends, so their ownership types and purchases decide.
    ///
    /// - Returns: `nil` if the verdicts are equal.
    static func isBetter(_ left: ReferenceVerdict, than right: ReferenceVerdict) -> Bool? {
        let (rank, otherRank) = (rank(of: left.state), rank(of: right.state))
        if rank != otherRank { return rank < otherRank }
        let (one, other) = (left.transaction, right.transaction)
        let (bought, otherBought) = (one.ownershipType == .purchased, other.ownershipType == .purchased)
        if bought != otherBought { return bought }
        let (end, otherEnd) = (left.end ?? .distantFuture, right.end ?? .distantFuture)
        if end != otherEnd { return end > otherEnd }
        if one.purchasedAt != other.purchasedAt { return one.purchasedAt > other.purchasedAt }
        if ReferenceModel.isGreater(one.originalID, other.originalID) { return true }
        if ReferenceModel.isGreater(other.originalID, one.originalID) { return false }
        if ReferenceModel.isGreater(one.id, other.id) { return true }
        if ReferenceModel.isGreater(other.id, one.id) { return false }
        // Apple documents no further order. Here, the environments are compared next (Production, Sandbox, others by
        // name), and then the bundle ids.
        let (place, otherPlace) = (ReferenceModel.rank(of: one.environment), ReferenceModel.rank(of: other.environment))
        if place != otherPlace { return place < otherPlace }
        if one.appBundleID != other.appBundleID { return one.appBundleID < other.appBundleID }
        return nil
    }

    /// Returns the best of several verdicts.
    static func best(_ verdicts: [ReferenceVerdict]) -> ReferenceVerdict? {
        verdicts.reduce(nil) { best, next in
            guard let best else { return next }
            return isBetter(next, than: best) == true ? next : best
        }
    }

    /// The verdict as the model's answer.
    var reference: ReferenceAnswer {
        ReferenceAnswer(
            answer: answer, reason: reason, transactionID: transaction.id.rawValue,
            originalTransactionID: transaction.originalID.rawValue,
            ownership: ReferenceModel.word(for: transaction.ownershipType),
            environment: transaction.environment.rawValue)
    }
}

extension ReferenceModel {
    /// Returns the term that the `storekeeper` command prints for an ownership type.
    static func word(for ownership: OwnershipType) -> String {
        switch ownership.rawValue {
        case "PURCHASED": "purchased"
        case "FAMILY_SHARED": "familyShared"
        case "ASSIGNED": "assigned"
        default: ownership.rawValue
        }
    }

    /// Returns the reason why a revoked transaction gives no access.
    ///
    /// - Parameter isSucceeded: Whether another chain replaces the chain of the transaction.
    static func reasonOfRevocation(_ transaction: ReferenceFact, isSucceeded: Bool = false) -> String {
        if transaction.revocationReason == 2 || isSucceeded { return "movedToBundle" }
        if transaction.revocationType?.rawValue == "ASSIGNMENT_REVOKE" { return "assignmentEnded" }
        let isFamily = transaction.ownershipType.rawValue == "FAMILY_SHARED"
        return isFamily || transaction.revocationType?.rawValue == "FAMILY_REVOKE"
            ? "familySharingEnded" : "refunded"
    }

    /// Returns the sort key of an environment.
    ///
    /// Production is first, followed by Sandbox and then by the others in the order of their names.
    static func rank(of environment: AppStore.Environment) -> String {
        switch environment.rawValue {
        case "Production": "0"
        case "Sandbox": "1"
        default: "2" + environment.rawValue
        }
    }
}
