import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of the policy that flags and storekeeper.yaml set, as `check` applies it.
@Suite(.system) struct PolicyTests {
    /// A customer with gold to the end of January, in the grace period until 7 February, then in billing retry.
    private let failing: Customer
    /// A customer with gold to the end of January, and with auto-renewal on.
    private let renewing: Customer

    init() throws {
        failing = try Customer(
            [Customer.gold], [RenewalInfoDraft(for: Customer.gold, signedAt: .month(1)).grace(until: .day(37))])
        renewing = try Customer([Customer.gold], [RenewalInfoDraft(for: Customer.gold, signedAt: .day(2))])
    }

    private func check(_ customer: Customer, _ at: String, _ options: [String] = []) throws -> String {
        try customer.ask(["check", "gold.monthly", "customer.jws", "--at", at] + options).output
    }

    private static let grace = "entitled (gracePeriod) until 2026-02-07T00:00:00.000Z\n"
    private static let retry = "lapsed (billingRetry) until 2026-04-02T00:00:00.000Z\n"
    private static let expired = "lapsed (expired)\n"

    @Test("The grace period gives access unless --no-grace is given")
    func grace() throws {
        #expect(try check(failing, "2026-02-03") == Self.grace)
        #expect(try check(failing, "2026-02-03", ["--no-grace"]).hasPrefix("lapsed (billingRetry) until "))
    }

    @Test("Billing retry gives access only with --billing-retry-entitles")
    func billingRetry() throws {
        #expect(try check(failing, "2026-02-10") == Self.retry)
        #expect(
            try check(failing, "2026-02-10", ["--billing-retry-entitles"])
                == "entitled (gracePeriod) until 2026-04-02T00:00:00.000Z\n")
    }

    @Test("A renewal may be late by --renewal-leeway")
    func leeway() throws {
        #expect(try check(renewing, "2026-02-01T00:30:00Z") == Self.expired)
        #expect(
            try check(renewing, "2026-02-01T00:30:00Z", ["--renewal-leeway", "PT1H"])
                == "entitled (renewalLeeway) until 2026-02-01T01:00:00.000Z\n")
        #expect(try check(renewing, "2026-02-01T01:00:00Z", ["--renewal-leeway", "PT1H"]) == Self.expired)
    }

    @Test("--renewal-leeway says that it needs a renewal info, in its help and if there is none")
    func leewayWithoutRenewalInfo() throws {
        let note =
            "storekeeper: note: --renewal-leeway has no effect: it needs a renewal info that announces the renewal"
        let bare = try Customer([Customer.gold])
        func run(_ customer: Customer, _ options: [String]) throws -> Program.Result {
            try customer.ask(["check", "gold.monthly", "customer.jws", "--at", "2026-02-01T00:30:00Z"] + options)
        }
        let without = try run(bare, ["--renewal-leeway", "PT1H"])
        #expect(without.output == Self.expired && without.status == 1, "\(without.output)")
        #expect(without.errorLines.filter { $0.hasPrefix(note) }.count == 1, "\(without.errors)")
        #expect(try !run(bare, []).errors.contains("--renewal-leeway"))
        #expect(try !run(renewing, ["--renewal-leeway", "PT1H"]).errors.contains("--renewal-leeway"))
        let help = try Program.run(["check", "--help"], in: bare.folder).output
        #expect(help.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains("a renewal info announces"))
    }

    @Test("storekeeper.yaml supports the same policy as the flags, and root, app and catalogs")
    func configuration() throws {
        try failing.folder.write(
            """
            root: root.pem
            bundleID: com.example.game
            catalogs: [catalog.json]
            policy:
              grace: false
            """, to: "storekeeper.yaml")
        let arguments = ["check", "--feature", "pro", "customer.jws", "--at", "2026-02-03", "--format", "json"]
        let result = try Tool.run(arguments, in: failing.folder)
        #expect(try result.object()["reason"] as? String == "billingRetry")
        #expect(try result.diagnostics() == [])
        try failing.folder.write("policy: { billingRetryEntitles: true }\n", to: "retry.yaml")
        #expect(try check(failing, "2026-02-10", ["--config", "retry.yaml"]).hasPrefix("entitled ("))
        try renewing.folder.write("policy: { renewalLeeway: 1h }\n", to: "storekeeper.yaml")
        #expect(try check(renewing, "2026-02-01T00:30:00Z").hasPrefix("entitled (renewalLeeway)"))
        #expect(try check(renewing, "2026-02-01T00:30:00Z", ["--renewal-leeway", "PT5M"]) == Self.expired)
    }

    @Test("Given environments replace the default")
    func environments() throws {
        let sandbox = try Customer([Customer.gold.made(in: .sandbox)])
        #expect(try check(sandbox, "2026-01-10") == "never (noPurchase)\n")
        #expect(
            try check(sandbox, "2026-01-10", ["--environment", "Sandbox"])
                == "entitled (active) until 2026-02-01T00:00:00.000Z\n")
        #expect(try check(failing, "2026-01-10", ["--environment", "Sandbox"]) == "never (noPurchase)\n")
    }
}
