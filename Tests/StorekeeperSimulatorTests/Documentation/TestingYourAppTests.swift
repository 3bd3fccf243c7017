import Foundation
import Storekeeper
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@Suite("The article Testing your app") struct TestingYourAppTests {
    private static let membership = """
        {"identifier":"A1B2C3D4","products":[],"version":{"major":4,"minor":0},
         "subscriptionGroups":[{"id":"00AA11BB","name":"Membership","subscriptions":[
           {"productID":"pro.monthly","type":"RecurringSubscription","groupNumber":1,"familyShareable":true,
            "recurringSubscriptionPeriod":"P1M","displayPrice":"9.99"}]}]}
        """

    @Test("The article's session is controlled and read, shared with a family, and replayed")
    func session() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "article-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(Self.membership.utf8).write(to: folder.appending(path: "Membership.storekit"))

        let session = try SimulatedSession(configurationFileNamed: "Membership", in: [folder])
        let app = try await session.openStore()

        try await session.buyProduct(identifier: "pro.monthly")
        try await app.store.sync()
        #expect(app.store.isEntitled("pro.monthly"))

        session.shouldEnterBillingRetryOnRenewal = true
        session.billingGracePeriodIsEnabled = true
        try session.advance(byDays: 35)
        try await app.store.sync()
        #expect(app.store.entitlement(for: "pro.monthly").reason == .gracePeriod)

        let ben = try SimulatedSession(customer: "ben", in: session.store)
        try session.perform(.createFamily(organizer: session.customer))
        try session.perform(.joinFamily("ben", of: session.customer))
        #expect(ben.allTransactions().first?.isFamilyShared == true)

        let again = try session.store.replayed()
        #expect(again.happenings() == session.store.happenings())

        let generator = CommandGenerator(catalog: session.catalog)
        await checkAsyncProperty(
            "a second reading changes nothing", cases: 20, generate: { generator.commands(using: &$0) },
            shrink: \.smaller
        ) { commands in
            let session = try SimulatedSession(catalog: generator.catalog)
            let app = try await session.openStore()
            for command in commands { _ = try? session.perform(command) }
            try await app.store.sync()
            let answer = app.store.entitlement(for: "pro.monthly")
            try await app.store.sync()
            return app.store.entitlement(for: "pro.monthly") == answer
        }
    }
}
