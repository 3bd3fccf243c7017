/// The information about a product that an app can show to a customer: the purchase, and a sentence.
public struct PurchaseInfo: Sendable {
    /// The id of the product.
    public let productID: Product.ID
    /// The product; `nil` if the catalog does not contain it.
    public let product: Product?
    /// The answer about the product, with its reason.
    public let answer: EntitlementAnswer
    /// The instant of the answer.
    public let instant: Instant

    /// The transaction that decides the answer, even if it is revoked; `nil` if no transaction decides it.
    public var transaction: Transaction? { answer.basis?.transaction }
    /// Whether the customer has access.
    public var isEntitled: Bool { answer.isEntitled }

    /// A sentence in English that tells the customer the state of the purchase.
    ///
    /// Examples are `Purchased 3 days ago.` and `Refunded 2 days ago.`
    public var sentence: String {
        switch answer {
        case .entitled(let reason, let basis): entitled(reason, basis)
        case .granted(let grant): "Given without a purchase. Ends \(words(for: grant.endsAt))."
        case .paidApp(let right): "Included: the app was bought \(words(for: right.since))."
        case .lapsed(let reason, let basis): lapsed(reason, basis)
        case .pending(.askToBuy): "Waiting for a parent or guardian to approve the purchase."
        case .pending(.bankApproval): "Waiting for the bank to approve the payment."
        case .never: "Not purchased."
        case .unknown: "Whether this was purchased is not known at the moment."
        }
    }

    private func entitled(_ reason: EntitlementAnswer.EntitledReason, _ basis: EntitlementAnswer.Basis) -> String {
        let origin =
            switch basis.transaction.ownershipType {
            case .familyShared: "Shared by the family."
            case .assigned: "Provided by an organisation."
            default:
                (basis.transaction.offer?.isFreeTrial == true ? "Free trial, started" : "Purchased")
                    + " \(words(for: basis.transaction.purchasedAt))."
            }
        switch reason {
        case .gracePeriod: return PaymentSentence.gracePeriod(endingIn: words(for: basis.accessEndsAt))
        case .owned, .active, .renewalLeeway:
            guard basis.accessEndsAt < .distantFuture else { return origin }
            return "\(origin) The period ends \(words(for: basis.accessEndsAt))."
        }
    }

    private func lapsed(_ reason: EntitlementAnswer.LapsedReason, _ basis: EntitlementAnswer.Basis) -> String {
        switch reason {
        case .expired: "Ended \(words(for: basis.accessEndsAt))."
        case .billingRetry: PaymentSentence.billingRetry
        case .refunded, .familySharingEnded, .assignmentEnded:
            reason.sentence(ofRevocation: words(for: basis.transaction.revokedAt ?? basis.accessEndsAt))
        case .upgraded, .movedToBundle: "Replaced by another subscription."
        }
    }

    private func words(for other: Instant) -> String { RelativeTime.words(for: other, at: instant) }
}

/// Sentences about payments that failed.
enum PaymentSentence {
    static let billingRetry = "The payment failed. Access returns when it succeeds."

    static func gracePeriod(endingIn words: String) -> String {
        "The payment failed. Access ends \(words) unless it succeeds."
    }
}

extension EntitlementAnswer.LapsedReason {
    /// Returns the sentence about a revocation with this reason.
    func sentence(ofRevocation when: String) -> String {
        switch self {
        case .familySharingEnded: "The family stopped sharing it \(when)."
        case .assignmentEnded: "The organisation took it back \(when)."
        case .movedToBundle: "Replaced by another subscription."
        default: "Refunded \(when)."
        }
    }
}
