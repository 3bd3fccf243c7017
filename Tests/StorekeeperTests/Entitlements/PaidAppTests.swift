import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of features for customers who got the app while it was paid, and of features for paid periods.
@Suite("Customers of the paid app") struct PaidAppTests {
    static let feature = Feature(
        id: "pro", productIDs: ["gold.monthly"], originalVersionBefore: "2.0", originalPurchaseBefore: .day(-100))
    static let catalog = Catalog(
        products: TestShop.catalog.products, groups: TestShop.catalog.groups,
        features: [feature, Feature(id: "lounge", productIDs: ["gold.monthly"], paidPeriods: true)])

    static func history(
        _ transactions: [TransactionDraft] = [], _ infos: [RenewalInfoDraft] = [], apps: [AppTransactionDraft] = []
    ) throws -> PurchaseHistory {
        var history = try TestShop.history(transactions, infos)
        for app in apps { history.merge(.verified(try app.appTransaction())) }
        return history
    }

    static func app(_ version: String?, _ change: (inout AppTransactionDraft) -> Void = { _ in }) -> AppTransactionDraft
    {
        var draft = AppTransactionDraft(signedAt: .day(50))
        draft.originalAppVersion = version
        change(&draft)
        return draft
    }

    private func answer(
        _ feature: Feature.ID, at instant: Instant, in history: PurchaseHistory,
        policy: EntitlementPolicy = EntitlementPolicy()
    ) -> String {
        let resolution = EntitlementResolver(catalog: Self.catalog, policy: policy).resolve(history)
        guard let value = resolution.feature(feature)?.timeline.value(at: instant) else { return "none" }
        return ([value.answer.word, value.answer.reasonWord] + (value.productID.map { [$0.rawValue] } ?? []))
            .joined(separator: " ")
    }

    @Test(
        "Versions are compared number by number",
        arguments: [
            ("1", true), ("1.9", true), ("1.10", true), ("1.99999999999999999999", true), ("0", true), ("01.5", true),
            ("2", false), ("2.0", false), ("2.0.0", false), ("2.0.1", false), ("10", false),
            ("99999999999999999999999", false), ("", false), ("1.", false), (".1", false), ("1..2", false),
            ("1.0b2", false), ("-1", false), (" 1", false), ("١", false), (nil, false),
        ] as [(String?, Bool)])
    func versions(version: String?, isGiven: Bool) throws {
        let history = try Self.history(apps: [Self.app(version)])
        #expect(answer("pro", at: .day(60), in: history) == (isGiven ? "entitled paidApp" : "never noPurchase"))
    }

