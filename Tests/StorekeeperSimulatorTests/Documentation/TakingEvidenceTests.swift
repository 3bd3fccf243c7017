import Storekeeper
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@Suite("The article Receiving evidence from devices and the App Store") struct TakingEvidenceTests {
    func devicePosted(_ texts: [String], by player: CustomerID, to pool: StorePool) async throws -> Bool {
        try await pool.withStore(player) { store in
            let report = try await store.ingest(texts)
            return report.failures.isEmpty && report.conflicts.isEmpty
        }
    }

    func appStorePosted(_ body: [UInt8], to pool: StorePool) async -> Int {
        let texts = EvidenceFile(body).signed
        guard !texts.isEmpty else { return 400 }
        do {
            try await pool.receive(TransactionUpdate(.evidence(texts)))
            return 200
        } catch {
            return 503
        }
    }

    @Test("The article's code ingests evidence from a device, then a notification of the App Store")
    func bothWays() async throws {
        let session = try SimulatedSession(catalog: SampleStore.catalog)
        var configuration = StorePool.Configuration()
        configuration.store = StoreConfiguration(catalog: session.catalog, policy: session.policy)
        let pool = StorePool(
            configuration: configuration, vault: InMemoryVault(), verifier: session.verifier, clock: session.store.clock
        )

        let bought = try await session.buyProduct(identifier: "remove.ads")
        let texts = try session.store.evidence(.newest)
        #expect(try await devicePosted(texts, by: "anna", to: pool))
        let anna = try await pool.lease("anna")
        await expectEntitled("remove.ads", in: anna.store)
        #expect(try await !devicePosted(texts, by: "bert", to: pool))
        #expect(try await !devicePosted(["no.such.thing"], by: "anna", to: pool))

        try session.refundTransaction(identifier: bought.id)
        for notification in try session.store.notifications() {
            #expect(await appStorePosted(Array(#"{"signedPayload":"\#(notification)"}"#.utf8), to: pool) == 200)
        }
        await expectAnswer(.lapsed(.refunded), about: "remove.ads", in: anna.store)
        #expect(await appStorePosted(Array("{}".utf8), to: pool) == 400)
        #expect(await appStorePosted(Array(#"{"signedPayload":"no.such.thing"}"#.utf8), to: pool) == 200)
    }
}
