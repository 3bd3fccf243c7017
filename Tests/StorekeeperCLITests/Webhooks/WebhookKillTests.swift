import Foundation
import NIOHTTP1
import Storekeeper
import StorekeeperJWS
import StorekeeperTesting
import Synchronization
import Testing

@testable import StorekeeperCompanion

/// Tests of the companion service that kill it while it posts webhooks.
@Suite("Kills during webhooks", .proof, .timeLimit(.minutes(10))) struct WebhookKillTests {
    private static let webhook = [
        "port: 0", "webhooks:", "  billing:", "    url: URL", "    secretFile: billing.secret", "    timeout: 2s",
    ]

    @Test("Messages under way when the service is killed arrive again, with the same id and body, and none is lost")
    func killed() async throws {
        let isHolding = Mutex(true)
        let receiver = try WebhookReceiver { _ in
            // The receiver gets the first messages, but the service does not get the responses.
            isHolding.withLock { $0 } ? .init(status: 204, delay: .seconds(60)) : .accepted
        }
        defer { receiver.stop() }
        let folder = try await CompanionFolder(
            customers: 4, serve: Self.webhook.map { $0.replacing("URL", with: receiver.url) })
        let made = try Program.run(["serve", "--new-webhook-secret", "billing.secret"], in: folder.folder)
        #expect(made.status == 0 && made.output.isEmpty, "\(made.errors)")
        let file = folder.folder.url.appending(path: "billing.secret")
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let first = try ServedProcess(serving: [], in: folder.folder)
        try await eventually("the webhook has begun") {
            try await folder.ask(.GET, first.url + "/v1/webhooks")?.text.contains("billing") == true
        }
        func buy(_ product: Product.ID, at url: String) async throws {
            for customer in folder.customers {
                let body = try folder.notification(of: product, by: customer).body
                #expect(try await folder.ask(.POST, url + "/apple/notifications", body: body)?.status == 200)
            }
        }
        try await buy("gold.monthly", at: first.url)
        try await eventually("a message for each customer is under way") {
            Set(receiver.messages.map(\.customer)).count == 4
        }
        #expect(first.end(SIGKILL) == SIGKILL)
        let before = receiver.messages
        isHolding.withLock { $0 = false }

        let second = try ServedProcess(serving: [], in: folder.folder)
        try await buy("season.pass", at: second.url)
        try await eventually("all is delivered") {
            let list = try await folder.ask(.GET, second.url + "/v1/webhooks")?.document?.object?["webhooks"]?.array
            let webhook = list?.first { _ in true }?.object
            return webhook?["waiting"]?.int64 == 0 && receiver.messages.count > before.count
                && Set(receiver.messages.map(\.customer)).count == 4
                && receiver.accepted.filter { $0.reply.delay == .zero }.count >= 8
        }
        let listener = EventListener(url: second.url, key: folder.key)
        let deadline = ContinuousClock.now + .seconds(2)
        let events = try await listener.events { ContinuousClock.now > deadline ? 0 : nil }
        let after = receiver.messages.dropFirst(before.count)
        #expect(Set(after.map(\.sequence)) == Set(events.map(\.id)), "each event has arrived")
        for message in before {
            let again = after.first { $0.id == message.id }
            #expect(again?.body == message.body, "\(message.id)")
        }
        // The events of each customer arrive in order.
        for customer in folder.customers {
            let own = after.filter { $0.customer == customer }.map(\.sequence)
            #expect(own == own.sorted() && own.count > 1)
        }
        let secret = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .newlines)
        for message in receiver.messages {
            try WebhookSecrets([secret]).verify(
                message.body, id: message.id, timestamp: message.timestamp, signature: message.signature,
                at: Instant(Date()))
        }
        let metrics = try await folder.ask(.GET, second.url + "/metrics")?.text ?? ""
        #expect(metrics.contains(#"storekeeper_webhook_waiting{webhook="billing"} 0.0"#), "\(metrics)")
        #expect(metrics.contains(#"storekeeper_webhook_attempts_total{webhook="billing",outcome="delivered"}"#))

        // The service uses a new secret without a restart.
        try folder.folder.write("\(secret)\n\(WebhookSecrets.make())\n", to: "billing.secret")
        try await eventually("both secrets sign") {
            try await buy("coins.100", at: second.url)
            _ = try await folder.ask(
                .POST, second.url + "/v1/webhooks/billing/replay", body: #"{"after":"0"}"#)
            return receiver.messages.last?.signature.split(separator: " ").count == 2
        }
        #expect(second.end(SIGTERM) == 0)
        let verified = try Program.run(["vault", "verify"], in: folder.folder)
        #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
    }
}
