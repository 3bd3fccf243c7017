public import Storekeeper

/// A store backend that reads histories and statuses from the App Store Server API, and updates from notifications.
///
/// The App Store looks up a customer by the id of one of the customer's transactions, which ``CustomerAnchors``
/// supplies. A customer without any transaction has an empty history.
///
/// - SeeAlso: Apple, "App Store Server API".
public final class AppStoreBackend: StoreBackend {
    /// The name under which a vault stores this backend's cursors; the name is the same after a restart.
    public let name: String
    /// The client of the App Store Server API.
    public let client: AppStoreServerClient
    /// The feed into which the app publishes the updates from notifications.
    public let feed: UpdateFeed
    private let anchors: any CustomerAnchors

    /// Creates a backend.
    ///
    /// - Parameters:
    ///   - client: The client of the App Store Server API.
    ///   - anchors: Supplies the transaction ids by which the App Store looks up customers.
    ///   - feed: The feed of updates from notifications; by default a new, empty feed.
    public init(_ client: AppStoreServerClient, anchors: any CustomerAnchors, feed: UpdateFeed = UpdateFeed()) {
        self.client = client
        self.anchors = anchors
        self.feed = feed
        name = "app-store:\(client.configuration.bundleID)"
    }

    /// Returns one page of a customer's history.
    ///
    /// If the customer has several Apple Accounts or environments, their histories are read one after the other.
    ///
    /// - Throws: ``AppStoreServerError``, errors of ``CustomerAnchors``, `CancellationError`.
    public func history(for customer: CustomerID, after cursor: HistoryCursor?) async throws -> EvidencePage {
        let anchors = try await readableAnchors(of: customer)
        let position: HistoryPosition
        if let cursor {
            position = try Self.position(cursor)
        } else {
            guard let first = anchors.first else { return EvidencePage(items: []) }
            position = HistoryPosition(first)
        }
        let page = try await page(at: position)
        if page.hasMore {
            return EvidencePage(
                items: page.signedTransactions,
                next: HistoryPosition(position.anchor, revision: page.revision).cursor)
        }
        let following = anchors.first { HistoryPosition.isBefore(position.anchor, $0) }
        return EvidencePage(items: page.signedTransactions, next: following.map { HistoryPosition($0).cursor })
    }

    /// Returns the changes in the history of one anchor since the previous call.
    ///
    /// A store reads whole histories, and does not call this function. Use the function to check many customers often,
    /// and store the cursor of each call for the next check.
    ///
    /// - Parameters:
    ///   - anchor: One of a customer's anchors.
    ///   - cursor: The cursor of the previous call; `nil` starts with the oldest change.
    /// - Returns: A page of changes, the cursor for the next call, and whether another page is already available.
    /// - Throws: ``AppStoreServerError``, with `invalidRequest` if the cursor belongs to another anchor;
    ///   `CancellationError`.
    public func changes(
        of anchor: CustomerAnchor, after cursor: HistoryCursor?
    ) async throws -> (items: [String], cursor: HistoryCursor, hasMore: Bool) {
        let position = try cursor.map(Self.position) ?? HistoryPosition(anchor)
        guard position.anchor == anchor else {
            throw AppStoreServerError(.invalidRequest, "the cursor belongs to another anchor; start without a cursor")
        }
        let page = try await page(at: position)
        return (
            page.signedTransactions, HistoryPosition(anchor, revision: page.revision).cursor, page.hasMore
        )
    }

    /// Returns the status of each subscription of a customer, purchased or shared, in all Apple Accounts and
    /// environments.
    ///
    /// - Throws: As ``history(for:after:)``.
    public func subscriptionStatuses(for customer: CustomerID) async throws -> [SignedStatus] {
        var statuses: [SignedStatus] = []
        for anchor in try await readableAnchors(of: customer) {
            let answer = try await client.statuses(of: anchor.id, in: anchor.environment)
            statuses += answer.groups.flatMap(\.lastTransactions).map {
                SignedStatus(transaction: $0.signedTransactionInfo, renewalInfo: $0.signedRenewalInfo)
            }
        }
        return statuses
    }

    /// Returns the updates from notifications; see ``UpdateFeed``.
    public func updates(after cursor: UpdateCursor?) -> any AsyncSequence<TransactionUpdate, Never> & Sendable {
        feed.updates(after: cursor)
    }

    /// Reports that the content of a transaction was delivered.
    ///
    /// The request is not retried for a transaction that the App Store does not have.
    ///
    /// - Throws: ``AppStoreServerError``; a `FinishRefusal` that contains this error if the App Store does not have the
    ///   transaction; `CancellationError`.
    public func finish(_ grant: DurableGrant) async throws {
        do {
            try await client.finish(grant.key.transactionID, in: grant.key.environment)
        } catch let error as AppStoreServerError where error.apiCode.map(Self.unknownTransaction.contains) == true {
            throw FinishRefusal(error)
        }
    }

    /// The error codes for a transaction that the App Store does not have, so that a retry cannot succeed.
    private static let unknownTransaction: Set<AppStoreErrorCode> = [.transactionIDNotFound, .invalidTransactionID]

    /// Returns a customer's anchors in the client's environments, in the order in which their histories are read.
    private func readableAnchors(of customer: CustomerID) async throws -> [CustomerAnchor] {
        let environments = Set(client.environments)
        return HistoryPosition.ordered(
            try await anchors.anchors(of: customer).filter { environments.contains($0.environment) })
    }

    private func page(at position: HistoryPosition) async throws -> HistoryAnswer {
        try await client.history(
            of: position.anchor.id, after: position.revision, in: position.anchor.environment)
    }

    private static func position(_ cursor: HistoryCursor) throws(AppStoreServerError) -> HistoryPosition {
        guard let position = HistoryPosition(cursor) else {
            throw AppStoreServerError(
                .invalidRequest, "the cursor does not belong to this backend; start without a cursor")
        }
        return position
    }
}
