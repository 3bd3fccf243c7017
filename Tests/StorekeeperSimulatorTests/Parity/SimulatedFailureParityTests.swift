import Foundation
import Storekeeper
import StorekeeperJWS
import Testing

@testable import StorekeeperSimulator

@Suite("SKTestFailures: each function that can fail") struct SimulatedFailureParityTests {
    /// Returns the error that an engine receives, under StoreKit's name.
    private static func expected(_ failure: SimulatedFailure) -> PurchaseError.Code {
        PurchaseError.Code(rawValue: failure.rawValue)
    }

    private static func session(_ failure: SimulatedFailure, _ api: SimulatedAPI) throws -> SimulatedSession {
        let session = try SimulatedSession.sample()
        try session.setSimulatedError(failure, forAPI: api)
        return session
    }

    @Test("loadProducts fails", arguments: SimulatedAPI.loadProducts.failures)
    func loadProducts(failure: SimulatedFailure) async throws {
        let session = try Self.session(failure, .loadProducts)
        let backend = try session.store.backend()
        #expect(await refusal { _ = try await backend.products(for: ["coins.100"]) } == Self.expected(failure))
        try session.setSimulatedError(nil, forAPI: .loadProducts)
        #expect(try await backend.products(for: ["coins.100", "nothing"]).map(\.id) == ["coins.100"])
    }

    @Test("purchase fails", arguments: SimulatedAPI.purchase.failures)
    func purchase(failure: SimulatedFailure) async throws {
        let session = try Self.session(failure, .purchase)
        let engine = try await session.openStore()
        if failure == .userCancelled {
            guard case .userCancelled = try await engine.purchase(productID: "coins.100") else {
                Issue.record("the purchase is not cancelled")
                return
            }
        } else {
            let code = await refusal { _ = try await engine.purchase(productID: "coins.100") }
            #expect(code == Self.expected(failure))
        }
        #expect(try session.signedTransactions().isEmpty)
        #expect(engine.store.balance(of: "coins").amount == 0)
        try session.setSimulatedError(nil, forAPI: .purchase)
        _ = try await engine.bought("coins.100")
    }

    @Test(
        "Verification fails for transactions, renewal infos and app transactions alike",
        arguments: [
            (SimulatedFailure.revokedCertificate, VerificationError.Code.certificateRevoked),
            (.invalidCertificateChain, .untrustedChain), (.invalidEncoding, .malformed),
            (.invalidSignature, .invalidSignature), (.missingRequiredProperties, .malformed),
        ])
    func verification(failure: SimulatedFailure, code: VerificationError.Code) async throws {
        let session = try SimulatedSession.sample()
        try await session.subscribe()
        try session.setSimulatedError(failure, forAPI: .verification)
        let evidence = try session.store.evidence(of: "anna") + [session.store.appTransaction(of: "anna")]
        #expect(evidence.count == 3)
        #expect(evidence.map { session.verifier.verify($0).error?.code } == [code, code, code])
        let other = JWSVerifier(.init(roots: [session.store.root], bundleID: nil, environments: [session.environment]))
        #expect(evidence.allSatisfy { other.verify($0).error != nil }, "a verifier without the session refuses it, too")
        #expect(try await !session.hasPro())
        try session.setSimulatedError(nil, forAPI: .verification)
        #expect(try await session.hasPro())
    }

