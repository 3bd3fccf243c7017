/// Turns evidence that nobody vouches for into facts.
///
/// The one implementation that checks signatures is `JWSVerifier` in `StorekeeperJWS`. A conforming type
/// must be safe to call from many tasks at once and must not wait for a network unless it says so.
public protocol TransactionVerifier: Sendable {
    /// Verifies one compact JWS of whatever kind.
    ///
    /// - Returns: What it holds, believed or not. Never throws: a bad item is an answer like any other,
    ///   so that it cannot stop the reading of the next.
    func verify(_ jws: String) -> CheckedEvidence
}

/// What a compact JWS turned out to hold.
public enum CheckedEvidence: Sendable {
    /// A purchase or a renewal.
    case transaction(VerificationResult<Transaction>)
    /// What is intended for a subscription.
    case renewalInfo(VerificationResult<RenewalInfo>)
    /// The download of the app.
    case appTransaction(VerificationResult<AppTransaction>)
    /// A notification, whose inner parts are yet to be verified.
    case notification(VerificationResult<ServerNotification>)
    /// Nothing that could be decoded as one of these. The payload is there where it is at least JSON,
    /// as bytes, to show it; nothing of it may be believed.
    case unreadable(VerificationError, payload: [UInt8]?)

    /// Why it was not believed; `nil` if it was.
    public var error: VerificationError? {
        switch self {
        case .transaction(let result): result.error
        case .renewalInfo(let result): result.error
        case .appTransaction(let result): result.error
        case .notification(let result): result.error
        case .unreadable(let error, _): error
        }
    }

    /// The payload of what could not be decoded, as JSON.
    package var unreadableDocument: JSONDocument? {
        guard case .unreadable(_, let payload?) = self else { return nil }
        return try? JSONReader().read(payload)
    }

    /// Whether no signature vouches for it and it is to be taken all the same.
    package var isUnsigned: Bool {
        switch self {
        case .transaction(.unsigned), .renewalInfo(.unsigned), .appTransaction(.unsigned), .notification(.unsigned):
            true
        default: false
        }
    }
}
