import FoundationEssentials
import Storekeeper

extension VaultLawCheck {
    static var tokenChecks: [VaultCheck<Tested>] {
        [
            VaultCheck("the vault's rule determines the owner of a token") { try await $0.tokenOfAnID() },
            VaultCheck("an unowned token belongs to the first who presents it if ids are not tokens") {
                try await $0.tokenOfAName()
            },
            VaultCheck("a claim binds a token under every rule") { try await $0.claimedToken() },
            VaultCheck("the id of another customer cannot be claimed as a token") { try await $0.claimedID() },
            VaultCheck("evidence parked under a token belongs to the token's owner") { try await $0.parkedToken() },
        ]
    }

    private static var named: CustomerID { CustomerID(rawValue: VaultShop.token) }
    private static var other: CustomerID { CustomerID(rawValue: VaultShop.otherToken) }

    private static func subject() throws -> BindingSubject {
        guard let token = UUID(uuidString: VaultShop.token) else { throw ConformanceFailure("the token is not a UUID") }
        return .token(token)
    }

    /// Presents a token that equals the id of an unknown customer, for a customer whose id is another UUID.
    func tokenOfAnID() async throws {
        let badge = VaultShop.badge("1", token: VaultShop.token)
        let batch = try Self.batch([badge], for: Self.other)
        switch vault.accountTokens {
        case .asIDs:
            let conflicts = try await conflicts(of: batch)
            expect(conflicts.map(\.holder), is: [Self.named], "the holder of a token that is an id")
            expect(conflicts.map(\.subject), is: [try Self.subject()], "the subject of the conflict")
            expect(
                try await vault.bindings(of: Self.other).count, is: 0,
                "the number of bindings of the customer who is not the owner")
            expect(
                try await vault.load(Self.named).adoptable.rows.count, is: 1, "the number of facts parked for the owner"
            )
            try await learn([badge], for: Self.named)
            expect(try await vault.allParked().count, is: 0, "the number of parked facts once the owner has them")
        case .opaque:
            try await commit(batch)
            expect(
                try await vault.holders(of: [try Self.subject()]), is: [try Self.subject(): Self.other],
                "the holder of an opaque token")
            let conflicts = try await conflicts(
                of: Self.batch([VaultShop.badge("2", token: VaultShop.token)], for: Self.named))
            expect(conflicts.map(\.holder), is: [Self.other], "the holder of an opaque token")
        }
    }

    func tokenOfAName() async throws {
        try await learn([VaultShop.badge("1", token: VaultShop.token)], for: "ben")
        expect(
            try await vault.holders(of: [try Self.subject()]), is: [try Self.subject(): "ben"],
            "the holder of the token")
        for late in [Self.named, "carl"] {
            let conflicts = try await conflicts(
                of: Self.batch([VaultShop.badge("2", token: VaultShop.token)], for: late))
            expect(conflicts.map(\.holder), is: ["ben"], "the holder of the token")
        }
        try await learn([VaultShop.badge("3", token: VaultShop.token)], for: "ben")
    }

    func claimedToken() async throws {
        expect(try await vault.claim(try Self.subject(), for: "ben", at: .day(1)), is: nil, "the answer to the claim")
        let conflicts = try await conflicts(
            of: Self.batch([VaultShop.badge("1", token: VaultShop.token)], for: Self.named))
        expect(conflicts.map(\.holder), is: ["ben"], "the holder of a claimed token")
        try await learn([VaultShop.badge("1", token: VaultShop.token)], for: "ben")
        // If tokens are customer ids, the token would belong to the customer with this id. But another customer claimed
        // the token before this customer was known.
        let own = try await vault.claim(try Self.subject(), for: Self.named, at: .day(2))
        expect(own, is: "ben", "the answer to the later claim")
    }

    /// Claims the id of an unknown customer as a token.
    func claimedID() async throws {
        let refused: CustomerID? = vault.accountTokens == .asIDs ? Self.named : nil
        let answer = try await vault.claim(try Self.subject(), for: Self.other, at: .day(1))
        expect(answer, is: refused, "the answer to a customer whose id is another UUID")
        // Nobody can tell whether a customer with another kind of id owns the token, so a claim of theirs binds.
        guard refused != nil else { return }
        expect(try await vault.claim(try Self.subject(), for: "ben", at: .day(2)), is: nil, "the answer to a claim")
        let badge = VaultShop.badge("1", token: VaultShop.token)
        try await learn([badge], for: "ben")
        let conflicts = try await conflicts(of: Self.batch([badge], for: Self.named))
        expect(conflicts.map(\.holder), is: ["ben"], "the holder of the claimed token")
    }

    func parkedToken() async throws {
        let badge = VaultShop.badge("1", token: VaultShop.token)
        try await parkForOwners([badge.verifiedFact()], at: .day(1))
        let waiting = try await vault.load(Self.named).adoptable.rows.count
        expect(
            waiting, is: vault.accountTokens == .asIDs ? 1 : 0, "the number of facts parked for the customer of that id"
        )
        expect(try await vault.claim(try Self.subject(), for: "ben", at: .day(2)), is: nil, "the answer to the claim")
        expect(
            try await vault.load("ben").adoptable.rows.count, is: 1,
            "the number of facts parked for the claimant of the token")
        expect(
            try await vault.load(Self.named).adoptable.rows.count, is: 0,
            "the number of facts parked for the customer of that id")
    }
}
