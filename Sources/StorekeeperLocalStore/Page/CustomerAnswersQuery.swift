import FoundationEssentials
import Storekeeper
import StorekeeperCharts
import StorekeeperJWS
import StorekeeperPages
import StorekeeperSimulator

/// The engine's answers about a customer, from evidence signed by the local App Store and from pending purchases.
struct CustomerAnswersQuery: Sendable {
    let resolver: EntitlementResolver
    let history: PurchaseHistory
    /// The pending purchases, which are not part of the evidence.
    let pending: [PendingPurchase]
    let resolution: Resolution
    /// The instant for which the answers are computed.
    let at: Instant
    /// The present: the time of the store's clock, or of the newest signature, which may be a moment later.
    let present: Instant
    /// The requests for consent to higher prices, and the customer's agreements.
    let priceIncreases: [CustomerEvidence.PriceIncrease]
    /// The reasons why signed items failed verification.
    let refusals: [String]

    /// Evaluates the customer's evidence.
    ///
    /// - Parameter instant: The instant of the answers; `nil` means the present. Evidence that was signed after this
    ///   instant is not used.
    /// - Throws: ``SimulatorError`` if the customer or app does not exist; errors of the cryptographic library.
    init(of customer: CustomerID, app: String, at instant: Instant? = nil, in served: ServedScenario) throws {
        let (store, policy) = (served.store, served.scenario.policy)
        let catalog = try store.catalog(of: app)
        let verifier = store.verifier(bundleID: app, environments: Set(policy.environments.keys))
        let now = store.now
        let (evidence, checked) = try served.evidenceCache.evidence(
            of: customer, app: app, signedThrough: instant.flatMap { $0 < now ? $0 : nil }, in: store
        ) { verifier.verify($0) }
        var history = PurchaseHistory()
        _ = history.merge(checked)
        self.history = history
        refusals = checked.compactMap { $0.error?.description }
        pending = Self.pending(evidence.waiting)
        priceIncreases = evidence.priceIncreases
        resolver = EntitlementResolver(catalog: catalog, policy: policy)
        resolution = resolver.resolve(history, pending: pending)
        present = resolution.now(byClock: now)
        at = instant ?? present
    }

    /// Returns the explanation of the answer about a product.
    func explanation(of product: Product.ID) -> Explanation {
        resolver.explain(product, in: history, at: at, pending: pending)
    }

    /// The timeline of all products and features that the customer ever had, with products above features.
    var chart: TimelineChart {
        let requests = Dictionary(grouping: priceIncreases, by: \.productID).mapValues { changes in
            changes.map { TimelineChart.Event($0.isAgreed ? .priceAgreed : .priceIncrease, at: $0.at) }
        }
        return TimelineChart(
            ofAll: resolution, marking: present, transactions: history.transactions, priceIncreases: requests,
            words: .inEnglish { PageTime.text($0) })
    }

    /// Converts waiting purchases to the pending purchases that an engine would have recorded when the purchases began.
    private static func pending(_ waiting: [CustomerEvidence.Waiting]) -> [PendingPurchase] {
        let configuration = StoreConfiguration()
        return waiting.map { item in
            let life = item.awaitsApproval ? configuration.pendingLifetime : configuration.bankApprovalLifetime
            return PendingPurchase(
                productID: item.productID, reason: item.awaitsApproval ? .askToBuy : .bankApproval,
                startedAt: item.begunAt, endsAt: life.map { item.begunAt.advanced(by: $0) } ?? .distantFuture)
        }
    }
}

extension CustomerAnswersQuery {
    /// Returns the expectations that a customer meets at present, in a form that a scenario can check.
    ///
    /// - Parameter app: The bundle id; `nil` for the first app.
    /// - Throws: ``SimulatorError`` if the customer or app does not exist; errors of the cryptographic library.
    static func expectations(
        of customer: CustomerID, app: String?, in served: ServedScenario
    ) throws -> PresentExpectations {
        let first = served.scenario.apps.first?.bundleID ?? ""
        let bundleID = app ?? first
        let query = try CustomerAnswersQuery(of: customer, app: bundleID, in: served)
        return try PresentExpectations(
            of: customer, app: bundleID == first ? nil : bundleID, query.resolution, at: query.at,
            transactions: try served.store.transactions(of: customer, app: bundleID), in: served)
    }
}

extension LocalAppStore {
    /// Returns a test that replays the story up to the current step.
    ///
    /// - Parameter expectations: The expectations at the end, in the syntax of the step `expect`.
    /// - Throws: `ScenarioError` if an expectation is malformed; `SavedTest.Refusal`; errors of the cryptographic
    ///   library.
    func savedTest(_ format: SavedTest.Format, expecting expectations: [String]) async throws -> SavedTest {
        let served = current
        return try await SavedTest(format, of: served, expecting: expectations, wallClock: configuration.wallClock) {
            try CustomerAnswersQuery.expectations(of: $0, app: $1, in: served).items.map(\.text)
        }
    }
}
