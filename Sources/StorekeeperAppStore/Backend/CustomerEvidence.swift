public import Storekeeper

/// All evidence that the App Store has signed about a customer, at the time of the request.
public struct CustomerEvidence: Sendable {
    /// The environment whose server has returned the evidence.
    public let environment: AppStore.Environment
    /// The evidence as compact JWS, not yet verified.
    ///
    /// The history is first, beginning with the least recently changed transaction. The transaction and renewal info of
    /// each subscription follow, and then the app transaction.
    public let items: [String]
    /// The error of the request for the app transaction; `nil` if the items include the app transaction.
    ///
    /// The App Store does not have an app transaction for every customer. For a customer without an app transaction,
    /// the error's ``AppStoreServerError/apiCode`` is 4040019.
    public let appTransactionRefusal: AppStoreServerError?
    /// The number of requests that were sent.
    public let requestCount: Int
}

extension AppStoreServerClient {
    /// Requests all evidence that the App Store has signed about a customer.
    ///
    /// The app transaction is requested last. If this last request fails, all other evidence is returned.
    ///
    /// - Parameters:
    ///   - id: Any transaction of the customer, or their app transaction id.
    ///   - environment: The environment of the transaction; if it is `nil`, the servers are tried in order.
    ///   - onPage: Receives the number of items that were read so far, after each page of the history.
    /// - Throws: ``AppStoreServerError``, with `endlessHistory` if the history repeats a page or has too many pages;
    ///   `CancellationError`.
    public func evidence(
        of id: String, in environment: AppStore.Environment? = nil, onPage: (Int) -> Void = { _ in }
    ) async throws -> CustomerEvidence {
        var answer = try await send(.history(id), in: environment)
        let environment = answer.environment
        var items = answer.value.signedTransactions
        var requestCount = 1
        onPage(items.count)
        var walk = PageWalk(maximumPages: configuration.maximumHistoryPages)
        while answer.value.hasMore {
            let page = answer.value
            if let fault = walk.fault(after: page.revision, itemCount: page.signedTransactions.count) {
                throw AppStoreServerError(.endlessHistory, fault)
            }
            answer = try await send(.history(id, revision: page.revision), in: environment)
            requestCount += 1
            items += answer.value.signedTransactions
            onPage(items.count)
        }
        let statuses = try await statuses(of: id, in: environment)
        for status in statuses.groups.flatMap(\.lastTransactions) {
            items += [status.signedTransactionInfo, status.signedRenewalInfo]
        }
        var refusal: AppStoreServerError?
        do {
            items.append(try await send(.appTransactionInfo(id), in: environment).value)
        } catch let error as AppStoreServerError {
            refusal = error
        }
        return CustomerEvidence(
            environment: environment, items: items, appTransactionRefusal: refusal, requestCount: requestCount + 2)
    }
}
