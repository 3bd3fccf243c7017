import FoundationEssentials
import Storekeeper
import StorekeeperCharts
import StorekeeperJWS
import StorekeeperSimulator

/// The engine's answers about a customer, only from evidence signed by the local App Store.
struct CustomerAnswersQuery: Sendable {
    let resolver: EntitlementResolver
    let history: PurchaseHistory
    /// The pending purchases, which evidence does not contain.
    let pending: [PendingPurchase]
    let resolution: Resolution
    /// The instant of the answers.
    let at: Instant
    /// The signed items that failed verification, with reasons.
    let refusals: [String]

    /// Evaluates the customer's evidence.
    ///
    /// - Throws: ``SimulatorError`` if the customer or app does not exist; errors of the cryptographic library.
    init(of customer: CustomerID, app: String, in served: ServedScenario) throws {
        let (store, policy) = (served.store, served.scenario.policy)
        let catalog = try store.catalog(of: app)
        let verifier = JWSVerifier(
            JWSVerifier.Configuration(
                roots: [store.root], bundleID: app, environments: Set(policy.environments.keys)))
        var history = PurchaseHistory()
        var refusals: [String] = []
        for text in try store.evidence(of: customer, app: app) {
            let checked = verifier.verify(text)
            history.merge(checked)
            if let error = checked.error { refusals.append(error.description) }
        }
        self.history = history
        self.refusals = refusals
        at = store.now
        pending = Self.pending(of: customer, app: app, in: store)
        resolver = EntitlementResolver(catalog: catalog, policy: policy)
        resolution = resolver.resolve(history, pending: pending)
    }

    /// Returns the explanation of the answer about a product.
    func explanation(of product: Product.ID) -> Explanation {
        resolver.explain(product, in: history, at: at, pending: pending)
    }

    /// The bars of everything that the customer ever had, products above features.
    var chart: TimelineChart { TimelineChart(ofAll: resolution, marking: at) }

    /// Returns the pending purchases, as an engine would know them that was notified when they began.
    private static func pending(
        of customer: CustomerID, app: String, in store: SimulatedAppStore
    ) -> [PendingPurchase] {
        let waiting = store.waitingPurchases(of: customer, app: app)
        let configuration = StoreConfiguration()
        return waiting.map { item in
            let began = item.begunAt
            let reason: EntitlementAnswer.PendingReason = item.state == .pending ? .askToBuy : .bankApproval
            let life = reason == .askToBuy ? configuration.pendingLifetime : configuration.bankApprovalLifetime
            return PendingPurchase(
                productID: item.productID, reason: reason, startedAt: began,
                endsAt: life.map { began.advanced(by: $0) } ?? .distantFuture)
        }
    }
}
