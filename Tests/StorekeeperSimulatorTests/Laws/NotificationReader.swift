import Storekeeper
import StorekeeperJWS
import Testing

@testable import StorekeeperSimulator

/// Reads the notifications of a store as a server does, and compares the notifications with the store's events.
struct NotificationReader {
    let store: SimulatedAppStore
    let environment: AppStore.Environment

    init(_ store: SimulatedAppStore, environment: AppStore.Environment = .sandbox) {
        self.store = store
        self.environment = environment
    }

    private func verifier(for app: String?, environment: AppStore.Environment) throws -> JWSVerifier {
        let appleID = store.read { world in world.apps.first { $0.bundleID == app }?.appleID }
        return JWSVerifier(
            JWSVerifier.Configuration(
                roots: [store.root], bundleID: app, appAppleID: environment == .production ? appleID : nil,
                environments: [environment]))
    }

    /// Verifies the notification of an event and all signed parts of the notification, and compares it with the event.
    func check(_ happening: Happening) throws {
        let jws = try #require(try store.notification(of: happening.id), "\(happening.kind) sends nothing")
        let verifier = try verifier(for: happening.app, environment: environment)
        let result = try verifier.notification(jws)
        guard case .verified(let notification) = result else {
            Issue.record("the notification of \(happening.kind) fails verification: \(result)")
            return
        }
        let name = notification.subtype.map { "\(notification.type)/\($0)" } ?? notification.type
        #expect(name == happening.notification)
        #expect(notification.bundleID == happening.app)
        #expect(notification.unknownValues.isEmpty)
        let contents = verifier.contents(of: notification)
        // The notification is signed no earlier than its parts, and no later than necessary.
        let signedAt = contents.compactMap { evidence -> Instant? in
            switch evidence {
            case .transaction(.verified(let transaction)): transaction.signedAt
            case .renewalInfo(.verified(let info)): info.signedAt
            default: nil
            }
        }
        #expect(notification.signedAt == (signedAt + [happening.at]).max())
        var history = PurchaseHistory()
        for evidence in contents {
            #expect(
                evidence.error == nil, "a part of \(name) fails verification: \(evidence.error.map { "\($0)" } ?? "")")
            history.merge(evidence)
        }
        let data = try JSONReader().read(notification.source.payload).root.object?["data"]
        #expect(data?.object?["status"]?.int64 == happening.status.map(Int64.init))
        guard case .transaction(.verified(let transaction))? = contents.first else {
            #expect(happening.transactionID == nil)
            return
        }
        #expect(transaction.id == happening.transactionID)
        #expect(transaction.originalID == happening.originalTransactionID)
        #expect(transaction.productID == happening.productID)
        #expect(transaction.expiresAt == happening.expiresAt)
        #expect(contents.count == (happening.status == nil ? 1 : 2))
        guard let status = happening.status, isNewestOfChain(happening) else { return }
        let resolution = EntitlementResolver(catalog: SampleStore.catalog, policy: World.policy).resolve(history)
        let state = resolution.groups.first?.highest(at: happening.at)?.state
        #expect(
            state?.number == status,
            "\(name) has status \(status), its parts have \(state.map { "\($0)" } ?? "nothing")")
    }

    /// Returns whether no later transaction of the chain was signed before the event.
    ///
    /// The status is not about older transactions.
    private func isNewestOfChain(_ happening: Happening) -> Bool {
        store.read { world in
            guard let entry = world.journal.place(at: happening.id), let place = world.journal[entry].record else {
                return false
            }
            let record = world.records[place]
            return !world.records[..<place].contains {
                $0.subscription == record.subscription && $0.transaction > record.transaction
            }
        }
    }
}
