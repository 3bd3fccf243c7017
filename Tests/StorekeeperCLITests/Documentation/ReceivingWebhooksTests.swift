import Foundation
import NIOHTTP1
import Storekeeper
import StorekeeperJWS
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion

@Suite("The article Receiving webhooks", .system, .timeLimit(.minutes(5))) struct ReceivingWebhooksTests {
    private static let guide = "Sources/StorekeeperCompanion/Documentation.docc/ReceivingWebhooks.md"
    private let secret = WebhookNode.secret

    /// Returns a message that the service has posted.
    private func message() async throws -> WebhookReceiver.Message {
        let receiver = try WebhookReceiver()
        defer { receiver.stop() }
        let vault = InMemoryVault()
        try await vault.beginWebhook()
        try await vault.writeEvents(about: ["anna"])
        let node = try WebhookNode("a", over: vault, to: WebhookNode.endpoint(receiver.url))
        try await WebhookNode.running([node]) {
            try await eventually("it is delivered") { receiver.messages.count == 1 }
        }
        return try #require(receiver.messages.first)
    }

    @Test("The article's code verifies a message in Swift") func swift() async throws {
        let message = try await message()
        var headers = [
            "webhook-id": message.id, "webhook-timestamp": message.timestamp, "webhook-signature": message.signature,
        ]
        let now = Instant(Date())
        func verify(_ body: [UInt8]) throws {
            let secrets = try WebhookSecrets([secret])
            try secrets.verify(
                body, id: headers["webhook-id"], timestamp: headers["webhook-timestamp"],
                signature: headers["webhook-signature"], at: now)
        }
        try verify(message.body)
        #expect(throws: WebhookError.self) { try verify(message.body + [10]) }
        headers["webhook-id"] = "18-0123456789abcdef"
        #expect(throws: WebhookError.self) { try verify(message.body) }
    }

    @Test("The article's code verifies a message in Python, and refuses a changed one") func python() async throws {
        let message = try await message()
        let code = try #require(try Guide(Self.guide).blocks(of: "python").first)
        let folder = try Folder()
        try folder.write(String(decoding: message.body, as: UTF8.self), to: "body")
        try folder.write(
            code + """

                import sys
                headers = {"webhook-id": "\(message.id)", "webhook-timestamp": "\(message.timestamp)",
                    "webhook-signature": "v1,AAAA \(message.signature)"}
                body = open("body", "rb").read()
                verify("\(secret)", headers, body)
                for change in ({"webhook-id": "other"}, {"webhook-timestamp": "\(message.timestamp)1"},
                               {"webhook-signature": "v1,AAAA"}):
                    try:
                        verify("\(secret)", headers | change, body)
                        sys.exit("accepted a message with another " + str(change))
                    except ValueError:
                        pass
                try:
                    verify("\(secret)", headers, body + b"\\n")
                    sys.exit("accepted another body")
                except ValueError:
                    pass
                try:
                    import standardwebhooks
                    standardwebhooks.Webhook("\(secret)").verify(body, headers)
                except ImportError:
                    pass
                print("verified")

                """, to: "receiver.py")
        let result = try Guide.type(["python3 receiver.py"], in: folder)
        #expect(result.output.contains("verified"), "\(result.output)\(result.errors)")
    }

    @Test("The article's settings are read, and its commands run") func commands() async throws {
        let guide = try Guide(Self.guide)
        let receiver = try WebhookReceiver()
        defer { receiver.stop() }
        let folder = try await CompanionFolder(serve: ["port: 0"])
        let made = try Guide.type(
            [#"PATH="$(dirname "$program"):$PATH""#, try #require(guide.blocks(of: "sh").first)], in: folder.folder)
        #expect(made.status == 0, "\(made.errors)")
        let block = try #require(guide.blocks(of: "yaml").first)
            .replacing("https://billing.example.com/storekeeper", with: receiver.url)
        let before = try String(contentsOf: folder.folder.url.appending(path: "storekeeper.yaml"), encoding: .utf8)
        try folder.folder.write(
            before.replacing("serve:\n  port: 0\n", with: block + "  port: 0\n"), to: "storekeeper.yaml")
        let served = try ServedProcess(serving: [], in: folder.folder)
        try await eventually("the webhook has begun") {
            let answer = try await folder.ask(.GET, served.url + "/v1/webhooks")
            return answer?.text.contains("billing") == true
        }
        let customer = folder.customers[0]
        let body = try folder.notification(of: "gold.monthly", by: customer).body
        #expect(try await folder.ask(.POST, served.url + "/apple/notifications", body: body)?.status == 200)
        try await eventually("it is delivered") { !receiver.messages.isEmpty }
        let lines = try #require(guide.blocks(of: "sh").last).replacing("anna", with: customer)
        let typed = try Guide.type([#"PATH="$(dirname "$program"):$PATH""#, "set -e", lines], in: folder.folder)
        #expect(typed.status == 0, "\(typed.output)\(typed.errors)")
        #expect(typed.output.contains("delivered"), "\(typed.output)")
        let secret = try String(
            contentsOf: folder.folder.url.appending(path: "billing.secret"), encoding: .utf8)
        let message = try #require(receiver.messages.first)
        try WebhookSecrets([secret.trimmingCharacters(in: .newlines)]).verify(
            message.body, id: message.id, timestamp: message.timestamp, signature: message.signature,
            at: Instant(Date()))
        #expect(served.end(SIGTERM) == 0)
    }
}
