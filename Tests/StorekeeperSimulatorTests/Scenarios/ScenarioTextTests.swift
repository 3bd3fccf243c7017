import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperSimulator

/// Tests that calls that are written as a scenario and read again are the same calls.
struct ScenarioTextTests {
    private static let token = UUID(uuidString: "7F3C5E52-4E2B-4B6E-9B0C-2F7E0A5D1C11")

    @Test("A setting that resembles YAML is written as text", arguments: ["{ a: b }", "{", "[a]", "# a", "a: b"])
    func settings(text: String) throws {
        var scenario = try Scenario(
            reading: """
                story: Settings
                catalog: Shop.json
                catalog files:
                  Shop.json: |
                    { "products": [{ "id": "coins.100", "type": "consumable", "grants": { "coins": 100 } }] }
                steps: []

                """)
        scenario.settings = [.locale(text)]
        #expect(try Scenario(reading: scenario.text).settings == scenario.settings)
    }

    /// Every command, with every kind of argument.
    static let commands: [SimulatorCommand] = {
        let latest = TransactionReference.latest("pro.monthly", of: "anna")
        let plain: [SimulatorCommand] = [
            .advance(to: SampleStore.day("2026-03-01T09:30:00.250Z")), .createAccount("anna", storefront: "DEU"),
            .createAccount("ben", storefront: nil), .setStorefront("FRA", of: "anna"), .createFamily(organizer: "anna"),
            .joinFamily("ben", of: "anna"), .leaveFamily("ben"), .makeOrganizer("anna"),
            .setPurchaseSharing(true, of: "anna"), .setPurchaseSharing(false, of: "anna"),
            .shareProduct(true, product: "pro.monthly", by: "anna"),
            .shareProduct(false, product: "pro.monthly", by: "anna"),
            .buyOutsideApp("pro.monthly", by: "anna"), .redeemOfferCode("WELCOME", product: "pro.monthly", by: "anna"),
            .intendPurchase("pro.monthly", by: "anna"), .approveAskToBuy("2000000000000001"),
            .declineAskToBuy("2000000000000001"), .resolveIssue(latest), .resolveIssue("2000000000000001"),
            .finish(latest), .setAppAccountToken(token, of: latest), .setAppAccountToken(nil, of: latest),
            .deleteTransaction(latest), .clearTransactions(of: "anna"), .clearTransactions(of: nil),
            .setAutoRenew(false, of: latest), .setAutoRenew(true, of: latest),
            .changePlan(to: "pro.yearly", by: "anna", billingPlan: nil),
            .changePlan(to: "pro.yearly", by: "anna", billingPlan: .monthly),
            .applyOffer(OfferReference(.winBack, id: "back"), of: latest),
            .applyOffer(.retention("loyal"), of: latest), .forceRenewal(of: "pro.monthly", by: "anna"),
            .expire("pro.monthly", by: "anna"), .setPaymentsFail(true, of: "anna"), .setPaymentsFail(false, of: "anna"),
            .retryBilling(of: latest), .extendRenewalDate(of: latest, days: 30, reason: 1),
            .extendRenewalDate(of: latest, days: 30, reason: 1, requestID: "outage 7"),
            .extendRenewalDates(
                of: "pro.monthly", days: 7, reason: 2, storefronts: ["USA", "DEU"], requestID: "outage 7"),
            .changePrice(of: "pro.monthly", to: 12_990, consent: .required),
            .changePrice(of: "pro.monthly", to: 1, consent: .preserved), .requestPriceConsent(latest),
            .answerPriceConsent(true, of: latest), .answerPriceConsent(false, of: latest),
            .setForSale(false, product: "pro.monthly"), .setForSale(true, product: "pro.monthly"),
            .requestRefund(latest, reason: .fulfillmentIssue), .refund(latest, percentage: nil, reason: .other),
            .refund(latest, percentage: 33_333, reason: .developerIssue),
            .refund(latest, percentage: 50_000, reason: RevocationReason(rawValue: 7)), .declineRefund(latest),
            .reverseRefund(latest), .revokeAssignment(latest), .resetSettings, .requestTestNotification,
            .setAdvancedCommerce(
                #"{"items":[{"SKU":"a \"b\": c","price":4990}],"taxCode":"S"}"#, of: latest, change: .price),
            .setAppTransaction(of: "anna", version: "1.10", purchasedAt: SampleStore.day("2025-01-01"), isRevoked: nil),
            .setAppTransaction(of: "anna", version: nil, purchasedAt: nil, isRevoked: true),
            .setSeats(25, of: latest, invitations: .apple), .setSeats(1, of: latest, invitations: .developer),
            .unclaimSeats([token, token].compactMap(\.self), of: latest), .refundSeats(3, of: latest, reason: .other),
            .refundSeats(1, of: "2000000000000001", reason: .developerIssue),
            .informOfConsumption(of: latest, delivery: "UNDELIVERED_OTHER", preference: "GRANT_FULL"),
            .informOfConsumption(of: "2000000000000001", delivery: "DELIVERED", preference: nil),
            .beginFault(SimulatedFault(.history, .status(503), times: 2)),
            .beginFault(SimulatedFault(.appTransaction, .code(4_040_019))),
            .beginFault(SimulatedFault(.any, .slowBody(1500))), .beginFault(SimulatedFault(.order, .cutBody)),
            .beginFault(SimulatedFault(.massExtensionStatus, .incomplete, times: 1)),
            .beginFault(SimulatedFault(.notifications, .delayed(7_200_000), times: 3)),
            .beginFault(SimulatedFault(.notifications, .flawed(.environment))), .endFaults,
        ]
        let claims = [token].compactMap(\.self).flatMap { id -> [SimulatorCommand] in
            [
                .claimSeat(SeatClaim(id: id, request: id), of: latest),
                .claimSeat(SeatClaim(id: id, request: UUID(), member: "ben"), of: latest),
                .releaseSeat(id, of: latest), .associateSeat(id, with: "ben", of: latest),
            ]
        }
        return plain + claims + requests.map { .buy("coins.100", by: "anna", options: $0) }
            + settings.map { .setSetting($0) }
    }()

    private static let requests: [PurchaseRequest] = [
        PurchaseRequest(), PurchaseRequest(appAccountToken: token, quantity: 3, asksToBuy: true),
        PurchaseRequest(offer: OfferReference(.introductory), introductoryEligibility: false, billingPlan: .monthly),
        PurchaseRequest(
            offer: OfferReference(.promotional, id: "loyal"), billingPlan: .billedUpfront, asksToBuy: false),
        PurchaseRequest(
            introductoryEligibility: true, purchaseDate: SampleStore.day("2025-01-01"), renewsUntilNow: false,
            isCancelled: true),
    ]

    private static let settings: [SimulatorSetting] =
        TimeRate.known.map { .pace(.xcode($0)) } + SandboxSpeed.allCases.map { .pace(.sandbox($0)) }
        + GracePeriodLength.allCases.map { .billingGracePeriod($0) }
        + SimulatedAPI.allCases.map { .simulatedError(nil, api: $0) }
        + SimulatedFailure.allCases.map { .simulatedError($0, api: .purchase) }
        + [true, false].flatMap { isOn -> [SimulatorSetting] in
            [
                .askToBuy(isOn), .interruptedPurchases(isOn), .gracePeriodFollowsFreeOffers(isOn),
                .billingRetryOnRenewal(isOn), .retriesDaily(isOn), .chargesEarly(isOn), .disableDialogs(isOn),
                .grantsRefundRequests(isOn),
            ]
        }
        + [
            .pace(.realTime), .pace(.testFlight), .billingGracePeriod(nil), .storefront("DEU"), .locale("de_DE"),
            .recoveryChance(0.25), .recoveryChance(1), .failTransactions(code: 3), .failTransactions(code: nil),
        ]

    private static func scenario(_ calls: [SimulatorCall]) -> Scenario {
        let app = SimulatedApp(catalog: SampleStore.catalog)
        return Scenario(calls: calls, story: "A story: of \"calls\"", apps: [app], catalogs: [["sample.json"]], seed: 7)
    }

    /// Returns the calls after they were written and read.
    private static func reread(_ scenario: Scenario) throws -> [SimulatorCommand] {
        let again = try Scenario(reading: scenario.text, file: "again.yaml") { _ in
            CatalogFile(name: "sample.json", bytes: Array(catalog.utf8))
        }
        #expect(again.story == scenario.story)
        #expect(again.seed == scenario.seed)
        #expect(again.start == scenario.start)
        return again.steps.flatMap { step -> [SimulatorCommand] in
            switch step.action {
            case .perform(let commands): commands
            case .answerGuardian(true, .id(let id)): [.approveAskToBuy(id)]
            case .answerGuardian(false, .id(let id)): [.declineAskToBuy(id)]
            default: []
            }
        }
    }

    /// A catalog with the ids of the sample shop, which the reader needs.
    private static let catalog = """
        {"products":["remove.ads",{"id":"coins.100","type":"consumable"}],
         "subscriptions":[{"group":"Membership","products":["pro.monthly","pro.yearly","basic.monthly","basic.weekly"]}]}
        """

    private static let people: [SimulatorCall] = [
        SimulatorCall(.createAccount("anna", storefront: nil)), SimulatorCall(.createAccount("ben", storefront: nil)),
    ]

    @Test("Every command is written as text that is read as the same command", arguments: commands)
    func roundTrip(command: SimulatorCommand) throws {
        let scenario = Self.scenario(Self.people + [SimulatorCall(command)])
        #expect(try Self.reread(scenario).last == command)
    }

    @Test("Instants after the year 9999 are written as text that is read as the same instants")
    func lateInstants() throws {
        let text = """
            story: A gift for ever
            catalog: sample.json
            people: [anna]
            steps:
              - grant access: remove.ads
                until: 253402300800000
              - expect: entitled remove.ads because granted until 253402300800000
            """
        func read(_ text: String) throws -> Scenario {
            try Scenario(reading: text, file: "late.yaml") { _ in
                CatalogFile(name: "sample.json", bytes: Array(Self.catalog.utf8))
            }
        }
        let written = try read(text).text
        #expect(written.split(separator: "253402300800000").count == 3, "\(written)")
        #expect(try read(written).text == written)
    }

    @Test("Any list of commands survives writing and reading")
    func anyList() {
        checkProperty(
            "scenario text", cases: 100,
            generate: { random -> [Int] in
                (0..<Int.random(in: 0..<12, using: &random)).map { _ in
                    Int.random(in: 0..<Self.commands.count, using: &random)
                }
            },
            shrink: { list in
                list.indices.map { index in list.enumerated().filter { $0.offset != index }.map(\.element) }
            }
        ) { list in
            let calls = Self.people + list.map { SimulatorCall(Self.commands[$0]) }
            return try Self.reread(Self.scenario(calls)) == calls.map(\.command)
        }
    }

    @Test(
        "Names with any characters survive writing and reading",
        arguments: ["anna", "O'Neil", "null", "yes", "12", "a: b", "# x", "\"q\"", "ä ö\u{1F600}", "&x *y [", " ", "~"])
    func names(name: String) throws {
        let person = CustomerID(rawValue: name)
        let calls = [
            SimulatorCall(.createAccount(person, storefront: nil)), SimulatorCall(.setPaymentsFail(true, of: person)),
        ]
        #expect(try Self.reread(Self.scenario(calls)) == calls.map(\.command))
    }

    @Test("Expectations about signed data and receipts survive writing and reading")
    func signed() throws {
        let head =
            "story: S\ncatalog: c.json\npeople: [anna, ben]\nsteps:\n  - { buy: pro.monthly, by: ben, as: first }\n"
        let steps = """
              - expect signed:
                  transaction: { offerType: none, price: 990, offerIdentifier: any, purchaseDate: 2026-02-01, type: "a: b" }
                  renewal: { eligibleWinBackOfferIds: [a, b], isInBillingRetryPeriod: no, commitmentInfo: none }
                  notification: { notificationType: REFUND, data: { status: 5 } }
                purchase: first
              - expect signed: { transaction: { commitmentInfo: { billingPeriodNumber: 3 } } }
                for: anna
              - expect signed: { renewal: { autoRenewStatus: 1 } }
                purchase: pro.monthly
                by: ben
              - expect receipt: [entitled pro.monthly because active, lapsed pro.monthly because refunded]
                for: ben
              - expect receipt: never pro.monthly
                for: anna
            """
        func read(_ text: String) throws -> Scenario {
            try Scenario(reading: text, file: "s.yaml") { CatalogFile(name: $0, bytes: Array(Self.catalog.utf8)) }
        }
        let scenario = try read(head + steps)
        let again = try read(scenario.text)
        #expect(again.steps.map(\.action) == scenario.steps.map(\.action))
        #expect(again.steps.count == 6)
    }

    @Test("A scenario that was written from a store's calls reproduces the events")
    func replay() async throws {
        let store = try SampleStore.make("anna")
        try store.perform(.buy("pro.monthly", by: "anna", options: PurchaseRequest()))
        try store.advance(byDays: 40)
        try store.perform(.refund(.latest("pro.monthly", of: "anna"), percentage: nil, reason: .other))
        let scenario = Scenario(
            calls: store.calls, story: "Again", apps: [SimulatedApp(catalog: SampleStore.catalog)],
            catalogs: [["sample.json"]], start: SampleStore.day("2026-01-31T12:00:00Z"), seed: 1)
        var runner = try await ScenarioRunner(scenario)
        let report = try await runner.run()
        #expect(report.isMet)
        #expect(
            runner.store.happenings().map { "\($0.at) \($0.kind)" } == store.happenings().map { "\($0.at) \($0.kind)" })
    }
}
