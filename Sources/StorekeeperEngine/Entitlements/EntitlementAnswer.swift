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
    public enum PendingReason: String, Sendable { case askToBuy, bankApproval }

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
        /// What gives access has no level of service in the catalog, and a level was asked about.
        case unknownLevel
    }

    /// What an answer rests on.
    public struct Basis: Hashable, Sendable {
        /// The fact that decides.
        public let fact: TransactionFact
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

    /// The answer as a word of the command line's contract.
    public var word: String {
        switch self {
        case .entitled: "entitled"
        case .pending: "pending"
        case .lapsed: "lapsed"
        case .never: "never"
        case .unknown: "unknown"
        }
    }

    /// The reason as a word of the command line's contract.
    public var reasonWord: String {
        switch self {
        case .entitled(let reason, _): reason.rawValue
        case .pending(let reason): reason.rawValue
        case .lapsed(let reason, _): reason.rawValue
        case .never: "noPurchase"
        case .unknown(let reason, _): reason.rawValue
        }
    }

    /// Whether two answers say the same for the same reason, whatever they rest on.
    public func saysTheSame(as other: EntitlementAnswer) -> Bool {
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
