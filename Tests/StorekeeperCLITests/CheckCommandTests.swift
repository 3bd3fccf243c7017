import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

@Suite(.system) struct CheckCommandTests {
    private static let silverInfo = RenewalInfoDraft(for: Customer.silver)
    private static let at = ["--at", "2026-01-15"]
    private static let until = "until 2026-02-01T00:00:00.000Z"

    /// Returns a customer with silver in January 2026.
    private func subscriber() throws -> Customer {
        try Customer(
            [Customer.silver, TransactionDraft.purchase(of: "remove.ads", at: .day(1), id: "7").revoked(at: .day(3))],
            [Self.silverInfo])
    }

    @Test("The status in a notification counts only if the signed parts inside the notification are verified")
    func statusBesideForgedParts() throws {
        let customer = try Customer([Customer.gold])
        // The transaction inside the draft is not signed by a trusted authority.
        let grace = NotificationDraft(status: 4, of: Customer.gold, signedAt: .day(32))
        try customer.folder.write(customer.evidence.sign(grace.payload), to: "notification.jws")
        let result = try customer.ask(
            "check", "gold.monthly", "customer.jws", "notification.jws", "--at", "2026-02-05T12:00:00Z")
        #expect(result.output.contains("lapsed (expired)"), "\(result.output)")
        #expect(result.status == 1)
    }

    @Test("The answer is one line, and the exit status agrees with it")
    func products() throws {
        let customer = try subscriber()
        func check(_ product: String, at: String = "2026-01-15") throws -> (String, Int32) {
            let result = try customer.ask("check", product, "customer.jws", "--at", at)
            // For another instant the program may print a note, for example that the evidence was signed after this
            // instant.
            if at == "2026-01-15" { #expect(result.errors == "") }
            return (result.output, result.status)
        }
        #expect(try check("silver.monthly") == ("entitled (active) \(Self.until)\n", 0))
        #expect(try check("silver.monthly", at: "2026-01-31T23:59:59.999Z") == ("entitled (active) \(Self.until)\n", 0))
        #expect(try check("gold.monthly") == ("never (noPurchase)\n", 1))
        #expect(try check("remove.ads") == ("lapsed (refunded)\n", 1))
        #expect(try check("remove.ads", at: "2026-01-02") == ("entitled (owned) until 2026-01-04T00:00:00.000Z\n", 0))
        #expect(
            try check("silver.monthly", at: "2025-12-31") == ("never (noPurchase) until 2026-01-01T00:00:00.000Z\n", 1))
    }

    @Test("JSON contains the answer and diagnostics")
    func json() throws {
        let customer = try subscriber()
        let result = try Tool.run(
            ["check", "silver.monthly", "customer.jws", "--root", "root.pem", "--format", "json"] + Self.at,
            in: customer.folder)
        expectText(
            result.output,
            equals: """
                {
                  "answer": "entitled",
                  "diagnostics": [
                    {
                      "code": "bundleNotChecked",
                      "message": "no bundle id was compared: name the app with --bundle-id",
                      "severity": "warning",
                      "subject": "com.example.game"
                    },
                    {
                      "code": "unknownProduct",
                      "message": "remove.ads is in no catalog, so it has no service level and is sorted last; add it to a --catalog",
                      "severity": "warning",
                      "subject": "remove.ads"
                    },
                    {
                      "code": "unknownProduct",
                      "message": "silver.monthly is in no catalog, so it has no service level and is sorted last; add it to a --catalog",
                      "severity": "warning",
                      "subject": "silver.monthly"
                    }
                  ],
                  "reason": "active",
                  "until": "2026-02-01T00:00:00.000Z",
                  "verified": true
                }

                """)
        #expect(result.status == 0)
    }

    @Test("A feature is unlocked by any of its products")
    func features() throws {
        let customer = try subscriber()
        func check(_ id: String, at: String = "2026-01-15") throws -> (String, Int32) {
            let result = try customer.ask("check", "--feature", id, "customer.jws", "--at", at)
            return (result.output, result.status)
        }
        #expect(try check("ad-free") == ("entitled (active) \(Self.until)\n", 0))
        #expect(try check("pro") == ("never (noPurchase)\n", 1))
        #expect(try check("ad-free", at: "2025-06-01") == ("never (noPurchase) until 2026-01-01T00:00:00.000Z\n", 1))
    }

    @Test(
        "A group is found by its id, its name or the list's name, at a service level or better",
        arguments: [
            (["--group", "21"], 0), (["--group", "membership"], 0), (["--group", "21", "--level", "2"], 0),
            (["--group", "membership", "--level", "2"], 0), (["--group", "21", "--level", "1"], 1),
            (["--group", "21", "--level", "99"], 0),
        ] as [([String], Int32)])
    func groups(question: [String], status: Int32) throws {
        let result = try subscriber().ask(["check"] + question + ["customer.jws"] + Self.at)
        #expect(result.status == status)
        #expect(result.output == (status == 0 ? "entitled (active) \(Self.until)\n" : "never (noPurchase)\n"))
    }

