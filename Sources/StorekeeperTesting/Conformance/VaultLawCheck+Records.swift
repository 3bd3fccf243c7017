import Storekeeper

extension VaultLawCheck {
    static var recordChecks: [VaultCheck<Tested>] {
        [
            VaultCheck("an unknown customer has an empty record") { try await $0.unknownCustomer() },
            VaultCheck("a committed batch can be loaded") { try await $0.commitThenLoad() },
            VaultCheck("a fact is stored once") { try await $0.factsOnce() },
            VaultCheck("every version of a renewal info is kept, in any order of arrival") {
                try await $0.renewalInfoVersions()
            },
            VaultCheck("a stale batch writes nothing") { try await $0.staleBatch() },
            VaultCheck("every batch with new facts increments the version") { try await $0.versions() },
            VaultCheck("facts, entries and events can be read from any place") { try await $0.paging() },
            VaultCheck("customers can be listed in order") { try await $0.customerPages() },
        ]
    }

    func unknownCustomer() async throws {
        let record = try await vault.load("nobody")
        expect(record.version, is: 0, "the version")
        expect(record.facts.count + record.balances.count + record.unfinished.count, is: 0, "the number of rows")
        expect(record.pending.count + record.adoptable.rows.count, is: 0, "the number of pending or adoptable items")
        expect(record.lastEntry, is: .none, "the last entry")
        expect(record.evaluatedThrough == nil && record.syncedAt == nil, "an unknown customer has instants")
        let version = try await vault.version(of: "nobody")
        expect(version.version == 0 && version.lastEntry == .none, "version(of:) is \(version)")
        expect(try await vault.customers(after: nil, limit: 10), is: [], "the list of customers after looking")
        expect(try await vault.nextWake() == nil, "a customer is to be woken")
    }

    func commitThenLoad() async throws {
        let (month, info) = VaultShop.gold("1")
        var batch = try Self.batch([month, VaultShop.coins("2")], [info], at: .day(3))
        batch.syncedAt = .day(2)
        batch.evaluatedThrough = .day(1)
        let receipt = try await commit(batch)
        let record = try await vault.load("anna")
        expect(receipt.newFacts, is: [0, 1, 2], "the positions of new facts")
        expect(record.version, is: receipt.version, "the version")
        expect(
            record.facts.map(\.fact.jws.compact), is: batch.facts.map(\.jws.compact),
            "the exact text of the facts, in the order in which they came,")
        expect(record.facts.allSatisfy { $0.learnedAt == .day(3) }, "the instant of learning is lost")
        expect(record.facts.map(\.customer), is: ["anna", "anna", "anna"], "the customer of the facts")
        expect(record.syncedAt, is: .day(2), "the instant of the sync")
        expect(record.evaluatedThrough, is: .day(1), "the instant of evaluation")
        expect(record.balances, is: receipt.balances, "the balances")
        expect(record.lastEntry, is: receipt.entries.last.map(AccountEnd.init) ?? .none, "the last entry")
        let version = try await vault.version(of: "anna")
        expect(
            version.version == record.version && version.lastEntry == record.lastEntry,
            "version(of:) says \(version), which is not what load(_:) says")
    }

    func renewalInfoVersions() async throws {
        let (month, info) = VaultShop.gold("1")
        let (failed, recovered) = (
            RenewalInfoDraft(for: month, signedAt: .day(31)).grace(until: .day(37)),
            RenewalInfoDraft(for: TransactionDraft.renewal(of: month), signedAt: .day(40))
        )
        try await learn([month], [recovered], at: .day(40))
        // The older renewal infos are about an earlier period, and apply to that period.
        let receipt = try await learn([], [info, failed, recovered], at: .day(41))
        expect(receipt.newFacts, is: [0, 1], "the positions of new versions")
        let record = try await vault.load("anna")
        expect(
            record.facts.compactMap { $0.fact.renewalInfo?.signedAt }.sorted(),
            is: [info.signedAt, .day(31), .day(40)], "the instants at which the renewal infos were signed")
    }

    func factsOnce() async throws {
        let (first, second) = (VaultShop.coins("1"), VaultShop.badge("2"))
        let receipt = try await learn([first, first, second, first])
        expect(receipt.newFacts, is: [0, 2], "the positions of new facts in a batch with repetitions")
        let again = try await learn([second, first], at: .day(5))
        expect(again.newFacts, is: [], "the positions of new facts when all is known")
        expect(again.entries.count, is: 0, "the number of entries made of known facts")
        let mixed = try await learn([second, VaultShop.badge("3"), first], at: .day(6))
        expect(mixed.newFacts, is: [1], "the positions of new facts among known ones")
        let facts = try await vault.load("anna").facts
        expect(facts.compactMap(\.fact.transaction?.id.rawValue), is: ["1", "2", "3"], "the facts")
        expect(facts.first?.learnedAt, is: .day(1), "the instant at which a repeated fact was learned")
        expect(try await amount(), is: 500, "the balance")
        let copy = first.signed(at: .day(9))
        expect(try await learn([copy]).newFacts, is: [0], "a copy that was signed again, which is a separate fact,")
    }

