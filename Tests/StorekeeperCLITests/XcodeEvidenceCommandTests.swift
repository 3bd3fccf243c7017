import Foundation
import NIOHTTP1
import Storekeeper
import StorekeeperJWS
import StorekeeperTesting
import Testing

@testable import StorekeeperCLI

/// Tests of evidence that Xcode signed, in every command that reads evidence.
@Suite(.system, .timeLimit(.minutes(20))) struct XcodeEvidenceCommandTests {
    private let folder: Folder
    private let xcode: XcodeAuthority

    init() throws {
        folder = try Folder()
        xcode = try XcodeAuthority()
        try folder.write(xcode.certificate.pem, to: "xcode.pem")
        try folder.write(Evidence().rootPEM, to: "root.pem")
        try folder.write(Self.sign([Self.transaction, Self.renewalInfo], by: xcode), to: "xcode.jws")
        try folder.write(Self.sign([Self.transaction], by: XcodeAuthority()), to: "other.jws")
    }

    private static let transaction =
        #"{"transactionId":"0","originalTransactionId":"0","webOrderLineItemId":"0","bundleId":"com.example.game","#
        + #""productId":"gold.monthly","subscriptionGroupIdentifier":"6F3A93AB","purchaseDate":1772000000049.7297,"#
        + #""originalPurchaseDate":1772000000049.7297,"expiresDate":1774419200049.7297,"quantity":1,"#
        + #""isUpgraded":false,"type":"Auto-Renewable Subscription","inAppOwnershipType":"PURCHASED","#
        + #""signedDate":1772000000050.5,"environment":"Xcode"}"#
    private static let renewalInfo =
        #"{"originalTransactionId":"0","productId":"gold.monthly","autoRenewProductId":"gold.monthly","#
        + #""autoRenewStatus":1,"signedDate":1772000000051.5,"environment":"Xcode"}"#

    private static func sign(_ payloads: [String], by authority: XcodeAuthority) throws -> String {
        try payloads.map { try authority.sign(payload: Array($0.utf8)) + "\n" }.joined()
    }

    private static let trusted = ["--root", "xcode.pem", "--environment", "Xcode", "--bundle-id", "com.example.game"]
    private static let instant = ["--at", "2026-03-01"]

    @Test(
        "Each command counts it under the named certificate, and refuses it under another",
        arguments: [
            (["verify", "xcode.jws"], "\"verified\":true"),
            (["entitlements", "xcode.jws", "--format", "json"] + instant, #""environment": "Xcode""#),
            (["check", "gold.monthly", "xcode.jws"] + instant, "entitled (active) until 2026-03-25T"),
            (["explain", "gold.monthly", "xcode.jws"] + instant, "Transaction 0 decides"),
            (["timeline", "xcode.jws"] + instant, "entitled  active"),
        ] as [([String], String)])
    func accepted(arguments: [String], output: String) throws {
        let result = try Tool.run(arguments + Self.trusted, in: folder)
        #expect(result.status == 0 && result.output.contains(output), "\(result.output)\(result.errors)")
        let unnamed = try Tool.run(
            arguments + ["--root", "root.pem", "--environment", "Xcode", "--bundle-id", "com.example.game"],
            in: folder)
        #expect(unnamed.status != 0, "\(unnamed.output)")
        #expect((unnamed.output + unnamed.errors).contains("chainLength"), "\(unnamed.output)\(unnamed.errors)")
        let other = try Tool.run(arguments.map { $0 == "xcode.jws" ? "other.jws" : $0 } + Self.trusted, in: folder)
        #expect(other.status != 0, "\(other.output)")
    }

    @Test(
        "Together with production it is wrong usage, wherever the two are named",
        arguments: [
            (["--root", "xcode.pem"], [:]), (["--root", "xcode.pem", "--environment", "Production"], [:]),
            (
                ["--root", "root.pem", "--root", "xcode.pem", "--environment", "Xcode", "--environment", "Production"],
                [:]
            ),
            ([], ["STOREKEEPER_ROOT": "xcode.pem"]),
            (["--root", "xcode.pem"], ["STOREKEEPER_ENVIRONMENTS": "Xcode, Production"]),
            (["--config", "both.yaml"], [:]), (["--root", "xcode.pem", "--unsigned"], [:]),
        ] as [([String], [String: String])])
    func production(options: [String], environment: [String: String]) throws {
        try folder.write("root: [root.pem, xcode.pem]\nenvironments: [Production, Xcode]\n", to: "both.yaml")
        let line =
            "storekeeper: error: Xcode's certificate is named together with the environment Production (xcode.pem): "
            + "use --environment Xcode alone, or leave the certificate out\n"
        for command in [
            ["entitlements", "xcode.jws"], ["check", "gold.monthly", "xcode.jws"], ["verify", "xcode.jws"],
        ] {
            let result = try Tool.run(command + options, in: folder, environment: environment)
            #expect(result.status == 64 && result.errors == line && result.output.isEmpty, "\(command): \(result)")
        }
    }

    @Test("Beside another root and with test environments both count")
    func besides() throws {
        let evidence = try Evidence()
        try folder.write(evidence.rootPEM, to: "store.pem")
        try folder.write(evidence.transaction(environment: "Sandbox"), to: "sandbox.jws")
        let result = try Tool.run(
            [
                "verify", "sandbox.jws", "xcode.jws", "--root", "store.pem", "--root", "xcode.pem", "--environment",
                "Xcode", "--environment", "Sandbox",
            ], in: folder)
        #expect(result.status == 0 && result.outputLines.count == 3, "\(result.output)\(result.errors)")
    }

    @Test("A vault imports it, and its audit and the import of its export need the certificate")
    func vault() throws {
        let imported = ["vault", "import", "--customer", "anna", "xcode.jws", "--format", "json"]
        #expect(try Program.run(["vault", "init"], in: folder).status == 0)
        let refused = try Program.run(imported + ["--root", "xcode.pem"], in: folder)
        #expect(refused.status == 64, "\(refused.errors)")
        let taken = try Program.run(imported + Self.trusted, in: folder)
        #expect(taken.status == 0, "\(taken.output)\(taken.errors)")
        let checked = try Program.run(
            ["check", "gold.monthly", "--customer", "anna", "--vault", "storekeeper.sqlite", "--environment", "Xcode"]
                + Self.instant, in: folder)
        #expect(checked.output.hasPrefix("entitled (active)"), "\(checked.output)\(checked.errors)")
        for (roots, status) in [(["root.pem", "xcode.pem"], 0), (["root.pem"], 1)] as [([String], Int32)] {
            let audit = try Program.run(["vault", "verify"] + roots.flatMap { ["--root", $0] }, in: folder)
            #expect(audit.status == status, "\(audit.output)\(audit.errors)")
        }
        try folder.write(try Program.run(["vault", "export"], in: folder).output, to: "export.jsonl")
        #expect(try Program.run(["vault", "init", "--vault", "copy.sqlite"], in: folder).status == 0)
        let restoring = ["vault", "import", "export.jsonl", "--vault", "copy.sqlite"]
        let other = try Program.run(restoring + ["--root", "root.pem", "--environment", "Xcode"], in: folder)
        #expect(other.status != 0, "\(other.output)")
        let restored = try Program.run(restoring + Self.trusted, in: folder)
        #expect(restored.status == 0, "\(restored.output)\(restored.errors)")
    }

    @Test("The service takes it from the app, and does not start together with production")
    func service() async throws {
        let companion = try await CompanionFolder()
        try companion.folder.write(xcode.certificate.pem, to: "xcode.pem")
        let refused = try Program.run(
            ["serve", "--root", "xcode.pem", "--environment", "Production"], in: companion.folder)
        #expect(refused.status == 64 && refused.errors.contains("xcode.pem"), "\(refused.errors)")
        let served = try ServedProcess(
            serving: ["--root", "xcode.pem", "--environment", "Xcode"], in: companion.folder)
        let place = served.url + "/v1/customers/anna/"
        func body(_ authority: XcodeAuthority) throws -> String {
            JSONText.object([
                "transactions": .array([.string(try authority.sign(payload: Array(Self.transaction.utf8)))])
            ]).text()
        }
        let forged = try await companion.ask(.POST, place + "transactions", body: body(XcodeAuthority()))
        #expect(forged?.status == 422 && forged?.text.contains("chainLength") == true, "\(forged?.text ?? "")")
        let taken = try await companion.ask(.POST, place + "transactions", body: body(xcode))
        #expect(taken?.status == 200, "\(taken?.text ?? "")")
        let answer = try await companion.ask(.GET, place + "entitlements?at=2026-03-01T00:00:00Z")
        #expect(answer?.text.contains(#""answer":"entitled""#) == true, "\(answer?.text ?? "")")
        #expect(served.end(SIGTERM) == 0)
    }

    @Test(
        "The doctor names the certificate, and the environments with which it counts",
        arguments: [
            ([.xcode], .ok), ([.xcode, .localTesting], .ok),
            ([.localTesting], .warning), ([.production], .failure), ([.xcode, .production], .failure),
        ] as [(Set<AppStore.Environment>, Finding.Verdict)])
    func doctor(environments: Set<AppStore.Environment>, verdict: Finding.Verdict) throws {
        let findings = TrustCheckup.findings(
            bundleID: "com.example.game", appAppleID: 1, environments: environments, roots: [xcode.certificate],
            isOwnServer: false)
        let root = try #require(findings.first { $0.check == "root" })
        #expect(root.verdict == verdict && root.what.contains(xcode.certificate.sha256Fingerprint), "\(root)")
        #expect(root.what.contains("Xcode's certificate"))
        #expect((root.remedy == nil) == (verdict == .ok))
    }

    @Test("The commands of the article lead from a printed purchase to the service's answer")
    func article() throws {
        let guide = try Guide("Sources/StorekeeperCompanion/Documentation.docc/FromXcodeToAServer.md")
        let blocks = guide.blocks(of: "sh")
        try #require(blocks.count == 4)
        try FileManager.default.copyItem(
            at: CompanionFolder.repository.appending(path: "Configuration/Store.storekit"),
            to: folder.url.appending(path: "Store.storekit"))
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let bought = Self.transaction
            .replacing("1772000000049.7297", with: "\(now - 60_000).7297").replacing(
                "1772000000050.5", with: "\(now).5"
            )
            .replacing("1774419200049.7297", with: "\(now + 3_600_000).7297")
        // The evidence has the form in which Xcode prints it, with a line break at the end, and with escaped slashes in
        // the header.
        let jws = try xcode.sign(payload: Array(bought.utf8), escapesSlashes: true)
        try folder.write(jws + "\n", to: "purchase.jws")
        let port = "\(try Guide.freePorts(1)[0])"
        let typed = try Guide.type(
            [#"PATH="$(dirname "$program"):$PATH""#] + blocks.map { $0.replacing("8080", with: port) }, in: folder)
        #expect(typed.status == 0, "\(typed.output)\n\(typed.errors)")
        #expect(!typed.errors.contains("storekeeper: error"), "\(typed.errors)")
        let lines = typed.outputLines
        #expect(lines.first?.contains("StoreKit Testing in Xcode") == true, "\(typed.output)")
        #expect(lines.contains { $0.contains(#""verified":true"#) })
        #expect(lines.contains { $0.hasPrefix("entitled (active) until ") })
        #expect(lines.contains { $0.contains(#""new":1"#) && $0.contains(#""failures":[]"#) }, "\(typed.output)")
        #expect(lines.contains { $0.contains(#""state":"subscribed""#) }, "\(typed.output)")
        #expect(lines.contains { $0.hasPrefix("ok") && $0.contains("Xcode's certificate") }, "\(typed.output)")
        #expect(
            try Data(contentsOf: folder.url.appending(path: "xcode.cer")) == Data(xcode.certificate.der))
    }
}
