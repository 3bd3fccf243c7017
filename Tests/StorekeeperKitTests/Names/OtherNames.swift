// Written by Scripts/check-names.py from the pages of names; do not edit.

import Storekeeper
import StorekeeperSimulator

/// Uses each counterpart, so that the compiler checks that it exists.
func useOtherNames() {
    _ = \SimulatedSession.purchaseIntents
    _ = \PurchaseRequest.purchaseDate
    _ = SimulatorCommand.requestRefund(_:reason:)
    _ = SimulatorCommand.changePlan(to:by:billingPlan:)
    _ = SimulatorCommand.redeemOfferCode(_:product:by:)
    _ = \SimulatedPurchaseIntent.productID
    _ = SKTestSession.self
    _ = SKTestTransaction.self
    _ = SimulatorError.self
    _ = SimulatedFailure.self
    _ = \Catalog.products
    _ = \Product.type
    _ = { (value: Catalog) in value.product("") }
    _ = { (value: any ProductSource) async throws in try await value.products(for: []) }
    _ = \Store.invalidProductIDs
    _ = StoreConfiguration.self
    _ = { (value: PurchasingStore, product: Product) async throws in try await value.purchase(product, options: []) }
    _ = PurchaseResult.self
    _ = PurchasingStore.isPurchasing
    _ = PurchaseError.self
    _ = Store.isPurchased
    _ = \Store.currentEntitlements
    _ = Store.purchaseInfo(for:)
    _ = PurchaseInfo.self
    _ = { (value: isolated Store) in _ = value.latestTransaction(for:) }
    _ = { (value: VerificationResult<Transaction>) throws in _ = try value.payloadValue }
    _ = \Catalog.groups
    _ = \SubscriptionGroup.productIDs
    _ = \SubscriptionGroup.name
    _ = \Product.SubscriptionInfo.groupLevel
    _ = Store.subscriptionInfo(for:)
    _ = SubscriptionInfo.self
    _ = \SubscriptionInfo.product
    _ = Store.hasLowerValueCurrentSubscription(than:)
    _ = Store.entitlement(for:at:)
    _ = EntitlementAnswer.Kind.lapsed
    _ = { (value: Store) async throws in _ = try await value.allTransactions }
    _ = \SubscriptionInfo.sentence
    _ = \PurchaseInfo.sentence
    _ = \Product.SubscriptionInfo.offers
    _ = \PurchaseError.message
    _ = Store.balance(of:)
    _ = { (value: isolated Store) in _ = value.spend(_:of:key:recordedBy:) }
    _ = \StoreSnapshot.balances
    _ = { (value: isolated Store) in _ = value.run }
    _ = \Freshness.failingSince
    _ = \Store.snapshot
    _ = Store.events(after:)
    _ = StoreReport.self
}
