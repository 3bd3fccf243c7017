import HTTPTypes
import Storekeeper
import StorekeeperSimulator

/// An endpoint of the App Store Server API, with its path, rate limit, the faults that affect it, and its function.
///
/// - SeeAlso: Apple, "App Store Server API".
struct Endpoint: Sendable {
    let method: HTTPRequest.Method
    /// The path, in which braces enclose the name of a parameter.
    let path: String
    let place: SimulatedFault.Place
    let limit: RequestRate.Limit
    /// The status of a successful response.
    let status: HTTPResponse.Status
    let answer: @Sendable (ServerAPI, RequestValues) throws -> JSONText?

    private init(
        _ method: HTTPRequest.Method, _ path: String, _ place: SimulatedFault.Place, _ limit: RequestRate.Limit,
        _ status: HTTPResponse.Status = .ok,
        _ answer: @escaping @Sendable (ServerAPI, RequestValues) throws -> JSONText?
    ) {
        self.method = method
        self.path = path.hasPrefix("/") ? path : "/inApps/\(path)"
        self.place = place
        self.limit = limit
        self.status = status
        self.answer = answer
    }

    /// The method and path.
    var name: String { "\(method.rawValue) \(path)" }

    /// Whether requests to the endpoint may change the simulated store.
    var changesStore: Bool { method != .get && ![.notificationHistory, .messaging].contains(place) }

