import FoundationEssentials
import Storekeeper

extension VaultLawCheck {
    static var ownershipChecks: [VaultCheck<Tested>] {
        [
            VaultCheck("a chain belongs to the first customer who presents it") { try await $0.chainConflict() },
            VaultCheck("a token belongs to the first customer who presents it") { try await $0.tokenConflict() },
            VaultCheck("a customer's id is their token, in upper and lower case") { try await $0.tokenThatIsTheID() },
            VaultCheck("the newest token of a chain counts") { try await $0.newestToken() },
            VaultCheck("the newest token of an unbound chain counts in any order of arrival") {
                try await $0.newestParkedToken()
            },
            VaultCheck("a copy of a transaction that counts stays with its customer, whatever its token") {
                try await $0.copiesStay()
            },
            VaultCheck("a renewal info belongs to the chain it names") { try await $0.renewalInfoConflict() },
            VaultCheck("the first claim binds; later claims return the owner") { try await $0.claims() },
            VaultCheck("holders, bindings and chains can be looked up") { try await $0.lookups() },
            VaultCheck("evidence without a named customer goes to its owner") { try await $0.distribution() },
            VaultCheck("a renewal info without a known chain waits for the chain") { try await $0.loneInfo() },
            VaultCheck("a batch with only parked facts and a notification writes nothing about the customer") {
                try await $0.onlyParked()
            },
            VaultCheck("a receipt lists the evidence parked under the batch's new bindings") {
                try await $0.boundByTheBatch()
            },
        ]
    }

    private static func token(_ text: String) throws -> BindingSubject {
        guard let token = UUID(uuidString: text) else { throw ConformanceFailure("\(text) is not a UUID") }
        return .token(token)
    }

    private static func chain(_ draft: TransactionDraft) -> ChainID {
        ChainID(bundleID: draft.bundleID, environment: draft.environment, originalID: draft.originalID)
    }

    func chainConflict() async throws {
        let first = VaultShop.coins("1")
        try await learn([first])
        let picture = try await VaultPicture(of: vault)
        var batch = try Self.batch([VaultShop.badge("7"), first.signed(at: .day(3))], for: "ben")
        batch.events = [VaultShop.event("badge", at: .day(3))]
        batch.notifications = ["n-1"]
        batch.expectedOwn = [0, 1]
        let own = try await division(of: batch)
        expect(own, is: [0], "the facts that are the customer's")
        try await expectUnchanged(since: picture, by: "a batch that expects to own another customer's evidence")
        batch.expectedOwn = own
        let conflicts = try await conflicts(of: batch)
        expect(
            conflicts,
            is: [
                BindingConflict(
                    originalTransactionID: "1", subject: .chain(Self.chain(first)), holder: "anna", claimant: "ben",
                    attempts: 1)
            ], "the conflicts")
        expect(try await vault.load("ben").facts.count, is: 1, "the facts next to one of another customer")
        expect(try await vault.allParked().map(\.reason), is: [.conflict], "why the other customer's fact is parked")
        expect(try await vault.load("anna").adoptable.rows.count, is: 1, "the number of facts parked for the holder")
        var other = first
        other.bundleID = "com.example.other"
        try await learn([other, first.made(in: .sandbox)], for: "ben")
    }

    func onlyParked() async throws {
        let fact = try VaultShop.badge("1").verifiedFact()
        let batch = CommitBatch(
            for: .owner(primary: "anna"), at: .day(1), facts: [fact], notifications: ["n-1"])
        let receipt = try await commit(batch)
        expect(receipt.parked.positions, is: [0], "the parked facts")
        expect(receipt.version, is: 0, "the version of the unknown customer")
        expect(try await vault.customers(after: nil, limit: 10), is: [], "the known customers")
        expect(try await vault.seenNotifications(among: ["n-1"]), is: ["n-1"], "the recorded notifications")
        expect(try await commit(batch).repeatedNotifications, is: ["n-1"], "the repeated notifications")
    }

