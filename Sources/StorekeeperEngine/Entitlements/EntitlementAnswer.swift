/// What a customer has of a product at an instant, and why.
public enum EntitlementAnswer: Hashable, Sendable {
    /// The customer has access.
    case entitled(EntitledReason, Basis)
    /// A purchase waits for somebody's approval.
    case pending(PendingReason)
    /// The customer had access and has it no longer.
    case lapsed(LapsedReason, Basis)
    /// The evidence is complete and shows no purchase.
    case never
    /// It cannot be told. The basis is a verified transaction that this version does not understand.
    case unknown(UnknownReason, Basis? = nil)

    /// Why a customer has access.
    public enum EntitledReason: String, Sendable {
        /// A period, or the access of a non-renewing purchase, is running.
        case active
        /// The product is the customer's for good.
        case owned
        /// Billing failed and service goes on for a while.
        case gracePeriod
        /// A period has just ended and its renewal may still be on the way.
        case renewalLeeway
    }

    /// What a purchase waits for.
    public enum PendingReason: String, Codable, Sendable { case askToBuy, bankApproval }

    /// Why a customer lost access.
    public enum LapsedReason: String, Sendable {
        case expired, billingRetry, refunded, familySharingEnded, assignmentEnded, upgraded
    }

    /// Why it cannot be told.
    public enum UnknownReason: String, Sendable {
        /// Nobody has read a whole history yet.
        case neverSynced
        /// What there is could not be verified, or this version does not understand it.
        case unverified
        /// The App Store has not answered for too long.
        case backendFailed
        /// The evidence says another type for the product than the catalog.
        case conflictingType
        /// What gives access has no level of service in the catalog, and a level was asked about.
        case unknownLevel
    }

    /// Which of the five answers it is.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        case entitled, pending, lapsed, never, unknown
    }

    /// Why an answer is what it is, whichever it is.
    ///
    /// ```swift
    /// if store.entitlement(for: "gold.monthly").reason == .gracePeriod { askForAnotherCard() }
    /// ```
    public enum Reason: String, Codable, Sendable, CaseIterable {
        // Of an answer that gives access: see ``EntitledReason``.
        case active, owned, gracePeriod, renewalLeeway
        // Of one that waits.
        case askToBuy, bankApproval
        // Of access that ended.
        case expired, billingRetry, refunded, familySharingEnded, assignmentEnded, upgraded
        // Of a customer who never bought.
        case noPurchase
        // Of what cannot be told: see ``UnknownReason``.
        case neverSynced, unverified, backendFailed, conflictingType, unknownLevel
    }

    /// What an answer rests on.
    public struct Basis: Hashable, Sendable {
        /// The fact that decides.
        package let fact: TransactionFact
        /// When the access that it gives ends, exclusive; ``Instant/distantFuture`` where it does not.
        public let accessEndsAt: Instant
        /// Where the purchase stands: what runs, or is owned, is ``RenewalState/subscribed``.
        let state: RenewalState

        /// The transaction that decides.
        public var transaction: Transaction { fact.transaction }

        /// The same, where the purchase stands otherwise.
        func standing(_ state: RenewalState) -> Basis {
            Basis(fact: fact, accessEndsAt: accessEndsAt, state: state)
        }
    }
}

extension EntitlementAnswer {
    /// Whether the customer has access.
    public var isEntitled: Bool {
        if case .entitled = self { true } else { false }
    }

    /// What the answer rests on; `nil` where no transaction decides.
    public var basis: Basis? {
        switch self {
        case .entitled(_, let basis), .lapsed(_, let basis): basis
        case .unknown(_, let basis): basis
        case .pending, .never: nil
        }
    }

    /// Which of the five answers it is.
    public var kind: Kind {
        switch self {
        case .entitled: .entitled
        case .pending: .pending
        case .lapsed: .lapsed
        case .never: .never
        case .unknown: .unknown
        }
    }

    /// Why it is so.
    public var reason: Reason {
        switch self {
        case .entitled(let reason, _): Reason(reason)
        case .pending(let reason): Reason(reason)
        case .lapsed(let reason, _): Reason(reason)
        case .never: .noPurchase
        case .unknown(let reason, _): Reason(reason)
        }
    }

    /// The answer as a word of the command line's contract.
    package var word: String { kind.rawValue }

    /// The reason as a word of the command line's contract.
    package var reasonWord: String { reason.rawValue }

    /// Whether two answers say the same for the same reason, whatever they rest on.
    package func isEquivalent(to other: EntitlementAnswer) -> Bool {
        switch (self, other) {
        case (.entitled(let left, _), .entitled(let right, _)): left == right
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
            }
    }
}
