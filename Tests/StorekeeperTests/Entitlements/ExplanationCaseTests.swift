import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of the facts and rules that an explanation must name, case by case.
@Suite("The content of explanations") struct ExplanationCaseTests {
    private static let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))

    @Test("The end of a pass is named with its instant and the duration in the catalog")
    func endOfPass() throws {
        let pass = TransactionDraft.purchase(of: TestShop.seasonPass, at: .day(0))
        #expect(
            try TestShop.steps("season.pass", [pass], at: .day(90)) == [
                """
                0: transaction 1000: purchase of season.pass → entitled (active) until 2026-04-01T00:00:00.000Z | \
                A non-renewing purchase has no expiry in the App Store: the catalog gives it 90 days.
                """,
                """
                90: the access of transaction 1000 ends → lapsed (expired) | \
                A non-renewing purchase has no expiry in the App Store: the catalog gives it 90 days.
                """,
            ])
        #expect(try TestShop.steps("season.pass", [pass], at: Instant.day(90).adding(milliseconds: -1)).count == 1)
    }

    @Test("The start of a pass that extends another one is named")
    func stackedPass() throws {
        let first = TransactionDraft.purchase(of: TestShop.stackingPass, at: .day(0))
        let second = TransactionDraft.purchase(of: TestShop.stackingPass, at: .day(3), id: "1001")
        let told = try TestShop.steps("stacking.pass", [first, second], at: .day(12))
        let rule = "Purchases of this product extend each other: "
        #expect(
            told.dropFirst() == [
                """
                3: transaction 1001: purchase of stacking.pass → still entitled (active) until \
                2026-01-11T00:00:00.000Z, by transaction 1000 | \(rule)this one begins at 2026-01-11T00:00:00.000Z, \
                when the previous access ends.
                """,
                """
                10: the access of transaction 1000 ends → still entitled (active) until 2026-01-21T00:00:00.000Z, by \
                transaction 1001 | A non-renewing purchase has no expiry in the App Store: the catalog gives it \
                10 days.
                """,
                """
                10: the access of transaction 1001 begins → still entitled (active) until 2026-01-21T00:00:00.000Z | \
                \(rule)each begins when the previous access ends.
                """,
                """
                12: 2 claims to stacking.pass: transaction 1001 (entitled, active) and transaction 1000 (lapsed, expired)\
                 → transaction 1001 decides | Of several answers \"entitled\" comes before \"lapsed\".
                """,
            ])
    }

    @Test("A purchase of a pass without a duration in the catalog is named as owned")
    func ownedPass() throws {
        let badge = TransactionDraft.purchase(of: TestShop.badge, at: .day(0))
        #expect(
            try TestShop.steps("badge", [badge], at: .day(900)) == [
                """
                0: transaction 1000: purchase of badge → entitled (owned) | A non-renewing purchase has no expiry in \
                the App Store, and the catalog has no accessDuration: it is owned.
                """
            ])
    }

    @Test("The access of an upgrade without a known successor is named with its end")
    func upgradeWithoutSuccessor() throws {
        let told = try TestShop.steps(
            "silver.monthly",
            [
                TransactionDraft.purchase(of: TestShop.silver, at: .day(0)).upgraded(signedAt: .day(3))
            ], at: .month(1))
        #expect(
            told == [
                """
                0: transaction 1000: purchase of silver.monthly (upgraded since) → entitled (active) until \
                2026-02-01T00:00:00.000Z | It was upgraded, but its successor is not known: access continues to the \
                end of the period, because the record may be late.
                """,
                """
                31: the period of transaction 1000 ends → lapsed (upgraded) | It was upgraded: later access belongs \
                to its successor, whether known or not.
                """,
            ])
    }

    @Test("An unknown ownership is named, for subscriptions and for owned products")
    func unknownOwnership() throws {
        let guest = OwnershipType(rawValue: "GUEST")
        let rule = "| The ownership \"GUEST\" is not known: whether it gives access is unknown."
        let subscription = try TestShop.steps("gold.monthly", [Self.gold.owned(as: guest)], at: .day(1))
        let owned = try TestShop.steps(
            "remove.ads", [TransactionDraft.purchase(of: TestShop.removeAds, at: .day(0)).owned(as: guest)], at: .day(1)
        )
        #expect(
            subscription == [
                """
                0: transaction 1000: copy with the ownership \"GUEST\" of gold.monthly, period to \
                2026-02-01T00:00:00.000Z → unknown (unverified) \(rule)
                """
            ])
        #expect(
            owned == [
                "0: transaction 1000: copy with the ownership \"GUEST\" of remove.ads → unknown (unverified) \(rule)"
            ])
    }

    @Test("An ownership to which the policy gives no access is named")
    func ownershipByPolicy() throws {
        let policy = EntitlementPolicy(entitlingOwnershipTypes: [.purchased])
        let told = try TestShop.steps("gold.monthly", [Self.gold.owned(as: .familyShared)], at: .day(1), policy: policy)
        #expect(told.first?.hasSuffix("| By the policy the ownership \"FAMILY_SHARED\" gives no access.") == true)
    }

    @Test(
        "The rule by which one of two chains decides is named",
        arguments: [
            ([.familyShared], 0, 31, "The customer's own purchase comes before a shared or assigned one.", "1000"),
            ([.purchased], 0, 40, "The access that lasts longer comes first.", "2000"),
            ([.purchased], 5, 31, "The later purchase comes first.", "2000"),
            (
                [.purchased], 0, 31, "Between equals the greater id decides, so that the answer is always the same.",
                "2000"
            ),
            ([.purchased], -20, 2, "Of several answers \"entitled\" comes before \"lapsed\".", "1000"),
        ] as [([OwnershipType], Int, Int, String, String)])
    func choice(ownership: [OwnershipType], day: Int, end: Int, rule: String, decider: String) throws {
        let other = with(TransactionDraft.purchase(of: TestShop.gold, at: .day(day), id: "2000")) {
            $0.ownership = ownership[0]
            $0.expiresAt = .day(end)
        }
        let told = try TestShop.steps("gold.monthly", [Self.gold, other], at: .day(10))
        #expect(
            told.last?.hasPrefix("10: 2 claims to gold.monthly: transaction \(decider) (entitled, active) and ") == true
        )
        #expect(told.last?.hasSuffix("→ transaction \(decider) decides | \(rule)") == true)
    }

    @Test("The ends of grace, billing retry, leeway and an abandoned grace period are named")
    func ends() throws {
        let grace = RenewalInfoDraft(for: Self.gold, signedAt: .month(1)).grace(until: .day(37))
        let told = try TestShop.steps("gold.monthly", [Self.gold], [grace], at: .day(400)).map {
            String($0.split(separator: "|")[0])
        }
        #expect(
            told.suffix(3) == [
                "31: the period of transaction 1000 ends → entitled (gracePeriod) until 2026-02-07T00:00:00.000Z ",
                "37: the grace period of transaction 1000 ends → lapsed (billingRetry) until 2026-04-02T00:00:00.000Z ",
                "91: billing retry of transaction 1000 ends → lapsed (expired) ",
            ])
        let gaveUp = with(RenewalInfoDraft(for: Self.gold, signedAt: .day(34)).grace(until: .day(37))) {
            ($0.isInBillingRetry, $0.autoRenewStatus) = (false, .off)
        }
        let ended = try TestShop.steps("gold.monthly", [Self.gold], [grace, gaveUp], at: .day(40))
        #expect(
            ended.contains {
                $0.hasPrefix(
                    "34: auto-renewal was turned off in the grace period of transaction 1000 → lapsed (expired) |"
                )
            })
        let late = try TestShop.steps(
            "gold.monthly", [Self.gold], [RenewalInfoDraft(for: Self.gold)], at: .day(40),
            policy: EntitlementPolicy(renewalLeeway: .milliseconds(86_400_000)))
        #expect(
            late.suffix(2) == [
                """
                31: the period of transaction 1000 ends → entitled (renewalLeeway) until 2026-02-02T00:00:00.000Z | Auto-renewal \
                is on: by the policy, access continues while the renewal may be late.
                """,
                """
                32: no renewal of transaction 1000 arrived in time → lapsed (expired) | The policy's leeway for a \
                late renewal has ended.
                """,
            ])
    }

    @Test(
        "The effect of the policy on a failed renewal is named",
        arguments: [
            (
                EntitlementPolicy(gracePeriodEntitles: false), "lapsed (billingRetry) until 2026-02-07T00:00:00.000Z",
                true
            ),
            (
                EntitlementPolicy(billingRetryEntitles: true), "entitled (gracePeriod) until 2026-04-02T00:00:00.000Z",
                false
            ),
        ])
    func policy(policy: EntitlementPolicy, effect: String, isGrace: Bool) throws {
        let info = RenewalInfoDraft(for: Self.gold, signedAt: .month(1))
        let told = try TestShop.steps(
            "gold.monthly", [Self.gold], [isGrace ? info.grace(until: .day(37)) : info.billingRetry()], at: .day(32),
            policy: policy)
        #expect(told.last?.hasPrefix("31: the period of transaction 1000 ends → \(effect.prefix(20))") == true)
        #expect(told.last?.contains("by the policy") == true)
    }

    @Test("The refund of a past period does not change the answer of the current one")
    func pastRefund() throws {
        let renewal = TransactionDraft.renewal(of: Self.gold, expires: .month(2))
        let told = try TestShop.steps("gold.monthly", [Self.gold.revoked(at: .day(40)), renewal], at: .day(41))
        #expect(told.contains { $0.hasPrefix("40: transaction 1000 is refunded → still entitled (active) until ") })
        let before = try TestShop.steps("gold.monthly", [Self.gold.revoked(at: .day(20)), renewal], at: .day(41))
        #expect(before.contains { $0.hasPrefix("20: transaction 1000 is refunded → lapsed (refunded) |") })
    }

    @Test("A family-shared copy is named as one, and not as a purchase")
    func familySharedCopy() throws {
        let told = try TestShop.steps("gold.monthly", [Self.gold.owned(as: .familyShared)], at: .day(5))
        #expect(told.first?.hasPrefix("0: transaction 1000: family-shared copy of gold.monthly → entitled") == true)
        #expect(told.allSatisfy { !$0.contains("purchase of gold.monthly") })
    }

    @Test("A purchase that waits for a guardian is no running period")
    func askToBuy() throws {
        let request = PendingPurchase(
            productID: "gold.monthly", reason: .askToBuy, startedAt: .day(1), endsAt: .day(2))
        let told = try TestShop.steps("gold.monthly", [], at: .day(1), pending: [request])
        #expect(told.first?.contains("a purchase of gold.monthly waits for approval (askToBuy)") == true, "\(told)")
        #expect(told.allSatisfy { !$0.contains("period") && !$0.contains("entitled") }, "\(told)")
    }

    @Test("The start and the end of a pending purchase are named")
    func pending() throws {
        let request = PendingPurchase(
            productID: "remove.ads", reason: .askToBuy, startedAt: .day(1), endsAt: .day(2))
        let told = try TestShop.steps("remove.ads", [], at: .day(3), pending: [request])
        #expect(
            told.map { String($0.split(separator: "|")[0]) } == [
                """
                1: a purchase of remove.ads waits for approval (askToBuy) until 2026-01-03T00:00:00.000Z → pending \
                (askToBuy) until 2026-01-03T00:00:00.000Z 
                """,
                "2: the request of 2026-01-02T00:00:00.000Z has expired → never (noPurchase) ",
            ])
        let endless = PendingPurchase(
            productID: "remove.ads", reason: .bankApproval, startedAt: .day(1), endsAt: .distantFuture)
        let waiting = try TestShop.steps("remove.ads", [], at: .day(300), pending: [endless])
        #expect(
            waiting == [
                """
                1: a purchase of remove.ads waits for approval (bankApproval) → pending (bankApproval) | It waits until \
                its approval arrives as a transaction.
                """
            ])
    }

    @Test("A consumable is explained as counted in a balance")
    func consumable() throws {
        let told = try TestShop.steps(
            "coins.500", [TransactionDraft.purchase(of: TestShop.coins, at: .day(0))], at: .day(1))
        #expect(
            told.first?.hasSuffix("| A consumable is not owned: it adds to a balance.") == true)
    }

    @Test(
        "The reason is named if nothing is known of a product",
        arguments: [
            (.neverSynced, "no transaction of gold.monthly, and the whole history was not read"),
            (.unverified, "no transaction of gold.monthly, and evidence that could not be verified"),
        ] as [(EntitlementAnswer.UnknownReason, String)])
    func silence(doubt: EntitlementAnswer.UnknownReason, fact: String) {
        let explanation = EntitlementResolver(catalog: TestShop.catalog)
            .explain("gold.monthly", in: PurchaseHistory(), at: .day(0), doubt: doubt)
        #expect(explanation.answer == .unknown(doubt))
        #expect(explanation.steps.map(\.fact) == [fact])
        #expect(explanation.steps.map(\.effect) == ["the answer is unknown"])
    }
}
