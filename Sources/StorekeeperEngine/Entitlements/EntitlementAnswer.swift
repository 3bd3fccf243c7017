/// A customer's access to a product at an instant, and its reason.
public enum EntitlementAnswer: Hashable, Sendable {
    /// The customer has access.
    case entitled(EntitledReason, Basis)
    /// The customer has access that was granted without a purchase; the kind of the answer is ``Kind/entitled``.
    indirect case granted(AccessGrant)
    /// The customer got the app itself while it was paid; only features have this answer, and its kind is
    /// ``Kind/entitled``.
    indirect case paidApp(PaidApp)
    /// A purchase waits for approval.
    case pending(PendingReason)
    /// The customer had access and lost it.
    case lapsed(LapsedReason, Basis)
    /// The evidence is complete and shows no purchase.
    case never
    /// The answer is not known.
    ///
    /// The basis, if present, is a verified transaction that does not lead to an answer, for example because it has a
    /// value that this version does not know.
    case unknown(UnknownReason, Basis? = nil)

    /// Why a customer has access.
    public enum EntitledReason: String, Sendable {
        /// A period, or the access of a non-renewing purchase, is running.
        case active
        /// The customer owns the product permanently.
        case owned
        /// Billing failed, and service continues for the time of the grace period.
        case gracePeriod
        /// A period has just ended, and the transaction of its renewal may not have arrived yet.
        case renewalLeeway
    }

    /// The approval that a purchase waits for.
    public enum PendingReason: String, Codable, Sendable { case askToBuy, bankApproval }

    /// Why a customer lost access.
    public enum LapsedReason: String, Sendable {
        case expired, billingRetry, refunded, familySharingEnded, assignmentEnded, upgraded
        /// The subscription is now part of a bundle or was part of one, and continues as another purchase.
        case movedToBundle
    }

    /// Why the answer is not known.
    public enum UnknownReason: String, Sendable {
        /// The customer's whole history has not been read yet.
        case neverSynced
        /// The evidence could not be verified, or has a value that this version does not know.
        case unverified
        /// The App Store has not answered for longer than the policy allows.
        case backendFailed
        /// The type of the product in the evidence differs from its type in the catalog.
        case conflictingType
        /// The question is about a level of service, but the product that gives access has no level in the catalog.
        case unknownLevel
        /// Neither a catalog nor the evidence knows the product or feature, for example because its id is misspelled.
        case notInCatalog
    }

    /// The five kinds of answer.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        case entitled, pending, lapsed, never, unknown
    }

    /// The reason of an answer of any kind.
    ///
    /// ```swift
    /// if store.entitlement(for: "gold.monthly").reason == .gracePeriod { askForAnotherCard() }
    /// ```
    public enum Reason: String, Codable, Sendable, CaseIterable {
        // The reasons for access; see ``EntitledReason``.
        case active, owned, gracePeriod, renewalLeeway
        /// Access was granted without a purchase.
        case granted
        /// The customer got the app itself while it was paid.
        case paidApp
        // The reasons for which a purchase is pending.
        case askToBuy, bankApproval
        // The reasons for which access has ended.
        case expired, billingRetry, refunded, familySharingEnded, assignmentEnded, upgraded, movedToBundle
        // The reason if the customer never bought the product.
        case noPurchase
        // The reasons for which the answer is not known; see ``UnknownReason``.
        case neverSynced, unverified, backendFailed, conflictingType, unknownLevel, notInCatalog
    }

    /// The transaction that an answer is based on.
    public struct Basis: Hashable, Sendable {
        /// The signed transaction that decides the answer.
        package let fact: TransactionFact
        /// The end of the access that the transaction gives, exclusive; ``Instant/distantFuture`` if it does not end.
        public let accessEndsAt: Instant
        /// The state of the purchase; it is ``RenewalState/subscribed`` for a running period and for an owned product.
        let state: RenewalState

        /// The transaction that decides the answer.
        public var transaction: Transaction { fact.transaction }

        /// Returns a copy of the basis with another state.
        func standing(_ state: RenewalState) -> Basis {
            Basis(fact: fact, accessEndsAt: accessEndsAt, state: state)
        }
    }
}

