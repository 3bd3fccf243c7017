public import Storekeeper

extension AppStoreServerRequest where Answer == StatusAnswer {
    /// Asks for the status of each of a customer's subscriptions.
    ///
    /// - Parameters:
    ///   - id: Any transaction of the customer, or their app transaction id.
    ///   - statuses: The statuses of the subscriptions to return; empty for all.
    /// - Throws: `invalidRequest` if the id is not valid.
    /// - SeeAlso: Apple, "App Store Server API: Get All Subscription Statuses".
    public static func statuses(
        _ id: String, only statuses: [SubscriptionStatusCode] = []
    ) throws(AppStoreServerError) -> Self {
        Self(
            .statuses, .get, path: ["inApps", "v1", "subscriptions", try digits(id, "id")],
            query: statuses.map { QueryParameter("status", String($0.rawValue)) },
            json: { json throws(AppStoreServerError) in try StatusAnswer(json) },
            check: { mismatch(bundleID: $0.bundleID, environment: $0.environment, $1) })
    }
}

/// The length and reason of an extension.
///
/// - SeeAlso: Apple, "App Store Server API: ExtendRenewalDateRequest".
public struct RenewalExtension: Hashable, Sendable {
    /// The number of days, 1 to 90.
    public var days: Int
    /// The reason for the extension.
    public var reason: ExtendReason
    /// The identifier of the request, 1 to 128 bytes; each request must have a different identifier.
    public var requestIdentifier: String

    /// Creates an extension without checking it; the request for the extension checks the values.
    public init(days: Int, reason: ExtendReason, requestIdentifier: String) {
        self.days = days
        self.reason = reason
        self.requestIdentifier = requestIdentifier
    }

    /// Returns the JSON members of the request's body.
    ///
    /// - Throws: `invalidRequest` if the App Store would refuse the request.
    func members() throws(AppStoreServerError) -> [String: JSONText] {
        guard (1...90).contains(days) else {
            throw AppStoreServerError(
                .invalidRequest, "an extension must be 1 to 90 days, not \(days)", apiCode: .invalidExtendByDays)
        }
        guard (1...128).contains(requestIdentifier.utf8.count) else {
            throw AppStoreServerError(
                .invalidRequest, "the request identifier is empty or longer than 128 bytes",
                apiCode: .invalidRequestIdentifier)
        }
        return [
            "extendByDays": .whole(days), "extendReasonCode": .integer(reason.rawValue),
            "requestIdentifier": .string(requestIdentifier),
        ]
    }
}

extension AppStoreServerRequest where Answer == ExtensionAnswer {
    /// Extends one subscription; the App Store permits two extensions per year.
    ///
    /// - Throws: `invalidRequest` if the App Store would refuse the request.
    /// - SeeAlso: Apple, "App Store Server API: Extend a Subscription Renewal Date".
    public static func extend(
        _ originalID: Transaction.ID, by change: RenewalExtension
    ) throws(AppStoreServerError) -> Self {
        let id = try digits(originalID.rawValue, "original transaction id")
        return Self(
            .extend, .put, path: ["inApps", "v1", "subscriptions", "extend", id], body: .object(try change.members()),
            json: { json throws(AppStoreServerError) in try ExtensionAnswer(json) },
            check: { answer, _ in
                answer.originalTransactionID == originalID ? nil : "the response is about a different subscription"
            })
    }
}

extension AppStoreServerRequest where Answer == MassExtensionAnswer {
    /// Extends all active subscriptions to a product.
    ///
    /// - Parameters:
    ///   - productID: The product.
    ///   - change: The length and reason.
    ///   - storefronts: The storefronts of the subscriptions to extend, ISO 3166-1 alpha-3; `nil` for all.
    /// - Throws: `invalidRequest` if the App Store would refuse the request.
    /// - SeeAlso: Apple, "App Store Server API: Extend Subscription Renewal Dates for All Active Subscribers".
    public static func massExtend(
        _ productID: Product.ID, by change: RenewalExtension, in storefronts: [String]? = nil
    ) throws(AppStoreServerError) -> Self {
        if let storefronts, storefronts.isEmpty {
            throw AppStoreServerError(
                .invalidRequest, "the list of storefronts is empty; use nil to extend in all storefronts",
                apiCode: .invalidEmptyStorefrontCountryCodeList)
        }
        var members = try change.members()
        members["productId"] = .text(productID)
        members["storefrontCountryCodes"] = storefronts.map { .array($0.map(JSONText.string)) }
        return Self(
            .massExtend, .post, path: ["inApps", "v1", "subscriptions", "extend", "mass"], body: .object(members),
            json: { json throws(AppStoreServerError) in try MassExtensionAnswer(json) },
            check: { answer, _ in
                Self.identifierMismatch(answer.requestIdentifier, change.requestIdentifier)
            })
    }
}

extension AppStoreServerRequest where Answer == MassExtensionStatus {
    /// Asks for the progress of an extension of all subscriptions to a product.
    ///
    /// - Throws: `invalidRequest` if an id is empty or too long.
    /// - SeeAlso: Apple, "App Store Server API: Get Status of Subscription Renewal Date Extensions".
    public static func massExtendStatus(
        _ productID: Product.ID, requestIdentifier: String
    ) throws(AppStoreServerError) -> Self {
        Self(
            .massExtendStatus, .get,
            path: [
                "inApps", "v1", "subscriptions", "extend", "mass", try part(productID.rawValue, "product id"),
                try part(requestIdentifier, "request identifier"),
            ],
            json: { json throws(AppStoreServerError) in try MassExtensionStatus(json) },
            check: { answer, _ in Self.identifierMismatch(answer.requestIdentifier, requestIdentifier) })
    }
}

extension AppStoreServerRequest {
    /// Returns an error message if a response belongs to a different request; otherwise `nil`.
    ///
    /// Case is ignored, because the App Store may return a UUID in another case.
    fileprivate static func identifierMismatch(_ found: String, _ asked: String) -> String? {
        found.lowercased() == asked.lowercased() ? nil : "the response is about a different extension request"
    }
}
