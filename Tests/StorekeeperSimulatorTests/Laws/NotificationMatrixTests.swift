import FoundationEssentials
import Storekeeper
import StorekeeperJWS
import Testing

@testable import StorekeeperSimulator

/// Tests of the notifications that each event causes, in order, with their status.
struct NotificationMatrixTests {
    /// An event, and the notifications that the App Store Server sends.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        var settings = AppSettings()
        let before: @Sendable (Stage) throws -> Void
        let event: @Sendable (Stage) throws -> Void
        let expected: [String]

        var testDescription: String { name }

        init(
            _ name: String, settings: (inout AppSettings) -> Void = { _ in },
            after before: @escaping @Sendable (Stage) throws -> Void = { _ in },
            event: @escaping @Sendable (Stage) throws -> Void, sends expected: [String]
        ) {
            self.name = name
            settings(&self.settings)
            self.before = before
            self.event = event
            self.expected = expected
        }
    }

    /// A store with Anna and Bert, who are in one family if the row requires a family.
    struct Stage {
        let store: SimulatedAppStore
        let pro = TransactionReference.latest("pro.monthly", of: "anna")
        let basic = TransactionReference.latest("basic.monthly", of: "anna")

        func perform(_ command: SimulatorCommand) throws { try store.perform(command) }
        func pass(days: Int) throws { try store.advance(byDays: days) }

        func buy(_ product: Product.ID, plan: BillingPlanType? = nil) throws {
            let request = PurchaseRequest(introductoryEligibility: false, billingPlan: plan)
            try store.perform(.buy(product, by: "anna", options: request))
        }

        func makeFamily() throws {
            try perform(.createFamily(organizer: "anna"))
            try perform(.joinFamily("bert", of: "anna"))
        }

        func fail() throws {
            try buy("pro.monthly")
            try perform(.setPaymentsFail(true, of: "anna"))
        }

        func lapse() throws {
            try buy("pro.monthly")
            try perform(.setAutoRenew(false, of: pro))
            try pass(days: 40)
        }

        func askForConsent() throws {
            try buy("pro.monthly")
            try perform(.changePrice(of: "pro.monthly", to: 20_000, consent: .required))
        }

        func commit() throws {
            try perform(.setStorefront("DEU", of: "anna"))
            try buy("pro.yearly", plan: .monthly)
        }
        var commitment: TransactionReference { .latest("pro.yearly", of: "anna") }
    }

    @Test("Each event sends the App Store Server's notifications in order", arguments: purchases + renewals + refunds)
    func matrix(_ row: Row) throws {
        let store = try SampleStore.make("anna", "bert", settings: row.settings)
        let stage = Stage(store: store)
        try row.before(stage)
        let before = store.happeningCount
        try row.event(stage)
        var sent: [String] = []
        for happening in store.happenings(after: before) {
            guard let name = happening.notification else {
                #expect(try store.notification(of: happening.id) == nil)
                continue
            }
            let words = [happening.customer?.rawValue, name, happening.status.map { "\($0)" }]
            sent.append(words.compactMap(\.self).joined(separator: " "))
            try NotificationReader(store).check(happening)
        }
        #expect(sent == row.expected)
    }

    // MARK: The matrix

    static let purchases: [Row] = [
        Row("one-time purchase", event: { try $0.buy("coins.100") }, sends: ["anna ONE_TIME_CHARGE"]),
        Row("first subscription", event: { try $0.buy("pro.monthly") }, sends: ["anna SUBSCRIBED/INITIAL_BUY 1"]),
        Row(
            "first subscription with an introductory offer",
            event: { try $0.perform(.buy("pro.monthly", by: "anna", options: PurchaseRequest())) },
            sends: ["anna SUBSCRIBED/INITIAL_BUY 1"]),
        Row(
            "first subscription by code",
            event: { try $0.perform(.redeemOfferCode("WELCOME", product: "pro.monthly", by: "anna")) },
            sends: ["anna SUBSCRIBED/INITIAL_BUY 1"]),
        Row(
            "subscription shared with the family", after: { try $0.makeFamily() }, event: { try $0.buy("pro.monthly") },
            sends: ["anna SUBSCRIBED/INITIAL_BUY 1", "bert SUBSCRIBED/INITIAL_BUY 1"]),
        Row(
            "non-consumable shared with the family", after: { try $0.makeFamily() },
            event: { try $0.buy("remove.ads") }, sends: ["anna ONE_TIME_CHARGE", "bert ONE_TIME_CHARGE"]),
        Row(
            "purchaser of a family resubscribes",
            after: {
                try $0.makeFamily()
                try $0.lapse()
            }, event: { try $0.buy("pro.monthly") },
            sends: ["anna SUBSCRIBED/RESUBSCRIBE 1", "bert SUBSCRIBED/RESUBSCRIBE 1"]),
        Row(
            "Ask to Buy requested", settings: { $0.isAskToBuyEnabled = true }, event: { try $0.buy("pro.monthly") },
            sends: []),
        Row(
            "Ask to Buy declined", settings: { $0.isAskToBuyEnabled = true }, after: { try $0.buy("pro.monthly") },
            event: { try $0.perform(.declineAskToBuy("2000000000000001")) }, sends: []),
        Row(
            "Ask to Buy approved", settings: { $0.isAskToBuyEnabled = true }, after: { try $0.buy("pro.monthly") },
            event: { try $0.perform(.approveAskToBuy("2000000000000001")) },
            sends: ["anna SUBSCRIBED/INITIAL_BUY 1"]),
        Row(
            "resubscription after a lapse", after: { try $0.lapse() }, event: { try $0.buy("pro.monthly") },
            sends: ["anna SUBSCRIBED/RESUBSCRIBE 1"]),
        Row(
            "upgrade", after: { try $0.buy("basic.monthly") }, event: { try $0.buy("pro.monthly") },
            sends: ["anna DID_CHANGE_RENEWAL_PREF/UPGRADE 1"]),
        Row(
            "upgrade while renewal is off",
            after: {
                try $0.buy("basic.monthly")
                try $0.perform(.setAutoRenew(false, of: $0.basic))
            }, event: { try $0.buy("pro.monthly") },
            sends: ["anna DID_CHANGE_RENEWAL_PREF/UPGRADE 1", "anna DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED 1"]),
        Row(
            "downgrade chosen", after: { try $0.buy("pro.monthly") }, event: { try $0.buy("basic.monthly") },
            sends: ["anna DID_CHANGE_RENEWAL_PREF/DOWNGRADE 1"]),
        Row(
            "downgrade withdrawn",
            after: {
                try $0.buy("pro.monthly")
                try $0.buy("basic.monthly")
            }, event: { try $0.perform(.changePlan(to: "pro.monthly", by: "anna", billingPlan: nil)) },
            sends: ["anna DID_CHANGE_RENEWAL_PREF 1"]),
        Row(
            "downgrade takes effect",
            after: {
                try $0.buy("pro.monthly")
                try $0.buy("basic.monthly")
            }, event: { try $0.pass(days: 30) }, sends: ["anna DID_RENEW 1"]),
        Row(
            "crossgrade of another duration", after: { try $0.buy("pro.monthly") },
            event: { try $0.buy("pro.yearly") }, sends: ["anna DID_CHANGE_RENEWAL_PREF/DOWNGRADE 1"]),
        Row(
            "offer for the same product", after: { try $0.buy("pro.monthly") },
            event: { try $0.perform(.applyOffer(OfferReference(.promotional, id: "loyal"), of: $0.pro)) },
            sends: ["anna OFFER_REDEEMED 1"]),
        Row(
            "retention offer", after: { try $0.buy("pro.monthly") },
            event: { try $0.perform(.applyOffer(.retention("loyal"), of: $0.pro)) },
            sends: ["anna OFFER_REDEEMED 1"]),
        Row(
            "account token set", after: { try $0.buy("pro.monthly") },
            event: { try $0.perform(.setAppAccountToken(UUID(), of: $0.pro)) }, sends: []),
        Row(
            "transaction finished", after: { try $0.buy("pro.monthly") }, event: { try $0.perform(.finish($0.pro)) },
            sends: []),
    ]

    static let renewals: [Row] = [
        Row(
            "renewal", after: { try $0.buy("pro.monthly") }, event: { try $0.pass(days: 30) },
            sends: ["anna DID_RENEW 1"]),
        Row(
            "renewal off", after: { try $0.buy("pro.monthly") },
            event: { try $0.perform(.setAutoRenew(false, of: $0.pro)) },
            sends: ["anna DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1"]),
        Row(
            "renewal on again",
            after: {
                try $0.buy("pro.monthly")
                try $0.perform(.setAutoRenew(false, of: $0.pro))
            }, event: { try $0.perform(.setAutoRenew(true, of: $0.pro)) },
            sends: ["anna DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED 1"]),
        Row(
            "lapse after a cancellation",
            after: {
                try $0.buy("pro.monthly")
                try $0.perform(.setAutoRenew(false, of: $0.pro))
            }, event: { try $0.pass(days: 30) }, sends: ["anna EXPIRED/VOLUNTARY 2"]),
        Row(
            "failed renewal with grace, through all of billing retry", settings: { $0.gracePeriod = .days16 },
            after: { try $0.fail() }, event: { try $0.pass(days: 100) },
            sends: [
                "anna DID_FAIL_TO_RENEW/GRACE_PERIOD 4", "anna GRACE_PERIOD_EXPIRED 3", "anna EXPIRED/BILLING_RETRY 2",
            ]),
        Row(
            "failed renewal without grace", after: { try $0.fail() }, event: { try $0.pass(days: 30) },
            sends: ["anna DID_FAIL_TO_RENEW 3"]),
        Row(
            "recovery", settings: { $0.gracePeriod = .days3 },
            after: {
                try $0.fail()
                try $0.pass(days: 29)
            }, event: { try $0.perform(.resolveIssue($0.pro)) }, sends: ["anna DID_RENEW/BILLING_RECOVERY 1"]),
        Row(
            "the same product is bought in billing retry",
            after: {
                try $0.fail()
                try $0.pass(days: 40)
                try $0.perform(.setPaymentsFail(false, of: "anna"))
            }, event: { try $0.buy("pro.monthly") }, sends: ["anna DID_RENEW/BILLING_RECOVERY 1"]),
        Row(
            "another product is bought in billing retry",
            after: {
                try $0.fail()
                try $0.pass(days: 40)
                try $0.perform(.setPaymentsFail(false, of: "anna"))
            }, event: { try $0.buy("pro.yearly") }, sends: ["anna SUBSCRIBED/RESUBSCRIBE 1"]),
        Row(
            "price increase while renewal is off, and on again",
            after: {
                try $0.buy("pro.monthly")
                try $0.perform(.setAutoRenew(false, of: $0.pro))
            },
            event: {
                try $0.perform(.changePrice(of: "pro.monthly", to: 20_000, consent: .automatic))
                try $0.perform(.setAutoRenew(true, of: $0.pro))
            },
            sends: ["anna DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED 1", "anna PRICE_INCREASE/PENDING 1"]),
        Row(
            "price increase of a product from which a downgrade is chosen",
            after: {
                try $0.buy("pro.monthly")
                try $0.buy("basic.monthly")
            },
            event: {
                try $0.perform(.changePrice(of: "pro.monthly", to: 20_000, consent: .automatic))
                try $0.pass(days: 30)
            }, sends: ["anna DID_RENEW 1"]),
        Row(
            "cancellation in grace", settings: { $0.gracePeriod = .days16 },
            after: {
                try $0.fail()
                try $0.pass(days: 30)
            }, event: { try $0.perform(.setAutoRenew(false, of: $0.pro)) },
            sends: ["anna DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 4", "anna EXPIRED/VOLUNTARY 2"]),
        Row(
            "price increase: consent requested", after: { try $0.buy("pro.monthly") },
            event: { try $0.perform(.changePrice(of: "pro.monthly", to: 20_000, consent: .automatic)) },
            sends: ["anna PRICE_INCREASE/PENDING 1"]),
        Row(
            "price increase: agreed", after: { try $0.askForConsent() },
            event: { try $0.perform(.answerPriceConsent(true, of: $0.pro)) },
            sends: ["anna PRICE_INCREASE/ACCEPTED 1"]),
        Row(
            "price increase: ignored", after: { try $0.askForConsent() }, event: { try $0.pass(days: 30) },
            sends: ["anna EXPIRED/PRICE_INCREASE 2"]),
        Row(
            "price increase: declined", after: { try $0.askForConsent() },
            event: {
                try $0.perform(.answerPriceConsent(false, of: $0.pro))
                try $0.pass(days: 30)
            },
            sends: ["anna DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1", "anna EXPIRED/PRICE_INCREASE 2"]),
        Row(
            "price increase that needs no consent", after: { try $0.buy("pro.monthly") },
            event: { try $0.perform(.changePrice(of: "pro.monthly", to: 10_990, consent: .automatic)) },
            sends: ["anna PRICE_INCREASE/ACCEPTED 1"]),
        Row(
            "product not for sale at renewal",
            after: {
                try $0.buy("pro.monthly")
                try $0.perform(.setForSale(false, product: "pro.monthly"))
            }, event: { try $0.pass(days: 30) }, sends: ["anna EXPIRED/PRODUCT_NOT_FOR_SALE 2"]),
        Row(
            "monthly payments of a commitment, and the next commitment", after: { try $0.commit() },
            event: { try $0.pass(days: 370) }, sends: Array(repeating: "anna DID_RENEW 1", count: 12)),
        Row(
            "commitment cancelled",
            after: {
                try $0.commit()
                try $0.pass(days: 70)
            },
            event: {
                try $0.perform(.setAutoRenew(false, of: $0.commitment))
                try $0.pass(days: 330)
            },
            sends: ["anna DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1"]
                + Array(repeating: "anna DID_RENEW 1", count: 9) + ["anna EXPIRED/VOLUNTARY 2"]),
    ]

    static let refunds: [Row] = [
        Row(
            "refund requested in the app", after: { try $0.buy("pro.monthly") },
            event: { try $0.perform(.requestRefund($0.pro, reason: .unintendedPurchase)) },
            sends: [
                "anna DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1", "anna CONSUMPTION_REQUEST 1", "anna REFUND 5",
            ]),
        Row(
            "refund requested and declined", settings: { $0.grantsRefundRequests = false },
            after: { try $0.buy("pro.monthly") },
            event: {
                try $0.perform(.requestRefund($0.pro, reason: .other))
                try $0.perform(.declineRefund($0.pro))
            },
            sends: [
                "anna DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1", "anna CONSUMPTION_REQUEST 1",
                "anna REFUND_DECLINED 1",
            ]),
        Row(
            "refund of a consumable", after: { try $0.buy("coins.100") },
            event: { try $0.perform(.refund(.latest("coins.100", of: "anna"), percentage: nil, reason: .other)) },
            sends: ["anna REFUND"]),
        Row(
            "refund of an old period",
            after: {
                try $0.buy("pro.monthly")
                try $0.pass(days: 40)
            }, event: { try $0.perform(.refund("2000000000000001", percentage: nil, reason: .other)) },
            sends: ["anna REFUND 1"]),
        Row(
            "refund of a purchaser with a family",
            after: {
                try $0.makeFamily()
                try $0.buy("pro.monthly")
            }, event: { try $0.perform(.refund($0.pro, percentage: nil, reason: .other)) },
            sends: ["anna REFUND 5", "bert REVOKE 5"]),
        Row(
            "refund reversed",
            after: {
                try $0.buy("pro.monthly")
                try $0.perform(.refund($0.pro, percentage: nil, reason: .other))
            }, event: { try $0.perform(.reverseRefund($0.pro)) }, sends: ["anna REFUND_REVERSED 1"]),
        Row(
            "refund reversed after the period",
            after: {
                try $0.buy("pro.monthly")
                try $0.perform(.refund($0.pro, percentage: nil, reason: .other))
                try $0.pass(days: 40)
            }, event: { try $0.perform(.reverseRefund($0.pro)) }, sends: ["anna REFUND_REVERSED 2"]),
        Row(
            "refund of the current month after an early charge", settings: { $0.chargesEarly = true },
            after: {
                try $0.makeFamily()
                try $0.buy("pro.monthly")
                try $0.perform(.advance(to: SampleStore.day("2026-02-28T11:00:00Z")))
            }, event: { try $0.perform(.refund("2000000000000001", percentage: nil, reason: .other)) },
            sends: ["anna REFUND 5", "bert REVOKE 5"]),
        Row(
            "second part of a refund",
            after: {
                try $0.buy("coins.100")
                try $0.perform(.refund(.latest("coins.100", of: "anna"), percentage: 50_000, reason: .other))
            }, event: { try $0.perform(.refund(.latest("coins.100", of: "anna"), percentage: 50_000, reason: .other)) },
            sends: ["anna REFUND"]),
        Row(
            "family sharing ends",
            after: {
                try $0.makeFamily()
                try $0.buy("pro.monthly")
            }, event: { try $0.perform(.leaveFamily("bert")) }, sends: ["bert REVOKE 5"]),
        Row(
            "purchase sharing turned off",
            after: {
                try $0.makeFamily()
                try $0.buy("remove.ads")
            }, event: { try $0.perform(.setPurchaseSharing(false, of: "anna")) }, sends: ["bert REVOKE"]),
        Row(
            "test notification requested", after: { try $0.buy("pro.monthly") },
            event: { try $0.perform(.requestTestNotification) }, sends: ["TEST"]),
        Row(
            "consumption data sent", after: { try $0.buy("coins.100") },
            event: {
                try $0.perform(
                    .informOfConsumption(of: .latest("coins.100", of: "anna"), delivery: "DELIVERED", preference: nil))
            }, sends: []),
        Row(
            "renewal date extended", after: { try $0.buy("pro.monthly") },
            event: { try $0.perform(.extendRenewalDate(of: $0.pro, days: 7, reason: 1)) },
            sends: ["anna RENEWAL_EXTENDED 1"]),
        Row(
            "renewal dates of all extended", after: { try $0.buy("pro.monthly") },
            event: {
                for _ in 1...3 {
                    try $0.perform(
                        .extendRenewalDates(of: "pro.monthly", days: 7, reason: 1, storefronts: [], requestID: "r"))
                }
            },
            sends: [
                "anna RENEWAL_EXTENDED 1", "RENEWAL_EXTENSION/SUMMARY", "anna RENEWAL_EXTENDED 1",
                "RENEWAL_EXTENSION/SUMMARY", "anna RENEWAL_EXTENSION/FAILURE 1", "RENEWAL_EXTENSION/SUMMARY",
            ]),
    ]
}
