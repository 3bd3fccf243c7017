import Foundation
import Storekeeper
import StorekeeperJWS
import StorekeeperSQLite
import StorekeeperTesting
import Testing

@testable import StorekeeperCLI
@testable import StorekeeperCompanion

/// Tests of the settings of webhooks.
@Suite(.system) struct WebhookSettingsTests {
    private let folder: Folder
    private static let secret = WebhookNode.secret

    init() throws {
        folder = try Folder()
        try folder.write(Self.secret + "\n" + WebhookSecrets.make() + "\n", to: "billing.secret")
        try folder.write("nothing\n", to: "bad.secret")
    }

    private var path: String { folder.url.appending(path: "billing.secret").path }

    private func settings(
        _ file: [String: [String: String]] = [:], _ environment: [String: String] = [:]
    ) throws(CommandError) -> [WebhookSettings] {
        let prefix = "STOREKEEPER_SERVE_WEBHOOKS_"
        let variables = Dictionary(environment.map { (prefix + $0.key, $0.value) }) { first, _ in first }
        return try WebhookSettings.all(environment: variables, file: file)
    }

    @Test("Variables add webhooks and override the file")
    func variables() throws {
        let all = try settings(
            ["billing-v2": ["url": "https://example.com/a", "secretFile": path, "timeout": "3s"]],
            [
                "BILLING_V2_URL": "https://example.com/b", "BILLING_V2_GIVE_UP_AFTER": "2d",
                "AUDIT_URL": "http://10.0.0.1/x", "AUDIT_ALLOW_HTTP": "true", "AUDIT_SECRET": Self.secret,
                "AUDIT_TIMEOUT": "",
            ])
        #expect(all.map(\.endpoint.name) == ["audit", "billing-v2"])
        #expect(all.map(\.endpoint.url) == ["http://10.0.0.1/x", "https://example.com/b"])
        #expect(all.map(\.endpoint.timeout) == [.seconds(15), .seconds(3)])
        #expect(all.map(\.endpoint.givesUpAfter) == [.seconds(3 * 86_400), .seconds(2 * 86_400)])
        #expect(all.map(\.secretFile) == [nil, path])
        let signatures = all.map { $0.endpoint.secrets.signature(of: [], id: "a", timestamp: 1) }
        #expect(signatures.map { $0.split(separator: " ").count } == [1, 2])
        // After the file was read again, the same secrets are used.
        try all[1].reload()
        #expect(all[1].endpoint.secrets.signature(of: [], id: "a", timestamp: 1) == signatures[1])
        try folder.write("nothing\n", to: "billing.secret")
        #expect(throws: CommandError.self) { try all[1].reload() }
        #expect(all[1].endpoint.secrets.signature(of: [], id: "a", timestamp: 1) == signatures[1])
    }

    static let mistakes: [([String: String], [String: String], Int32, String)] = [
        ([:], [:], 64, "serve.webhooks.a.url"), (["url": "https://a.b"], [:], 64, "serve.webhooks.a.secretFile"),
        (["url": "http://a.b"], ["A_SECRET": secret], 64, "serve.webhooks.a"),
        (["url": "https://a.b", "timeout": "31s"], ["A_SECRET": secret], 64, "serve.webhooks.a"),
        (["url": "https://a.b", "timeout": "soon"], ["A_SECRET": secret], 64, "serve.webhooks.a.timeout"),
        (["url": "https://a.b", "giveUpAfter": "31d"], ["A_SECRET": secret], 64, "serve.webhooks.a.giveUpAfter"),
        (["url": "https://a.b", "allowHttp": "perhaps"], ["A_SECRET": secret], 64, "serve.webhooks.a.allowHttp"),
        (["url": "https://a.b"], ["A_SECRET": "whsec_abc"], 65, "STOREKEEPER_SERVE_WEBHOOKS_A_SECRET"),
        (
            ["url": "https://a.b"], ["A_SECRET": secret, "A_SECRET_FILE": "x"], 64,
            "STOREKEEPER_SERVE_WEBHOOKS_A_SECRET_FILE"
        ),
        (["url": "https://a.b"], ["A_COLOUR": "red"], 64, "STOREKEEPER_SERVE_WEBHOOKS_A_COLOUR"),
        (["url": "https://a.b", "secretFile": "no-such-file"], [:], 66, "no-such-file"),
    ]

