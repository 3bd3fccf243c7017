import Storekeeper

extension VaultLawCheck {
    static var accessChecks: [VaultCheck<Tested>] {
        [
            VaultCheck("access is granted and revoked once, and stays in the account") { try await $0.accessOnce() },
            VaultCheck("a key serves one grant or one request") { try await $0.accessKeys() },
            VaultCheck("access that cannot be recorded changes nothing") { try await $0.invalidAccess() },
            VaultCheck("access is erased with the customer, and its key stays used") { try await $0.erasedAccess() },
        ]
    }

    private static func grant(
        _ key: AccessGrant.ID = "ticket", _ subject: AccessGrant.Subject = .feature("pro"),
        at instant: Instant = .day(2),
        until end: Instant = .day(30), because reason: String = "an outage", by caller: String? = "maria"
    ) -> AccessGrant {
        AccessGrant(
            id: key, subject: subject, grantedAt: instant, until: end, reason: reason, recordedBy: caller)
    }

    private static func batch(
        _ change: AccessChange, for customer: CustomerID = "anna", at instant: Instant = .day(2)
    ) -> CommitBatch {
        CommitBatch(customer: customer, at: instant, access: change)
    }

    private static var revocation: AccessGrant.Revocation {
        AccessGrant.Revocation(at: .day(5), reason: "the wrong person", recordedBy: "otto")
    }

    func accessOnce() async throws {
        try await learn([VaultShop.coins("1")])
        let balances = try await vault.balances(of: "anna")
        let (pro, gold) = (Self.grant(), Self.grant("other", .product("gold.monthly"), by: nil))
        let receipt = try await commit(Self.batch(.grant(pro)))
        expect(receipt.entries.map(\.kind), is: [.grantAccess], "the kinds of the entries of a grant")
        expect(
            receipt.entries.map(\.cause),
            is: [.access(.feature("pro"), until: .day(30), key: "ticket", reason: "an outage")],
            "the cause of the entry")
        expect(receipt.entries.map(\.recordedBy), is: ["maria"], "the caller of the entry")
        try await commit(Self.batch(.grant(gold)))
        expect(try await vault.load("anna").grants, is: [pro, gold], "the grants of the customer")
        let picture = try await VaultPicture(of: vault)
        let again = try await commit(Self.batch(.grant(Self.grant(at: .day(9), by: "otto")), at: .day(9)))
        expect(again.entries.count, is: 0, "the number of entries of a repeated grant")
        try await expectUnchanged(since: picture, by: "a repeated grant")

        let revoked = try await commit(Self.batch(.revoke("ticket", Self.revocation), at: .day(5)))
        expect(revoked.entries.map(\.kind), is: [.revokeAccess], "the kinds of the entries of a revocation")
        var ended = pro
        ended.revocation = Self.revocation
        expect(try await vault.load("anna").grants, is: [ended, gold], "the grants after a revocation")
        let later = AccessGrant.Revocation(at: .day(8), reason: "again")
        expect(
            try await commit(Self.batch(.revoke("ticket", later), at: .day(8))).entries.count, is: 0,
            "the number of entries of a repeated revocation")
        expect(try await vault.load("anna").grants, is: [ended, gold], "the grants after a repeated revocation")
        expect(try await vault.balances(of: "anna"), is: balances, "the balances")
        let entries = try await vault.entries(after: .start, of: "anna", limit: 9)
        expect(
            entries.map(\.kind), is: [.credit, .grantAccess, .grantAccess, .revokeAccess], "the kinds of all entries")
        expect(entries.map(\.number), is: [1, 2, 3, 4], "the numbers of all entries")
        expect(try await vault.load("ben").grants, is: [], "the grants of another customer")
        expect(try await vault.checkIntegrity().faults, is: [], "the faults of the vault")
    }

    func accessKeys() async throws {
        try await learn([VaultShop.coins("1")])
        try await spend(10, key: "order")
        try await commit(Self.batch(.grant(Self.grant())))
        let picture = try await VaultPicture(of: vault)
        let others = [
            AccessChange.grant(Self.grant("order")), .grant(Self.grant("ticket", .product("pro"))),
            .grant(Self.grant(until: .day(31))), .grant(Self.grant(because: "a gift")),
        ]
        for other in others {
            guard case .refused(.keyReused) = try await vault.commit(Self.batch(other)) else {
                throw ConformanceFailure("a key was used twice")
            }
        }
        let spend = LedgerRequest.spend(1, of: "coins", by: "anna", key: "ticket", at: .day(3))
        expect(try await move(spend), is: .failure(.keyReused), "the answer to a spend with the key of a grant")
        for (key, customer) in [("order", "anna"), ("unknown", "anna"), ("ticket", "ben")]
            as [(AccessGrant.ID, CustomerID)]
        {
            guard
                case .refused(.unknownGrant) = try await vault.commit(
                    Self.batch(.revoke(key, Self.revocation), for: customer))
            else { throw ConformanceFailure("access that was not granted was revoked") }
        }
        try await expectUnchanged(since: picture, by: "refused changes of access")
        try await commit(Self.batch(.grant(Self.grant()), for: "ben"))
        expect(try await vault.load("ben").grants.count, is: 1, "the grants of another customer with the same key")
    }

    func invalidAccess() async throws {
        try await learn([VaultShop.coins("1")])
        let picture = try await VaultPicture(of: vault)
        let (long, reason) = (String(repeating: "x", count: 257), String(repeating: "r", count: 1_025))
        let grants = [
            Self.grant(until: .day(2)), Self.grant(until: .day(1)), Self.grant(""), Self.grant(because: ""),
            Self.grant("k", .feature("")), Self.grant(AccessGrant.ID(long)),
            Self.grant("k", .product(Product.ID(long))),
            Self.grant(because: reason), Self.grant(by: long),
        ]
        for grant in grants {
            await expect(.invalidRequest, from: "an invalid grant") { () async throws(VaultError) in
                _ = try await vault.commit(Self.batch(.grant(grant)))
            }
        }
        try await expectUnchanged(since: picture, by: "invalid grants")
    }

    func erasedAccess() async throws {
        try await commit(Self.batch(.grant(Self.grant())))
        try await commit(Self.batch(.revoke("ticket", Self.revocation), at: .day(5)))
        let erasure = try await vault.erase("anna", reason: "asked", at: .day(6))
        expect(erasure.entries, is: 2, "the number of emptied entries")
        expect(try await vault.load("anna").grants, is: [], "the grants of an erased customer")
        guard case .refused(.keyReused) = try await vault.commit(Self.batch(.grant(Self.grant()))) else {
            throw ConformanceFailure("a key from before the erasure was used again")
        }
        try await commit(Self.batch(.grant(Self.grant("new"))))
        expect(try await vault.load("anna").grants.map(\.id), is: ["new"], "the grants after the erasure")
        expect(try await vault.checkIntegrity().faults, is: [], "the faults of the vault")
    }
}
