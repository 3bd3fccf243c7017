import Foundation
import Storekeeper
import StorekeeperJWS

@testable import StorekeeperSimulator

extension SimulatedSession {
    /// Returns a session with the sample shop that begins on 31 January 2026 at noon.
    static func sample(
        _ customer: CustomerID = "anna", settings: AppSettings = AppSettings(),
        environment: AppStore.Environment = .sandbox, seed: UInt64 = 1
    ) throws -> SimulatedSession {
        try SimulatedSession(
            customer: customer,
            in: try SampleStore.make(customer, settings: settings, seed: seed, environment: environment))
    }

    /// Returns a session of another account of the same store.
    func joined(by customer: CustomerID) throws -> SimulatedSession {
        try SimulatedSession(customer: customer, in: store)
    }

    // MARK: Signed data

    /// Returns the newest copies of the account's transactions, verified and sorted by signing date.
    func signedTransactions() throws -> [Transaction] {
        try store.evidence(of: customer).compactMap { jws in
            guard case .transaction(let result) = verifier.verify(jws) else { return nil }
            return try result.payloadValue
        }
    }

    /// Returns the newest copies of the account's renewal infos, verified.
    func renewalInfos() throws -> [RenewalInfo] {
        try store.evidence(of: customer).compactMap { jws in
            guard case .renewalInfo(let result) = verifier.verify(jws) else { return nil }
            return try result.payloadValue
        }
    }

    func signed(_ id: Transaction.ID) throws -> Transaction {
        guard let transaction = try signedTransactions().first(where: { $0.id == id }) else {
            throw SimulatorError(.noTransactionFound, "there is no evidence of \(id)")
        }
        return transaction
    }

    /// Returns the newest transaction of the account.
    func newest() throws -> Transaction {
        guard let id = allTransactions().first(where: { $0.state == .purchased })?.identifier else {
            throw SimulatorError(.noTransactionFound, "nothing was bought")
        }
        return try signed(id)
    }

    func renewalInfo() throws -> RenewalInfo {
        guard let info = try renewalInfos().first else { throw SimulatorError(.noSubscriptionFound, "none") }
        return info
    }

    /// Returns the members of a transaction's newest payload, as the App Store writes it.
    func payload(of id: Transaction.ID) throws -> [String: Any] { try Self.members(of: signed(id).source.payload) }

    static func members(of payload: [UInt8]) throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any] ?? [:]
    }

    /// Returns the notifications after a number of events, verified, as `TYPE/SUBTYPE`.
    func notifications(after count: Int = 0) throws -> [String] {
        try store.happenings(after: count).filter { $0.customer == customer }.compactMap { happening in
            guard let jws = try store.notification(of: happening.id) else { return nil }
            let notification = try verifier.notification(jws).payloadValue
            return notification.type + (notification.subtype.map { "/\($0)" } ?? "")
        }
    }

    // MARK: The engine's answers

    /// Returns the reason of the answer about a product from an engine that has read all evidence.
    func answer(_ product: Product.ID = "pro.monthly", policy: EntitlementPolicy? = nil) async throws -> String {
        try await synced().store.entitlement(for: product).reasonWord
    }

    /// Returns whether an engine that has read all evidence unlocks the feature `pro`.
    func hasPro() async throws -> Bool { try await synced().store.hasFeature("pro") }

    /// Returns an engine that has read all evidence.
    func synced() async throws -> PurchasingStore {
        let engine = try await openStore()
        try await engine.store.sync()
        return engine
    }

    /// Returns the stream's updates about the account after a number of events.
    func deliveries(after count: Int) throws -> [TransactionUpdate.Content] {
        let backend = try store.backend(for: bundleID)
        return store.happenings(after: count).filter { $0.customer == customer }.compactMap { backend.update($0.id) }
    }

    /// Returns the ids of the transactions that the stream sent after a number of events.
    func deliveredTransactions(after count: Int) throws -> [Transaction.ID] {
        try deliveries(after: count).flatMap { content -> [Transaction.ID] in
            guard case .evidence(let texts) = content else { return [] }
            return texts.compactMap { text in
                guard case .transaction(let result) = verifier.verify(text) else { return nil }
                return result.unsafePayloadValue.id
            }
        }
    }

    /// Returns the transactions of the stream's first item after a place, as an engine receives it.
    func streamed(after place: Int) async throws -> [Transaction.ID] {
        let updates = try store.backend(for: bundleID).updates(after: UpdateCursor(rawValue: String(place)))
        for await update in updates {
            guard case .evidence(let texts) = update.content else { continue }
            return texts.compactMap { text in
                guard case .transaction(let result) = verifier.verify(text) else { return nil }
                return result.unsafePayloadValue.id
            }
        }
        return []
    }

    /// Buys the monthly membership at its full price.
    @discardableResult
    func subscribe(_ product: Product.ID = "pro.monthly") async throws -> Transaction {
        try await buyProduct(identifier: product, request: PurchaseRequest(introductoryEligibility: false))
    }
}

extension Instant {
    /// The instant as text without milliseconds.
    var minute: String { String(description.prefix(16)) }
}

/// Runs code that must fail and returns the error code.
func code(of body: () throws -> Void) -> SimulatorError.Code? {
    do {
        try body()
        return nil
    } catch let error as SimulatorError {
        return error.code
    } catch {
        return nil
    }
}

extension PurchasingStore {
    /// Buys a product, which must succeed, and returns the verified transaction.
    func bought(_ id: Product.ID) async throws -> Transaction {
        guard case .success(let result) = try await purchase(productID: id) else {
            throw PurchaseError(.systemError, "'\(id)' was not bought")
        }
        return try result.payloadValue
    }
}

/// Runs a purchase that must be refused and returns the error code.
func refusal(of body: () async throws -> Void) async -> PurchaseError.Code? {
    do {
        try await body()
        return nil
    } catch let error as PurchaseError {
        return error.code
    } catch {
        return nil
    }
}
