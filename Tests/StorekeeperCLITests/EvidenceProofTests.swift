import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of which evidence counts, how failures are reported, and which answers follow from missing evidence.
@Suite(.system) struct EvidenceProofTests {
    private static let at = ["--at", "2026-02-20T12:00:00Z"]

    private let customer: Customer

    init() throws { customer = try Customer.upgrader() }

    private struct Answer {
        var status: Int32
        var isVerified: Bool
        /// The answer and reason of each product.
        var products: [String: String]
        var features: [String: String]
        var firstLine: String
        var errors: [String]
    }

    /// Returns the output of `entitlements` for lines, as text and as JSON, and expects the same answers from `check`
    /// and `timeline`.
    private func answer(_ lines: [String], _ options: [String] = [], sourceLocation: SourceLocation = #_sourceLocation)
        throws -> Answer
    {
        try customer.folder.write(lines.map { $0 + "\n" }.joined(), to: "other.jws")
        return try answer(of: "other.jws", options, sourceLocation: sourceLocation)
    }

    private func answer(
        of file: String, _ options: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Answer {
        let options =
            ["--root", "root.pem", "--bundle-id", "com.example.game", "--catalog", "catalog.json"]
            + Self.at + options
        let run = { (words: [String]) in try Program.run(words + options, in: customer.folder) }
        let text = try run(["entitlements", file])
        let json = try run(["entitlements", file, "--format", "json"])
        let object = try json.object()
        #expect(text.status == json.status, sourceLocation: sourceLocation)
        let words = { (rows: Any?) throws -> [String: String] in
            let rows = try #require(rows as? [[String: Any]])
            return Dictionary(
                rows.map { row in
                    (row["id"] as? String ?? "", "\(row["answer"] as? String ?? "")/\(row["reason"] as? String ?? "")")
                }, uniquingKeysWith: { first, _ in first })
        }
        let products = try words(object["products"])
        let timelines = try #require(
            run(["timeline", file, "--format", "json"]).object()["products"] as? [[String: Any]])
        for (id, said) in products {
            let check = try run(["check", id, file, "--format", "json"]).object()
            #expect("\(check["answer"] ?? "")/\(check["reason"] ?? "")" == said, sourceLocation: sourceLocation)
            #expect(check["verified"] as? Bool == object["verified"] as? Bool, sourceLocation: sourceLocation)
            let why = try run(["explain", id, file, "--format", "json"]).object()
            #expect("\(why["answer"] ?? "")/\(why["reason"] ?? "")" == said, sourceLocation: sourceLocation)
            #expect(why["verified"] as? Bool == object["verified"] as? Bool, sourceLocation: sourceLocation)
        }
        let hasNever = timelines.contains { timeline in
            (timeline["segments"] as? [[String: Any]])?.contains { $0["answer"] as? String == "never" } ?? false
        }
        let saysNever = products.values.contains("never/noPurchase")
        #expect(!hasNever || saysNever || object["verified"] as? Bool == true, sourceLocation: sourceLocation)
        return Answer(
            status: text.status, isVerified: object["verified"] as? Bool ?? true, products: products,
            features: try words(object["features"]),
            firstLine: String((text.outputLines.first ?? "").dropFirst("At 2026-02-20T12:00:00.000Z, ".count)),
            errors: text.errorLines)
    }

    private static let unknown = "unknown/unverified"
    private static let never = "never/noPurchase"

    @Test("Evidence of another authority ends with 77, and no answer is never")
    func foreign() throws {
        let lines = try Customer([Customer.gold, Customer.silver]).lines([Customer.gold, Customer.silver])
        let answer = try answer(lines)
        #expect(answer.status == 77)
        #expect(!answer.isVerified)
        #expect(answer.firstLine == "NONE of 2 items could be verified: untrustedChain.")
        #expect(answer.products.values.allSatisfy { $0 == Self.unknown })
        #expect(answer.features.values.allSatisfy { $0 == Self.unknown })
    }

    /// The beginning of an app receipt: DER of PKCS #7 signed data.
    static let receipt: [UInt8] =
        [
            0x30, 0x82, 0x13, 0xA4, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02, 0xA0, 0x82, 0x13,
            0x95,
        ]
        + [UInt8](repeating: 0x31, count: 200)

    @Test("A folder instead of a file ends with 66 and the advice to name its files")
    func folderAsEvidence() throws {
        try FileManager.default.createDirectory(
            at: customer.folder.url.appendingPathComponent("signed"), withIntermediateDirectories: false)
        let answer = try customer.ask(["entitlements", "signed"] + Self.at)
        #expect(answer.status == 66)
        #expect(
            answer.errors.contains("is a directory (signed): name the files in it, such as signed/*"),
            "\(answer.errors)")
    }

