import Storekeeper
import Synchronization

/// The engine of one person in one app, and the data that was read from the engine.
struct ScenarioEngine: Sendable {
    let key: ScenarioRunner.EngineKey
    let purchasing: PurchasingStore
    let backend: PendingPurchaseBackend
    /// The position of the last event that was read from the vault's feed.
    var lastEvent = FeedPlace.start
    /// The changed answers that were read so far.
    var changes: [ScenarioChange] = []
    /// The last reported balances.
    var balances: [Balance.ID: Int64] = [:]

    init(key: ScenarioRunner.EngineKey, purchasing: PurchasingStore, backend: PendingPurchaseBackend) {
        self.key = key
        self.purchasing = purchasing
        self.backend = backend
    }
}

/// A backend that only reports pending purchases; the runner passes evidence to the engine directly.
final class PendingPurchaseBackend: PurchasingBackend {
    let name = "scenario"
    private let pending = Mutex<EntitlementAnswer.PendingReason>(.askToBuy)

    /// The reason why the next purchase is pending.
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

    // Does nothing, because a scenario finishes transactions in a separate step.
    func finish(_ grant: DurableGrant) async throws {}

    func purchase(
        _ product: Product, options: Set<PurchaseOption>, for customer: CustomerID
    ) async throws -> SignedPurchaseResult { .pending(reason) }
}
