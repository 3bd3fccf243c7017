import Foundation
import StorekeeperTesting
import Testing

/// Tests with unknown customers, and with names that only look like the name of a known customer.
@Suite(.system) struct VaultUnknownCustomerTests {
    private let workspace: VaultWorkspace

    init() throws {
        workspace = try VaultWorkspace(VaultWorkspace.coins)
        try workspace.take()
    }

    private func head() throws -> String? {
        try workspace.done("vault", "verify", "--format", "json").object()["head"] as? String
    }

    @Test("Erasing or exporting an unknown customer writes nothing and ends with 1")
    func unknownCustomer() throws {
        let before = try head()
        let erased = try workspace.run(
            "vault", "erase", "--customer", "zoe", "--reason", "asked for", "--format", "json")
        let exported = try workspace.run("vault", "export", "--customer", "zoe")
        for result in [erased, exported] {
            #expect(result.status == 1)
            #expect(result.output == "")
            #expect(result.errorLines.count == 1)
            #expect(result.errors.contains("the vault has no data about this customer"))
        }
        #expect(try head() == before)
        // An erased customer is also unknown.
        try workspace.done("vault", "erase", "--customer", "anna", "--reason", "asked for")
        #expect(try workspace.run("vault", "erase", "--customer", "anna", "--reason", "again").status == 1)
        #expect(try workspace.run("vault", "export", "--customer", "anna").status == 1)
    }

    @Test("Before the first import the vault had no data, and the instant is reported")
    func knownBefore() throws {
        let early = try workspace.run("entitlements", "--customer", "anna", "--as-known-at", "2009-01-01")
        #expect(early.output.contains("The vault had no data about this customer by 2009-01-01T00:00:00.000Z."))
        #expect(!early.output.contains("has no data about this customer"))
        #expect(early.status == 0)
    }

    @Test(
        "Every command reports that it has, or had, no data about a customer",
        arguments: [
            (["check", "gold.monthly"], 3), (["check", "--feature", "pro"], 3),
            (["check", "--group", "membership"], 3),
            (["explain", "gold.monthly"], 0), (["timeline"], 0), (["timeline", "--product", "gold.monthly"], 0),
            (["entitlements"], 0),
        ] as [([String], Int32)])
    func absence(question: [String], status: Int32) throws {
        let cases = [
            (["anna", "--as-known-at", "2009-01-01"], "had no data about this customer by 2009-01-01T00:00:00.000Z."),
            (["zoe"], "has no data about this customer. Check the id, or import the customer's evidence with"),
        ]
        for (words, sentence) in cases {
            let result = try Program.run(question + ["--customer"] + words, in: workspace.folder)
            #expect(result.status == status)
            guard question[0] == "check" else {
                // The text is wrapped, so line breaks are replaced by spaces.
                let text = result.output.replacing("\n", with: " ")
                #expect(text.contains("The vault \(sentence)"))
                // The text must not say that evidence was verified, because there is no evidence.
                #expect(text.contains("no evidence of this customer.") && !text.contains("was verified"))
                #expect(result.errors == "")
                continue
            }
            // The answer of check is one line.
            #expect(result.output == "unknown (neverSynced)\n")
            #expect(result.errors.hasPrefix("storekeeper: note: the vault \(sentence)"))
            #expect(result.errorLines.count == 1)
        }
        let known = try Program.run(question + ["--customer", "anna"], in: workspace.folder)
        #expect(!(known.output + known.errors).contains("no data about this customer"))
    }

    @Test("The documents have the same form as for any other customer")
    func absentDocuments() throws {
        for words in [["anna", "--as-known-at", "2009-01-01"], ["zoe"]] {
            for question in [["check", "gold.monthly"], ["explain", "gold.monthly"]] {
                let result = try Program.run(
                    question + ["--format", "json", "--customer"] + words, in: workspace.folder)
                #expect(try result.object()["answer"] as? String == "unknown")
                #expect(try result.object()["reason"] as? String == "neverSynced")
                #expect(try result.object()["verified"] as? Bool == true)
            }
        }
    }

    @Test("Names and keys that differ in Unicode normalisation are different, and the vault stays valid")
    func lookalikes() throws {
        let (one, other) = ("caf\u{E9}", "cafe\u{301}")
        let packs = [one, other].map { #"{"id":"pack \#($0)","type":"consumable","grants":{"\#($0)":1}}"# }
        try workspace.folder.write(#"{"products":[\#(packs.joined(separator: ","))]}"#, to: "gems.json")
        for (name, key) in [(one, one), (other, other)] {
            try workspace.done(
                "vault", "grant", "--customer", "anna", name, "9", "--key", "gift \(key)", "--reason", "gift")
            try workspace.done("vault", "spend", "--customer", "anna", name, "4", "--key", "spend \(key)")
        }
        #expect(try workspace.balance("anna", of: one) == 5)
        #expect(try workspace.balance("anna", of: other) == 5)
        try workspace.done("vault", "grant", "--customer", one, "coins", "1", "--key", "k", "--reason", "gift")
        #expect(try workspace.balance(other) == 0)
        try workspace.done("vault", "verify")
    }
}
