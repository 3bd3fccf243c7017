import FoundationEssentials
import Storekeeper

extension VaultLawCheck {
    static var pageChecks: [VaultCheck<Tested>] {
        [
            VaultCheck("parked evidence can be read in pages during writes") { try await $0.parkedPages() },
            VaultCheck("evidence that a customer can adopt is adopted page by page") { try await $0.adoptablePages() },
            VaultCheck("disputed evidence does not end the pages of adoptable evidence") {
                try await $0.disputedPages()
            },
            VaultCheck("a claim checks all parked evidence of a chain") { try await $0.longDispute() },
            VaultCheck("customers with owed transactions can be read in pages during writes") {
                try await $0.owedPages()
            },
        ]
    }

    /// Returns the rows of all pages, and runs a closure after each page.
    private func rows<Row>(
        inPagesOf limit: Int, after each: (Int) async throws -> Void,
        _ read: (FeedPlace) async throws(VaultError) -> VaultPage<Row>
    ) async throws -> [Row] {
        var (rows, count) = ([Row](), 0)
        var place: FeedPlace? = .start
        while let start = place {
            let page = try await read(start)
            expect(page.rows.count <= limit, "a page of \(limit) has \(page.rows.count) rows")
            rows += page.rows
            count += 1
            guard count < 100 else { throw ConformanceFailure("the pages do not end") }
            place = page.next
            if place != nil { try await each(count) }
        }
        return rows
    }

    private func park(_ numbers: ClosedRange<Int>, token: String? = nil) async throws -> [VerifiedFact] {
        let facts = try numbers.map { number in
            try VaultShop.badge(Transaction.ID(rawValue: "\(number)"), token: token).verifiedFact()
        }
        try await parkForOwners(facts, at: .day(1))
        return facts
    }

    private static func ids(_ facts: [VerifiedFact]) -> [String] {
        facts.compactMap { $0.transaction?.id.rawValue }
    }

    func parkedPages() async throws {
        let facts = try await park(10...16)
        let found = try await rows(
            inPagesOf: 2,
            after: { count in
                guard count == 1 else { return }
                // Commits a fact that was on the first page, and a fact that is on a later page. Then parks another
                // fact.
                try await commit(CommitBatch(customer: "anna", at: .day(2), facts: [facts[0], facts[4]]))
                _ = try await park(20...20)
            }, { place throws(VaultError) in try await vault.parked(after: place, limit: 2) })
        let ids = Self.ids(found.map(\.fact))
        expect(ids, is: ["10", "11", "12", "13", "15", "16", "20"], "the parked facts that were read")
        let text = try await vault.parked(after: .start, limit: 3).next?.description
        guard let text, let place = FeedPlace(text) else {
            return expect(false, "the place of the next page cannot be stored as text")
        }
        let rest = try await vault.parked(after: place, limit: 100)
        expect(Self.ids(rest.rows.map(\.fact)), is: ["15", "16", "20"], "the rows read from a stored place")
        expect(rest.next, is: nil, "the place after the last page")
        expect(
            try await vault.parked(after: .start, limit: 0).rows.count, is: 0,
            "the number of rows in a page with limit 0")
    }

    func adoptablePages() async throws {
        guard let token = UUID(uuidString: VaultShop.token) else { throw ConformanceFailure("the token is not a UUID") }
        _ = try await park(10...19, token: VaultShop.token)
        expect(try await vault.claim(.token(token), for: "anna", at: .day(2)), is: nil, "the answer to the claim")
        expect(
            Self.ids(try await vault.allAdoptable(by: "anna", inPagesOf: 3)), is: (10...19).map { "\($0)" },
            "what can be adopted, read in pages of three,")
        var adopted: [VerifiedFact] = []
        var place: FeedPlace? = .start
        while let start = place {
            let page = try await vault.adoptable(by: "anna", after: start, limit: 3)
            try await commit(CommitBatch(customer: "anna", at: .day(2), facts: page.rows))
            adopted += page.rows
            place = adopted.count > 100 ? nil : page.next
        }
        expect(Self.ids(adopted), is: (10...19).map { "\($0)" }, "what was adopted page by page")
        expect(try await vault.allParked().count, is: 0, "the number of parked facts afterwards")
        expect(try await vault.load("anna").facts.count, is: 10, "the number of the customer's facts afterwards")
    }

