public import Storekeeper

/// The App Store as an engine meets it: histories and statuses from its server, updates from its notifications.
///
/// A customer is asked about by their transactions, which ``CustomerAnchors`` names. What the App Store cannot be asked
/// about, a customer without any, has an empty history.
///
/// - SeeAlso: Apple, "App Store Server API".
public final class AppStoreBackend: StoreBackend {
    /// A name that stays the same from start to start; cursors are kept under it.
    public let name: String
    /// Asks the App Store.
    public let client: AppStoreServerClient
    /// What notifications have told; whoever receives them hands them in here.
    public let feed: UpdateFeed
    private let anchors: any CustomerAnchors

    /// Makes a backend.
    ///
    /// - Parameters:
    ///   - client: Asks the App Store.
    ///   - anchors: What the App Store knows customers by.
    ///   - feed: What notifications tell; a new one of its own where nobody hands any in.
    public init(_ client: AppStoreServerClient, anchors: any CustomerAnchors, feed: UpdateFeed = UpdateFeed()) {
        self.client = client
        self.anchors = anchors
        self.feed = feed
        name = "app-store:\(client.configuration.bundleID)"
    }

    /// One page of a customer's history, one account and environment after the other.
    ///
    /// - Throws: ``AppStoreServerError``, what ``CustomerAnchors`` throws, `CancellationError`.
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

    /// What is new in the history of one anchor since it was read last.
    ///
    /// The store reads whole histories; this is for those who go through many customers often and keep the cursors.
    ///
    /// - Parameters:
    ///   - anchor: One of a customer's.
    ///   - cursor: That of the last changes; `nil` begins with the oldest.
    /// - Returns: One page, the cursor to keep, and whether another page is there already.
    /// - Throws: ``AppStoreServerError``, with `mismatchedResponse` where the cursor is of another anchor;
    ///   `CancellationError`.
    public func changes(
        of anchor: CustomerAnchor, after cursor: HistoryCursor?
    ) async throws -> (items: [String], cursor: HistoryCursor, hasMore: Bool) {
        let position = try cursor.map(Self.position) ?? HistoryPosition(anchor)
        guard position.anchor == anchor else {
            throw AppStoreServerError(.invalidRequest, "the cursor belongs to another anchor; begin without one")
        }
        let page = try await page(at: position)
        return (
            page.signedTransactions, HistoryPosition(anchor, revision: page.revision).cursor, page.hasMore
        )
    }

    /// The status of each of a customer's subscriptions, own and shared, of all accounts and environments.
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

    /// What notifications tell; see ``UpdateFeed``.
    public func updates(after cursor: UpdateCursor?) -> any AsyncSequence<TransactionUpdate, Never> & Sendable {
        feed.updates(after: cursor)
    }

    /// Says that the goods of a transaction were handed out.
    ///
    /// A store does not tell again of a transaction that the App Store does not know.
    ///
    /// - Throws: ``AppStoreServerError``, wrapped where the App Store does not know the transaction; `CancellationError`.
    public func finish(_ grant: DurableGrant) async throws {
        do {
            try await client.finish(grant.key.transactionID, in: grant.key.environment)
        } catch let error as AppStoreServerError where error.apiCode.map(Self.unknownTransaction.contains) == true {
            throw FinishRefusal(error)
        }
    }

    /// What the App Store says of transactions that it does not have and will not have.
    private static let unknownTransaction: Set<AppStoreErrorCode> = [.transactionIDNotFound, .invalidTransactionID]

    /// The anchors in environments that can be asked, in the order in which they are read.
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
            throw AppStoreServerError(.invalidRequest, "the cursor is none of this backend's; begin without one")
        }
        return position
    }
}
