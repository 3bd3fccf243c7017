public import FoundationEssentials
public import Storekeeper

extension AppStoreServerClient {
    /// Returns the newest copy of one transaction, verified.
    ///
    /// - Parameters:
    ///   - id: The transaction.
    ///   - environment: The environment of the transaction; if it is `nil`, the servers are tried in order.
    /// - Throws: ``AppStoreServerError``, with `unverifiedResponse` if the response is not trusted, and with
    ///   `mismatchedResponse` if the response is about another app, environment or transaction; `CancellationError`.
    public func transaction(
        _ id: Transaction.ID, in environment: AppStore.Environment? = nil
    ) async throws -> Transaction {
        let answer = try await send(.transactionInfo(id), in: environment)
        guard case .transaction(let result) = verifier.verify(answer.value) else {
            throw Self.unverified(verifier.verify(answer.value).error, "transaction")
        }
        let transaction = try Self.verified(result, "transaction")
        try match(transaction.appBundleID, transaction.environment, with: answer.environment)
        guard transaction.id == id else { throw Self.mismatch("the response contains a different transaction") }
        return transaction
    }

    /// Returns a customer's app transaction, verified.
    ///
    /// - Parameters:
    ///   - id: Any transaction of the customer, or their app transaction id.
    ///   - environment: The environment of the transaction; if it is `nil`, the servers are tried in order.
    /// - Throws: As ``transaction(_:in:)``.
    public func appTransaction(
        of id: String, in environment: AppStore.Environment? = nil
    ) async throws -> AppTransaction {
        let answer = try await send(.appTransactionInfo(id), in: environment)
        guard case .appTransaction(let result) = verifier.verify(answer.value) else {
            throw Self.unverified(verifier.verify(answer.value).error, "app transaction")
        }
        let transaction = try Self.verified(result, "app transaction")
        try match(transaction.bundleID, transaction.environment, with: answer.environment)
        return transaction
    }

    /// Returns a page of a customer's history; the signed texts are not yet verified.
    ///
    /// - Parameters:
    ///   - id: Any transaction of the customer, or their app transaction id.
    ///   - revision: The revision of the previous page; `nil` for the first page.
    ///   - filter: The filter that selects and orders the transactions; it must be the same for each page.
    ///   - environment: The environment of the transaction. If it is `nil`, the second server is asked if the first one
    ///     does not have the transaction.
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func history(
        of id: String, after revision: String? = nil, filter: HistoryFilter = HistoryFilter(),
        in environment: AppStore.Environment? = nil
    ) async throws -> HistoryAnswer {
        let answer = try await send(.history(id, revision: revision, filter: filter), in: environment)
        try matchApp(answer.value.appAppleID)
        return answer.value
    }

    /// Returns a page of a customer's refunds; the signed texts are not yet verified.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func refundHistory(
        of id: String, after revision: String? = nil, in environment: AppStore.Environment? = nil
    ) async throws -> RefundHistoryAnswer {
        try await send(.refundHistory(id, revision: revision), in: environment).value
    }

    /// Returns the transactions of an order on a customer's invoice; production only.
    ///
    /// - Returns: The transactions with the results of their verification. The array is empty if the App Store has no
    ///   such order of this app.
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func transactions(ofOrder orderID: String) async throws -> [CheckedEvidence] {
        let answer = try await send(.orderLookup(orderID)).value
        guard answer.status != .invalid else { return [] }
        return answer.signedTransactions.map { verifier.verify($0) }
    }

    /// Sends consumption information about a purchase whose refund was requested.
    ///
    /// - Parameters:
    ///   - request: The consumption information.
    ///   - transaction: The purchase, verified; the request is sent to the environment of the purchase.
    /// - Throws: ``AppStoreServerError``, with `consentMissing` or `invalidRequest` if the request is not allowed, and
    ///   was not sent; `CancellationError`.
    public func sendConsumption(_ request: ConsumptionRequest, about transaction: Transaction) async throws {
        _ = try await send(.consumption(request, about: transaction), in: transaction.environment)
    }

    /// Sends consumption information in the deprecated form.
    ///
    /// - Throws: As ``sendConsumption(_:about:)``.
    public func sendConsumptionV1(_ request: ConsumptionRequestV1, about transaction: Transaction) async throws {
        _ = try await send(.consumptionV1(request, about: transaction), in: transaction.environment)
    }

    /// Sets the app account token of the newest transaction of a purchase, and of its future renewals.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func setAppAccountToken(
        _ token: UUID, of originalID: Transaction.ID, in environment: AppStore.Environment
    ) async throws {
        _ = try await send(.setAppAccountToken(token, of: originalID), in: environment)
    }

    /// Reports that the content of a transaction was delivered; a repeated report has no effect.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func finish(_ id: Transaction.ID, in environment: AppStore.Environment) async throws {
        _ = try await send(.finish(id), in: environment)
    }
}

// MARK: - Comparing responses with requests

extension AppStoreServerClient {
    static func verified<Fact>(
        _ result: VerificationResult<Fact>, _ kind: String
    ) throws(AppStoreServerError) -> Fact {
        do throws(VerificationError) {
            return try result.payloadValue
        } catch {
            throw unverified(error, kind)
        }
    }

    static func unverified(_ error: VerificationError?, _ kind: String) -> AppStoreServerError {
        let reason = error.map { ": \($0)" } ?? ", but is of another kind"
        return AppStoreServerError(
            .unverifiedResponse, "the response is not a \(kind) that the verifier accepts\(reason)", cause: error)
    }

    static func mismatch(_ message: String) -> AppStoreServerError {
        AppStoreServerError(.mismatchedResponse, message)
    }

    /// Throws if a signed text is about an app other than the client's app, or is not from the server's environment.
    func match(
        _ bundleID: String, _ found: AppStore.Environment, with asked: AppStore.Environment
    ) throws(AppStoreServerError) {
        guard bundleID.hasSameBytes(as: configuration.bundleID) else {
            throw Self.mismatch("the response is not about the app \"\(configuration.bundleID)\"")
        }
        guard found == asked else {
            throw Self.mismatch("the response is about \(found.rawValue), not \(asked.rawValue)")
        }
    }

    func matchApp(_ appAppleID: Int64?) throws(AppStoreServerError) {
        // Outside of production, the app's number is missing or 0.
        guard let found = appAppleID, found != 0, let own = configuration.appAppleID, found != own else { return }
        throw Self.mismatch("the response is about the app \(found), not \(own)")
    }
}