    func tokenConflict() async throws {
        try await learn([VaultShop.badge("1", token: VaultShop.token)])
        let conflicts = try await conflicts(of: Self.batch([VaultShop.badge("2", token: VaultShop.token)], for: "ben"))
        expect(conflicts.map(\.subject), is: [try Self.token(VaultShop.token)], "the subject of the conflict")
        expect(conflicts.map(\.holder), is: ["anna"], "the holder of the token")
        expect(
            try await vault.load("ben").version, is: 0, "the version of the customer who presented another's evidence")
        expect(try await vault.allParked().count, is: 1, "the number of facts parked for the holder of the token")
        try await learn([VaultShop.badge("3", token: VaultShop.token)])
    }

    func tokenThatIsTheID() async throws {
        let upper = CustomerID(rawValue: VaultShop.token.uppercased())
        try await learn([VaultShop.badge("1", token: VaultShop.token)], for: upper)
        let lower = CustomerID(rawValue: VaultShop.token)
        expect(try await vault.load(lower).facts.count, is: 1, "the facts under the id in lower case")
        let subject = try Self.token(VaultShop.token)
        expect(try await vault.holders(of: [subject]), is: [subject: lower], "the holder of the token that is an id")
        let conflicts = try await conflicts(of: Self.batch([VaultShop.badge("2", token: VaultShop.token)], for: "ben"))
        expect(conflicts.map(\.holder), is: [lower], "the holder of the token that is an id")
        expect(try await vault.claim(subject, for: "ben", at: .day(2)), is: lower, "the answer to another's claim")
        expect(try await vault.claim(subject, for: lower, at: .day(2)), is: nil, "the answer to their own claim")
    }

    func newestToken() async throws {
        try await learn([VaultShop.badge("1", token: VaultShop.token)], for: "ben")
        let old = VaultShop.badge("2", token: VaultShop.token)
        var new = old.signed(at: .day(4))
        new.appAccountToken = VaultShop.otherToken
        try await learn([old, new])
        let third = try Self.token(VaultShop.otherToken)
        expect(try await vault.holders(of: [third])[third], is: "anna", "the holder of the newest token")
        // An older copy with another customer's token has no effect after a newer copy is stored.
        try await learn([old.signed(at: .day(3))])
        // A further transaction of the chain belongs to the owner of an even newer token.
        var next = old.signed(at: .day(5))
        next.id = "2-renewed"
        let conflicts = try await conflicts(of: Self.batch([next]))
        expect(conflicts.map(\.holder), is: ["ben"], "the holder of an even newer token")
    }

    /// A refund must take effect even if the app has set another customer's token since the purchase.
    func copiesStay() async throws {
        try await learn([VaultShop.badge("1", token: VaultShop.token)], for: "ben")
        let coins = VaultShop.coins("2")
        try await learn([coins])
        var refund = coins.revoked(at: .day(2), signedAt: .day(3))
        refund.appAccountToken = VaultShop.token
        var renewed = refund
        renewed.id = "2-renewed"
        let batch = try Self.batch([refund, renewed])
        let receipt = try await commit(batch)
        expect(receipt.newFacts, is: [0], "the facts that are the customer's")
        expect(receipt.parked.positions, is: [1], "the facts that were put aside")
        expect(receipt.parked.conflicts.map(\.holder), is: ["ben"], "the reported holder of the token")
        expect(try await amount(), is: 0, "the balance after the refund")
        // Whoever else presents the reversal, it takes effect with the owner's next commit, which is due at once.
        let reversed = coins.reversed(signedAt: .day(4))
        let presented = try await commit(Self.batch([reversed], for: "carl"))
        expect(presented.parked.conflicts.map(\.holder), is: ["anna"], "the holder of the chain")
        expect(presented.parked.owners, is: ["anna"], "the owner who takes in the copy")
        let waiting = try await vault.load("anna").adoptable.rows
        expect(waiting.map(\.jws.compact), is: [reversed.fakeJWS], "the evidence that waits for the owner")
        try await commit(CommitBatch(customer: "anna", at: .day(4), facts: waiting, rule: VaultShop.rule()))
        expect(try await amount(), is: 500, "the balance after the reversal")
        expect(try await amount(of: "ben"), is: 0, "the balance of the token's owner")
    }

