import Storekeeper
import StorekeeperJWS
import StorekeeperSimulator
import Testing

/// Tests of the receipts that the simulated App Store makes.
@Suite struct SimulatedReceiptTests {
    private func verify(
        _ store: SimulatedAppStore, of customer: CustomerID, _ environment: AppStore.Environment
    ) throws -> CheckedReceipt {
        ReceiptVerifier(.init(roots: [store.root], bundleID: nil, environments: [environment]))
            .verify(try store.receipt(of: customer))
    }

    @Test(
        "A receipt contains the purchases, but no finished consumables",
        arguments: [
            (AppStore.Environment.production, "Production"), (.sandbox, "ProductionSandbox"), (.xcode, "Xcode"),
        ])
    func contents(environment: AppStore.Environment, type: String) throws {
        let store = try SampleStore.make("anna", environment: environment)
        let products: [Product.ID] = ["pro.monthly", "remove.ads", "coins.100"]
        for product in products { try store.perform(.buy(product, by: "anna", options: PurchaseRequest())) }
        let coins = try #require(try store.receiptContent(of: "anna").purchases.last)
        #expect(coins.productID == "coins.100" && coins.expiresAt == nil)
        try store.perform(.finish(.id(coins.transactionID)))
        let checked = try verify(store, of: "anna", environment)
        #expect(checked.error == nil && checked.form == .app)
        #expect(checked.receipt?.type == type && checked.receipt?.environment == environment)
        #expect(checked.receipt?.purchases.map(\.productID) == ["pro.monthly", "remove.ads"])
        #expect(checked.receipt?.purchases.first?.isInIntroductoryPeriod == true)
        #expect(try checked.receipt == store.receiptContent(of: "anna"))
    }
}
