import Storekeeper
import StorekeeperTesting
import Testing

/// Tests that a period with several transactions, to which seats were added, is revoked only when all of them are.
@Suite("Seat additions") struct SeatAdditionTests {
    private static let alone = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
    /// The first transaction as the App Store signs it after the addition.
    private static let first = with(alone.signed(at: .day(10))) { $0.additionalReason = .seatAddition }
    private static let added = TransactionDraft.seatAddition(to: alone, at: .day(10), seats: 3)
    private static let id = TestShop.gold.id

    private func runs(_ transactions: [TransactionDraft], _ infos: [RenewalInfoDraft] = []) throws -> [String] {
        var found: Set<[String]> = []
        for order in [transactions, transactions.reversed()] {
            let resolution = try TestShop.resolution(order, infos)
            let timeline = try #require(resolution.product(Self.id)?.timeline)
            found.insert(
                timeline.runs.dropFirst().map { run in
                    "\((run.from ?? .testEpoch).milliseconds(since: .testEpoch) / 86_400_000) \(run.value.reasonWord)"
                })
            let model = try ReferenceModel(
                GeneratedEvidence(catalog: TestShop.catalog, transactions: order, renewalInfos: infos))
            for day in 0..<110 {
                #expect(
                    ReferenceAnswer(timeline.value(at: .day(day))) == model.answer(product: Self.id, at: .day(day)),
                    "day \(day)")
            }
        }
        #expect(found.count == 1)
        return found.first ?? []
    }

    @Test("Refunding the added seats, the first seats or some seats keeps access")
    func partly() throws {
        let whole = ["0 active", "31 expired"]
        #expect(try runs([Self.first, Self.added]) == whole)
        #expect(try runs([Self.first, Self.added.revoked(at: .day(12))]) == whole)
        #expect(try runs([Self.first.revoked(at: .day(12)), Self.added]) == whole)
        // A copy of the first transaction that was signed before the addition belongs to the period.
        #expect(try runs([Self.alone, Self.added.revoked(at: .day(12))]) == whole)
        let some = with(Self.added.signed(at: .day(12))) {
            $0.otherMembers["multiSeatInfo"] = .object(["revokedSeatQuantity": .integer(2)])
        }
        #expect(try runs([Self.first, some]) == whole)
    }

    @Test("The period is revoked from the latest revocation on when all of its transactions are")
    func wholly() throws {
        let both = [Self.first.revoked(at: .day(20)), Self.added.revoked(at: .day(12))]
        #expect(try runs(both) == ["0 active", "20 refunded"])
        let resolution = try TestShop.resolution(both)
        #expect(resolution.text(Self.id, at: .day(11)) == "entitled active 1001")
        #expect(resolution.text(Self.id, at: .day(12)) == "entitled active 1000")
        #expect(resolution.text(Self.id, at: .day(20)) == "lapsed refunded 1001")
        #expect(resolution.group("membership")?.highest(at: .day(19))?.state == .subscribed)
        #expect(resolution.group("membership")?.highest(at: .day(20))?.state == .revoked)
    }

    @Test("The explanation names a seat addition, but not the transaction that began the period")
    func explained() throws {
        let steps = try TestShop.steps(Self.id, [Self.first, Self.added], at: .day(12))
        #expect(steps.contains { $0.hasPrefix("0: transaction 1000: purchase of gold.monthly") }, "\(steps)")
        #expect(steps.contains { $0.hasPrefix("10: transaction 1001: seat addition of gold.monthly") }, "\(steps)")
    }

    @Test("Transactions of another product or expiry, or without the reason, are no part of the period")
    func others() throws {
        let refunded = Self.added.revoked(at: .day(12))
        #expect(try runs([Self.first, with(refunded) { $0.expiresAt = .day(40) }]) == ["0 active", "12 refunded"])
        #expect(try runs([Self.alone, with(refunded) { $0.additionalReason = nil }]) == ["0 active", "12 refunded"])
        // The App Store would have signed the reason, had the older transaction belonged to the period.
        #expect(try runs([Self.alone.signed(at: .day(11)), refunded]) == ["0 active", "12 refunded"])
    }

    @Test("The transactions of the period share their renewal infos, and a renewal follows them")
    func infos() throws {
        let early = RenewalInfoDraft(for: Self.alone, signedAt: .day(5)).cancelled()
        let grace = RenewalInfoDraft(for: Self.added, signedAt: .day(31)).grace(until: .day(40))
        let expected = ["0 active", "31 gracePeriod", "40 billingRetry", "91 expired"]
        #expect(try runs([Self.first, Self.added], [early, grace]) == expected)
        #expect(try runs([Self.first, Self.added.revoked(at: .day(12))], [early, grace]) == expected)
        let status = try TestShop.resolution([Self.first, Self.added], [early, grace]).group("membership")?
            .highest(at: .day(15))
        #expect(status?.renewalInfo?.autoRenewStatus == .off && status?.transaction.id == "1001")
        let renewal = TransactionDraft.renewal(of: Self.alone, expires: .month(2), id: "1002")
        #expect(try runs([Self.first, Self.added.revoked(at: .day(12)), renewal]) == ["0 active", "59 expired"])
    }

    @Test("Two transactions with the reason and one purchase date are copies of one only with one line item")
    func records() throws {
        var (first, second) = (Self.first, TransactionDraft.seatAddition(to: Self.alone, at: .day(0)))
        second.signedAt = .day(11)
        second = second.revoked(at: .day(12))
        #expect(try runs([first, second]) == ["0 active", "31 expired"])
        (first.webOrderLineItemID, second.webOrderLineItemID) = ("w1", "w1")
        #expect(try runs([first, second]) == ["0 active", "12 refunded"])
    }

    @Test("Seats that arrive one after another lead to the same answers as all at once")
    func live() throws {
        let renewal = TransactionDraft.renewal(of: Self.alone, expires: .month(2), id: "1002")
        let drafts = [
            Self.alone, Self.first, Self.added, Self.added.revoked(at: .day(12)), Self.first.revoked(at: .day(20)),
            renewal,
        ]
        let resolver = EntitlementResolver(catalog: TestShop.catalog)
        var random = SplitMix64(seed: 4)
        for _ in 0..<100 {
            var live = LiveResolution(history: PurchaseHistory(), resolver: resolver)
            var history = PurchaseHistory()
            for draft in drafts.shuffled(using: &random) {
                let item = CheckedEvidence.transaction(.verified(try draft.transaction()))
                live.merge([item])
                history.merge(item)
                #expect(live.resolution == resolver.resolve(history))
            }
        }
    }
}
