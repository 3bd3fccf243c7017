import Storekeeper
import StorekeeperJWS
import Testing

@testable import StorekeeperSimulator

@Suite("The evidence of a customer at an instant") struct CustomerEvidenceTests {
    /// Returns what the items of a customer's evidence say, in order.
    private static func words(_ session: SimulatedSession, signedThrough instant: Instant? = nil) throws -> [String] {
        let evidence = try session.store.customerEvidence(of: session.customer, signedThrough: instant)
        return try evidence.items.map { item in
            switch session.verifier.verify(try #require(item.jws)) {
            case .transaction(let result): try "transaction \(result.payloadValue.id)"
            case .renewalInfo(let result): try "renewal \(result.payloadValue.autoRenewStatus?.isOn == true)"
            case .appTransaction(let result):
                try "app \(result.payloadValue.originalAppVersion ?? "") \(result.payloadValue.revokedAt != nil)"
            case .notification, .unreadable: "another item"
            }
        }
    }

    @Test("It has every version of a renewal info that was signed by then")
    func renewalInfos() throws {
        let session = try SimulatedSession.sample()
        try session.perform(.buy("pro.monthly", by: "anna", options: PurchaseRequest()))
        let id = try session.newest().id
        let first = session.store.now
        try session.advance(byDays: 1)
        try session.perform(.setAutoRenew(false, of: .id(id)))
        try session.advance(byDays: 1)
        try session.perform(.setAutoRenew(true, of: .id(id)))
        let purchase = "transaction \(id)"
        #expect(try Self.words(session) == [purchase, "renewal true", "renewal false", "renewal true"])
        #expect(try Self.words(session, signedThrough: first) == [purchase, "renewal true"])
        #expect(try Self.words(session, signedThrough: first.adding(milliseconds: -1)).isEmpty)
    }

    @Test("It has the app transaction as it was set by then, and none before")
    func appTransactions() throws {
        let session = try SimulatedSession.sample(environment: .production)
        #expect(try Self.words(session).isEmpty)
        try session.advance(byDays: 1)
        func change(version: String? = nil, isRevoked: Bool? = nil) throws {
            try session.perform(
                .setAppTransaction(of: "anna", version: version, purchasedAt: nil, isRevoked: isRevoked))
        }
        try change(version: "1.10")
        let first = session.store.now
        try session.advance(byDays: 1)
        // The order of two changes at one instant counts.
        try change(isRevoked: true)
        try change(version: "1.9", isRevoked: false)
        try change(isRevoked: true)
        #expect(try Self.words(session) == ["app 1.9 true"])
        #expect(try Self.words(session, signedThrough: session.store.now) == ["app 1.10 true"])
        #expect(try Self.words(session, signedThrough: first) == ["app 1.10 false"])
        #expect(try Self.words(session, signedThrough: first.adding(milliseconds: -1)).isEmpty)
        let newest = try session.verifier.appTransaction(session.store.appTransaction(of: "anna")).payloadValue
        #expect(newest.originalAppVersion == "1.9" && newest.revokedAt == session.store.now)
    }
}
