import FoundationEssentials
import Storekeeper
import StorekeeperSimulator

/// The App Store Server API of one app, backed by the records of a simulated App Store.
///
/// The value itself has no state, because commands change the simulated store.
///
/// - SeeAlso: Apple, "App Store Server API".
struct ServerAPI: Sendable {
    let store: SimulatedAppStore
    /// The bundle id that the bearer token names.
    let app: String
    let environment: AppStore.Environment
    /// The app's Apple id; `nil` if apps have none in the environment.
    let appAppleID: Int64?
    /// The notifications with the attempts to send them.
    let notifications: NotificationOutbox
    /// The images and messages of retention messaging.
    let messages: RetentionMessages

    // MARK: One transaction

    func transaction(_ id: String) throws -> JSONText {
        try Self.check(id)
        guard let text = try store.signedTransaction(id, app: app) else { throw notFound(id) }
        return .object(["signedTransactionInfo": .string(text)])
    }

    func finish(_ id: String) throws -> JSONText? {
        let purchase = try purchase(id)
        try store.perform(.finish(.id(purchase.id)), app: app)
        return nil
    }

    func order(_ id: String) throws -> JSONText {
        let texts = try store.transactions(ofOrder: id, app: app)
        return .object([
            "status": .integer(texts.isEmpty ? 1 : 0), "signedTransactions": .array(texts.map(JSONText.string)),
        ])
    }

    func setToken(of id: String, _ body: [UInt8]) throws -> JSONText? {
        try Self.check(id)
        guard let purchase = store.purchase(id, app: app) else {
            throw store.isAppTransaction(id, app: app)
                ? APIError.appTransactionIDNotSupported : APIError.originalTransactionIDNotFound
        }
        guard let text = try JSONObject.reading(body)["appAccountToken"]?.string, let token = UUID(uuidString: text)
        else {
            throw APIError.invalidAppAccountTokenUUID
        }
        guard !purchase.isFamilyShared else { throw APIError.familyTransactionNotSupported }
        guard !purchase.isAssigned else { throw APIError.assignedNotSupported }
        guard purchase.id == purchase.originalID else { throw APIError.notAnOriginalTransaction }
        try store.perform(.setAppAccountToken(token, of: .id(purchase.id)), app: app)
        return nil
    }

    // MARK: Customers

    func appTransaction(of id: String) throws -> JSONText {
        try Self.check(id)
        guard let text = try store.appTransaction(ofCustomerWith: id, app: app) else {
            throw APIError.transactionIDNotFound
        }
        guard !store.isAppTransactionMissing(ofCustomerWith: id, app: app) else {
            throw APIError.appTransactionDoesNotExist
        }
        return .object(["signedAppTransactionInfo": .string(text)])
    }

    func subscriptions(of id: String, _ query: QueryValues) throws -> JSONText {
        try Self.check(id)
        var statuses: Set<Int> = []
        for value in query.values("status") {
            guard let status = Int(value), (1...5).contains(status) else { throw APIError.invalidStatus }
            statuses.insert(status)
        }
        let records = try store.subscriptions(
            ofCustomerWith: id, app: app, statuses: statuses.isEmpty ? [1, 2, 3, 4, 5] : statuses)
        guard let records else { throw APIError.transactionIDNotFound }
        // The groups are in the order in which the customer first subscribed to them.
        var groups: [(id: SubscriptionGroup.ID, items: [JSONText])] = []
        for record in records {
            let item = JSONText.object([
                "originalTransactionId": .string(record.originalID.rawValue), "status": .whole(record.status),
                "signedTransactionInfo": .string(record.transaction), "signedRenewalInfo": .text(record.renewalInfo),
            ])
            if let place = groups.firstIndex(where: { $0.id == record.groupID }) {
                groups[place].items.append(item)
            } else {
                groups.append((record.groupID, [item]))
            }
        }
        let data = groups.map { group in
            JSONText.object([
                "subscriptionGroupIdentifier": .text(group.id), "lastTransactions": .array(group.items),
            ])
        }
        return .object(common.merging(["data": .array(data)]) { $1 })
    }

    // MARK: Parts

    /// The JSON members that all responses about a customer contain.
    var common: [String: JSONText] {
        [
            "environment": .string(environment.rawValue), "bundleId": .string(app),
            "appAppleId": .whole(appAppleID),
        ]
    }

    /// Throws an error unless an id consists of 1 to 64 digits.
    static func check(_ id: String, _ error: APIError = .invalidTransactionID) throws(APIError) {
        guard (1...64).contains(id.utf8.count),
            id.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { throw error }
    }

    /// Returns the purchase with an id.
    func purchase(_ id: String) throws(APIError) -> PurchaseRecord {
        try Self.check(id)
        guard let purchase = store.purchase(id, app: app) else { throw notFound(id) }
        return purchase
    }

    private func notFound(_ id: String) -> APIError {
        store.isAppTransaction(id, app: app) ? .appTransactionIDNotSupported : .transactionIDNotFound
    }
}
