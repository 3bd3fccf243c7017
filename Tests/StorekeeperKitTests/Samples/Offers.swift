import Foundation
import StorekeeperKit

/// 4. A button that opens the sheet for offer codes.
final class RedeemButton {
    private(set) var isSheetOpen = false

    func tap(_ redeem: () async throws -> Void) async throws {
        isSheetOpen = true
        defer { isSheetOpen = false }
        try await redeem()
    }
}

/// 5. Follows redeemed codes, each of which arrives as a transaction and as a status of its subscription.
func watchRedemptions(_ journal: AppJournal) async {
    for await verificationResult in Transaction.updates {
        guard case .verified(let transaction) = verificationResult else {
            await journal.write("a transaction is not verified")
            continue
        }
        await journal.write("bought \(transaction.productID)")
        await transaction.finish()
    }
}

func watchStatuses(_ journal: AppJournal) async {
    for await status in Product.SubscriptionInfo.Status.updates {
        guard case .verified(let renewalInfo) = status.renewalInfo else {
            await journal.write("a renewal info is not verified")
            continue
        }
        await journal.write("\(renewalInfo.currentProductID): \(status.state.localizedDescription)")
    }
}

/// 6. Follows the offers that apply to the current period.
func watchCurrentOffers(_ journal: AppJournal) async throws {
    for await status in Product.SubscriptionInfo.Status.updates {
        let transaction = try status.transaction.payloadValue
        guard let currentOfferType = transaction.offerType else { continue }
        switch currentOfferType {
        case .introductory: await journal.write("introductory offer")
        case .promotional: await journal.write("promotional offer \(transaction.offerID ?? "")")
        case .code: await journal.write("offer code \(transaction.offerID ?? "")")
        default: await journal.write("another offer")
        }
    }
}

/// 7. Follows the offers that apply to the next period.
func watchNextOffers(_ journal: AppJournal) async throws {
    for await status in Product.SubscriptionInfo.Status.updates {
        let renewalInfo = try status.renewalInfo.payloadValue
        guard let nextOfferType = renewalInfo.offerType else { continue }
        switch nextOfferType {
        case .introductory: await journal.write("next: introductory offer")
        case .promotional: await journal.write("next: promotional offer \(renewalInfo.offerID ?? "")")
        case .code: await journal.write("next: offer code \(renewalInfo.offerID ?? "")")
        default: await journal.write("next: another offer")
        }
    }
}