    @Test("Device verification fails as if the copy were another device's")
    func deviceVerification() async throws {
        let session = try SimulatedSession.sample()
        try await session.subscribe()
        let device = UUID()
        let backend = try session.store.backend(device: device)
        func matches() async throws -> Bool {
            let page = try await backend.history(for: "anna", after: nil)
            let transaction = try session.verifier.transaction(try #require(page.items.first)).payloadValue
            return DeviceVerification.matches(transaction, deviceID: device)
        }
        #expect(try await matches())
        try session.setSimulatedError(.invalidDeviceVerification, forAPI: .verification)
        #expect(try await !matches())
    }

    @Test("appStoreSync fails, and the engine keeps its answers", arguments: SimulatedAPI.appStoreSync.failures)
    func sync(failure: SimulatedFailure) async throws {
        let session = try SimulatedSession.sample()
        try await session.subscribe()
        let engine = try await session.synced()
        try session.setSimulatedError(failure, forAPI: .appStoreSync)
        #expect(await refusal { try await engine.store.sync() } == Self.expected(failure))
        #expect(engine.store.hasFeature("pro"))
    }

    @Test("subscriptionStatus fails", arguments: SimulatedAPI.subscriptionStatus.failures)
    func statuses(failure: SimulatedFailure) async throws {
        let session = try Self.session(failure, .subscriptionStatus)
        try await session.subscribe()
        let backend = try session.store.backend()
        #expect(await refusal { _ = try await backend.subscriptionStatuses(for: "anna") } == Self.expected(failure))
        try session.setSimulatedError(nil, forAPI: .subscriptionStatus)
        #expect(try await backend.subscriptionStatuses(for: "anna").count == 1)
    }

    @Test("appTransaction fails", arguments: SimulatedAPI.appTransaction.failures)
    func appTransaction(failure: SimulatedFailure) async throws {
        let session = try Self.session(failure, .appTransaction)
        #expect(await refusal { _ = try session.store.appTransaction(of: "anna") } == Self.expected(failure))
        try session.setSimulatedError(nil, forAPI: .appTransaction)
        let jws = try session.store.appTransaction(of: "anna")
        #expect(try session.verifier.appTransaction(jws).payloadValue.bundleID == session.bundleID)
    }

    @Test("manageSubscriptions fails, and the plan stays", arguments: SimulatedAPI.manageSubscriptions.failures)
    func manageSubscriptions(failure: SimulatedFailure) async throws {
        let session = try Self.session(failure, .manageSubscriptions)
        try await session.subscribe("basic.monthly")
        let change = SimulatorCommand.changePlan(to: "pro.monthly", by: "anna", billingPlan: nil)
        #expect(code { try session.perform(change) } == .invalidAction)
        #expect(try session.newest().productID == "basic.monthly")
        try session.setSimulatedError(nil, forAPI: .manageSubscriptions)
        try session.perform(change)
        #expect(try session.newest().productID == "pro.monthly")
    }

    @Test("refundRequest fails, and nothing is refunded", arguments: SimulatedAPI.refundRequest.failures)
    func refundRequest(failure: SimulatedFailure) async throws {
        let session = try Self.session(failure, .refundRequest)
        let coins = try await session.buyProduct(identifier: "coins.100")
        #expect(code { try session.perform(.requestRefund(.id(coins.id), reason: .other)) } == .invalidAction)
        #expect(try session.signed(coins.id).revokedAt == nil)
        try session.setSimulatedError(nil, forAPI: .refundRequest)
        try session.perform(.requestRefund(.id(coins.id), reason: .other))
        #expect(try session.signed(coins.id).revokedAt != nil)
    }

    @Test("offerCodeRedeem fails", arguments: SimulatedAPI.offerCodeRedeem.failures)
    func offerCode(failure: SimulatedFailure) throws {
        let session = try Self.session(failure, .offerCodeRedeem)
        let redeem = SimulatorCommand.redeemOfferCode("WELCOME", product: "pro.monthly", by: "anna")
        switch try session.perform(redeem) {
        case .userCancelled: #expect(failure == .userCancelled)
        case .failed(let error): #expect(error.code == Self.expected(failure))
        default: Issue.record("the code is redeemed")
        }
        #expect(try session.signedTransactions().isEmpty)
        try session.setSimulatedError(nil, forAPI: .offerCodeRedeem)
        #expect(try session.perform(redeem) != nil)
        #expect(try session.signedTransactions().count == 1)
    }

    @Test("A simulated error lasts until it is removed, and can be read", arguments: SimulatedAPI.allCases)
    func persistence(api: SimulatedAPI) throws {
        let session = try SimulatedSession.sample()
        #expect(session.simulatedError(forAPI: api) == nil)
        for failure in api.failures {
            try session.setSimulatedError(failure, forAPI: api)
            try session.advance(byDays: 1)
            #expect(session.simulatedError(forAPI: api) == failure)
        }
        try session.setSimulatedError(nil, forAPI: api)
        #expect(session.simulatedError(forAPI: api) == nil)
        for failure in Set(SimulatedFailure.allCases).subtracting(api.failures) {
            #expect(code { try session.setSimulatedError(failure, forAPI: api) } == .invalidValue)
        }
    }
}
