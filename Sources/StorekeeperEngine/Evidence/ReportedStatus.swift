/// The App Store's own state of a subscription at an instant.
///
/// A notification contains the state as signed data. In a response of Get All Subscription Statuses the state is not
/// signed; it then serves only to find contradictions.
///
/// - SeeAlso: Apple, "App Store Server API: status".
package struct ReportedStatus: Hashable, Sendable {
    /// The original transaction id of the subscription.
    package let originalID: Transaction.ID
    /// The bundle id of the app.
    package let bundleID: String
    /// The environment of the App Store.
    package let environment: AppStore.Environment
    /// The time of signing; for an unsigned state, the newest signing time of the data beside it.
    package let signedAt: Instant
    /// The number of the state, such as 4 for a grace period.
    package let number: Int64
    /// Whether the state is signed.
    let isSigned: Bool

    /// Whether the App Store says that a grace period is running.
    var isInGracePeriod: Bool { number == 4 }

    /// Creates the state that a notification contains; `nil` if it contains none, or names no subscription.
    package init?(_ notification: ServerNotification) {
        guard let number = notification.status, let bundleID = notification.bundleID,
            let id = [notification.signedTransactionInfo, notification.signedRenewalInfo].lazy
                .compactMap({ $0.flatMap(Self.payload) })
                .compactMap({ $0["originalTransactionId"]?.string }).first
        else { return nil }
        (self.bundleID, environment) = (bundleID, notification.environment)
        originalID = Transaction.ID(id)
        signedAt = notification.signedAt
        self.number = number
        isSigned = true
    }

    /// Creates the state that stands beside signed data in a response of Get All Subscription Statuses; `nil` if the
    /// transaction cannot be read.
    ///
    /// - Parameters:
    ///   - number: The number of the state.
    ///   - transaction: The compact JWS of the transaction.
    ///   - renewalInfo: The compact JWS of the renewal info.
    package init?(unsigned number: Int64, transaction: String, renewalInfo: String?) {
        guard let payload = Self.payload(of: transaction), let id = payload["originalTransactionId"]?.string,
            let bundleID = payload["bundleId"]?.string, let environment = payload["environment"]?.string,
            let signedAt = Self.signedAt(payload)
        else { return nil }
        (self.bundleID, self.environment) = (bundleID, AppStore.Environment(rawValue: environment))
        originalID = Transaction.ID(id)
        self.signedAt = max(signedAt, renewalInfo.flatMap(Self.payload).flatMap(Self.signedAt) ?? signedAt)
        self.number = number
        isSigned = false
    }

    private static func payload(of jws: String) -> JSONObject? {
        guard let bytes = CompactJWS(jws)?.payloadContent else { return nil }
        return (try? JSONReader().read(bytes))?.root.object
    }

    private static func signedAt(_ payload: JSONObject) -> Instant? {
        payload["signedDate"]?.truncatedInt64.flatMap(Instant.init(millisecondsSince1970:))
    }

    /// Orders states by the time of signing; of two that were signed at the same instant, the one that counts is last.
    static func precedes(_ left: ReportedStatus, _ right: ReportedStatus) -> Bool {
        if left.signedAt != right.signedAt { return left.signedAt < right.signedAt }
        // The state that gives less access counts.
        if left.isInGracePeriod != right.isInGracePeriod { return left.isInGracePeriod }
        return left.number < right.number
    }
}