    @Test("A wrong setting is named", arguments: mistakes.indices)
    func wrong(_ index: Int) throws {
        let (values, environment, status, place) = Self.mistakes[index]
        do throws(CommandError) {
            _ = try settings(["a": values], environment)
            Issue.record("it was accepted: \(values) \(environment)")
        } catch {
            #expect(error.status.rawValue == status && error.place == place, "\(error)")
            #expect(!error.description.contains(Self.secret))
        }
    }

    @Test("The file has a mapping of names, and paths in it are relative to it")
    func file() throws {
        let read = try Configuration(
            """
            serve:
              port: 1
              webhooks:
                billing: {url: "https://example.com", secretFile: secrets/billing, timeout: 2s}
                audit:
                  url: https://example.com
            """, path: "conf/storekeeper.yaml")
        #expect(
            read.webhooks == [
                "billing": ["url": "https://example.com", "secretFile": "conf/secrets/billing", "timeout": "2s"],
                "audit": ["url": "https://example.com"],
            ])
        #expect(read.serve == ["port": "1"])
        for text in [
            "serve: {webhooks: [a]}", "serve: {webhooks: {a: b}}", "serve: {webhooks: {a: {colour: red}}}",
            "serve: {webhooks: {a: {url: [x]}}}", "serve: {webhook: {}}",
        ] {
            #expect(throws: CommandError.self, "\(text)") { try Configuration(text, path: "a.yaml") }
        }
    }

    @Test("The list has the address of a variable, as the service does")
    func addressOfVariable() async throws {
        let vault = try SQLiteVault(path: folder.url.appending(path: "v.sqlite").path)
        try await vault.changeWebhook("billing", of: [], isWhole: true) { step in step.begin(after: .start) }
        try vault.close()
        let list = try Program.run(
            ["vault", "webhooks", "list", "--format", "json", "--vault", "v.sqlite"], in: folder,
            environment: ["STOREKEEPER_SERVE_WEBHOOKS_BILLING_URL": "https://example.com/new"])
        #expect(list.output.contains("https://example.com/new"), "\(list.output)\(list.errors)")
    }

    @Test("The commands print tables and JSON, and refuse what is not clear")
    func commands() throws {
        #expect(try Program.run(["vault", "init", "--vault", "v.sqlite"], in: folder).status == 0)
        func run(_ arguments: [String]) throws -> Program.Result {
            try Program.run(["vault", "webhooks"] + arguments + ["--vault", "v.sqlite"], in: folder)
        }
        let list = try run(["list", "--format", "json"]).output
        #expect(list.filter { !$0.isWhitespace } == #"{"webhooks":[]}"#)
        #expect(try run(["list"]).output.hasPrefix("There are no webhooks;"))
        #expect(try run(["attempts"]).output == "There are no attempts.\n")
        for arguments in [
            ["parked", "billing"], ["attempts", "billing"], ["resume", "billing"], ["retry", "billing"],
            ["replay", "billing", "--parked"],
            ["replay", "billing", "--after", "0"], ["replay", "billing"],
            ["replay", "billing", "--after", "0", "--parked"], ["replay", "billing", "--after", "x"],
            ["replay", "billing", "--parked", "--customer", "a"], ["attempts", "--before", "x"],
            ["attempts", "--limit", "0"],
        ] {
            let result = try run(arguments)
            #expect(result.status == 64 && result.output == "", "\(arguments) \(result.errors)")
        }
        let unknown = try run(["attempts", "bill"])
        #expect(unknown.errors.contains("there is no webhook 'bill'; none is known (NAME): "), "\(unknown.errors)")
    }
}
