import Storekeeper
import StorekeeperKit
import StorekeeperSimulator
import Synchronization
import Testing

/// Tests of the warning about a task without a store.
@Suite(.serialized) struct MissingStoreTests {
    private final class Warnings: Sendable {
        private let texts = Mutex<[String]>([])

        var all: [String] { texts.withLock { $0 } }

        func add(_ text: String) { texts.withLock { $0.append(text) } }
    }

    @Test("A detached listener inside of withStore is empty, which causes a warning")
    func detachedListener() async throws {
        let warnings = Warnings()
        let session = try KitShop.session()
        StoreKit.setWarningHandler { warnings.add($0) }
        defer { StoreKit.setWarningHandler(nil) }
        let count = try await session.synced {
            await Task.detached {
                var count = 0
                for await _ in Transaction.updates { count += 1 }
                return count
            }.value
        }
        #expect(count == 0)
        // Other tests run at the same time, and the first call without a store is reported.
        #expect(warnings.all.count == 1)
        #expect(warnings.all.first?.contains("a detached task does not inherit the store") == true)
    }
}