    func disputedPages() async throws {
        guard let token = UUID(uuidString: VaultShop.otherToken) else {
            throw ConformanceFailure("the token is not a UUID")
        }
        expect(try await vault.claim(.token(token), for: "ben", at: .day(1)), is: nil, "the answer to the claim")
        try await learn((10...16).map { VaultShop.badge(Transaction.ID(rawValue: "\($0)")) })
        var drafts = (10...16).map { VaultShop.badge(Transaction.ID(rawValue: "\($0)")) }
        for index in drafts.indices {
            drafts[index].signedAt = .day(5)
            guard index < 6 else { continue }
            drafts[index].id = Transaction.ID(rawValue: "\(10 + index)-again")
            drafts[index].appAccountToken = VaultShop.otherToken
        }
        try await commit(
            CommitBatch(
                for: .owner(primary: nil), at: .day(5), facts: try drafts.map { try $0.verifiedFact() }))
        expect(
            Self.ids(try await vault.allAdoptable(by: "anna", inPagesOf: 2)), is: ["16"],
            "the adoptable evidence after pages of disputed evidence")
    }

    func longDispute() async throws {
        guard let token = UUID(uuidString: VaultShop.token) else { throw ConformanceFailure("the token is not a UUID") }
        expect(try await vault.claim(.token(token), for: "ben", at: .day(1)), is: nil, "the answer to the claim")
        let plain = VaultShop.badge("1")
        var named = VaultShop.badge("1", token: VaultShop.token)
        named.signedAt = .day(3)
        // A single copy with a token is among hundreds of copies without a token.
        let copies = (0..<700).map { plain.signed(at: Instant.day(1).adding(milliseconds: Int64($0))) }
        let facts = try (copies.prefix(600) + [named] + copies.dropFirst(600)).map { try $0.verifiedFact() }
        let batch = CommitBatch(for: .customer("carl"), at: .day(4), facts: facts)
        _ = try await conflicts(of: batch)
        let chain = ChainID(try plain.transaction())
        expect(
            try await vault.claim(.chain(chain), for: "anna", at: .day(4)), is: "ben",
            "the answer to a claim of a chain whose newest token is another's")
    }

    func owedPages() async throws {
        func addOutstandingDelivery(_ number: Int, to customer: CustomerID) async throws {
            var batch = try Self.batch([VaultShop.badge(Transaction.ID(rawValue: "\(number)"))], for: customer)
            batch.owesDelivery = true
            try await commit(batch)
        }
        func markDelivery(_ number: Int) async throws {
            let draft = VaultShop.badge(Transaction.ID(rawValue: "\(number)"))
            try await vault.markDelivery(
                of:
                    TransactionKey(bundleID: draft.bundleID, environment: draft.environment, transactionID: draft.id),
                as: nil)
        }
        for (number, customer) in (["c1", "c2", "c2", "c3", "c4", "c5", "c6"] as [CustomerID]).enumerated() {
            try await addOutstandingDelivery(number, to: customer)
        }
        try await learn([VaultShop.badge("100")], for: "c0")
        try await markDelivery(3)
        var found: [CustomerID] = []
        while found.count < 100 {
            let page = try await vault.customersOwed(after: found.last, limit: 2)
            expect(page.count <= 2, "a page of two has \(page.count) customers")
            if page.isEmpty { break }
            found += page
            if found.count == 2 {
                // Between two pages, a customer who was already read is owed another delivery, the delivery to a
                // customer who was not read yet is done, and a new customer is owed a delivery.
                try await addOutstandingDelivery(7, to: "c1")
                try await markDelivery(4)
                try await addOutstandingDelivery(8, to: "c7")
            }
        }
        expect(found.filter { $0 != "c7" }, is: ["c1", "c2", "c5", "c6"], "the customers with owed transactions")
        expect(Set(found).count, is: found.count, "the number of different customers in the pages")
        expect(try await vault.unfinished(of: "c2").count, is: 2, "the number of transactions owed to one customer")
    }
}
