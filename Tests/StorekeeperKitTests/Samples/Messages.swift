import Foundation
import StorekeeperKit

/// 8. Holds messages back while the app must not disturb the customer.
actor MessageBox {
    private(set) var pendingMessages: [Message] = []
    private let display: DisplayMessageAction?

    init(display: DisplayMessageAction?) { self.display = display }

    func listen() async {
        for await message in Message.messages {
            if let display {
                try? display(message)
            } else {
                pendingMessages.append(message)
            }
        }
    }
}

/// 9. Follows the answers to a price increase, which are in the renewal info.
func watchPriceIncreases(_ journal: AppJournal) async throws {
    for await status in Product.SubscriptionInfo.Status.updates {
        let renewalInfo = try status.renewalInfo.payloadValue
        if renewalInfo.priceIncreaseStatus == .agreed { await journal.write("agreed to the new price") }
        if renewalInfo.expirationReason == .didNotConsentToPriceIncrease {
            await journal.write("ended because of the new price")
        }
    }
}