    /// Returns the method and path of a request, such as `PUT /inApps/v1/subscriptions/extend/2000000000000001`.
    func words(of request: RequestValues) -> String {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            segment.hasPrefix("{") ? request[String(segment.dropFirst().dropLast())] : String(segment)
        }
        return "\(method.rawValue) \(segments.joined(separator: "/"))"
    }

    /// All endpoints.
    static let all = [
        Endpoint(.get, "v1/transactions/{id}", .transaction, .fifty) { try $0.transaction($1["id"]) },
        Endpoint(.get, "v1/transactions/appTransactions/{id}", .appTransaction, .fifty) {
            try $0.appTransaction(of: $1["id"])
        },
        Endpoint(.post, "v1/transactions/{id}/finish", .finish, .fifty) { try $0.finish($1["id"]) },
        Endpoint(.put, "v1/transactions/consumption/{id}", .consumption, .fifty, .accepted) {
            try $0.recordConsumption(of: $1["id"], version: 1, $1.body)
        },
        Endpoint(.put, "v2/transactions/consumption/{id}", .consumption, .fifty, .accepted) {
            try $0.recordConsumption(of: $1["id"], version: 2, $1.body)
        },
        Endpoint(.put, "v1/transactions/{id}/appAccountToken", .accountToken, .twenty) {
            try $0.setToken(of: $1["id"], $1.body)
        },
        Endpoint(.get, "v1/history/{id}", .history, .fifty) { try $0.history(of: $1["id"], version: 1, $1.query) },
        Endpoint(.get, "v2/history/{id}", .history, .fifty) { try $0.history(of: $1["id"], version: 2, $1.query) },
        Endpoint(.get, "v1/subscriptions/{id}", .statuses, .fifty) { try $0.subscriptions(of: $1["id"], $1.query) },
        Endpoint(.get, "v2/refund/lookup/{id}", .refunds, .ten) { try $0.refunds(of: $1["id"], $1.query) },
        Endpoint(.get, "v1/lookup/{id}", .order, .ten) { try $0.order($1["id"]) },
        Endpoint(.post, "v1/subscriptions/extend/mass", .massExtension, .one) { try $0.extendAll($1.body) },
        Endpoint(.get, "v1/subscriptions/extend/mass/{product}/{request}", .massExtensionStatus, .one) {
            try $0.extensionStatus(of: Product.ID($1["product"]), $1["request"])
        },
        Endpoint(.put, "v1/subscriptions/extend/{id}", .extension, .twenty) { try $0.extend($1["id"], $1.body) },
        Endpoint(.post, "v1/notifications/test", .test, .one) { api, _ in try api.requestTest() },
        Endpoint(.get, "v1/notifications/test/{token}", .testStatus, .one) { try $0.testStatus($1["token"]) },
        Endpoint(.post, "v1/notifications/history", .notificationHistory, .fifty) {
            try $0.notificationHistory($1.body, page: $1.query.value("paginationToken"))
        },
        // The path of a list precedes the paths with an id, because the id would match the word `list`.
        Endpoint(.get, "v1/messaging/image/list", .messaging, .ten) { api, _ in api.images },
        Endpoint(.put, "v1/messaging/image/{id}", .messaging, .ten) { try $0.uploadImage($1["id"], $1.query, $1.body) },
        Endpoint(.delete, "v1/messaging/image/{id}", .messaging, .ten) { try $0.deleteImage($1["id"]) },
        Endpoint(.get, "v1/messaging/message/list", .messaging, .ten) { api, _ in api.messageList },
        Endpoint(.put, "v1/messaging/message/{id}", .messaging, .ten) { try $0.uploadMessage($1["id"], $1.body) },
        Endpoint(.delete, "v1/messaging/message/{id}", .messaging, .ten) { try $0.deleteMessage($1["id"]) },
        Endpoint(.put, "v1/messaging/default/{product}/{locale}", .messaging, .ten) {
            try $0.setDefault($1["product"], $1["locale"], $1.body)
        },
        Endpoint(.get, "v1/messaging/default/{product}/{locale}", .messaging, .ten) {
            try $0.defaultMessage($1["product"], $1["locale"])
        },
        Endpoint(.delete, "v1/messaging/default/{product}/{locale}", .messaging, .ten) {
            try $0.deleteDefault($1["product"], $1["locale"])
        },
        Endpoint(.put, "v1/messaging/realtime/url", .messaging, .ten) { try $0.setRealtimeURL($1.body) },
        Endpoint(.get, "v1/messaging/realtime/url", .messaging, .ten) { api, _ in try api.realtimeURL() },
        Endpoint(.delete, "v1/messaging/realtime/url", .messaging, .ten) { api, _ in try api.deleteRealtimeURL() },
        Endpoint(.post, "v1/messaging/performanceTest", .messaging, .one) { try $0.initiateTest($1.body) },
        Endpoint(.get, "v1/messaging/performanceTest/result/{id}", .messaging, .one) { try $0.testResult($1["id"]) },
        Endpoint(.post, "/advancedCommerce/v1/subscription/cancel/{id}", .advancedCommerce, .ten) {
            try $0.cancelSubscription($1["id"], $1.body)
        },
        Endpoint(.post, "/advancedCommerce/v1/subscription/revoke/{id}", .advancedCommerce, .ten) {
            try $0.revokeSubscription($1["id"], $1.body)
        },
        Endpoint(.post, "/advancedCommerce/v1/subscription/changeMetadata/{id}", .advancedCommerce, .ten) {
            try $0.changeMetadata($1["id"], $1.body)
        },
        Endpoint(.post, "/advancedCommerce/v1/subscription/changePrice/{id}", .advancedCommerce, .ten) {
            try $0.changePrice($1["id"], $1.body)
        },
        Endpoint(.post, "/advancedCommerce/v1/subscription/migrate/{id}", .advancedCommerce, .ten) {
            try $0.migrateSubscription($1["id"], $1.body)
        },
        Endpoint(.post, "/advancedCommerce/v1/transaction/requestRefund/{id}", .advancedCommerce, .ten) {
            try $0.requestRefund($1["id"], $1.body)
        },
        Endpoint(.get, "/groups/v1/transactions/{id}/seats", .seats, .ten) { try $0.seatInfo($1["id"]) },
        Endpoint(.post, "/groups/v1/transactions/{id}/seats", .seats, .ten) { try $0.claimSeat($1["id"], $1.body) },
        Endpoint(.delete, "/groups/v1/transactions/{id}/seats/{claim}", .seats, .ten) {
            try $0.unclaimSeat($1["id"], $1["claim"])
        },
        Endpoint(.post, "/groups/v1/transactions/{id}/seats/{claim}/associate", .seats, .ten) {
            try $0.associateSeat($1["id"], $1["claim"], $1.body)
        },
        Endpoint(.get, "/groups/v1/currentGroups/{id}", .seats, .ten) { try $0.customerGroups(of: $1["id"]) },
        Endpoint(.get, "/groups/v1/group/{id}", .seats, .ten) { try $0.groupMembers(of: $1["id"], $1.query) },
    ]
}