    @Test(
        "A file that is not evidence ends with 65, and its format is named",
        arguments: [
            ([0x25, 0x50, 0x44, 0x46, 0x2D, 0x31, 0x2E, 0x37, 0x0A, 0xE2, 0x0A, 0x78], "the file is a PDF"),
            ([0x1F, 0x8B, 0x08, 0x00, 0x0A, 0x0A, 0x61, 0x0A], "packed with gzip"),
            ([0x50, 0x4B, 0x03, 0x04, 0x0A, 0x61], "packed as ZIP"),
            ([0xFF, 0xFE, 0x65, 0x00, 0x0A, 0x00, 0x65, 0x00], "the file is UTF-16"),
            ([0xFE, 0xFF, 0x00, 0x65, 0x00, 0x0A, 0x00, 0x65], "the file is UTF-16"),
            (Array("SQLite format 3\u{0}\n\n".utf8), "the file is a database"),
            (Array("what is this?\n".utf8), "not three segments"),
            ([0x65, 0x00, 0x0A, 0x00, 0x65, 0x00], "the file is binary"),
            (Self.receipt, "the receipt cannot be read"),
            (Array(Data(Self.receipt).base64EncodedString().utf8), "the receipt cannot be read"),
            (Array(#"{"receipt-data":"MIIT"}"#.utf8), "the receipt cannot be read"),
            (
                Array(#"{"status":0,"latest_receipt":"MIIT","latest_receipt_info":[]}"#.utf8),
                "the receipt cannot be read"
            ),
            (Array(#"{"status":21007,"environment":"Production"}"#.utf8), "with the status 21007"),
        ] as [([UInt8], String)])
    func rubbish(bytes: [UInt8], words: String) throws {
        try Data(bytes).write(to: customer.folder.url.appendingPathComponent("rubbish"))
        let answer = try answer(of: "rubbish")
        #expect(answer.status == 65)
        #expect(!answer.isVerified)
        #expect(answer.firstLine.contains("could be verified: malformed."))
        #expect(answer.errors.first?.contains(words) == true)
        #expect(answer.products.values.allSatisfy { $0 == Self.unknown })
        let check = try customer.ask(["check", "season.pass", "rubbish"] + Self.at)
        #expect(check.status == 3)
        #expect(check.output == "unknown (unverified)\n")
        let nobody = try customer.ask(["check", "nobody.knows", "rubbish"] + Self.at)
        #expect(nobody.status == 64)
        let group = try customer.ask(["check", "--group", "membership", "rubbish"] + Self.at)
        #expect(group.status == 3)
        let feature = try customer.ask(["check", "--feature", "pro", "rubbish"] + Self.at)
        #expect(feature.status == 3)
    }

    @Test("A renewal info without its transaction does not count")
    func loneRenewalInfo() throws {
        let lines = try customer.lines(
            [with(Customer.gold) { $0.bundleID = "com.example.other" }], [Customer.upgraderInfo])
        let answer = try answer(lines)
        #expect(answer.status == 77)
        #expect(!answer.isVerified)
        #expect(
            answer.firstLine
                == "NONE of 2 items counts; 1 failed: bundleMismatch; 1 renewal info without its transaction.")
        // A file with only a renewal info is not an error. Together with its transaction, the renewal info counts.
        let alone = try self.answer(customer.lines([], [Customer.upgraderInfo]))
        #expect((alone.status, alone.isVerified) == (0, true))
        let together = try self.answer(customer.lines(Customer.upgrades, [Customer.upgraderInfo]))
        #expect((together.status, together.isVerified) == (0, true))
        #expect(together.firstLine == "all 7 items are verified.")
    }

    @Test("An unreadable item prevents the answer never, and removes nothing")
    func unreadable() throws {
        let answer = try answer(customer.lines(Customer.upgrades) + ["garbage"])
        #expect(answer.status == 0)
        #expect(!answer.isVerified)
        #expect(answer.firstLine == "6 of 7 items count; 1 failed: malformed.")
        #expect(answer.products["gold.monthly"] == "entitled/active")
        #expect(answer.products["remove.ads"] == "lapsed/refunded")
        #expect(answer.products["season.pass"] == Self.unknown)
        #expect(answer.features["pro"] == "entitled/active")
    }

    @Test("An item that failed makes its own product unknown, and no other")
    func tampered() throws {
        let foreign = try Customer().lines([.purchase(of: "season.pass", type: .nonRenewable, at: .day(1), id: "9")])
        let answer = try answer(customer.lines([Customer.gold]) + foreign)
        #expect(answer.status == 0)
        #expect(!answer.isVerified)
        #expect(answer.firstLine == "1 of 2 items counts; 1 failed: untrustedChain.")
        #expect(answer.products["season.pass"] == Self.unknown)
        #expect(answer.products["remove.ads"] == Self.never)
        // The evidence also names a consumable, which has no answer.
        let coins = try Customer().lines([.purchase(of: "coins.100", type: .consumable, at: .day(1), id: "9")])
        #expect(try self.answer(customer.lines([Customer.gold]) + coins).products["remove.ads"] == Self.never)
    }

    @Test("An item whose product id is empty names no product")
    func emptyProductID() throws {
        let nameless = with(TransactionDraft.purchase(of: "season.pass", type: .nonRenewable, at: .day(1), id: "9")) {
            $0.productID = ""
        }
        let answer = try answer(customer.lines([Customer.gold, nameless]))
        #expect(answer.firstLine == "1 of 2 items counts; 1 failed: malformed.")
        #expect(answer.products[""] == nil)
        #expect(answer.products["season.pass"] == Self.unknown && answer.products["remove.ads"] == Self.unknown)
        #expect(answer.products["gold.monthly"] == "lapsed/expired")
    }

    @Test("A refused environment is a matter of policy, and empty evidence is complete")
    func complete() throws {
        let sandbox = TransactionDraft.purchase(of: "remove.ads", at: .day(1), id: "8").made(in: .sandbox)
        let refused = try answer(customer.lines([Customer.gold, sandbox]))
        #expect((refused.status, refused.isVerified) == (0, true))
        #expect(refused.firstLine == "1 of 2 items counts; 1 of the environment Sandbox, which is not accepted.")
        #expect(refused.products["remove.ads"] == Self.never)
        let empty = try answer([])
        #expect((empty.status, empty.isVerified) == (0, true))
        #expect(empty.firstLine == "there is no evidence.")
        #expect(empty.products.values.allSatisfy { $0 == Self.never })
        #expect(try answer(customer.lines([Customer.gold])).firstLine == "the one item is verified.")
    }

    @Test("Several reasons are printed with their numbers, the most frequent first")
    func reasons() throws {
        let foreign = try Customer().lines([Customer.gold])
        let none = try answer(["x", "y"] + foreign)
        #expect(none.firstLine == "NONE of 3 items could be verified: 2 malformed, 1 untrustedChain.")
        let some = try answer(["x", "y"] + foreign + customer.lines([Customer.gold]))
        #expect(some.firstLine == "1 of 4 items counts; 3 failed: 2 malformed, 1 untrustedChain.")
    }

    @Test("Equal reports of one file are printed ten times, then their number")
    func equalReports() throws {
        let errors = try answer((0..<25).map { "x\($0)" } + ["a.b.c"]).errors.filter { $0.contains("warning") }
        #expect(errors.count == 12)
        #expect(errors[9].hasSuffix("(other.jws:10)"))
        #expect(errors.filter { $0.hasSuffix("(other.jws:26)") }.count == 1)
        #expect(errors.last?.hasSuffix("(other.jws, 15 more times)") == true)
    }

    @Test("Every text begins with the verification summary")
    func otherTexts() throws {
        try customer.folder.write("garbage\n", to: "other.jws")
        let words = "At 2026-02-20T12:00:00.000Z, NONE of 1 item could be verified: malformed."
        for command in [["timeline"], ["explain", "gold.monthly"]] {
            let result = try customer.ask(command + ["other.jws"] + Self.at)
            #expect(result.outputLines.first == words)
            #expect(result.status == 65)
        }
    }
}
