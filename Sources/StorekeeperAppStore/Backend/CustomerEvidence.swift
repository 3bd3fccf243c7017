public import Storekeeper

/// All that the App Store has signed about a customer, as it was when it was asked for.
public struct CustomerEvidence: Hashable, Sendable {
    /// The environment whose server knows the customer.
    public let environment: AppStore.Environment
    /// Compact JWS, not yet verified: the history, the least recently changed first; the status of each subscription;
    /// the app transaction.
    public let items: [String]
    /// How many requests it took.
    public let requestCount: Int
}

extension AppStoreServerClient {
    /// Asks for all that the App Store has signed about a customer.
    ///
    /// - Parameters:
    ///   - id: Any transaction of the customer, or their app transaction id.
    ///   - environment: Where it is; `nil` looks in one environment after the other.
    ///   - onPage: Is told after each page how many items there are.
    /// - Throws: ``AppStoreServerError``, with `malformedResponse` where the history has no end; `CancellationError`.
    public func evidence(
        of id: String, in environment: AppStore.Environment? = nil, onPage: (Int) -> Void = { _ in }
    ) async throws -> CustomerEvidence {
        var answer = try await send(.history(id), in: environment)
        let environment = answer.environment
        var items = answer.value.signedTransactions
        var requestCount = 1
        onPage(items.count)
        while answer.value.hasMore {
            let revision = answer.value.revision
            answer = try await send(.history(id, revision: revision), in: environment)
            requestCount += 1
            guard answer.value.revision != revision || !answer.value.hasMore else {
                throw AppStoreServerError(
                    .malformedResponse, "the history says that it has more, and gives the same place again")
            }
            items += answer.value.signedTransactions
            onPage(items.count)
        }
        let statuses = try await statuses(of: id, in: environment)
        for status in statuses.groups.flatMap(\.lastTransactions) {
            items += [status.signedTransactionInfo, status.signedRenewalInfo]
        }
        items.append(try await send(.appTransactionInfo(id), in: environment).value)
        return CustomerEvidence(environment: environment, items: items, requestCount: requestCount + 2)
    }
}