    @Test("A group is found by its name in a .storekit file")
    func groupName() throws {
        let customer = try subscriber()
        try customer.folder.write(
            """
            {"version":{"major":3,"minor":0},"subscriptionGroups":[{"id":"99","name":"The Club","subscriptions":[
              {"productID":"silver.monthly","type":"RecurringSubscription","groupNumber":2,
               "recurringSubscriptionPeriod":"P1M","displayPrice":"4.99","internalID":"A"}]}]}
            """, to: "Store.storekit")
        for name in ["The Club", "99", "21"] {
            let result = try customer.ask(
                ["check", "--group", name, "--level", "2", "customer.jws"] + Self.at, catalog: "Store.storekit")
            #expect(result.output == "entitled (active) \(Self.until)\n")
        }
    }

    @Test(
        "An invalid question ends with 64 and a suggestion",
        arguments: [
            (
                ["check", "--feature", "prp", "customer.jws"],
                "there is no feature 'prp' (--feature): did you mean 'pro'?"
            ),
            (
                ["check", "--group", "club", "customer.jws"],
                "there is no group 'club'; known: 21, membership (--group): give a group of the catalog or the evidence"
            ),
            (
                ["check", "coins.100", "customer.jws"],
                "'coins.100' is a consumable, which is counted and not owned (PRODUCT): see 'consumables' of "
                    + "'storekeeper entitlements', or 'storekeeper vault balance'"
            ),
            (
                ["check", "gold.monthly", "customer.jws", "--level", "1"],
                "a level needs a group (--level): give --group ID --level N (1 is the highest)"
            ),
            (
                ["check", "--group", "21", "--level", "0", "customer.jws"],
                "0 is not a service level (--level): give --group ID --level N (1 is the highest)"
            ),
            (
                ["check", "--group", "21", "--feature", "pro", "customer.jws"],
                "both a feature and a group are given (--group): give one of them"
            ),
            (["check"], "no product, feature or group is given (check): name a product, --feature ID or --group ID"),
            (
                ["check", "gold.monthly"],
                "no evidence is given (EVIDENCE): name files, or - for standard input, "
                    + "or ask a vault with --customer ID"
            ),
            (
                ["check", "--feature", "pro"],
                "no evidence is given (EVIDENCE): name files, or - for standard input, "
                    + "or ask a vault with --customer ID"
            ),
            (
                ["check", "gold.monthly", "customer.jws", "--at", "2026-02-30"],
                "'2026-02-30' is not a time (--at): write it like 2026-03-01T09:30:00Z, 2026-03-01 or milliseconds since "
                    + "1970"
            ),
        ])
    func usage(arguments: [String], line: String) throws {
        let result = try subscriber().ask(arguments)
        #expect(result.errorLines.last == "storekeeper: error: \(line)")
        #expect(result.output == "")
        #expect(result.status == 64)
    }

