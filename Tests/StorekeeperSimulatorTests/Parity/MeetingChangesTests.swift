import Foundation
import Storekeeper
import Testing

@testable import StorekeeperSimulator

/// Tests of rules that matter only if two changes of a subscription occur together, such as an offer and a change of
/// plan, or a new price and a refusal.
@Suite("Changes that meet") struct MeetingChangesTests {
    private static let catalog = """
        {"products":[
          {"id":"songbook","type":"nonConsumable","price":"14.99","familyShareable":true},
          {"id":"gold.monthly","type":"autoRenewable","group":"M","level":1,"period":"P1M","price":"9.99",
           "familyShareable":true,
           "offers":[{"kind":"introductory","paymentMode":"freeTrial","period":"P1W"}]},
          {"id":"silver.monthly","type":"autoRenewable","group":"M","level":2,"period":"P1M","price":"4.99",
           "offers":[{"kind":"introductory","paymentMode":"payAsYouGo","period":"P1M","periodCount":3,"price":"0.49"},
                     {"kind":"promotional","id":"loyal","paymentMode":"payAsYouGo","period":"P1M","periodCount":3,
                      "price":"2.99"},
                     {"kind":"code","id":"letter","paymentMode":"payAsYouGo","period":"P1M","periodCount":2,
                      "price":"1.49","eligibility":["new","existing","expired"]}]},
          {"id":"silver.yearly","type":"autoRenewable","group":"M","level":2,"period":"P1Y","price":"49.99"},
          {"id":"bronze.monthly","type":"autoRenewable","group":"M","level":3,"period":"P1M","price":"1.99",
           "offers":[{"kind":"promotional","id":"cheap","paymentMode":"payAsYouGo","period":"P1M","periodCount":3,
                      "price":"0.99"}]},
          {"id":"founder.monthly","type":"autoRenewable","group":"P","level":1,"period":"P1M","price":"19.99"},
          {"id":"friend.monthly","type":"autoRenewable","group":"P","level":3,"period":"P1M","price":"2.99"},
          {"id":"patron.yearly","type":"autoRenewable","group":"P","level":2,"period":"P1Y","price":"99.99",
           "billingPlans":[{"type":"upFront","price":"99.99"},{"type":"monthly","price":"9.99"}],
           "offers":[{"kind":"promotional","id":"up","paymentMode":"payUpFront","period":"P1Y","price":"59.99",
                      "billingPlan":"upFront"},
                     {"kind":"promotional","id":"monthly","paymentMode":"payAsYouGo","period":"P1M","periodCount":3,
                      "price":"4.99","billingPlan":"monthly"}]}]}
        """

    struct Story: Sendable, CustomTestStringConvertible {
        let title: String
        var settings = ""
        let steps: String
        var testDescription: String { title }

        init(_ title: String, settings: String = "", _ steps: String) {
            (self.title, self.settings, self.steps) = (title, settings, steps)
        }
    }

