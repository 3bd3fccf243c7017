/// The content of a compact JWS after verification.
public enum CheckedEvidence: Sendable {
    /// A purchase or a renewal.
    case transaction(VerificationResult<Transaction>)
    /// The App Store's data about the next renewal of a subscription.
    case renewalInfo(VerificationResult<RenewalInfo>)
    /// A customer's download of the app.
    case appTransaction(VerificationResult<AppTransaction>)
    /// A notification; the transaction and the renewal info inside the notification are not yet verified.
    case notification(VerificationResult<ServerNotification>)
    /// Text that could not be decoded as any of the other kinds.
    ///
    /// The bytes of the payload are present if the payload is JSON. The bytes are only for display, and no part of the
    /// bytes is trusted.
    case unreadable(VerificationError, payload: [UInt8]?)

    /// The reason why verification failed; `nil` if it succeeded.
    public var error: VerificationError? {
        switch self {
        case .transaction(let result): result.error
        case .renewalInfo(let result): result.error
        case .appTransaction(let result): result.error
        case .notification(let result): result.error
        case .unreadable(let error, _): error
        }
    }

    /// The purchase of a transaction that belongs to another app; `nil` for all other evidence.
    package var purchaseOfOtherApp: RenewalInfoKey? {
        guard case .transaction(.unverified(let transaction, let error)) = self, error.code == .bundleMismatch else {
            return nil
        }
        return RenewalInfoKey(ChainID(transaction))
    }

    /// The payload of undecodable evidence, as JSON.
    package var unreadableDocument: JSONDocument? {
        guard case .unreadable(_, let payload?) = self else { return nil }
        return try? JSONReader().read(payload)
    }

    /// Whether the evidence has no trusted signature, and the caller accepts it nevertheless.
    package var isUnsigned: Bool {
        switch self {
        case .transaction(.unsigned), .renewalInfo(.unsigned), .appTransaction(.unsigned), .notification(.unsigned):
            true
        default: false
        }
    }
}
