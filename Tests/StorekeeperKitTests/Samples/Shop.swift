import Foundation
import StorekeeperKit

/// The shop of an app, which uses StoreKit's calls to list products, buy products, and look up what the customer owns.
@MainActor final class Shop {
    enum PurchaseState { case notStarted, userCannotMakePayments, inProgress, purchased, pending, cancelled, failed }

    enum Failure: Error, Equatable { case purchaseInProgress, purchaseFailed, notVerified, typeNotSupported }

    /// The newest verified transaction of a product.
    struct PurchaseInfo {
        var product: Product
        var latestVerifiedTransaction: Transaction?
    }

    /// The customer's highest subscription of a group.
    struct GroupInfo: Hashable {
        var product: Product?
        var latestVerifiedTransaction: Transaction?
        var verifiedRenewalInfo: Product.SubscriptionInfo.RenewalInfo?
        var subscriptionStatus: Product.SubscriptionInfo.Status?
    }

    /// The value in a verification result, and whether it was verified.
    struct Unwrapped<T> {
        let value: T
        let isVerified: Bool
        let verificationError: VerificationResult<T>.VerificationError?
    }

    private(set) var products: [Product]?
    private(set) var purchasedProducts: Set<String> = []
    private(set) var revocationReason: StoreKit.Transaction.RevocationReason?
    private var purchaseState = PurchaseState.notStarted
    private var transactionListener: Task<Void, any Error>?

    var consumableProducts: [Product]? { products?.filter { $0.type == .consumable } }
    var nonConsumableProducts: [Product]? { products?.filter { $0.type == .nonConsumable } }
    var subscriptionProducts: [Product]? { products?.filter { $0.type == .autoRenewable } }

    func start(_ productIDs: [String]) async {
        transactionListener = handleTransactions()
        products = try? await Product.products(for: productIDs)
    }

    func stop() { transactionListener?.cancel() }

    func product(from productID: String) -> Product? { products?.first { $0.id == productID } }

    func isPurchased(productID: String) async throws -> Bool {
        guard let product = product(from: productID) else { return false }
        guard let currentEntitlement = await Transaction.currentEntitlement(for: productID) else { return false }
        let result = unwrap(currentEntitlement)
        guard result.isVerified else { throw Failure.notVerified }
        switch product.type {
        case .autoRenewable: return result.value.revocationDate == nil && !result.value.isUpgraded
        case .nonConsumable: return result.value.revocationDate == nil
        default: throw Failure.typeNotSupported
        }
    }

    func currentEntitlements() async -> Set<String> {
        var ids = Set<String>()
        for await result in Transaction.currentEntitlements {
            if case .verified(let transaction) = result { ids.insert(transaction.productID) }
        }
        return ids
    }

    func purchase(
        _ product: Product, options: Set<Product.PurchaseOption> = []
    ) async throws -> (transaction: Transaction?, state: PurchaseState) {
        guard AppStore.canMakePayments else { return (nil, .userCannotMakePayments) }
        guard purchaseState != .inProgress else { throw Failure.purchaseInProgress }
        purchaseState = .inProgress
        let result: Product.PurchaseResult
        do {
            result = try await product.purchase(options: options)
        } catch {
            purchaseState = .failed
            throw Failure.purchaseFailed
        }
        switch result {
        case .success(let verificationResult):
            let checked = unwrap(verificationResult)
            guard checked.isVerified else {
                purchaseState = .failed
                throw Failure.notVerified
            }
            let transaction = checked.value
            if transaction.productType != .consumable { purchasedProducts.insert(transaction.productID) }
            await transaction.finish()
            purchaseState = .purchased
            return (transaction, .purchased)
        case .userCancelled:
            purchaseState = .cancelled
            return (nil, .cancelled)
        case .pending:
            purchaseState = .pending
            return (nil, .pending)
        }
    }

    func purchaseInfo(for product: Product) async -> PurchaseInfo? {
        guard product.type == .nonConsumable, let latest = await product.latestTransaction else { return nil }
        let result = unwrap(latest)
        guard result.isVerified else { return nil }
        return PurchaseInfo(product: product, latestVerifiedTransaction: result.value)
    }

    func subscriptionInfo(ofGroupWith product: Product) async -> GroupInfo? {
        guard let subscription = product.subscription, let statuses = try? await subscription.status else { return nil }
        var info = GroupInfo()
        var highestLevel = Int.max
        for status in statuses where status.state == .subscribed || status.state == .inGracePeriod {
            let transaction = unwrap(status.transaction)
            let renewalInfo = unwrap(status.renewalInfo)
            guard transaction.isVerified, renewalInfo.isVerified,
                let candidate = self.product(from: renewalInfo.value.currentProductID),
                let level = candidate.subscription?.groupLevel, level < highestLevel
            else { continue }
            highestLevel = level
            info = GroupInfo(
                product: candidate, latestVerifiedTransaction: transaction.value,
                verifiedRenewalInfo: renewalInfo.value, subscriptionStatus: status)
        }
        return info.product == nil ? nil : info
    }

    func mostRecentTransaction(for productID: String) async -> Transaction? {
        guard let result = await Transaction.latest(for: productID) else { return nil }
        let unwrapped = unwrap(result)
        return unwrapped.isVerified ? unwrapped.value : nil
    }

    func mostRecentTransactionID(for productID: String) async -> UInt64? {
        await mostRecentTransaction(for: productID)?.id
    }

    func allSubscriptionTransactions() async -> [Transaction] {
        var found: [Transaction] = []
        for await result in StoreKit.Transaction.all {
            let unwrapped = unwrap(result)
            if unwrapped.isVerified, unwrapped.value.productType == .autoRenewable { found.append(unwrapped.value) }
        }
        return found
    }

    func isEligibleForIntroductoryOffer(of product: Product) async -> Bool {
        guard let subscription = product.subscription, subscription.introductoryOffer != nil else { return false }
        return await subscription.isEligibleForIntroOffer
    }

    func unwrap<T>(_ result: VerificationResult<T>) -> Unwrapped<T> {
        switch result {
        case .unverified(let value, let error): Unwrapped(value: value, isVerified: false, verificationError: error)
        case .verified(let value): Unwrapped(value: value, isVerified: true, verificationError: nil)
        }
    }

    private func handleTransactions() -> Task<Void, any Error> {
        Task.detached {
            for await verificationResult in Transaction.updates {
                let checked = await self.unwrap(verificationResult)
                guard checked.isVerified else { continue }
                await self.record(checked.value)
                await checked.value.finish()
            }
        }
    }

    private func record(_ transaction: Transaction) {
        if transaction.revocationDate != nil {
            revocationReason = transaction.revocationReason
            purchasedProducts.remove(transaction.productID)
        } else if let expirationDate = transaction.expirationDate, expirationDate < Date() {
            purchasedProducts.remove(transaction.productID)
        } else if !transaction.isUpgraded {
            purchasedProducts.insert(transaction.productID)
        }
    }
}

extension Shop.Unwrapped: Sendable where T: Sendable {}