    static let offers = [
        Story(
            "an offer ends with its product: after another plan has begun, it does not return",
            """
              - buy: silver.monthly
              - change plan: silver.yearly
              - advance to: 2026-02-02
              - change plan: silver.monthly
              - expect signed:
                  renewal: { autoRenewProductId: silver.monthly, offerType: none, renewalPrice: 4990 }
              - advance to: 2027-02-02
              - expect signed: { transaction: { productId: silver.monthly, price: 4990, offerType: none } }
            """),
        Story(
            "an offer of the former product leaves room for one of the new product",
            """
              - buy: silver.monthly
              - change plan: bronze.monthly
              - advance to: 2026-02-02
              - { apply offer: bronze.monthly, offer: promotional cheap }
              - expect signed: { renewal: { offerType: 2, offerIdentifier: cheap, renewalPrice: 990 } }
              - advance to: 2026-03-02
              - expect signed: { transaction: { productId: bronze.monthly, price: 990, offerType: 2 } }
              - advance to: 2026-06-02
              - expect signed: { transaction: { price: 1990, offerType: none } }
            """),
        Story(
            "an offer of the present product withdraws a planned downgrade",
            """
              - { buy: silver.monthly, offer: code letter }
              - advance to: 2026-03-02
              - change plan: bronze.monthly
              - { buy: silver.monthly, offer: promotional loyal, outcome: alreadyOwned }
              - expect signed:
                  renewal: { autoRenewProductId: silver.monthly, offerType: 2, renewalPrice: 2990 }
              - advance to: 2026-04-02
              - expect signed: { transaction: { productId: silver.monthly, price: 2990, offerType: 2 } }
            """),
        Story(
            "an offer belongs to its billing plan",
            """
              - buy: patron.yearly
              - cancel: patron.yearly
              - advance to: 2027-02-01
              - buy: patron.yearly
                billing: monthly
                offer: promotional up
                outcome: failed invalidOfferIdentifier
              - { buy: patron.yearly, billing: monthly, offer: promotional monthly }
              - expect signed:
                  transaction: { billingPlanType: MONTHLY, price: 4990, expiresDate: 2027-03-01 }
              - { apply offer: patron.yearly, offer: promotional up, outcome: failed invalidOfferIdentifier }
            """),
        Story(
            "an offer of a planned product does not return after another was planned",
            """
              - { buy: gold.monthly, introductory: false }
              - { buy: silver.monthly, offer: promotional loyal }
              - expect signed: { renewal: { offerType: 2, renewalPrice: 2990 } }
              - buy: bronze.monthly
              - buy: silver.monthly
              - expect signed:
                  renewal: { autoRenewProductId: silver.monthly, offerType: none, renewalPrice: 4990 }
              - advance to: 2026-02-02
              - expect signed: { transaction: { productId: silver.monthly, price: 4990, offerType: none } }
            """),
        Story(
            "an offer of a planned product does not return after the change was withdrawn",
            """
              - { buy: gold.monthly, introductory: false }
              - { buy: silver.monthly, offer: promotional loyal }
              - buy: gold.monthly
              - change plan: silver.monthly
              - expect signed:
                  renewal: { autoRenewProductId: silver.monthly, offerType: none, renewalPrice: 4990 }
            """),
        Story(
            "an offer of the present product continues if changes are planned and withdrawn",
            """
              - { buy: silver.monthly, offer: code letter }
              - change plan: bronze.monthly
              - change plan: silver.yearly
              - expect signed: { renewal: { offerType: none, renewalPrice: 49990 } }
              - change plan: silver.monthly
              - expect signed: { renewal: { offerType: 3, renewalPrice: 1490 } }
            """),
        Story(
            "a guardian's consent does not renew an eligibility that has ended",
            settings: "ask to buy: yes",
            """
              - { buy: silver.monthly, as: first }
              - { buy: gold.monthly, as: second }
              - approve: first
              - expect signed: { transaction: { price: 490, offerType: 1 } }
              - approve: second
              - expect signed: { transaction: { productId: gold.monthly, price: 9990, offerType: none } }
            """),
        Story(
            "a code that was requested twice is redeemed once",
            settings: "ask to buy: yes",
            """
              - { redeem: silver.monthly, code: letter, as: first }
              - { redeem: silver.monthly, code: letter, as: second }
              - approve: first
              - { expire: silver.monthly }
              - { approve: second, outcome: failed ineligibleForOffer }
              - expect: lapsed silver.monthly because expired
            """),
    ]

