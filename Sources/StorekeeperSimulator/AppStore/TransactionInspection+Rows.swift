package import FoundationEssentials
package import Storekeeper

extension TransactionInspection {
    /// The rows of a transaction inspector, each with a name and a value.
    ///
    /// A value that is absent, such as a refund that did not happen, has no row.
    package var rows: [(name: String, value: String)] { rows(time: \.brief, money: money) }

    /// Returns the rows of a transaction inspector, with given formats of times and amounts.
    ///
    /// - Parameters:
    ///   - time: Returns the text of an instant.
    ///   - money: Returns the text of an amount; `nil` if the amount is `nil`.
    package func rows(
        time: (Instant) -> String, money: (Decimal?) -> String?
    ) -> [(name: String, value: String)] {
        let item = transaction
        var rows: [(String, String?)] = [
            ("id", item.id.rawValue),
            ("original", item.originalID == item.id ? "the same" : item.originalID?.rawValue),
            ("product", item.productID.rawValue), ("person", item.person.rawValue), ("app", item.app),
            ("state", item.state.rawValue), ("quantity", String(item.quantity)), ("price", money(price)),
            ("offer", offer?.words), ("storefront", storefront),
            ("account token", appAccountToken?.uuidString.lowercased()),
            ("requested", item.purchasedAt == nil ? time(item.begunAt) : nil),
            ("purchased", item.purchasedAt.map(time)),
            ("expires", item.expiresAt.map(time)),
            ("reason", item.purchasedAt == nil ? nil : item.isRenewal ? "renewal" : "purchase"),
            ("shared by the family", item.isFamilyShared ? "yes" : nil),
            ("refund requested", item.isRefundRequested ? "yes" : nil), ("taken back", item.revokedAt.map(time)),
        ]
        if let reason = revocationReason {
            let share = revocationPercentage.map { ", \(Decimal(thousandths: Int64($0))) %" } ?? ""
            rows.append(("taken back because", reason + share))
        }
        rows.append(("finished", item.isFinished ? "yes" : "no"))
        if let subscription { rows += self.rows(of: subscription, time: time, money: money) }
        return rows.compactMap { name, value in value.map { (name, $0) } }
    }

    /// Returns the text of an amount with its currency, if the currency is known; `nil` if the amount is `nil`.
    package func money(_ amount: Decimal?) -> String? {
        amount.map { amount in currency.map { "\(amount) \($0)" } ?? "\(amount)" }
    }

    private func rows(
        of subscription: Subscription, time: (Instant) -> String, money: (Decimal?) -> String?
    ) -> [(String, String?)] {
        var rows: [(String, String?)] = [("renews", subscription.willRenew ? "yes" : "no")]
        if subscription.willRenew {
            rows += [
                ("next product", subscription.nextProductID.rawValue), ("next price", money(subscription.nextPrice)),
                ("next offer", subscription.nextOffer?.words),
            ]
        }
        if let consent = subscription.priceConsent {
            let price = money(subscription.increasedPrice).map { ", \($0)" } ?? ""
            rows.append(("price increase", consent + price))
        }
        rows += [
            ("grace ends", subscription.graceEndsAt.map(time)), ("retry ends", subscription.retryEndsAt.map(time)),
            ("ended because", subscription.expirationReason?.word),
        ]
        if let payment = subscription.commitmentPayment {
            let end = subscription.commitmentEndsAt.map { ", until \(time($0))" } ?? ""
            rows.append(("payment", "\(payment.number) of \(payment.of)\(end)"))
        }
        for period in subscription.upcoming.periods {
            let price = money(Milliunits.decimal(period.price)).map { ", \($0)" } ?? ""
            let offer =
                period.offer.map {
                    ", \([$0.kind.rawValue, $0.id?.rawValue].compactMap(\.self).joined(separator: " "))"
                } ?? ""
            rows.append(
                ("upcoming", "\(time(period.startsAt)) to \(time(period.endsAt)): \(period.productID)\(price)\(offer)"))
        }
        if let end = subscription.upcoming.endsAt, subscription.expirationReason == nil {
            let reason = subscription.upcoming.endReason.map { ", \($0.word)" } ?? ""
            rows.append(("will end", time(end) + reason))
        }
        return rows
    }
}
