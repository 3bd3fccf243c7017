public import Storekeeper

/// The status of each of a customer's subscriptions, by subscription group.
///
/// - SeeAlso: Apple, "App Store Server API: StatusResponse".
public struct StatusAnswer: Hashable, Sendable {
    /// The subscriptions of one group.
    public struct Group: Hashable, Sendable {
        /// The id of the subscription group.
        public let subscriptionGroupID: SubscriptionGroup.ID
        /// The newest evidence of each chain in the group, including the chains that a family member shares.
        public let lastTransactions: [LastTransaction]
    }

    /// The most recently signed evidence of one chain.
    public struct LastTransaction: Hashable, Sendable {
        /// The original transaction id of the chain.
        public let originalTransactionID: Transaction.ID
        /// The App Store's status.
        ///
        /// The status is only a hint, because the package determines its answers from the signed transaction and
        /// renewal info.
        public let status: SubscriptionStatusCode
        /// The compact JWS of the newest transaction, not yet verified.
        public let signedTransactionInfo: String
        /// The compact JWS of the renewal info, not yet verified.
        public let signedRenewalInfo: String
        /// JSON members that this version of the package does not read, by name, each as JSON text.
        public let unknownMembers: [String: String]
    }

    /// The bundle id of the app.
    public let bundleID: String
    /// The App Store's number for the app; `nil` outside production.
    public let appAppleID: Int64?
    /// The environment of the subscriptions.
    public let environment: AppStore.Environment
    /// The subscriptions, by group.
    public let groups: [Group]
    /// JSON members that this version of the package does not read, by name, each as JSON text.
    public let unknownMembers: [String: String]

    init(_ value: JSONValue) throws(AppStoreServerError) {
        var reader = try AnswerReader(value)
        bundleID = try reader.requiredText("bundleId")
        appAppleID = try reader.whole("appAppleId")
        environment = AppStore.Environment(rawValue: try reader.requiredText("environment"))
        groups = try reader.objects("data") { group throws(AppStoreServerError) in
            Group(
                subscriptionGroupID: SubscriptionGroup.ID(try group.requiredText("subscriptionGroupIdentifier")),
                lastTransactions: try group.objects("lastTransactions") { item throws(AppStoreServerError) in
                    try LastTransaction(&item)
                })
        }
        unknownMembers = reader.unknownMembers
    }
}

extension StatusAnswer.LastTransaction {
    init(_ reader: inout AnswerReader) throws(AppStoreServerError) {
        originalTransactionID = Transaction.ID(rawValue: try reader.requiredText("originalTransactionId"))
        status = SubscriptionStatusCode(rawValue: try reader.requiredWhole("status"))
        signedTransactionInfo = try reader.requiredText("signedTransactionInfo")
        signedRenewalInfo = try reader.requiredText("signedRenewalInfo")
        unknownMembers = reader.unknownMembers
    }
}