    static let prices = [
        Story(
            "a customer who refused a price, planned a downgrade and withdraws it is asked again",
            """
              - buy: gold.monthly
              - advance to: 2026-01-09
              - { price: gold.monthly, to: 19.99 }
              - { consent: gold.monthly, answer: no }
              - change plan: bronze.monthly
              - change plan: gold.monthly
              - expect signed: { renewal: { autoRenewStatus: 1, priceIncreaseStatus: 0 } }
              - advance to: 2026-02-09
              - expect: lapsed gold.monthly because expired
            """),
        Story(
            "a customer who refused a price and takes an offer is asked again, and need not agree before it ends",
            """
              - { buy: silver.monthly, offer: code letter }
              - advance to: 2026-03-02
              - { price: silver.monthly, to: 12.99 }
              - { consent: silver.monthly, answer: no }
              - { apply offer: silver.monthly, offer: promotional loyal }
              - expect signed: { renewal: { autoRenewStatus: 1, priceIncreaseStatus: 0, renewalPrice: 2990 } }
              - advance to: 2026-06-15
              - expect signed: { transaction: { price: 2990 } }
              - expect: entitled silver.monthly because active
              - advance to: 2026-07-02
              - expect: lapsed silver.monthly because expired
            """),
        Story(
            "an announced price waits until the offer has ended",
            """
              - buy: silver.monthly
              - { price: silver.monthly, to: 5.99 }
              - advance to: 2026-02-02
              - expect signed: { renewal: { offerType: 1, renewalPrice: 490, priceIncreaseStatus: 1 } }
              - advance to: 2026-03-02
              - expect signed: { renewal: { offerType: none, renewalPrice: 5990, priceIncreaseStatus: 1 } }
              - advance to: 2026-04-02
              - expect signed:
                  transaction: { price: 5990 }
                  renewal: { renewalPrice: 5990, priceIncreaseStatus: none }
            """),
        Story(
            "a price that is lowered while a payment is retried counts from the recovery",
            settings: "grace period: no",
            """
              - buy: bronze.monthly
              - fail billing: customer
              - advance to: 2026-02-03
              - { price: bronze.monthly, to: 0.99 }
              - advance to: 2026-02-10
              - resolve issue: bronze.monthly
              - expect signed: { transaction: { price: 990 } }
            """),
        Story(
            "a price that is raised while a payment is retried is announced after the recovery",
            settings: "grace period: no",
            """
              - buy: bronze.monthly
              - fail billing: customer
              - advance to: 2026-02-03
              - { price: bronze.monthly, to: 2.49 }
              - advance to: 2026-02-10
              - resolve issue: bronze.monthly
              - expect signed:
                  transaction: { price: 1990 }
                  renewal: { priceIncreaseStatus: 1, renewalPrice: 2490 }
              - advance to: 2026-03-11
              - expect signed: { transaction: { price: 2490 } }
            """),
        Story(
            "a price below the announced one needs no consent",
            """
              - buy: bronze.monthly
              - { price: bronze.monthly, to: 2.99 }
              - advance: 3 days
              - { price: bronze.monthly, to: 2.49 }
              - expect signed: { renewal: { priceIncreaseStatus: 1, renewalPrice: 2490 } }
              - notifications: [SUBSCRIBED/INITIAL_BUY, PRICE_INCREASE/ACCEPTED]
              - advance to: 2026-02-02
              - expect signed: { transaction: { price: 2490 } }
            """),
        Story(
            "an increase of the former product does not count for the new one",
            """
              - buy: bronze.monthly
              - { price: bronze.monthly, to: 2.49 }
              - advance: 5 days
              - buy: gold.monthly
              - advance: 20 days
              - { price: gold.monthly, to: 10.49 }
              - expect signed: { renewal: { priceIncreaseStatus: 1 } }
            """),
    ]

    /// A commitment that was cancelled in its third month, with the expected notifications up to then.
    private static let cancelledCommitment = """
          - { buy: patron.yearly, billing: monthly }
          - advance to: 2026-03-05
          - cancel: patron.yearly
          - notifications:
              - SUBSCRIBED/INITIAL_BUY
              - DID_RENEW
              - DID_RENEW
              - DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED

        """

