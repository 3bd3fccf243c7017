public import Storekeeper

/// All evidence that the App Store has signed about a customer, at the time of the request.
public struct CustomerEvidence: Sendable {
    /// The environment whose server knows the customer.
    public let environment: AppStore.Environment
    /// Compact JWS, not yet verified: the history, the least recently changed first; the status of each subscription;
    /// the app transaction.
    public let items: [String]
    /// Why the app transaction is not among the items; `nil` if it is.
    ///
    /// The App Store does not have one for every customer; it then answers with the code 4040019.
    public let appTransactionRefusal: AppStoreServerError?
    /// The number of requests that were sent.
    public let requestCount: Int
}

extension AppStoreServerClient {
    /// Requests all evidence that the App Store has signed about a customer.
    ///
    /// The app transaction is requested last. If that fails, everything else is returned without it.
    ///
    /// - Parameters:
    ///   - id: Any transaction of the customer, or their app transaction id.
    ///   - environment: The environment of the transaction; `nil` looks in one environment after the other.
    ///   - onPage: Receives the number of items so far after each page.
    /// - Throws: ``AppStoreServerError``, with `endlessHistory` if the history has no end; `CancellationError`.
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
