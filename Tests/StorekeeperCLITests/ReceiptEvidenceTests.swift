import Foundation
import Storekeeper
import StorekeeperJWS
import StorekeeperTesting
import Testing

/// Tests of receipts in all commands that read evidence.
@Suite(.system, .timeLimit(.minutes(20))) struct ReceiptEvidenceTests {
    private let folder: Folder
    /// The receipt of the story's customer, as base64.
    private let receipt: String

    private static let story = """
        story: A customer with an old receipt
        catalog: Store.storekit
        people: [anna]
        steps:
          - buy: remove.ads
            by: anna
          - buy: coins.100
            by: anna
          - buy: silver.monthly
            by: anna
          - advance: 40 days
          - buy: gold.monthly
            by: anna
          - advance: 3 days
        """
    private static let trusted = ["--root", "story.pem", "--environment", "Sandbox", "--bundle-id", "com.example.game"]
    private static let asked = trusted + ["--catalog", "Store.storekit", "--at", "2026-02-13", "--format", "json"]

    init() throws {
        folder = try Folder()
        try FileManager.default.copyItem(
            at: CompanionFolder.repository.appending(path: "Configuration/Store.storekit"),
            to: folder.url.appending(path: "Store.storekit"))
        try folder.write(Self.story, to: "story.yaml")
        let played = try Tool.run(
            [
                "simulate", "story.yaml", "--evidence", "story.jws", "--newest", "--receipts", "story.receipts",
                "--root-out", "story.pem",
            ], in: folder)
        try #require(played.status == 0, "\(played.errors)")
        let line = try String(contentsOf: folder.url.appending(path: "story.receipts"), encoding: .utf8)
        receipt = try #require(try JSONReader().read(Array(line.utf8)).root.object?["receipt-data"]?.string)
    }

    private func run(_ arguments: [String]) throws -> Program.Result { try Tool.run(arguments, in: folder) }

    private func entitlements(_ files: [String]) throws -> Program.Result {
        try run(["entitlements"] + files + Self.asked)
    }

    private func object(_ result: Program.Result) throws -> JSONObject {
        try #require(try JSONReader().read(Array(result.output.utf8)).root.object)
    }

    /// Returns the answer about each product, by id, with the transaction that decides the answer.
    private func answers(_ result: Program.Result) throws -> [String: [String]] {
        var answers: [String: [String]] = [:]
        for product in try #require(try object(result)["products"]?.array) {
            let row = product.object
            answers[row?["id"]?.string ?? ""] = ["answer", "reason", "transactionID", "until"].map {
                row?[$0]?.string ?? ""
            }
        }
        return answers
    }

    private func codes(_ result: Program.Result) throws -> Set<String> {
        Set(try object(result)["diagnostics"]?.array?.compactMap { $0.object?["code"]?.string } ?? [])
    }

    @Test("A receipt alone answers like the signed transactions it was made with")
    func alone() throws {
        let (signed, received) = (try entitlements(["story.jws"]), try entitlements(["story.receipts"]))
        #expect(received.status == 0, "\(received.errors)")
        let answers = try answers(received)
        #expect(try answers == self.answers(signed))
        #expect(answers["remove.ads"]?.first == "entitled" && answers["gold.monthly"]?.first == "entitled")
        #expect(answers["silver.monthly"]?.prefix(2) == ["lapsed", "upgraded"])
        #expect(try object(received)["verified"]?.bool == true)
        let balances = try object(received)["consumables"]?.array?.map { $0.object?["balance"]?.int64 }
        #expect(balances?.contains(1) == true)
        #expect(try codes(received).contains("receiptEvidence") && !codes(signed).contains("receiptEvidence"))
    }

    @Test("Together with the signed transactions it changes nothing, so that coins count once")
    func once() throws {
        let signed = try entitlements(["story.jws"])
        for files in [["story.jws", "story.receipts"], ["story.receipts", "story.jws", "story.receipts"]] {
            #expect(try entitlements(files).output == signed.output)
        }
        #expect(signed.output.contains("\"credited\": 1,"), "\(signed.output)")
    }

    @Test("Every form is recognized by its content, in a file of its own or among other evidence")
    func forms() throws {
        let der = try #require(Data(base64Encoded: receipt))
        try folder.write(receipt, to: "line.b64")
        try folder.write(der.base64EncodedString(options: [.lineLength64Characters]) + "\n", to: "lines.b64")
        try der.write(to: folder.url.appending(path: "receipt"))
        try folder.write(#"{"status":0,"latest_receipt":"\#(receipt)","pending_renewal_info":[]}"#, to: "answer.json")
        let jws = try String(contentsOf: folder.url.appending(path: "story.jws"), encoding: .utf8)
        try folder.write("\(jws)\n\(receipt)\n[\"\(receipt)\"]\n", to: "mixed")
        let expected = try answers(entitlements(["story.jws"]))
        for file in ["line.b64", "lines.b64", "receipt", "answer.json", "mixed"] {
            let result = try entitlements([file])
            #expect(result.status == 0, "\(file): \(result.errors)")
            #expect(try answers(result) == expected, "\(file)")
        }
        let verified = try run(["verify", "lines.b64", "mixed", "answer.json"] + Self.trusted)
        #expect(verified.status == 0, "\(verified.errors)")
        let lines = try verified.outputLines.compactMap { try JSONReader().read(Array($0.utf8)).root.object }
        let receipts = lines.filter { $0["kind"]?.string == "receipt" }
        #expect(receipts.count == 4 && receipts.allSatisfy { $0["verified"]?.bool == true })
        #expect(receipts.first?["payload"]?.object?["bundleID"]?.string == "com.example.game")
        #expect(lines.enumerated().allSatisfy { $1["index"]?.int64 == Int64($0) })
    }

    @Test("An unverified one names products whose answers are unknown, and proves nothing")
    func unverified() throws {
        try folder.write(try Evidence().rootPEM, to: "other.pem")
        let other = ["--root", "other.pem"] + Self.asked.dropFirst(2)
        let refused = try run(["entitlements", "story.receipts"] + other)
        #expect(refused.status == 77, "\(refused.errors)")
        #expect(try answers(refused)["remove.ads"]?.prefix(2) == ["unknown", "unverified"])
        #expect(try object(refused)["verified"]?.bool == false)
        let environment = try run(
            ["entitlements", "story.receipts"] + Self.asked.filter { $0 != "--environment" && $0 != "Sandbox" })
        #expect(environment.status == 0)
        #expect(try answers(environment)["remove.ads"]?.prefix(2) == ["never", "noPurchase"])
        #expect(try codes(environment).contains("environmentRefused"))
        let verified = try run(["verify", "story.receipts", "--root", "other.pem"])
        #expect(verified.status == 1 && verified.output.contains("untrustedChain"), "\(verified.output)")
        try folder.write(String(receipt.dropLast(8)), to: "cut.b64")
        #expect(try entitlements(["cut.b64"]).status == 65)
    }

    @Test("A receipt without purchases from a refused environment is not a failure")
    func emptyOfOtherEnvironment() throws {
        try folder.write(
            "story: Nothing bought\ncatalog: Store.storekit\npeople: [anna]\nsteps: [advance: 1 day]\n",
            to: "empty.yaml")
        let played = try run(
            ["simulate", "empty.yaml", "--receipts", "empty.receipts", "--root-out", "empty.pem"])
        try #require(played.status == 0, "\(played.errors)")
        let asked = ["--root", "empty.pem", "--bundle-id", "com.example.game"]
        for environment in [[], ["--environment", "Sandbox"]] {
            let result = try run(
                ["entitlements", "empty.receipts", "--catalog", "Store.storekit", "--format", "json"] + asked
                    + environment)
            #expect(result.status == 0, "\(environment): \(result.output)\(result.errors)")
            #expect(try object(result)["verified"]?.bool == true)
        }
    }

    @Test("A response without a receipt, and what it says about renewals, counts only with --unsigned")
    func unsigned() throws {
        let text = #"""
            {"status": 0, "environment": "Sandbox", "receipt": {"bundle_id": "com.example.game",
              "receipt_type": "ProductionSandbox", "request_date_ms": "1770940800000", "in_app": []},
             "latest_receipt_info": [{"product_id": "gold.monthly", "transaction_id": "3", "quantity": "1",
               "original_transaction_id": "2", "purchase_date_ms": "1768000000000",
               "expires_date_ms": "1770678400000", "is_trial_period": "false"}],
             "pending_renewal_info": [{"original_transaction_id": "2", "product_id": "gold.monthly",
               "auto_renew_product_id": "gold.monthly", "auto_renew_status": "1", "expiration_intent": "2",
               "is_in_billing_retry_period": "1", "grace_period_expires_date_ms": "1771500000000"}]}
            """#
        try folder.write(text, to: "answer.json")
        #expect(try entitlements(["answer.json"]).status == 77)
        let unsigned = try run(["entitlements", "answer.json", "--unsigned"] + Self.asked.dropFirst(2))
        #expect(unsigned.status == 0, "\(unsigned.errors)")
        #expect(try answers(unsigned)["gold.monthly"]?.prefix(2) == ["entitled", "gracePeriod"])
        #expect(try object(unsigned)["verified"]?.bool == false)
        try folder.write(#"{"status":21007}"#, to: "status.json")
        let status = try entitlements(["status.json"])
        #expect(status.status == 65 && status.errors.contains("21007"), "\(status.errors)")
    }

    @Test("A response that does not name its environment gives the answer unknown, never another one")
    func withoutEnvironment() throws {
        let text = #"""
            {"status":0,"auto_renew_status":1,"receipt":{"bid":"com.example.game","product_id":"gold.monthly",
             "transaction_id":"1","original_transaction_id":"1","purchase_date_ms":"1768000000000",
             "expires_date":"1770678400000"}}
            """#
        try folder.write(text, to: "old.json")
        let result = try run(["check", "gold.monthly", "old.json", "--unsigned"] + Self.asked.dropFirst(2))
        #expect(result.status == 3)
        #expect(try object(result)["answer"]?.string == "unknown", "\(result.output)")
        #expect(try object(result)["reason"]?.string == "unverified", "\(result.output)")
        #expect(result.errors.contains("does not name its environment"), "\(result.errors)")
    }

    @Test("An explanation says that the evidence is a receipt")
    func explained() throws {
        let result = try run(["explain", "remove.ads", "story.receipts"] + Self.asked)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("purchase of remove.ads (by a receipt made 2026-02-13T00:00:00.000Z)"))
        let both = try run(["explain", "remove.ads", "story.receipts", "story.jws"] + Self.asked)
        #expect(!both.output.contains("receipt"), "\(both.output)")
    }

    @Test("A vault takes no receipt, and says what to do")
    func vault() throws {
        #expect(try run(["vault", "init"]).status == 0)
        let result = try run(["vault", "import", "--customer", "anna", "story.receipts"] + Self.trusted)
        #expect(result.status == 65, "\(result.errors)")
        #expect(result.errors.contains("storekeeper fetch --receipt FILE --customer ID"), "\(result.errors)")
        let balance = try run(["vault", "balance", "--customer", "anna"])
        #expect(!balance.output.contains("100"), "\(balance.output)")
    }
}