    static let others = [
        Story(
            "a commitment that is cancelled while a payment is retried is still paid",
            """
              - { buy: patron.yearly, billing: monthly }
              - fail billing: customer
              - advance to: 2026-02-10
              - cancel: patron.yearly
              - expect signed:
                  renewal: { autoRenewStatus: 1, isInBillingRetryPeriod: yes, commitmentInfo: { commitmentAutoRenewStatus: 0 } }
              - advance to: 2026-04-10
              - resolve issue: patron.yearly
              - expect signed: { transaction: { commitmentInfo: { billingPeriodNumber: 2 } } }
              - expect: entitled patron.yearly because active until 2026-05-10
            """),
        Story(
            "who buys a cancelled commitment again renews it",
            cancelledCommitment + """
                  - { buy: patron.yearly, billing: monthly, outcome: alreadyOwned }
                  - notifications: [DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED]
                  - expect signed: { renewal: { autoRenewStatus: 1, commitmentInfo: { commitmentAutoRenewStatus: 1 } } }
                  - advance to: 2027-01-05
                  - expect: entitled patron.yearly because active until 2027-02-01
                """),
        Story(
            "who takes an offer in a cancelled commitment renews it",
            cancelledCommitment + """
                  - { apply offer: patron.yearly, offer: promotional monthly }
                  - notifications: [OFFER_REDEEMED, DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED]
                  - expect signed: { renewal: { autoRenewStatus: 1, commitmentInfo: { commitmentAutoRenewStatus: 1 } } }
                  - advance to: 2027-01-05
                  - expect signed: { transaction: { commitmentInfo: { billingPeriodNumber: 1 } } }
                """),
        Story(
            "an upgrade from a cancelled commitment turns renewal on",
            cancelledCommitment + """
                  - buy: founder.monthly
                  - notifications: [DID_CHANGE_RENEWAL_PREF/UPGRADE, DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED]
                """),
        Story(
            "a downgrade from a cancelled commitment turns renewal on",
            cancelledCommitment + """
                  - change plan: friend.monthly
                  - notifications: [DID_CHANGE_RENEWAL_PREF/DOWNGRADE, DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED]
                  - advance to: 2027-01-05
                  - expect: entitled friend.monthly because active until 2027-02-01
                """),
        Story(
            "a purchase on the plan up front waits for the end of the commitment",
            """
              - { buy: patron.yearly, billing: monthly }
              - advance to: 2026-02-10
              - { buy: patron.yearly, outcome: alreadyOwned }
              - expect signed: { renewal: { commitmentInfo: { commitmentRenewalBillingPlanType: MONTHLY } } }
              - { buy: patron.yearly, billing: up front, outcome: alreadyOwned }
              - expect signed:
                  renewal:
                    renewalBillingPlanType: MONTHLY
                    commitmentInfo: { commitmentRenewalBillingPlanType: BILLED_UPFRONT }
              - advance to: 2027-01-02
              - expect signed:
                  transaction: { billingPlanType: BILLED_UPFRONT, price: 99990, expiresDate: 2028-01-01 }
            """),
        Story(
            "a purchase on the monthly plan waits for the end of the year",
            """
              - buy: patron.yearly
              - { buy: patron.yearly, billing: monthly, outcome: alreadyOwned }
              - expect signed: { renewal: { renewalBillingPlanType: MONTHLY, renewalPrice: 9990 } }
              - advance to: 2027-01-02
              - expect signed:
                  transaction: { billingPlanType: MONTHLY, price: 9990, expiresDate: 2027-02-01 }
            """),
        Story(
            "a purchase outside of the app after a lapse has no account token",
            """
              - { buy: bronze.monthly, token: 11111111-1111-4111-8111-111111111111 }
              - advance to: 2026-02-10
              - expect signed: { transaction: { appAccountToken: 11111111-1111-4111-8111-111111111111 } }
              - cancel: bronze.monthly
              - advance to: 2026-03-10
              - buy outside app: bronze.monthly
              - expect signed:
                  transaction: { appAccountToken: none }
                  renewal: { appAccountToken: none }
            """),
        Story(
            "an account token that comes on the day after an early charge is also that of the running period",
            settings: "early charges: yes",
            """
              - { buy: bronze.monthly, as: january }
              - advance to: 2026-01-31T12:00:00Z
              - { token: bronze.monthly, to: 22222222-2222-4222-8222-222222222222 }
              - expect signed:
                  transaction: { purchaseDate: 2026-02-01, appAccountToken: 22222222-2222-4222-8222-222222222222 }
              - expect signed:
                  transaction: { purchaseDate: 2026-01-01, appAccountToken: 22222222-2222-4222-8222-222222222222 }
                purchase: january
            """),
        Story(
            "a reversed refund says again why the subscription had ended",
            settings: "grace period: no",
            """
              - buy: bronze.monthly
              - fail billing: customer
              - advance to: 2026-05-03
              - expect signed: { renewal: { expirationIntent: 2 } }
              - refund: bronze.monthly
              - advance: 1 day
              - reverse refund: bronze.monthly
              - expect signed: { renewal: { expirationIntent: 2 } }
            """),
        Story(
            "an extension of the last payment extends the commitment",
            """
              - { buy: patron.yearly, billing: monthly }
              - advance to: 2026-12-10
              - { extend: patron.yearly, days: 30 }
              - expect signed:
                  transaction:
                    expiresDate: 2027-01-31
                    commitmentInfo: { billingPeriodNumber: 12, commitmentExpiresDate: 2027-01-31 }
                  renewal: { renewalDate: 2027-01-31, commitmentInfo: { commitmentRenewalDate: 2027-01-31 } }
            """),
        Story(
            "after an upgrade is deleted, the former product renews at its price",
            """
              - buy: bronze.monthly
              - advance: 9 days
              - { buy: gold.monthly, as: upgrade }
              - delete: upgrade
              - expect signed:
                  renewal: { productId: bronze.monthly, autoRenewProductId: bronze.monthly, renewalPrice: 1990 }
              - advance to: 2026-02-02
              - expect signed:
                  transaction: { productId: bronze.monthly, price: 1990, expiresDate: 2026-03-01 }
            """),
    ]