extension EntitlementAnswer {
    /// Whether the customer has access.
    public var isEntitled: Bool {
        switch self {
        case .entitled, .granted, .paidApp: true
        case .pending, .lapsed, .never, .unknown: false
        }
    }

    /// The basis of the answer; `nil` if no transaction decides the answer.
    public var basis: Basis? {
        switch self {
        case .entitled(_, let basis), .lapsed(_, let basis): basis
        case .unknown(_, let basis): basis
        case .granted, .paidApp, .pending, .never: nil
        }
    }

    /// The kind of the answer.
    public var kind: Kind {
        switch self {
        case .entitled, .granted, .paidApp: .entitled
        case .pending: .pending
        case .lapsed: .lapsed
        case .never: .never
        case .unknown: .unknown
        }
    }

    /// The reason of the answer.
    public var reason: Reason {
        switch self {
        case .entitled(let reason, _): Reason(reason)
        case .granted: .granted
        case .paidApp: .paidApp
        case .pending(let reason): Reason(reason)
        case .lapsed(let reason, _): Reason(reason)
        case .never: .noPurchase
        case .unknown(let reason, _): Reason(reason)
        }
    }

    /// The kind, as the command line prints it.
    package var word: String { kind.rawValue }

    /// The reason, as the command line prints it.
    package var reasonWord: String { reason.rawValue }

    /// The reason, with the way in which the customer got the product if that changes what the reason means.
    ///
    /// For example, the reason `active` of a free trial, or of a subscription that a family shares, is not a period that
    /// the customer has paid for.
    package var reasonKey: String {
        guard case .entitled(let reason, let basis) = self, reason == .active || reason == .owned else {
            return reasonWord
        }
        switch basis.transaction.ownershipType {
        case .familyShared: return reasonWord + ".shared"
        case .assigned: return reasonWord + ".assigned"
        default: break
        }
        return basis.transaction.offer?.paymentMode == .freeTrial ? reasonWord + ".trial" : reasonWord
    }

    /// Whether no purchase is known, although evidence of a purchase may be missing.
    package var lacksPurchase: Bool {
        switch self {
        case .never, .unknown(.neverSynced, nil), .unknown(.backendFailed, nil): true
        default: false
        }
    }

    /// Returns whether two answers have the same kind and reason, even if they are based on different transactions.
    package func isEquivalent(to other: EntitlementAnswer) -> Bool {
        switch (self, other) {
        case (.entitled(let left, _), .entitled(let right, _)): left == right
        case (.granted, .granted), (.paidApp, .paidApp): true
        case (.pending(let left), .pending(let right)): left == right
        case (.lapsed(let left, _), .lapsed(let right, _)): left == right
        case (.never, .never): true
        case (.unknown(let left, _), .unknown(let right, _)): left == right
        default: false
        }
    }
}

extension EntitlementAnswer: CustomStringConvertible {
    /// The answer and its reason, such as `entitled (gracePeriod)`.
    public var description: String { "\(word) (\(reasonWord))" }
}

extension EntitlementAnswer.Reason {
    fileprivate init(_ reason: EntitlementAnswer.EntitledReason) {
        self =
            switch reason {
            case .active: .active
            case .owned: .owned
            case .gracePeriod: .gracePeriod
            case .renewalLeeway: .renewalLeeway
            }
    }

    fileprivate init(_ reason: EntitlementAnswer.PendingReason) {
        self =
            switch reason {
            case .askToBuy: .askToBuy
            case .bankApproval: .bankApproval
            }
    }

    fileprivate init(_ reason: EntitlementAnswer.LapsedReason) {
        self =
            switch reason {
            case .expired: .expired
            case .billingRetry: .billingRetry
            case .refunded: .refunded
            case .familySharingEnded: .familySharingEnded
            case .assignmentEnded: .assignmentEnded
            case .upgraded: .upgraded
            case .movedToBundle: .movedToBundle
            }
    }

    fileprivate init(_ reason: EntitlementAnswer.UnknownReason) {
        self =
            switch reason {
            case .neverSynced: .neverSynced
            case .unverified: .unverified
            case .backendFailed: .backendFailed
            case .conflictingType: .conflictingType
            case .unknownLevel: .unknownLevel
            case .notInCatalog: .notInCatalog
            }
    }
}