    func newestParkedToken() async throws {
        expect(
            try await vault.claim(try Self.token(VaultShop.otherToken), for: "ben", at: .day(1)), is: nil,
            "the answer to the claim")
        let old = VaultShop.badge("1", token: VaultShop.token)
        var new = old.signed(at: .day(4))
        new.appAccountToken = VaultShop.otherToken
        let later = try await conflicts(of: Self.batch([new], for: "carl"))
        expect(later.map(\.holder), is: ["ben"], "the holder of the newest token")
        let earlier = try await conflicts(of: Self.batch([old], for: "anna"))
        expect(earlier.map(\.holder), is: ["ben"], "the holder of the newest token, which is parked")
        let unnamed = VaultShop.badge("1").signed(at: .day(2))
        expect(
            try await vault.owners(of: [try unnamed.verifiedFact()]), is: ["ben"],
            "the owner of a copy without a token")
        try await learn([new], for: "ben")
        try await learn([old, unnamed], for: "ben")
    }

    func renewalInfoConflict() async throws {
        let (month, info) = VaultShop.gold("1")
        try await learn([month])
        let conflicts = try await conflicts(of: Self.batch([], [info], for: "ben"))
        expect(conflicts.map(\.holder), is: ["anna"], "the holder of the chain that a renewal info names")
        expect(conflicts.map(\.originalTransactionID), is: ["1"], "the chain of the conflict")
        expect(
            try await vault.load("anna").adoptable.rows.count, is: 1,
            "the number of facts parked for the holder of the chain")
        try await learn([], [info])
        expect(try await vault.load("anna").facts.count, is: 2, "the facts of the holder")
    }

    func claims() async throws {
        let chain = BindingSubject.chain(Self.chain(VaultShop.badge("1")))
        let token = try Self.token(VaultShop.token)
        for subject in [chain, token] {
            expect(try await vault.claim(subject, for: "anna", at: .day(1)), is: nil, "the answer to the first claim")
            expect(try await vault.claim(subject, for: "anna", at: .day(2)), is: nil, "the answer to the same claim")
            expect(try await vault.claim(subject, for: "ben", at: .day(3)), is: "anna", "the answer to another's claim")
            expect(try await vault.claim(subject, for: "carl", at: .day(3)), is: "anna", "the answer to a third claim")
        }
        expect(try await vault.bindings(of: "anna").map(\.at), is: [.day(1), .day(1)], "the instants of the bindings")
        expect(try await vault.bindings(of: "ben").count, is: 0, "the number of bindings of the later claimant")
        let conflicts = try await conflicts(of: Self.batch([VaultShop.badge("1")], for: "ben"))
        expect(conflicts.map(\.attempts), is: [3], "the number of attempts on the chain, this one included,")
        let later = try await self.conflicts(of: Self.batch([VaultShop.badge("1")], for: "dora"))
        expect(later.map(\.attempts), is: [4], "the number of attempts once the evidence was parked")
        try await learn([VaultShop.badge("1", token: VaultShop.token)])
    }

