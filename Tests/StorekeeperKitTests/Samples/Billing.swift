import Foundation
import StorekeeperKit

/// 11. Follows a failed renewal, which leads to a grace period with access, and then to billing retry without access.
func watchFailedRenewals(_ journal: AppJournal, now: @Sendable () -> Date = { .now }) async throws {
    for await status in Product.SubscriptionInfo.Status.updates {
        let renewalInfo = try status.renewalInfo.payloadValue
        if let end = renewalInfo.gracePeriodExpirationDate, now() < end {
            await journal.write("in grace until \(end.timeIntervalSince1970)")
        } else if renewalInfo.isInBillingRetry {
            await journal.write("in billing retry")
        }
    }
}

/// 12. The note that an app shows above a subscription with a failed payment.
struct SubscriptionNote {
    let currentSubscription: Product
    let status: Product.SubscriptionInfo.Status

    var text: String? {
        guard status.state == .inBillingRetryPeriod || status.state == .inGracePeriod else { return nil }
        return "The App Store could not renew \(currentSubscription.displayName). Please check your payment method."
    }

    var link: URL? { text == nil ? nil : URL(string: "https://apps.apple.com/account/billing") }
}

/// 13. Returns the products that current entitlements unlock, including products in a grace period.
func unlockedProducts() async -> Set<String> {
    var products: Set<String> = []
    for await entitlement in Transaction.currentEntitlements {
        if case .verified(let transaction) = entitlement { products.insert(transaction.productID) }
    }
    return products
}
