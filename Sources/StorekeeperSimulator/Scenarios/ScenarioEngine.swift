import Storekeeper
import Synchronization

/// The engine of one person, and what was read of it.
struct ScenarioEngine: Sendable {
    let key: ScenarioRunner.EngineKey
    /// Which it is in the order in which they were made.
    let number: Int32
    let purchasing: PurchasingStore
    let desk: ScenarioDesk
    /// The last event that was read.
    var place: Int64 = 0
    /// What has changed so far.
    var changes: [ScenarioChange] = []
    /// The balances as they were last told.
    var balances: [String: Int64] = [:]

    init(key: ScenarioRunner.EngineKey, number: Int32, purchasing: PurchasingStore, desk: ScenarioDesk) {
        self.key = key
        self.number = number
        self.purchasing = purchasing
        self.desk = desk
    }
}

/// Tells an engine that a purchase waits; all else comes to it as evidence.
final class ScenarioDesk: PurchasingBackend {
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
