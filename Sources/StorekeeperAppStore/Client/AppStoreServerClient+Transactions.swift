public import FoundationEssentials
public import Storekeeper

extension AppStoreServerClient {
    /// The newest copy of one transaction, verified.
    ///
    /// - Parameters:
    ///   - id: The transaction.
    ///   - environment: Where it is; `nil` looks in one environment after the other.
    /// - Throws: ``AppStoreServerError``, with `unverifiedResponse` or `mismatchedResponse` where the answer does not count;
    ///   `CancellationError`.
    public func transaction(
        _ id: Transaction.ID, in environment: AppStore.Environment? = nil
    ) async throws -> Transaction {
        let answer = try await send(.transactionInfo(id), in: environment)
        guard case .transaction(let result) = verifier.verify(answer.value) else {
            throw Self.unverified(verifier.verify(answer.value).error, "transaction")
        }
        let transaction = try Self.verified(result, "transaction")
        try match(transaction.appBundleID, transaction.environment, with: answer.environment)
        guard transaction.id == id else { throw Self.mismatch("the answer is another transaction") }
        return transaction
    }

    /// A customer's download of the app, verified.
    ///
    /// - Parameters:
    ///   - id: Any transaction of the customer, or their app transaction id.
    ///   - environment: Where it is; `nil` looks in one environment after the other.
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

    /// A page of a customer's history; its texts are not yet verified.
    ///
    /// - Parameters:
    ///   - id: Any transaction of the customer, or their app transaction id.
    ///   - revision: That of the page before; `nil` for the first page.
    ///   - filter: Which transactions, and in which order; the same for each page.
    ///   - environment: Where it is; `nil` looks in one environment after the other. Each page but the first is in that of
    ///     the page before.
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func history(
        of id: String, after revision: String? = nil, filter: HistoryFilter = HistoryFilter(),
        in environment: AppStore.Environment? = nil
    ) async throws -> HistoryAnswer {
        let answer = try await send(.history(id, revision: revision, filter: filter), in: environment)
        try matchApp(answer.value.appAppleID)
        return answer.value
    }

    /// A page of a customer's refunds; its texts are not yet verified.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func refundHistory(
        of id: String, after revision: String? = nil, in environment: AppStore.Environment? = nil
    ) async throws -> RefundHistoryAnswer {
        try await send(.refundHistory(id, revision: revision), in: environment).value
    }

    /// The transactions of an order on a customer's invoice, each verified or not; production only.
    ///
    /// - Returns: None where the App Store knows no such order of this app.
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func transactions(ofOrder orderID: String) async throws -> [CheckedEvidence] {
        let answer = try await send(.orderLookup(orderID)).value
        guard answer.status != .invalid else { return [] }
        return answer.signedTransactions.map { verifier.verify($0) }
    }

    /// Sends what is known of the use of a purchase whose refund was asked for.
    ///
    /// - Parameters:
    ///   - request: What is known.
    ///   - transaction: The purchase, verified; it is sent where the transaction was made.
    /// - Throws: ``AppStoreServerError``, with `consentMissing` or `invalidRequest` before anything is sent where it may not
    ///   be; `CancellationError`.
    public func sendConsumption(_ request: ConsumptionRequest, about transaction: Transaction) async throws {
        _ = try await send(.consumption(request, about: transaction), in: transaction.environment)
    }

    /// Sends the same in the form that is deprecated.
    ///
    /// - Throws: As ``sendConsumption(_:about:)``.
    public func sendConsumptionV1(_ request: ConsumptionRequestV1, about transaction: Transaction) async throws {
        _ = try await send(.consumptionV1(request, about: transaction), in: transaction.environment)
    }

    /// Sets the account that a chain's current transaction and its renewals belong to.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func setAppAccountToken(
        _ token: UUID, of originalID: Transaction.ID, in environment: AppStore.Environment
    ) async throws {
        _ = try await send(.setAppAccountToken(token, of: originalID), in: environment)
    }

    /// Says that the goods of a transaction were handed out; doing it twice does no harm.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func finish(_ id: Transaction.ID, in environment: AppStore.Environment) async throws {
        _ = try await send(.finish(id), in: environment)
    }
}

// MARK: - Comparing answers with what was asked for

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
        let reason = error.map { ": \($0)" } ?? ", but of another kind"
        return AppStoreServerError(
            .unverifiedResponse, "the answer is no \(kind) that the verifier believes\(reason)", cause: error)
    }

    static func mismatch(_ message: String) -> AppStoreServerError {
        AppStoreServerError(.mismatchedResponse, message)
    }

    /// Compares what a signed text says of itself with the app and with the server that gave it.
    func match(
        _ bundleID: String, _ found: AppStore.Environment, with asked: AppStore.Environment
    ) throws(AppStoreServerError) {
        guard bundleID == configuration.bundleID else {
            throw Self.mismatch("the answer is about another app than \"\(configuration.bundleID)\"")
        }
        guard found == asked else {
            throw Self.mismatch("the answer is about \(found.rawValue), not \(asked.rawValue)")
        }
    }

    func matchApp(_ appAppleID: Int64?) throws(AppStoreServerError) {
        // Outside of production the number is left out, or 0.
        guard let found = appAppleID, found != 0, let own = configuration.appAppleID, found != own else { return }
        throw Self.mismatch("the answer is about the app \(found), not \(own)")
    }
}
