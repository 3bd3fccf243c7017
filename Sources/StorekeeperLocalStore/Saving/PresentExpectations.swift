import Storekeeper
import StorekeeperPages
import StorekeeperSimulator

/// The present state of a customer, expressed as expectations that a scenario can check.
struct PresentExpectations: Sendable {
    /// The kind of an expectation.
    enum Kind: Hashable, Sendable {
        /// The answer about a product or feature.
        case answer
        /// The amount of a balance.
        case balance
        /// The state of a subscription group.
        case subscription
        /// A JSON member of a signed document.
        case signed(ScenarioExpectation.Signed.Document, Transaction.ID, Product.ID)
    }

    /// One expectation.
    struct Item: Sendable {
        let kind: Kind
        /// The subject of the expectation, such as a product or a member of a signed document.
        let subject: String
        /// The present value, as text.
        let words: String
        /// The expectation in the syntax that follows `expect` in a scenario.
        let text: String
        /// Whether a typical test of the customer checks the expectation.
        let isUsual: Bool
    }

    /// The expectations; an expectation that the syntax of scenarios cannot express is left out.
    private(set) var items: [Item] = []

    private let customer: CustomerID
    private let app: String?
    private let scenario: Scenario

    /// Lists expectations for the engine's answers and for the newest signed documents of each product.
    ///
    /// - Parameters:
    ///   - app: The bundle id of the app; `nil` for the first app.
    ///   - transactions: The customer's transactions in the app, the newest first.
    /// - Throws: An error of the cryptographic library.
    init(
        of customer: CustomerID, app: String?, _ resolution: Resolution, at now: Instant,
        transactions: [SimulatedTransaction], in served: ServedScenario
    ) throws {
        (self.customer, self.app, scenario) = (customer, app, served.scenario)
        for product in resolution.products {
            append(product.timeline.value(at: now), subject: product.id.rawValue, isFeature: false)
        }
        for feature in resolution.features {
            append(feature.timeline.value(at: now).answer, subject: feature.id.rawValue, isFeature: true)
        }
        for balance in resolution.balances {
            let amount = balance.totals(at: now).balance
            append(
                .balance(balance.id, amount: amount, person: customer), .balance, balance.id.rawValue, "\(amount)",
                isUsual: amount != 0)
        }
        for group in resolution.groups {
            guard let status = group.highest(at: now) else { continue }
            let name = group.group.name ?? group.group.id.rawValue
            let product = status.transaction.productID
            append(
                .highest(group: name, product: product, person: customer), .subscription, "\(name), product",
                product.rawValue, isUsual: true)
            append(
                .state(subject: name, state: status.state, person: customer), .subscription, "\(name), state",
                status.state.rawValue, isUsual: true)
        }
        var seen: Set<Product.ID> = []
        for item in transactions where !seen.contains(item.productIdentifier) {
            guard let signed = try served.store.lastSigned(item.id) else { continue }
            seen.insert(item.productIdentifier)
            append(signed.transaction, .transaction, of: item)
            if let renewalInfo = signed.renewalInfo { append(renewalInfo, .renewal, of: item) }
        }
    }

    private mutating func append(_ answer: EntitlementAnswer, subject: String, isFeature: Bool) {
        let expectation = ScenarioExpectation.Answer(
            subject: subject, word: answer.word, reason: answer.reasonWord, person: customer)
        append(
            .answer(expectation), .answer, subject, "\(answer.word), \(answer.reasonWord)",
            isUsual: isFeature || answer.kind != .never)
    }

    private mutating func append(
        _ expectation: ScenarioExpectation, _ kind: Kind, _ subject: String, _ words: String, isUsual: Bool
    ) {
        guard let text = scenario.typed(expectation, app: app) else { return }
        items.append(Item(kind: kind, subject: subject, words: words, text: text, isUsual: isUsual))
    }

    /// The members of signed documents that are worth testing.
    private static let members: [ScenarioExpectation.Signed.Document: [String]] = [
        .transaction: [
            "expiresDate", "price", "currency", "offerType", "offerIdentifier", "offerDiscountType", "quantity",
            "transactionReason", "inAppOwnershipType", "isUpgraded", "revocationDate", "revocationReason",
        ],
        .renewal: [
            "autoRenewStatus", "autoRenewProductId", "renewalDate", "renewalPrice", "isInBillingRetryPeriod",
            "gracePeriodExpiresDate", "expirationIntent", "priceIncreaseStatus", "offerType", "offerIdentifier",
        ],
    ]

    private mutating func append(
        _ jws: String, _ document: ScenarioExpectation.Signed.Document, of item: SimulatedTransaction
    ) {
        guard let payload = CompactJWS(jws)?.payloadContent.flatMap({ try? JSONReader().read($0).root.object })
        else { return }
        let members = ScenarioExpectation.Signed.members(
            Self.members[document] ?? [], of: document, in: payload)
        for member in members {
            let words = if case .time(let instant) = member.value { PageTime.text(instant) } else { member.value.text }
            append(
                .signed(ScenarioExpectation.Signed(document, of: .id(item.id), members: [member])),
                .signed(document, item.id, item.productIdentifier), member.name, words, isUsual: false)
        }
    }
}
