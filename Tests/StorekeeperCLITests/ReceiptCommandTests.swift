import Foundation
import Storekeeper
import StorekeeperJWS
import StorekeeperTesting
import Testing

/// Tests of `storekeeper receipt`, and of `fetch --receipt`.
@Suite(.system, .timeLimit(.minutes(20))) struct ReceiptCommandTests {
    private let folder: Folder

    private static let authority = Result {
        let authority = try LocalAuthority()
        return (authority, try authority.makeReceiptSigner())
    }

    private static let receipt = AppReceipt(
        type: "ProductionSandbox", bundleID: "com.example.game", appVersion: "7", originalAppVersion: "1.0",
        createdAt: Instant(clamped: 1_772_358_600_000),
        purchases: [
            .init(
                productID: "gold.monthly", transactionID: "2000000000000001",
                originalTransactionID: "2000000000000001", purchasedAt: Instant(clamped: 1_767_225_600_000),
                expiresAt: Instant(clamped: 1_769_904_000_000), isInIntroductoryPeriod: true),
            .init(
                productID: "remove.ads", transactionID: "2000000000000002",
                purchasedAt: Instant(clamped: 1_767_225_601_000), cancelledAt: Instant(clamped: 1_767_225_700_000)),
        ])

    init() throws {
        folder = try Folder()
        let (authority, signer) = try Self.authority.get()
        try folder.write(authority.rootPEM, to: "root.pem")
        try folder.write(Evidence().rootPEM, to: "other.pem")
        let der = Data(try signer.sign(Self.receipt))
        try folder.write(der.base64EncodedString() + "\n", to: "receipt.b64")
        try der.write(to: folder.url.appending(path: "receipt.der"))
        try folder.write(#"{"status":0,"latest_receipt":"\#(der.base64EncodedString())"}"#, to: "answer.json")
        try folder.write(#"{"status":21007}"#, to: "status.json")
    }

    private func run(_ arguments: [String]) throws -> Program.Result {
        try Tool.run(["receipt"] + arguments, in: folder)
    }

    private static let trusted = ["--root", "root.pem", "--environment", "Sandbox", "--bundle-id", "com.example.game"]

    @Test("A verified receipt is printed as text", arguments: ["receipt.b64", "receipt.der", "answer.json"])
    func text(file: String) throws {
        let result = try run([file] + Self.trusted)
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        #expect(
            result.output == """
                The receipt is verified: com.example.game, ProductionSandbox, made 2026-03-01T09:50:00.000Z.

                PRODUCT       TRANSACTION       ORIGINAL          PURCHASED                 EXPIRES                   CANCELLED
                gold.monthly  2000000000000001  2000000000000001  2026-01-01T00:00:00.000Z  2026-02-01T00:00:00.000Z
                remove.ads    2000000000000002                    2026-01-01T00:00:01.000Z                            2026-01-01T00:01:40.000Z

                """, "\(result.output)")
    }

    @Test("It is printed as JSON, with the newest transaction first")
    func json() throws {
        let result = try run(["receipt.b64", "--format", "json"] + Self.trusted)
        let object = try #require(try JSONReader().read(Array(result.output.utf8)).root.object)
        #expect(object["verified"]?.bool == true && object["form"]?.string == "app")
        #expect(object["environment"]?.string == "Sandbox" && object["type"]?.string == "ProductionSandbox")
        #expect(object["created"]?.string == "2026-03-01T09:50:00.000Z" && object["error"] == nil)
        #expect(
            object["transactionIDs"]?.array?.compactMap(\.string) == ["2000000000000002", "2000000000000001"])
        let first = object["purchases"]?.array?.first { _ in true }?.object
        #expect(first?["productID"]?.string == "gold.monthly" && first?["quantity"]?.int64 == 1)
        #expect(first?["introductory"]?.bool == true && first?["expires"]?.string == "2026-02-01T00:00:00.000Z")
    }

    @Test(
        "One that is not verified is printed nevertheless, with the reason and the status 77",
        arguments: [
            (["--root", "other.pem", "--environment", "Sandbox"], "untrustedChain"),
            (["--root", "root.pem"], "environmentRefused"),
            (["--root", "root.pem", "--environment", "Sandbox", "--bundle-id", "com.example.other"], "bundleMismatch"),
            (trusted + ["--device", "00:11:22:33:44:55"], "deviceMismatch"),
        ] as [([String], String)])
    func refused(options: [String], code: String) throws {
        let result = try run(["receipt.b64", "--format", "json"] + options)
        #expect(result.status == 77 && result.errors.contains(code), "\(result.errors)")
        let object = try #require(try JSONReader().read(Array(result.output.utf8)).root.object)
        #expect(object["verified"]?.bool == false && object["error"]?.object?["code"]?.string == code)
        #expect(object["transactionIDs"]?.array?.map(\.string).count == 2)
        let text = try run(["receipt.b64"] + options)
        #expect(text.status == 77 && text.output.hasPrefix("The receipt is NOT verified:"), "\(text.output)")
    }

    @Test(
        "Wrong input has its own status",
        arguments: [
            (["receipt.b64"], 64, "Apple Inc. Root Certificate"), (["status.json", "--root", "root.pem"], 65, "21007"),
            (["root.pem", "--root", "root.pem"], 65, "it is a certificate"),
            (["none", "--root", "root.pem"], 66, "cannot be read"),
            (["receipt.b64", "--root", "root.pem", "--device", "phone"], 64, "is not a device"),
        ] as [([String], Int32, String)])
    func wrong(arguments: [String], status: Int32, message: String) throws {
        let result = try run(arguments)
        #expect(result.status == status && result.errors.contains(message), "\(result)")
        #expect(result.output.isEmpty && result.errorLines.count == 1)
    }

    @Test("Without verification no root is needed, and nothing is called verified")
    func unsigned() throws {
        let result = try run(["receipt.b64", "--unsigned", "--format", "json"])
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        #expect(result.output.contains("2000000000000002") && !result.output.contains("true,\n  \"verified"))
        #expect(try JSONReader().read(Array(result.output.utf8)).root.object?["verified"]?.bool == false)
    }

    @Test("The receipts of a scenario's customers are written, and verified under the root of the scenario")
    func simulated() throws {
        try FileManager.default.copyItem(
            at: CompanionFolder.repository.appending(path: "Configuration/Store.storekit"),
            to: folder.url.appending(path: "Store.storekit"))
        try folder.write(
            """
            story: Two customers
            catalog: Store.storekit
            people: [anna, bert]
            steps:
              - buy: gold.monthly
                by: anna
              - buy: remove.ads
                by: bert
              - advance: 40 days
            """, to: "story.yaml")
        let played = try Tool.run(
            ["simulate", "story.yaml", "--receipts", "receipts.jsonl", "--root-out", "story.pem"], in: folder)
        #expect(played.status == 0, "\(played.errors)")
        let lines = try String(contentsOf: folder.url.appending(path: "receipts.jsonl"), encoding: .utf8)
            .split(separator: "\n").map(String.init)
        try #require(lines.count == 2)
        let expected = [("anna", Set(["gold.monthly"])), ("bert", Set(["remove.ads"]))]
        for (line, (customer, products)) in zip(lines, expected) {
            #expect(line.contains("\"customer\":\"\(customer)\""))
            try folder.write(line, to: "line.json")
            let result = try run([
                "line.json", "--root", "story.pem", "--environment", "Sandbox", "--format", "json",
            ])
            #expect(result.status == 0, "\(result.errors)")
            let purchases = try JSONReader().read(Array(result.output.utf8)).root.object?["purchases"]?.array
            #expect(Set(purchases?.map { $0.object?["productID"]?.string ?? "" } ?? []) == products)
        }
        let folderRun = try Tool.run(["simulate", "story.yaml", "story.yaml", "--receipts", "r"], in: folder)
        #expect(folderRun.status == 64 && folderRun.errors.contains("--receipts is for one scenario"))
    }

    @Test("The App Store's answer about a receipt's transaction is fetched, whatever signed the receipt")
    func fetched() async throws {
        let catalog = CompanionFolder.repository.appending(path: "Configuration/Store.storekit").path
        let served = try ServedProcess(
            [
                catalog, "--new-api-key", "key.p8", "--key-id", "KEY1", "--issuer-id", "issuer-1", "--root-out",
                "store.pem",
            ], in: folder)
        // The first transaction of this App Store has the same id as the transaction in the receipt.
        try await served.step("buy gold.monthly by customer")
        func fetch(_ options: [String]) throws -> Program.Result {
            try Program.run(
                [
                    "fetch", "--server", served.url, "--environment", "Sandbox", "--root", "store.pem", "--bundle-id",
                    "com.example.game", "--api-key", "key.p8", "--key-id", "KEY1", "--issuer-id", "issuer-1",
                ] + options, in: folder)
        }
        let one = AppReceipt(
            type: "ProductionSandbox", bundleID: "com.example.game", createdAt: Self.receipt.createdAt,
            purchases: [Self.receipt.purchases[0]])
        let (_, signer) = try Self.authority.get()
        try folder.write(Data(try signer.sign(one)).base64EncodedString(), to: "one.b64")
        let result = try fetch(["--receipt", "one.b64"])
        #expect(result.status == 0, "\(result.errors)")
        let known = try fetch(["--transaction", "2000000000000001"])
        #expect(result.outputLines.count == known.outputLines.count && result.outputLines.count > 1)
        #expect(try fetch(["--receipt", "one.b64", "--transaction", "1"]).status == 64)
        #expect(try fetch(["--receipt", "status.json"]).status == 65)
        // The newest transaction of the other receipt is unknown to this App Store.
        #expect(try fetch(["--receipt", "receipt.b64"]).status == 1)
        #expect(try Program.run(["vault", "init"], in: folder).status == 0)
        let stored = try fetch(["--receipt", "one.b64", "--customer", "anna", "--vault", "storekeeper.sqlite"])
        #expect(stored.status == 0, "\(stored.errors)")
        #expect(served.end(SIGTERM) == 0)
    }
}