    /// Commits a batch with evidence of several owners: the customer's own chain, another customer's chain, a third
    /// customer's token, and evidence without an owner.
    func distribution() async throws {
        let (month, info) = VaultShop.gold("1")
        try await learn([month])
        try await learn([VaultShop.coins("2")], for: "ben")
        expect(
            try await vault.claim(try Self.token(VaultShop.token), for: "carl", at: .day(1)), is: nil,
            "the answer to the claim")
        let drafts = [
            month.signed(at: .day(2)), VaultShop.coins("2").signed(at: .day(2)),
            VaultShop.coins("3", token: VaultShop.token), VaultShop.badge("4"),
        ]
        let facts =
            try drafts.map { try $0.verifiedFact() } + [info.verifiedFact(), VaultShop.gold("5").1.verifiedFact()]
        expect(
            try await vault.owners(of: facts), is: ["anna", "ben", "carl", nil, "anna", nil], "the owners of the facts")
        let receipt = try await commit(
            CommitBatch(
                for: .owner(primary: "anna"), at: .day(3), facts: facts, expectedOwn: [0, 4],
                rule: VaultShop.rule()))
        expect(receipt.newFacts, is: [0, 4], "the facts that were written")
        expect(receipt.parked.positions, is: [1, 2, 3, 5], "the facts that were put aside")
        expect(receipt.parked.owners, is: ["ben", "carl"], "the owners of the facts that were put aside")
        expect(receipt.parked.unclaimed, is: 2, "the number of facts without an owner")
        expect(receipt.parked.conflicts, is: [], "the conflicts of evidence without a named customer")
        expect(try await vault.load("anna").facts.count, is: 3, "the facts of the customer")
        for customer in ["ben", "carl"] as [CustomerID] {
            expect(
                try await vault.load(customer).adoptable.rows.count, is: 1, "the number of facts parked for \(customer)"
            )
        }
        expect(try await amount(of: "carl"), is: 0, "the balance while the coins are parked")
        let waiting = try await vault.load("carl").adoptable.rows
        try await commit(CommitBatch(customer: "carl", at: .day(4), facts: waiting, rule: VaultShop.rule()))
        expect(try await amount(of: "carl"), is: 500, "the balance after the coins were adopted")
    }

    func loneInfo() async throws {
        let (month, info) = VaultShop.gold("1")
        let receipt = try await commit(Self.batch([VaultShop.badge("7")], [info]))
        expect(receipt.parked.unclaimed, is: 1, "the number of facts without an owner")
        expect(try await vault.load("anna").facts.count, is: 1, "the facts of the customer")
        let adoptable = try await learn([month]).adoptable.rows
        expect(adoptable.map(\.jws.compact), is: [info.fakeJWS], "the evidence that waited for the chain")
    }

    func boundByTheBatch() async throws {
        let (month, info) = VaultShop.gold("1")
        let (other, otherInfo) = VaultShop.gold("2")
        try await learn([VaultShop.badge("7")])
        let facts = try [info.verifiedFact(), otherInfo.verifiedFact(), month.verifiedFact()]
        _ = try await parkForOwners(facts, at: .day(1))
        expect(
            try await vault.claim(.chain(Self.chain(month)), for: "anna", at: .day(1)), is: nil,
            "the answer to the claim")
        let receipt = try await learn([other])
        expect(
            receipt.adoptable.rows.map(\.jws.compact), is: [otherInfo.fakeJWS],
            "the evidence parked under the batch's new bindings")
        expect(
            Set(try await vault.load("anna").adoptable.rows.map(\.jws.compact)),
            is: [info.fakeJWS, otherInfo.fakeJWS, month.fakeJWS], "all parked evidence")
    }

    func lookups() async throws {
        let drafts = [VaultShop.badge("1", token: VaultShop.token), VaultShop.badge("2")]
        try await learn(drafts)
        let subjects = [BindingSubject.chain(Self.chain(drafts[0])), try Self.token(VaultShop.token)]
        let stranger = BindingSubject.chain(Self.chain(VaultShop.badge("9")))
        expect(
            try await vault.holders(of: subjects + [stranger]), is: [subjects[0]: "anna", subjects[1]: "anna"],
            "the holders")
        expect(
            Set(try await vault.bindings(of: "anna").map(\.subject)),
            is: Set(subjects + [.chain(Self.chain(drafts[1]))]), "what belongs to the customer")
        let sandbox = VaultShop.badge("1").made(in: .sandbox)
        try await parkForOwners([sandbox.verifiedFact()], at: .day(2))
        expect(
            Set(try await vault.chains(originalID: "1")), is: [Self.chain(drafts[0]), Self.chain(sandbox)],
            "the chains of an original transaction, bound and parked,")
        expect(try await vault.chains(originalID: "9"), is: [], "the chains of an unknown id")
    }
}