    func staleBatch() async throws {
        let version = try await learn([VaultShop.badge("1")]).version
        try await learn([VaultShop.badge("2")])
        let picture = try await VaultPicture(of: vault)
        var batch = try Self.batch([VaultShop.coins("3")])
        batch.expectedVersion = version
        batch.events = [VaultShop.event("badge", at: .day(1))]
        batch.notifications = ["n-1"]
        batch.owesDelivery = true
        if case .stale(let current) = try await vault.commit(batch) {
            expect(current, is: try await vault.load("anna").version, "the version that is returned for a stale batch")
        } else {
            expect(false, "a batch for version \(version) was not reported as stale")
        }
        try await expectUnchanged(since: picture, by: "a stale batch")
        batch.expectedVersion = try await vault.load("anna").version
        expect(try await commit(batch).repeatedNotifications, is: [], "the notifications stored by a stale batch")
        var strange = try Self.batch([VaultShop.badge("9")], for: "stranger")
        strange.expectedVersion = 0
        try await commit(strange)
    }

    func versions() async throws {
        var versions = [try await vault.load("anna").version]
        versions.append(try await learn([VaultShop.badge("1")]).version)
        versions.append(try await learn([VaultShop.badge("2")]).version)
        var batch = try Self.batch([])
        batch.events = [VaultShop.event("badge", at: .day(1))]
        versions.append(try await commit(batch).version)
        batch.events = []
        batch.syncedAt = .day(4)
        versions.append(try await commit(batch).version)
        expect(zip(versions, versions.dropFirst()).allSatisfy(<), "the versions \(versions) do not grow")
        let other = try await learn([VaultShop.badge("3")], for: "ben")
        expect(other.version, is: 1, "the version of a customer after the first batch")
        expect(try await vault.load("anna").version, is: versions.last ?? 0, "the version after another's batch")
    }

    func paging() async throws {
        for number in 1...7 {
            let customer: CustomerID = number.isMultiple(of: 3) ? "ben" : "anna"
            var batch = try Self.batch([VaultShop.coins(Transaction.ID(rawValue: "\(number)"))], for: customer)
            batch.events = [VaultShop.event("product \(number)", at: .day(number))]
            try await commit(batch)
        }
        for customer in [nil, "anna", "ben"] as [CustomerID?] {
            let who = customer?.rawValue ?? "everybody"
            let facts = try await pages { try await vault.facts(after: $0, of: customer, limit: 2).map(\.place) }
            let entries = try await pages { try await vault.entries(after: $0, of: customer, limit: 2).map(\.place) }
            let events = try await pages { try await vault.events(after: $0, of: customer, limit: 2).map(\.place) }
            let numbers = try await vault.entries(after: .start, of: customer, limit: 100).map(\.number)
            expect(
                numbers, is: customer == nil ? [1, 2, 1, 3, 4, 2, 5] : numbers.indices.map { Int64($0 + 1) },
                "the numbers of the entries of \(who)")
            let count = customer == nil ? 7 : customer == "ben" ? 2 : 5
            for (name, places) in [("facts", facts), ("entries", entries), ("events", events)] {
                expect(places.count, is: count, "the number of \(name) of \(who), read in pages of two,")
                expect(
                    zip(places, places.dropFirst()).allSatisfy { $1.isAfter($0) },
                    "the places of the \(name) do not grow: \(places)")
                expect(!places.contains(.start), "one of the \(name) has the place at the start of the feed")
            }
        }
        expect(try await vault.entries(after: .start, of: "anna", limit: 0).count, is: 0, "a page of no entries")
        let owners = Set(try await vault.entries(after: .start, of: "ben", limit: 100).map(\.customer))
        expect(owners, is: ["ben"], "the customers in one customer's account")
    }

    private func pages(_ page: (FeedPlace) async throws -> [FeedPlace]) async throws -> [FeedPlace] {
        var places: [FeedPlace] = []
        while true {
            let next = try await page(places.last ?? .start)
            guard !next.isEmpty, places.count < 100 else { return places }
            expect(next.count <= 2, "a page of two has \(next.count) rows")
            places += next
        }
    }

    func customerPages() async throws {
        for (number, name) in ["dora", "anna", "carl", "ben"].enumerated() {
            try await learn([VaultShop.badge(Transaction.ID(rawValue: "\(number)"))], for: CustomerID(rawValue: name))
        }
        expect(try await vault.customers(after: nil, limit: 3), is: ["anna", "ben", "carl"], "the first page")
        expect(try await vault.customers(after: "carl", limit: 3), is: ["dora"], "the second page")
        expect(try await vault.customers(after: "bz", limit: 1), is: ["carl"], "a page after an unknown id")
        expect(try await vault.customers(after: "dora", limit: 3), is: [], "the page after the last")
    }
}
