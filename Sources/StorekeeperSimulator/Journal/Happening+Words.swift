import FoundationEssentials
import Storekeeper

extension Happening {
    /// A one-line description, such as `refunded coins.500 (4.99 USD, other), REFUND`.
    package var words: String { words(calling: "\(kind)") }

    /// Returns the description with a given name of the kind of happening.
    package func words(calling name: String) -> String {
        var details: [String] = []
        if kind.isPayment, let price, let currency {
            let share = kind == .refunded ? revocationPercentage.flatMap(Self.share) ?? "" : ""
            details.append("\(share)\(price) \(currency)")
        }
        if kind.isPayment, kind != .refunded, kind != .refundReversed, let offer { details.append(offer.words) }
        if kind == .refunded || kind == .familyAccessEnded, let reason = revocationReason, reason != "other" {
            details.append(reason)
        }
        if let note { details.append(note) }
        var text = "\(name)\(productID.map { " \($0)" } ?? "")"
        if !details.isEmpty { text += " (\(details.joined(separator: ", ")))" }
        return text + (notification.map { ", \($0)" } ?? "")
    }

    private static func share(_ thousandths: Int) -> String? {
        thousandths == 100_000 ? nil : "\(Decimal(thousandths: Int64(thousandths))) % of "
    }
}

extension Happening.Offer {
    /// A short description of the offer, such as `promotional loyal, payAsYouGo`.
    package var words: String {
        [[word, id?.rawValue].compactMap { $0 }.joined(separator: " "), paymentMode?.rawValue].compactMap {
            $0
        }
        .joined(separator: ", ")
    }
}

extension HappeningKind {
    /// Whether the happening is a payment, a refund or the reversal of a refund, so that the description includes the
    /// price.
    fileprivate var isPayment: Bool {
        switch self {
        case .oneTimePurchased, .subscribed, .resubscribed, .renewed, .recovered, .upgraded, .refunded, .refundReversed,
            .offerRedeemedWithUpgrade:
            true
        default: false
        }
    }
}