    @Test("The right begins with the first download, has no end, and ends with a revocation of the app")
    func run() throws {
        let history = try Self.history(apps: [Self.app("1.4") { $0.originallyPurchasedAt = .day(10) }])
        let resolution = EntitlementResolver(catalog: Self.catalog).resolve(history)
        let run = try #require(resolution.feature("pro")?.timeline.run(at: .day(60)))
        #expect(run.from == .day(10) && run.to == nil)
        #expect(answer("pro", at: .day(10).adding(milliseconds: -1), in: history) == "never noPurchase")

        let revoked = Self.app("1.4") {
            $0.originallyPurchasedAt = .day(10)
            $0.revokedAt = .day(40)
        }
        let after = try Self.history(apps: [Self.app("1.4") { $0.signedAt = .day(20) }, revoked])
        #expect(answer("pro", at: .day(40).adding(milliseconds: -1), in: after) == "entitled paidApp")
        #expect(answer("pro", at: .day(40), in: after) == "never noPurchase")
        let resolved = EntitlementResolver(catalog: Self.catalog).resolve(after)
        #expect(resolved.nextChange(after: .day(20)) == .day(40))
        #expect(
            EvidenceDiagnostics(after, resolver: EntitlementResolver(catalog: Self.catalog))
                .diagnostics(at: .day(60), now: .day(60)).map(\.code) == [.appRevoked])
    }

    @Test("A day before which the app was paid suffices")
    func purchaseBefore() throws {
        let early = try Self.history(apps: [Self.app("3.0") { $0.originallyPurchasedAt = .day(-101) }])
        #expect(answer("pro", at: .day(0), in: early) == "entitled paidApp")
        let late = try Self.history(apps: [Self.app("3.0") { $0.originallyPurchasedAt = .day(-100) }])
        #expect(answer("pro", at: .day(0), in: late) == "never noPurchase")
    }

    @Test("The sandbox's constant version counts only if the sandbox is accepted")
    func sandbox() throws {
        let history = try Self.history(apps: [Self.app("1.0") { $0.environment = .sandbox }])
        #expect(answer("pro", at: .day(60), in: history) == "never noPurchase")
        let policy = EntitlementPolicy(environments: [.sandbox: .grant])
        #expect(answer("pro", at: .day(60), in: history, policy: policy) == "entitled paidApp")
    }

    @Test("Of copies of one download the newest counts, whatever the order; a copy without an id is of any download")
    func copies() throws {
        let old = Self.app("1.0")
        let revoked = Self.app("1.0") {
            $0.signedAt = .day(55)
            $0.revokedAt = .day(0)
        }
        let revokedWithoutID = Self.app("1.0") {
            $0.signedAt = .day(55)
            $0.revokedAt = .day(0)
            $0.appTransactionID = nil
        }
        let other = Self.app("1.0") { $0.appTransactionID = "9" }
        for copies in [[old, revoked], [revoked, old], [old, revokedWithoutID], [revokedWithoutID, old]] {
            #expect(try answer("pro", at: .day(60), in: Self.history(apps: copies)) == "never noPurchase")
        }
        #expect(try answer("pro", at: .day(60), in: Self.history(apps: [revoked, other])) == "entitled paidApp")
        #expect(try Self.history(apps: [old, revoked, other]) == Self.history(apps: [other, old, revoked, old]))
    }

    @Test("An unverified app transaction gives nothing, and an unsigned one marks every answer")
    func unverified() throws {
        var history = PurchaseHistory()
        let error = VerificationError(.untrustedChain, "")
        history.merge(.unverified(try Self.app("1.0").appTransaction(), error))
        #expect(answer("pro", at: .day(60), in: history) == "never noPurchase")
        history.merge(.unsigned(try Self.app("1.0").appTransaction()))
        #expect(answer("pro", at: .day(60), in: history) == "entitled paidApp" && !history.isVerified)
    }

    @Test("The paid app lasts longer than a subscription, and answers for good")
    func besidesSubscription() throws {
        let month = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
        let history = try Self.history([month], apps: [Self.app("1.0")])
        #expect(answer("pro", at: .day(3), in: history) == "entitled paidApp")
        let newcomer = try Self.history([month], apps: [Self.app("3.0")])
        #expect(answer("pro", at: .day(3), in: newcomer) == "entitled active gold.monthly")
    }

    @Test("A feature for paid periods does not count a free trial, nor its grace, nor its end")
    func paidPeriods() throws {
        let trial = with(TransactionDraft.purchase(of: TestShop.gold, at: .day(0))) {
            $0.offerType = .introductory
            $0.offerPaymentMode = .freeTrial
        }
        let paid = with(TransactionDraft.renewal(of: trial)) {
            $0.offerType = nil
            $0.offerPaymentMode = nil
        }
        #expect(try answer("lounge", at: .day(3), in: Self.history([trial])) == "never noPurchase")
        #expect(try answer("pro", at: .day(3), in: Self.history([trial])) == "entitled active gold.monthly")
        let grace = RenewalInfoDraft(for: trial, signedAt: .month(1)).grace(until: .day(47))
        #expect(try answer("lounge", at: .day(40), in: Self.history([trial], [grace])) == "never noPurchase")
        #expect(try answer("lounge", at: .day(300), in: Self.history([trial])) == "never noPurchase")
        let renewed = try Self.history([trial, paid])
        #expect(answer("lounge", at: .day(3), in: renewed) == "never noPurchase")
        #expect(answer("lounge", at: .day(40), in: renewed) == "entitled active gold.monthly")
        #expect(answer("lounge", at: .day(300), in: renewed) == "lapsed expired gold.monthly")
        let discounted = with(trial) { $0.offerPaymentMode = .payAsYouGo }
        #expect(try answer("lounge", at: .day(3), in: Self.history([discounted])) == "entitled active gold.monthly")
    }

    @Test("A free trial after a paid period leaves the paid period's end")
    func trialAfterPaidPeriod() throws {
        let paid = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
        let trial = with(TransactionDraft.renewal(of: paid)) {
            $0.purchasedAt = .day(60)
            $0.expiresAt = .day(90)
            $0.offerType = .winBack
            $0.offerPaymentMode = .freeTrial
        }
        let history = try Self.history([paid, trial])
        #expect(answer("lounge", at: .day(65), in: history) == "lapsed expired gold.monthly")
    }

    @Test("An explanation names the app transaction, the condition and the platform's kind of version")
    func explained() throws {
        let resolver = EntitlementResolver(catalog: Self.catalog)
        let apps = [
            Self.app("1.4"), Self.app("3") { $0.appTransactionID = "9" },
        ]
        let explanation = try #require(
            resolver.explain(feature: "pro", in: try Self.history(apps: apps), at: .day(60)))
        #expect(explanation.answer.reason == .paidApp && explanation.productID == nil && explanation.next == nil)
        let text = TestShop.lines(explanation)
        #expect(
            text == [
                "0: the app transaction 700000000000000001: the app was first got in version 1.4 (Production) → "
                    + "entitled (paidApp) | Customers who got the app in a version before 2.0 (the build number, "
                    + "CFBundleVersion, compared number by number) or before 2025-09-23T00:00:00.000Z have the feature "
                    + "until the App Store takes the app back.",
                "0: the app transaction 9: the app was first got in version 3 (Production) → none: it meets no condition "
                    + "of the feature | Customers who got the app in a version before 2.0 (the build number, "
                    + "CFBundleVersion, compared number by number) or before 2025-09-23T00:00:00.000Z have the feature "
                    + "until the App Store takes the app back.",
                "60: the app transaction 700000000000000001 gives access to the feature pro → entitled (paidApp) | The "
                    + "best answer decides: entitled, pending, unknown, lapsed, never; of several with access a "
                    + "running period comes first, then an own purchase, then the one that lasts longest.",
            ])
    }

    @Test("The answers' JSON has the reason, no product and no end")
    func json() throws {
        let resolution = EntitlementResolver(catalog: Self.catalog).resolve(try Self.history(apps: [Self.app("1.0")]))
        let answers = CustomerAnswers(
            resolution, at: .day(60), isVerified: true, nextChange: nil, balances: [],
            product: { CustomerAnswers.Answer($0, at: .day(60)) }, feature: { CustomerAnswers.Answer($0, at: .day(60)) }
        )
        #expect(answers.description.contains(#"{"answer":"entitled","id":"pro","reason":"paidApp"}"#))
    }
}
