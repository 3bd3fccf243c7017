import FoundationEssentials
import Storekeeper
import StorekeeperAppStore
import StorekeeperSimulator

/// The requests about sent notifications.
///
/// - SeeAlso: Apple, "App Store Server API: Get Notification History" and "Request a Test Notification".
extension ServerAPI {
    private static let pageSize = 20
    /// The retention period of notifications in production, in days.
    private static let keptDays = 180
    private static let keptDaysElsewhere = 30
    /// The lifetime of a pagination token, in milliseconds of simulated time.
    private static let tokenLifetime: Int64 = 86_400_000

    func requestTest() throws -> JSONText {
        guard notifications.hasWebhook else { throw APIError.serverNotificationURLNotFound }
        let before = store.happeningCount
        try store.perform(.requestTestNotification, app: app)
        guard let test = store.happenings(after: before).last(where: { $0.kind == .testRequested && $0.app == app })
        else { throw APIError.internalError("the test notification was not recorded") }
        guard let token = token(of: test) else { throw APIError.internalError("the test notification has no id") }
        return .object(["testNotificationToken": .string(token)])
    }

    func testStatus(_ token: String) throws -> JSONText {
        let parts = token.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 2, UUID(uuidString: String(parts[0])) != nil, let milliseconds = Int64(parts[1]),
            let at = Instant(millisecondsSince1970: milliseconds)
        else { throw APIError.invalidTestNotificationToken }
        let isKept = store.now.milliseconds(since: at) <= Int64(Self.keptDays) * 86_400_000
        let test = isKept ? store.tests(at: at).first { self.token(of: $0) == token.lowercased() } : nil
        guard let test, test.app == app, let item = try json(test) else { throw APIError.testNotificationNotFound }
        return item
    }

    /// Returns the token of a test notification: its id and the instant of the request, in the format of Apple's
    /// tokens.
    private func token(of test: Happening) -> String? {
        store.notificationID(of: test.id).map {
            "\($0.uuidString.lowercased())_\(test.at.millisecondsSince1970)"
        }
    }

    /// Returns a page of the notification history.
    ///
    /// - Parameter page: The pagination token of the previous page; `nil` for the first page.
    func notificationHistory(_ body: [UInt8], page: String?) throws -> JSONText {
        let body = try JSONObject.reading(body)
        let filter = try NotificationFilter(
            body, now: store.now, keptDays: environment == .production ? Self.keptDays : Self.keptDaysElsewhere)
        var customer: CustomerID?
        if let id = filter.transactionID {
            try Self.check(id)
            guard let known = store.customer(with: id, app: app) else { throw APIError.transactionIDNotFound }
            customer = known.name
        }
        // The requests of all pages must have the same body.
        var token = PageToken(
            subject: app,
            query: body.map { (name: $0.name, value: String(decoding: $0.value.sourceText, as: UTF8.self)) },
            place: nil)
        if let page {
            guard let given = PageToken(page), given.isOfSameRequest(as: token), let issuedAt = given.issuedAt else {
                throw APIError.invalidPaginationToken
            }
            guard store.now.milliseconds(since: issuedAt) <= Self.tokenLifetime else {
                throw APIError.paginationTokenExpired
            }
            token = given
        }
        let matches = store.happenings(after: (token.place ?? -1) + 1).lazy.filter { happening in
            happening.app == self.app && filter.contains(happening)
                && (customer == nil || happening.customer == customer)
                && (!filter.onlyFailures || self.hasFailed(happening))
        }
        let found = Array(matches.prefix(Self.pageSize + 1))
        let news = found.prefix(Self.pageSize)
        token.place = news.last?.id
        token.issuedAt = store.now
        let hasMore = found.count > news.count
        return .object([
            "notificationHistory": .array(try news.compactMap(json)), "hasMore": .bool(hasMore),
            "paginationToken": hasMore ? .string(token.text) : .null,
        ])
    }

    private func hasFailed(_ happening: Happening) -> Bool {
        let attempts = notifications.attempts(of: happening.id)
        return !attempts.isEmpty && !attempts.contains { $0.result == .success }
    }

    private func json(_ happening: Happening) throws -> JSONText? {
        try store.notification(of: happening.id).map { text in
            .object([
                "signedPayload": .string(text),
                "sendAttempts": .array(notifications.attempts(of: happening.id).map(\.json)),
            ])
        }
    }
}

/// The filter of a request for a notification history.
struct NotificationFilter: Sendable {
    let transactionID: String?
    let onlyFailures: Bool
    private let start: Int64
    private let end: Int64
    private let type: String?
    private let subtype: String?

    init(_ body: JSONObject, now: Instant, keptDays: Int) throws(APIError) {
        guard let start = body["startDate"]?.int64, start >= 0 else { throw .invalidStartDate }
        guard let end = body["endDate"]?.int64, end >= 0 else { throw .invalidEndDate }
        guard start < end else { throw .startDateAfterEndDate }
        guard start >= now.adding(days: -keptDays).millisecondsSince1970 else { throw .startDateTooFarInPast }
        self.start = start
        self.end = end
        transactionID = body["transactionId"]?.string
        if body["transactionId"] != nil, transactionID == nil { throw .invalidTransactionID }
        type = body["notificationType"]?.string
        subtype = body["notificationSubtype"]?.string
        guard body["transactionId"] == nil || body["notificationType"] == nil else { throw .multipleFilters }
        if body["notificationType"] != nil {
            guard let type, NotificationKind.known.contains(where: { $0.type.rawValue == type }) else {
                throw .invalidNotificationType
            }
        }
        // Without a subtype, the filter selects all notifications of the type; a subtype must be one of the type's.
        if body["notificationSubtype"] != nil {
            guard let type, let subtype,
                NotificationKind(NotificationType(rawValue: type), NotificationSubtype(rawValue: subtype)).isKnown
            else { throw .invalidNotificationType }
        }
        guard let onlyFailures = body["onlyFailures"].map(\.bool) ?? false else {
            throw .badRequest("onlyFailures must be true or false")
        }
        self.onlyFailures = onlyFailures
    }

    func contains(_ happening: Happening) -> Bool {
        guard let notification = happening.kind.notification else { return false }
        let at = happening.at.millisecondsSince1970
        return at >= start && at < end && (type == nil || notification.type == type)
            && (subtype == nil || notification.subtype == subtype)
    }
}
