import Storekeeper
import Synchronization

/// The engine of one person in one app, and what was read of it.
struct ScenarioEngine: Sendable {
    let key: ScenarioRunner.EngineKey
    let purchasing: PurchasingStore
    let backend: PendingPurchaseBackend
    /// The place of the last event that was read.
    var lastEvent = FeedPlace.start
    /// What has changed so far.
    var changes: [ScenarioChange] = []
    /// The balances as they were last reported.
    var balances: [Balance.ID: Int64] = [:]

    init(key: ScenarioRunner.EngineKey, purchasing: PurchasingStore, backend: PendingPurchaseBackend) {
        self.key = key
        self.purchasing = purchasing
        self.backend = backend
    }
}

/// A backend of which an engine learns that a purchase is pending, and nothing else: evidence is handed to it.
final class PendingPurchaseBackend: PurchasingBackend {
    let name = "scenario"
    private let pending = Mutex<EntitlementAnswer.PendingReason>(.askToBuy)

    /// What the next purchase waits for.
    var reason: EntitlementAnswer.PendingReason {
        get { pending.withLock { $0 } }
        set { pending.withLock { $0 = newValue } }
    }

    func history(for customer: CustomerID, after cursor: HistoryCursor?) async throws -> EvidencePage {
        EvidencePage(items: [])
    }

    func subscriptionStatuses(for customer: CustomerID) async throws -> [SignedStatus] { [] }

    func updates(after cursor: UpdateCursor?) -> any AsyncSequence<TransactionUpdate, Never> & Sendable {
        AsyncStream<TransactionUpdate> { $0.finish() }
    }

    // Whether a transaction is finished is a step of the scenario.
    func finish(_ grant: DurableGrant) async throws {}

    func purchase(
        _ product: Product, options: Set<PurchaseOption>, for customer: CustomerID
    ) async throws -> PurchaseResult { .pending(reason) }
}
