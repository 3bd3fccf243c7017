import Storekeeper

/// What one transaction says of its product at an instant.
struct ReferenceVerdict {
    /// `entitled`, `lapsed` or `unknown`.
    var answer: String
    var reason: String
    var transaction: ReferenceFact
    /// The state of the chain for a subscription; of other purchases `subscribed`, `expired` or `revoked`.
    var state: String
    /// The end that the ties compare; `nil`: without end.
    var end: Instant?

    /// The order of states: what gives more service first (1, 4, 3, 2, 5 by the App Store's numbers).
    static let states = ["subscribed", "inGracePeriod", "inBillingRetryPeriod", "expired", "revoked"]

    static func rank(of state: String) -> Int { states.firstIndex(of: state) ?? states.count }

    /// Which of two verdicts on a group stands, from the state on: ownership, end, purchase; for one-time purchases state and end are equal.
    ///
    /// - Returns: `nil` where nothing distinguishes the two.
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
        // The pages end here. Production before Sandbox before others by word, then the bundle.
        let (place, otherPlace) = (ReferenceModel.rank(of: one.environment), ReferenceModel.rank(of: other.environment))
        if place != otherPlace { return place < otherPlace }
        if one.appBundleID != other.appBundleID { return one.appBundleID < other.appBundleID }
        return nil
    }

    /// The best of several by the ties.
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
    /// The word of the command line for an ownership.
    static func word(for ownership: OwnershipType) -> String {
        switch ownership.rawValue {
        case "PURCHASED": "purchased"
        case "FAMILY_SHARED": "familyShared"
        case "ASSIGNED": "assigned"
        default: ownership.rawValue
        }
    }

    /// Why a revoked transaction gives no access.
    static func reasonOfRevocation(_ transaction: ReferenceFact) -> String {
        if transaction.revocationType?.rawValue == "ASSIGNMENT_REVOKE" { return "assignmentEnded" }
        let isFamily = transaction.ownershipType.rawValue == "FAMILY_SHARED"
        return isFamily || transaction.revocationType?.rawValue == "FAMILY_REVOKE"
            ? "familySharingEnded" : "refunded"
    }

    /// Production, Sandbox, then the others by word.
    static func rank(of environment: AppStore.Environment) -> String {
        switch environment.rawValue {
        case "Production": "0"
        case "Sandbox": "1"
        default: "2" + environment.rawValue
        }
    }
}
