import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of the kinds of evidence that `entitlements` reads, and of its exit status.
@Suite(.system) struct EntitlementsEvidenceTests {
    private static let at = ["--at", "2026-02-20T12:00:00Z"]

    @Test("Unsigned payloads count only with --unsigned, and every answer is marked")
    func unsigned() throws {
        let customer = try Customer()
        let payload = String(
            decoding: TransactionDraft.purchase(of: "remove.ads", at: .day(1)).payload, as: UTF8.self)
        try customer.folder.write("[\(payload)]", to: "decoded.json")
        let refused = try customer.ask(["entitlements", "decoded.json"] + Self.at)
        #expect(refused.status == 77)
        #expect(refused.output.contains("remove.ads      unknown  unverified"))
        #expect(refused.errorLines.count == 2)
        let text = try Tool.run(
            ["entitlements", "decoded.json", "--unsigned", "--catalog", "catalog.json"] + Self.at, in: customer.folder)
        #expect(text.status == 0)
        #expect(
            text.outputLines.first
                == "At 2026-02-20T12:00:00.000Z, NOT VERIFIED: signatures were not checked; 1 of 1 item counts.")
        let json = try Tool.run(
            ["entitlements", "decoded.json", "--unsigned", "--format", "json"] + Self.at, in: customer.folder)
        #expect(try json.object()["verified"] as? Bool == false)
        #expect(try json.diagnostics() == ["bundleNotChecked com.example.game", "unknownProduct remove.ads"])
    }

    @Test(
        "Of many diagnostics of a kind the first are printed, then the number of the others; JSON contains all",
        arguments: 10...13)
    func manyDiagnostics(count: Int) throws {
        let customer = try Customer()
        let drafts = (0..<count).map { index in
            with(TransactionDraft.purchase(of: "remove.ads", at: .day(1), id: "1000")) {
                $0.id = Transaction.ID(rawValue: "\(1000 + index)")
                $0.originalID = $0.id
                $0.productID = "badge.\(10 + index)"
            }
        }
        let payloads = drafts.map { String(decoding: $0.payload, as: UTF8.self) }.joined(separator: ",")
        try customer.folder.write("[\(payloads)]", to: "decoded.json")
        let command = ["entitlements", "decoded.json", "--unsigned"] + Self.at
        let text = try Tool.run(command, in: customer.folder)
        let warnings = text.errorLines.filter { $0.contains("unknownProduct") }
        #expect(warnings.count == min(count, 11))
        #expect(warnings.prefix(10).enumerated().allSatisfy { $1.hasSuffix("(badge.\(10 + $0))") })
        if count > 11 {
            #expect(
                warnings.last
                    == "storekeeper: warning: unknownProduct: \(count - 10) more of the same kind; --format json lists "
                    + "all")
        }
        let json = try Tool.run(command + ["--format", "json"], in: customer.folder)
        #expect(try json.diagnostics().count { $0.hasPrefix("unknownProduct") } == count)
    }

    @Test("Evidence that permits no answer is printed as such, and ends with its status")
    func refusals() throws {
        let customer = try Customer.upgrader()
        let ask = { (lines: [String], options: [String]) in
            try customer.folder.write(lines.joined(separator: "\n"), to: "other.jws")
            return try customer.ask(["entitlements", "other.jws", "--format", "json"] + Self.at + options)
        }
        let garbage = try ask(["garbage", "{}"], [])
        #expect(garbage.status == 65)
        #expect(
            garbage.errorLines.last
                == "storekeeper: error: nothing in the evidence could be read (2 items): give compact JWS, one a line, "
                + "or answers of the App Store Server API")
        #expect(try garbage.diagnostics() == ["unverifiedEvidence malformed"])

        let tampered = try ask([customer.evidence.tampered()], [])
        #expect(tampered.status == 77)
        #expect(
            tampered.errorLines.last
                == "storekeeper: error: no evidence could be verified (1 item): see 'storekeeper verify' for the "
                + "reason of each; check --root and --bundle-id")
        let products = try #require(tampered.object()["products"] as? [[String: Any]])
        #expect(products.first?["answer"] as? String == "unknown")
        #expect(products.first?["reason"] as? String == "unverified")
        #expect(
            products.dropFirst().allSatisfy { $0["reason"] as? String == "unverified" },
            "never is for complete evidence")

        let sandbox = try ask(
            customer.lines([TransactionDraft.purchase(of: "remove.ads", at: .day(1)).made(in: .sandbox)]), [])
        #expect(sandbox.status == 0)
        #expect(try sandbox.diagnostics() == ["environmentRefused remove.ads"])
    }

    @Test("Evidence of two apps gives no answer unless the app is named")
    func severalApps() throws {
        let customer = try Customer()
        let other = with(TransactionDraft.purchase(of: "remove.ads", at: .day(1), id: "7")) {
            $0.bundleID = "com.example.other"
        }
        try customer.folder.write(customer.lines([Customer.gold, other]).joined(separator: "\n"), to: "two.jws")
        let result = try Tool.run(["entitlements", "two.jws", "--root", "root.pem"] + Self.at, in: customer.folder)
        #expect(result.status == 65)
        #expect(result.output == "")
        #expect(
            result.errors == """
                storekeeper: error: the evidence is about 2 apps: com.example.game, com.example.other (--bundle-id): \
                name the app that counts with --bundle-id

                """)
        let named = try customer.ask(["entitlements", "two.jws"] + Self.at)
        #expect(named.status == 0)
    }

    @Test(
        "Wrong usage and missing files are one line, without an answer",
        arguments: [
            (
                ["entitlements", "--root", "root.pem"], 64,
                "no evidence is given (EVIDENCE): name files, or - for standard input, "
                    + "or ask a vault with --customer ID"
            ),
            (
                ["entitlements", "customer.jws"], 64,
                "no trusted root certificate is given (--root): name one with --root FILE, STOREKEEPER_ROOT or "
                    + "storekeeper.yaml, or pass --unsigned; the App Store's is Apple Root CA - G3, from "
                    + "https://www.apple.com/certificateauthority/"
            ),
            (
                ["entitlements", "customer.jws", "--root", "root.pem", "--at", "yesterday"], 64,
                "'yesterday' is not a time (--at): write it like 2026-03-01T09:30:00Z, 2026-03-01 or milliseconds since "
                    + "1970"
            ),
            (
                ["entitlements", "customer.jws", "absent.jws", "--root", "root.pem"], 66,
                "the file cannot be read: no such file or directory (absent.jws): check the path and its permissions"
            ),
            (
                ["entitlements", "customer.jws", "--root", "root.pem", "--catalog", "absent.json"], 66,
                "the file cannot be read: no such file or directory (absent.json): check the path and its "
                    + "permissions"
            ),
        ] as [([String], Int32, String)])
    func failures(arguments: [String], status: Int32, line: String) throws {
        let result = try Tool.run(arguments, in: Customer([Customer.gold]).folder)
        #expect(result.errors == "storekeeper: error: \(line)\n")
        #expect(result.output == "")
        #expect(result.status == status)
    }

    @Test("A renewal info of another app is not reported as unpaired beside its transaction")
    func otherApp() throws {
        let other = with(Customer.silver) { $0.bundleID = "com.example.other" }
        let ads = TransactionDraft.purchase(of: "remove.ads", at: .day(1), id: "7")
        let customer = try Customer([ads, other], [RenewalInfoDraft(for: other)])
        let result = try customer.ask(["entitlements", "customer.jws", "--format", "json"] + Self.at)
        #expect(try result.diagnostics() == ["unverifiedEvidence bundleMismatch"], "\(result.output)")
    }

    @Test("The same evidence in another order, doubled and over several files, gives the same bytes")
    func shuffled() throws {
        let customer = try Customer.upgrader()
        let drafts = Customer.upgrades + [.purchase(of: "mystery", at: .day(2), id: "9")]
        let strangers = [RenewalInfoDraft(originalID: "555"), RenewalInfoDraft(originalID: "444")]
        let good = try customer.lines(drafts, [Customer.upgraderInfo] + strangers)
        let bad = try [customer.evidence.tampered(), "garbage", customer.evidence.transaction(environment: "Sandbox")]
        func answer(_ files: [String]) throws -> String {
            for (index, text) in files.enumerated() { try customer.folder.write(text, to: "\(index).jws") }
            let names = files.indices.map { "\($0).jws" }
            return try customer.ask(["entitlements", "--format", "json"] + names + Self.at).output
        }
        let lines = good + bad
        let first = try answer([lines.joined(separator: "\n")])
        #expect(try answer([lines.reversed().joined(separator: "\n")]) == first)
        #expect(try answer([(lines + lines.reversed()).joined(separator: "\n")]) == first)
        #expect(try answer(lines) == first)
        try customer.folder.write(lines.joined(separator: "\n"), to: "all.jws")
        #expect(
            try customer.ask(["entitlements", "all.jws", "--format", "json"] + Self.at).diagnostics() == [
                "environmentRefused gold.monthly", "unknownProduct mystery", "unpairedRenewalInfo 444",
                "unpairedRenewalInfo 555", "unverifiedEvidence invalidSignature", "unverifiedEvidence malformed",
            ])
    }
}