    @discardableResult
    private static func play(_ story: Story, people: String) async throws -> ScenarioRunner {
        let text = """
            story: S
            catalog: c.json
            settings: { \(story.settings) }
            \(people)
            steps:
            \(story.steps)
            """
        var runner = try await ScenarioRunner(
            try Scenario(reading: text, file: "story.yaml") {
                CatalogFile(name: $0, bytes: Array(Self.catalog.utf8))
            })
        let report = try await runner.run()
        #expect(report.failures.map { "line \($0.line): \($0.expected), not \($0.found)" } == [])
        return runner
    }

    @Test("A rule holds where changes meet", arguments: offers + prices + others)
    func rule(story: Story) async throws {
        try await Self.play(story, people: "people: [{ name: customer, storefront: DEU }]")
    }

    private static let family = "people: [anna, ben]\nfamilies: [[anna, ben]]"

    @Test("A shared one-time purchase that is deleted leaves the family")
    func deleted() async throws {
        let runner = try await Self.play(
            Story(
                "deleted",
                """
                  - { buy: songbook, by: anna, as: book }
                  - { expect: entitled songbook because owned, for: ben }
                  - { delete: book, by: anna }
                """), people: Self.family)
        #expect(try runner.store.evidence(of: "ben").isEmpty)
    }

    @Test("Sharing that ended in billing retry begins again with the recovery")
    func sharedAgain() async throws {
        let story = Story(
            "shared again", settings: "grace period: no",
            """
              - { buy: gold.monthly, by: anna }
              - advance to: 2026-01-20
              - fail billing: anna
              - advance to: 2026-02-20
              - { stop sharing: gold.monthly, by: anna }
              - { share: gold.monthly, by: anna }
              - { resolve issue: gold.monthly, by: anna }
              - notifications:
                  - SUBSCRIBED/INITIAL_BUY
                  - DID_RENEW
                  - DID_FAIL_TO_RENEW
                  - REVOKE
                  - SUBSCRIBED/RESUBSCRIBE
                for: ben
            """)
        try await Self.play(story, people: Self.family)
    }

    @Test("After an early renewal is deleted, the next one has the same end")
    func deletedRenewal() async throws {
        let session = try SimulatedSession.sample()
        try session.perform(.setSetting(.chargesEarly(true)))
        let running = try await session.subscribe()
        try session.advance(to: try #require(running.expiresAt).adding(milliseconds: -3_600_000))
        let early = try session.newest()
        try #require(early.purchasedAt == running.expiresAt)
        try session.deleteTransaction(identifier: early.id)
        try session.advance(byDays: 1)
        #expect(try session.newest().id != early.id)
        #expect(try session.newest().expiresAt == early.expiresAt)
    }
}