    @Test("A file in the place of the product is wrong usage, and the right order is shown")
    func order() throws {
        let customer = try subscriber()
        for command in ["check", "explain"] {
            let result = try customer.ask([command, "customer.jws", "silver.monthly"] + Self.at)
            #expect(
                result.errors == "storekeeper: error: 'customer.jws' is a file, and 'silver.monthly' is not (PRODUCT): "
                    + "name the product first: storekeeper \(command) silver.monthly customer.jws\n")
            #expect(result.output == "" && result.status == 64)
        }
        // A product may have the name of a file.
        try customer.folder.write("", to: "silver.monthly")
        #expect(try customer.ask(["check", "silver.monthly", "customer.jws"] + Self.at).status == 0)
    }

    @Test("Without a catalog no feature is known, and only groups in the evidence")
    func withoutCatalog() throws {
        let customer = try subscriber()
        let feature = try customer.ask(["check", "--feature", "pro", "customer.jws"] + Self.at, catalog: nil)
        #expect(feature.status == 64)
        #expect(feature.errorLines.last?.contains("there is no feature 'pro'; none is known (--feature)") == true)
        let group = try customer.ask(["check", "--group", "21", "customer.jws"] + Self.at, catalog: nil)
        #expect(group.output == "entitled (active) \(Self.until)\n")
        let level = try customer.ask(
            ["check", "--group", "21", "--level", "1", "customer.jws"] + Self.at, catalog: nil)
        #expect(level.output == "unknown (unknownLevel) \(Self.until)\n", "what gives access has no level")
        #expect(level.status == 3)
    }

    @Test("Without a catalog an id that is not in the evidence was never bought, with a diagnostic")
    func unknownProduct() throws {
        let customer = try subscriber()
        let result = try customer.ask(["check", "silver.montly", "customer.jws"] + Self.at, catalog: nil)
        #expect(result.output == "never (noPurchase)\n")
        #expect(
            result.errorLines.last == "storekeeper: warning: unknownProduct: neither catalog nor evidence knows the "
                + "product silver.montly: did you mean 'silver.monthly'? (silver.montly)")
        #expect(result.status == 1)
        let json = try customer.ask(
            ["check", "silver.montly", "customer.jws", "--format", "json"] + Self.at, catalog: nil)
        #expect(try json.diagnostics().contains("unknownProduct silver.montly"))
    }

    @Test("With a catalog an unknown id is wrong usage, even if some items failed")
    func mistyped() throws {
        let customer = try subscriber()
        try customer.folder.write(customer.evidence.tampered(), to: "tampered.jws")
        try customer.folder.write("", to: "empty.jws")
        for file in ["customer.jws", "tampered.jws", "empty.jws"] {
            let result = try customer.ask(["check", "gold.montly", file] + Self.at)
            #expect(result.output == "")
            #expect(
                result.errorLines.last == "storekeeper: error: neither catalog nor evidence knows the product "
                    + "'gold.montly' (PRODUCT): did you mean 'gold.monthly'?")
            #expect(result.status == 64)
        }
        let timeline = try customer.ask(["timeline", "customer.jws", "--product", "gold.montly"] + Self.at)
        #expect(timeline.status == 64 && timeline.errorLines.last?.contains("(--product)") == true)
    }

    @Test("Every command reports a file without items")
    func emptyFile() throws {
        let customer = try subscriber()
        try customer.folder.write("\n", to: "empty.jws")
        let line =
            "storekeeper: warning: emptyEvidence: a file without items counts as complete evidence that nothing "
            + "was bought: check that the file is complete (empty.jws)"
        let check = try customer.ask(["check", "gold.monthly", "empty.jws"] + Self.at)
        #expect(check.output == "never (noPurchase)\n" && check.status == 1)
        #expect(check.errorLines == [line])
        for command in [["check", "silver.monthly"], ["entitlements"], ["explain", "silver.monthly"], ["timeline"]] {
            let result = try customer.ask(command + ["customer.jws", "empty.jws", "--format", "json"] + Self.at)
            #expect(try result.diagnostics().contains { $0.hasPrefix("emptyEvidence") }, "\(command)")
            #expect(result.errorLines.contains(line))
        }
        #expect(
            !(try customer.ask(["check", "gold.monthly", "customer.jws"] + Self.at).errors.contains("emptyEvidence")))
    }

    @Test("A time before the App Store opened causes a warning about milliseconds")
    func seconds() throws {
        let customer = try subscriber()
        let result = try customer.ask("check", "silver.monthly", "customer.jws", "--at", "1768435200")
        #expect(
            result.errorLines.first
                == "storekeeper: warning: 1970-01-21T11:13:55.200Z is before the App Store opened in "
                + "July 2008 (--at): a number is a time in milliseconds since 1970, not in seconds")
        #expect(result.status == 1)
        let later = try customer.ask("check", "silver.monthly", "customer.jws", "--at", "1768435200000")
        #expect(later.errors == "" && later.status == 0)
    }

    @Test("A product whose type differs between catalog and evidence is unknown: 3")
    func conflictingType() throws {
        let customer = try Customer([.purchase(of: "coins.100", type: .nonConsumable, at: .day(1), id: "7")])
        let result = try customer.ask(["check", "coins.100", "customer.jws"] + Self.at)
        #expect(result.output == "unknown (conflictingType)\n")
        #expect(result.status == 3)
        #expect(
            result.errorLines.first == "storekeeper: warning: conflictingType: the catalog says that coins.100 is "
                + "consumable, the evidence nonConsumable: its answer is unknown, and no balance is credited; "
                + "correct its type in the catalog (coins.100)")
        let all = try customer.ask(["entitlements", "customer.jws", "--format", "json"] + Self.at).object()
        let rows = try #require(all["products"] as? [[String: Any]])
        let row = try #require(rows.first { $0["id"] as? String == "coins.100" })
        #expect(row["type"] as? String == "consumable" && row["reason"] as? String == "conflictingType")
        let coins = try #require(all["consumables"] as? [[String: Any]])
        #expect(coins.first?["balance"] as? Int == 0)
    }

    @Test("A customer who has just paid is entitled although this machine's clock is slow")
    func slowClock() throws {
        let signed = Instant(Date()).adding(milliseconds: 50_000)
        let customer = try Customer([.purchase(of: "remove.ads", at: signed, id: "7")])
        let result = try customer.ask("check", "remove.ads", "customer.jws")
        #expect(result.output == "entitled (owned)\n" && result.status == 0 && result.errors == "")
        let all = try customer.ask("entitlements", "customer.jws", "--format", "json").object()
        #expect(all["at"] as? String == signed.description)
        let explained = try customer.ask("explain", "remove.ads", "customer.jws", "--format", "json").object()
        #expect(explained["answer"] as? String == "entitled")
        // If the purchase is further in the future, one of the clocks is wrong.
        let far = try Customer([.purchase(of: "remove.ads", at: signed.adding(days: 1), id: "7")])
        let never = try far.ask("check", "remove.ads", "customer.jws")
        #expect(never.status == 1 && never.errors.contains("futureSignedDate"))
    }

    @Test("Failed verification gives unknown and 3, although other commands end with 77")
    func unverified() throws {
        let customer = try subscriber()
        try customer.folder.write(customer.evidence.tampered(), to: "tampered.jws")
        let result = try customer.ask(["check", "gold.monthly", "tampered.jws"] + Self.at)
        #expect(result.output == "unknown (unverified)\n")
        #expect(result.status == 3)
        #expect(result.errorLines.last?.hasPrefix("storekeeper: error: no evidence could be verified") == true)
        let feature = try customer.ask(["check", "--feature", "pro", "tampered.jws", "--format", "json"] + Self.at)
        #expect(try feature.object()["answer"] as? String == "unknown")
        #expect(try feature.diagnostics() == ["unverifiedEvidence invalidSignature"])
        #expect(feature.status == 3)
        // No transaction decides, so no product is named.
        #expect(try !feature.object().keys.contains("by"))
        let text = try customer.ask(["check", "--feature", "pro", "tampered.jws"] + Self.at)
        #expect(text.output == "unknown (unverified)\n" && !text.errors.contains("by gold.monthly"), "\(text.errors)")
        #expect(try customer.ask(["check", "remove.ads", "tampered.jws"] + Self.at).status == 3)
    }

    @Test("Evidence of two apps is unknown, although other commands end with 65")
    func severalApps() throws {
        let customer = try subscriber()
        let other = with(Customer.gold) { $0.bundleID = "com.example.other" }
        try customer.folder.write(customer.lines([Customer.silver, other]).joined(separator: "\n"), to: "two.jws")
        let arguments = ["check", "silver.monthly", "two.jws", "--root", "root.pem"] + Self.at
        let result = try Tool.run(arguments, in: customer.folder)
        #expect(result.output == "unknown (unverified)\n")
        #expect(result.status == 3)
        #expect(result.errorLines.last?.contains("the evidence is about 2 apps") == true)
        let json = try Tool.run(arguments + ["--format", "json"], in: customer.folder)
        #expect(json.status == 3)
        #expect(try json.object()["answer"] as? String == "unknown")
        #expect(try json.object()["verified"] as? Bool == true, "all items are verified, regardless of their app")
        #expect(try json.diagnostics() == ["bundleNotChecked com.example.game"])
        try customer.folder.write(customer.evidence.tampered(), to: "bad.jws")
        let failed = try Tool.run(arguments + ["bad.jws", "--format", "json"], in: customer.folder)
        #expect(try failed.object()["verified"] as? Bool == false)
    }

    @Test("If nothing can be read, the answer is printed, and its status counts")
    func nothingReadable() throws {
        let customer = try subscriber()
        try customer.folder.write("garbage\n", to: "garbage.jws")
        let result = try customer.ask(["check", "gold.monthly", "garbage.jws"] + Self.at)
        #expect([1, 3].contains(result.status))
        #expect(result.outputLines.count == 1)
        #expect(result.errorLines.last?.hasPrefix("storekeeper: error: nothing in the evidence could be read") == true)
    }

    @Test("A missing file ends with 66")
    func missingFile() throws {
        let result = try subscriber().ask(["check", "gold.monthly", "absent.jws"] + Self.at)
        #expect(result.status == 66)
        #expect(result.output == "")
    }

    @Test("Unsigned payloads are marked as such")
    func unsigned() throws {
        let customer = try Customer()
        try customer.folder.write(String(decoding: Customer.silver.payload, as: UTF8.self), to: "decoded.json")
        let result = try Tool.run(
            ["check", "silver.monthly", "decoded.json", "--unsigned", "--format", "json"] + Self.at,
            in: customer.folder)
        #expect(result.status == 0)
        #expect(try result.object()["verified"] as? Bool == false)
    }
}
