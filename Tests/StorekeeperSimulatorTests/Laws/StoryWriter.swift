import FoundationEssentials
import Storekeeper
import StorekeeperTesting

@testable import StorekeeperSimulator

/// Chooses the steps of a story at random.
struct StoryWriter {
    /// Whether time passes at one of Apple's test speeds, so that waits are short.
    var isFast: Bool
    /// Recent purchases, to which most later commands refer.
    private var bought: [(product: Product.ID, by: CustomerID)] = []

    init(isFast: Bool) { self.isFast = isFast }

    private static let day: Int64 = 86_400_000
    private static let memberships: [Product.ID] = ["pro.monthly", "pro.yearly", "basic.monthly", "basic.weekly"]
    private static let oneTime: [Product.ID] = ["coins.100", "remove.ads", "season.pass"]
    private static let tokens = [UUID(uuidString: "11111111-2222-4333-8444-555555555555"), nil]

    mutating func step(_ random: inout SplitMix64) -> StoryStep {
        switch random.number(in: 1...100) {
        case 1...33: return .wait(wait(&random))
        case 34...36: return .answerGuardian(random.chance(60))
        default:
            let app: String? = random.chance(90) ? nil : random.element(of: GeneratedStory.apps)
            return .call(SimulatorCall(command(&random), app: app))
        }
    }

    private func wait(_ random: inout SplitMix64) -> Int64 {
        let odd = Int64(random.number(in: 0...999))
        let count = Int64(random.number(in: 1...40))
        if isFast { return random.pick(odd, count * 1000, count * 60_000, count * 3_600_000 + odd) }
        return random.pick(
            odd, count * 60_000, Self.day, Self.day * count, Self.day * count, Self.day * 30 + odd, Self.day * 61,
            Self.day * 365, Self.day * 800)
    }

    static func pace(_ random: inout SplitMix64) -> RenewalPace {
        random.pick(
            .sandbox(.fiveMinutes), .sandbox(.threeMinutes), .testFlight, .xcode(.monthlyRenewalEveryThirtySeconds),
            .xcode(.oneRenewalEveryMinute), .xcode(.oneHourIsOneDay))
    }

    // MARK: Commands

    private mutating func command(_ random: inout SplitMix64) -> SimulatorCommand {
        switch random.number(in: 1...100) {
        case 1...38: buying(&random)
        case 39...68: subscribing(&random)
        case 69...78: refunding(&random)
        case 79...88: people(&random)
        case 89...92: pricing(&random)
        default: setting(&random)
        }
    }

    private func person(_ random: inout SplitMix64) -> CustomerID {
        // The last customer has no account at first, and the stranger never has one.
        random.chance(2) ? "stranger" : random.pick("anna", "anna", "anna", "anna", "bert", "bert", "cleo", "dora")
    }

    private func membership(_ random: inout SplitMix64) -> Product.ID {
        random.element(of: Self.memberships) ?? "pro.monthly"
    }

    private func product(_ random: inout SplitMix64) -> Product.ID {
        if random.chance(2) { return "unheard.of" }
        return random.chance(65) ? membership(&random) : random.element(of: Self.oneTime) ?? "coins.100"
    }

    private func reference(_ random: inout SplitMix64) -> TransactionReference {
        if random.chance(80), let last = bought.suffix(3).randomElement(using: &random) {
            return .latest(last.product, of: last.by)
        }
        if random.chance(50) { return .latest(product(&random), of: person(&random)) }
        let first = random.chance(80) ? 2_000_000_000_000_001 : 0
        return .id(Transaction.ID(rawValue: String(first + random.number(in: 0...25))))
    }

    private func subscription(_ random: inout SplitMix64) -> TransactionReference {
        let memberships = bought.filter { Self.memberships.contains($0.product) }
        if random.chance(85), let last = memberships.suffix(2).randomElement(using: &random) {
            return .latest(last.product, of: last.by)
        }
        return .latest(membership(&random), of: person(&random))
    }

    private func offer(_ random: inout SplitMix64) -> OfferReference {
        random.pick(
            OfferReference(.introductory), OfferReference(.promotional, id: "loyal"),
            OfferReference(.code, id: "WELCOME"), OfferReference(.winBack, id: "back"),
            OfferReference(.promotional, id: "unheard of"))
    }

    private func request(_ random: inout SplitMix64) -> PurchaseRequest {
        var request = PurchaseRequest()
        if random.chance(25) { request.appAccountToken = random.element(of: Self.tokens) ?? nil }
        if random.chance(10) { request.quantity = random.number(in: 0...11) }
        if random.chance(25) { request.offer = offer(&random) }
        if random.chance(5) { request.introductoryEligibility = random.chance(50) }
        if random.chance(15) { request.billingPlan = random.pick(.monthly, .billedUpfront) }
        if random.chance(8) { request.asksToBuy = random.chance(70) }
        if random.chance(6) {
            request.purchaseDate = SampleStore.day(random.pick("2023-05-31T10:00:00Z", "2025-11-30T10:00:00Z"))
            request.renewsUntilNow = random.chance(50)
        }
        if random.chance(3) { request.isCancelled = true }
        return request
    }

    private mutating func buying(_ random: inout SplitMix64) -> SimulatorCommand {
        let customer = person(&random)
        switch random.number(in: 1...20) {
        case 1...12:
            let product = product(&random)
            bought.append((product, customer))
            return .buy(product, by: customer, options: request(&random))
        case 13: return .buyOutsideApp(product(&random), by: customer)
        case 14: return .redeemOfferCode("WELCOME", product: membership(&random), by: customer)
        case 15: return .intendPurchase(product(&random), by: customer)
        case 16, 17: return .resolveIssue(reference(&random))
        case 18: return .finish(reference(&random))
        case 19: return .setAppAccountToken(random.element(of: Self.tokens) ?? nil, of: reference(&random))
        default:
            return random.pick(
                .deleteTransaction(reference(&random)), .deleteTransaction(reference(&random)),
                .clearTransactions(of: random.chance(80) ? customer : nil))
        }
    }

    private func subscribing(_ random: inout SplitMix64) -> SimulatorCommand {
        let last = bought.last { Self.memberships.contains($0.product) }
        let customer = random.chance(80) ? last?.by ?? "anna" : person(&random)
        let product = random.chance(40) ? last?.product ?? "pro.monthly" : membership(&random)
        switch random.number(in: 1...20) {
        case 1...4: return .setAutoRenew(random.chance(40), of: subscription(&random))
        case 5...8:
            return .changePlan(
                to: product, by: customer, billingPlan: random.chance(20) ? .monthly : nil)
        case 9, 10: return .applyOffer(offer(&random), of: subscription(&random))
        case 11: return .forceRenewal(of: product, by: customer)
        case 12: return .expire(product, by: customer)
        case 13...16: return .setPaymentsFail(random.chance(60), of: customer)
        case 17: return .retryBilling(of: subscription(&random))
        case 18, 19:
            return .extendRenewalDate(
                of: subscription(&random), days: random.number(in: -1...91), reason: random.number(in: -1...4))
        default:
            return .extendRenewalDates(
                of: product, days: random.number(in: 1...90), reason: 1,
                storefronts: random.chance(50) ? [] : ["USA"], requestID: "request")
        }
    }

    private func refunding(_ random: inout SplitMix64) -> SimulatorCommand {
        switch random.number(in: 1...12) {
        case 1...3:
            return .requestRefund(
                reference(&random), reason: random.element(of: RefundRequestReason.allCases) ?? .other)
        case 4...6:
            return .refund(
                reference(&random), percentage: random.chance(50) ? nil : random.number(in: 0...100_001),
                reason: random.pick(.other, .developerIssue))
        case 7: return .declineRefund(reference(&random))
        case 8...9: return .reverseRefund(reference(&random))
        case 10:
            return .informOfConsumption(
                of: reference(&random), delivery: "DELIVERED", preference: random.pick(nil, "DECLINE"))
        case 11: return .requestTestNotification
        default: return .revokeAssignment(reference(&random))
        }
    }

    private func people(_ random: inout SplitMix64) -> SimulatorCommand {
        let (customer, other) = (person(&random), person(&random))
        switch random.number(in: 1...12) {
        case 1: return .createAccount(customer, storefront: random.pick("DEU", "JPN", "no storefront", nil))
        case 2: return .setStorefront(random.pick("FRA", "GBR", "?"), of: customer)
        case 3...5: return .createFamily(organizer: customer)
        case 6...9: return .joinFamily(customer, of: other)
        case 10: return .leaveFamily(customer)
        case 11:
            return random.pick(
                .makeOrganizer(customer), .setPurchaseSharing(random.chance(60), of: customer))
        default: return .shareProduct(random.chance(50), product: product(&random), by: customer)
        }
    }

    private func pricing(_ random: inout SplitMix64) -> SimulatorCommand {
        switch random.number(in: 1...6) {
        case 1, 2:
            return .changePrice(
                of: membership(&random), to: Int64(random.number(in: -1...60)) * 990,
                consent: random.element(of: PriceConsent.allCases) ?? .automatic,
                billingPlan: random.chance(25) ? .monthly : nil)
        case 3: return .requestPriceConsent(subscription(&random))
        case 4, 5: return .answerPriceConsent(random.chance(50), of: subscription(&random))
        default: return .setForSale(random.chance(60), product: product(&random))
        }
    }

    private func setting(_ random: inout SplitMix64) -> SimulatorCommand {
        let isOn = random.chance(50)
        switch random.number(in: 1...14) {
        case 1...4: return .setSetting(.billingGracePeriod(random.pick(.days3, .days16, .days28, nil)))
        case 5: return .setSetting(.gracePeriodFollowsFreeOffers(isOn))
        case 6: return .setSetting(.billingRetryOnRenewal(isOn))
        case 7: return .setSetting(.retriesDaily(isOn))
        case 8: return .setSetting(.chargesEarly(isOn))
        case 9: return .setSetting(.askToBuy(random.chance(30)))
        case 10: return .setSetting(.interruptedPurchases(random.chance(30)))
        case 11: return .setSetting(.grantsRefundRequests(isOn))
        case 12: return .setSetting(.failTransactions(code: random.chance(30) ? random.number(in: 0...20) : nil))
        case 13:
            if isFast { return .setSetting(.pace(Self.pace(&random))) }
            return .setSetting(.storefront(random.pick("DEU", "USA")))
        default: return .resetSettings
        }
    }
}
