import Storekeeper
import StorekeeperTesting
import Testing

/// Tests that the App Store's own status decides about grace only if no renewal info names the end of a grace period.
@Suite("The App Store's own status") struct ReportedStatusTests {
    private static let first = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
    private static let retry = RenewalInfoDraft(for: first, signedAt: .day(31)).billingRetry()
    private static let id = TestShop.gold.id

    private static func status(_ number: Int64, _ day: Int, of draft: TransactionDraft = first) -> NotificationDraft {
        NotificationDraft(status: number, of: draft, signedAt: .day(day))
    }

    private func history(
        _ notifications: [NotificationDraft], _ infos: [RenewalInfoDraft] = [],
        _ transactions: [TransactionDraft] = [first]
    ) throws -> PurchaseHistory {
        var history = try TestShop.history(transactions, infos)
        for notification in notifications { history.merge(.notification(.verified(try notification.notification()))) }
        return history
    }

    private func runs(
        _ notifications: [NotificationDraft], _ infos: [RenewalInfoDraft] = [],
        _ transactions: [TransactionDraft] = [first]
    ) throws -> [String] {
        let resolver = EntitlementResolver(catalog: TestShop.catalog)
        let resolution = resolver.resolve(try history(notifications, infos, transactions))
        let timeline = try #require(resolution.product(Self.id)?.timeline)
        var evidence = GeneratedEvidence(
            catalog: TestShop.catalog, transactions: transactions, renewalInfos: infos)
        evidence.notifications = notifications
        let model = try ReferenceModel(evidence)
        for day in 0..<130 {
            #expect(
                ReferenceAnswer(timeline.value(at: .day(day))) == model.answer(product: Self.id, at: .day(day)),
                "day \(day)"
            )
        }
        return timeline.runs.dropFirst().map { run in
            "\((run.from ?? .testEpoch).milliseconds(since: .testEpoch) / 86_400_000) \(run.value.reasonWord)"
        }
    }

    @Test("Status 4 without a grace date gives access from the expiry, at most 28 days")
    func grace() throws {
        #expect(try runs([Self.status(4, 33)]) == ["0 active", "31 gracePeriod", "59 expired"])
        #expect(
            try runs([Self.status(4, 33)], [Self.retry]) == [
                "0 active", "31 gracePeriod", "59 billingRetry", "91 expired",
            ])
        #expect(try runs([Self.status(4, 30)]) == ["0 active", "31 gracePeriod", "59 expired"])
        #expect(try runs([Self.status(4, 29)]) == ["0 active", "31 expired"], "it is about the renewal before")
        for number: Int64 in [1, 2, 3, 5, 9] {
            #expect(try runs([Self.status(number, 33)]) == ["0 active", "31 expired"])
        }
    }

    @Test("A later status or info that says otherwise ends it; retry without a date does not")
    func ended() throws {
        let grace = Self.status(4, 31)
        let again = with(Self.retry) { $0.signedAt = .day(35) }
        #expect(
            try runs([grace, Self.status(3, 40)], [again])
                == ["0 active", "31 gracePeriod", "40 billingRetry", "91 expired"])
        let givenUp = with(Self.retry.cancelled(reason: .autoRenewDisabled)) { $0.signedAt = .day(36) }
        #expect(try runs([grace], [again, givenUp]) == ["0 active", "31 gracePeriod", "36 expired"])
        // The status that was signed later confirms that the grace period is running.
        #expect(
            try runs([grace, Self.status(4, 38)], [again, givenUp])
                == ["0 active", "31 gracePeriod", "36 expired", "38 gracePeriod", "59 expired"])
    }

    @Test("Once an info names a grace date, the infos decide")
    func named() throws {
        let named = Self.retry.grace(until: .day(40))
        #expect(
            try runs([Self.status(4, 33)], [named]) == ["0 active", "31 gracePeriod", "40 billingRetry", "91 expired"])
        let later = with(named) { $0.signedAt = .day(35) }
        #expect(
            try runs([Self.status(4, 33)], [Self.retry, later])
                == ["0 active", "31 gracePeriod", "40 billingRetry", "91 expired"])
    }

    @Test("A status is about the transaction that was current when it was signed")
    func subject() throws {
        let second = TransactionDraft.change(of: Self.first, at: .day(40), expires: .day(71))
        #expect(
            try runs([Self.status(4, 33)], [], [Self.first, second])
                == ["0 active", "31 gracePeriod", "40 active", "71 expired"])
        #expect(
            try runs([Self.status(4, 71)], [], [Self.first, second])
                == ["0 active", "31 expired", "40 active", "71 gracePeriod", "99 expired"])
        let other = Self.status(4, 33, of: TransactionDraft.purchase(of: TestShop.gold, at: .day(0), id: "7"))
        #expect(try runs([other]) == ["0 active", "31 expired"])
    }

    @Test("The end of the grace period by status alone is the end of the run")
    func end() throws {
        let resolver = EntitlementResolver(catalog: TestShop.catalog)
        let notifications = [Self.status(4, 31), Self.status(2, 40)]
        let status = try resolver.resolve(history(notifications)).group("membership")?.highest(at: .day(33))
        #expect(status?.gracePeriodExpiresAt == .day(40) && status?.state == .inGracePeriod)
    }

    @Test("A revocation ends the grace period by status, and a later status does not choose between revoked chains")
    func revoked() throws {
        let resolver = EntitlementResolver(catalog: TestShop.catalog)
        let end = { (revokedAt: Instant) throws -> Instant? in
            let history = try history([Self.status(4, 31)], [], [Self.first.revoked(at: revokedAt)])
            return try #require(resolver.resolve(history).group("membership")?.highest(at: .day(60)))
                .gracePeriodExpiresAt
        }
        #expect(try end(.day(10)) == nil)
        #expect(try end(.day(40)) == .day(40))
        #expect(try end(.day(80)) == .day(59))

        let drafts = [
            "refunded": Self.first.revoked(at: .day(12)),
            "assignmentEnded": TransactionDraft.purchase(of: TestShop.gold, at: .day(0), id: "1001")
                .revoked(at: .day(10), type: .assignmentRevocation),
        ]
        for (reason, draft) in drafts {
            let all = drafts.map { $0.key == reason ? $0.value : with($0.value) { $0.expiresAt = .day(32) } }
            let before = try runs([], [], all)
            #expect(before.last?.hasSuffix(reason) == false)
            #expect(try runs([Self.status(4, 50, of: draft)], [], all) == before)
        }
    }

    private func found(_ history: PurchaseHistory) -> [String] {
        EvidenceDiagnostics(history, resolver: EntitlementResolver(catalog: TestShop.catalog))
            .diagnostics(at: .day(20), now: .day(20)).filter { $0.code == .statusDiffers }
            .map { "\($0.subject ?? "") \($0.message)" }
    }

    @Test("A status that differs from the state by what was signed by then is reported")
    func differences() throws {
        #expect(found(try history([Self.status(1, 5), Self.status(2, 31), Self.status(4, 33)])).isEmpty)
        #expect(found(try history([Self.status(3, 40)], [Self.retry])).isEmpty)
        let differing = found(try history([Self.status(2, 5), Self.status(2, 6)]))
        #expect(differing.count == 1 && differing.first?.hasPrefix("1000 ") == true)
        #expect(
            differing.first?.contains("is expired (2)") == true && differing.first?.contains("subscribed (1)") == true)
        // The renewal info that explains the status was signed later.
        #expect(found(try history([Self.status(3, 33)], [with(Self.retry) { $0.signedAt = .day(35) }])).count == 1)
    }

    @Test("A copy that was signed after the status proves what the older copies proved")
    func laterCopies() throws {
        let later = Self.first.signed(at: .day(90))
        #expect(found(try history([Self.status(2, 5)], [], [later])).count == 1)
        #expect(found(try history([Self.status(2, 5)], [], [Self.first, later])).count == 1)
        #expect(found(try history([Self.status(1, 5)], [], [later])).isEmpty)
        #expect(found(try history([Self.status(5, 5)], [], [later])).isEmpty, "the refund may have been reversed")
        // A revocation counts from its own date.
        let refunded = Self.first.revoked(at: .day(10), signedAt: .day(90))
        #expect(found(try history([Self.status(1, 5), Self.status(5, 12)], [], [refunded])).isEmpty)
        #expect(found(try history([Self.status(1, 12)], [], [refunded])).count == 1)
        // The copy of then ended earlier.
        let extended = with(later) { $0.expiresAt = .day(40) }
        #expect(found(try history([Self.status(2, 33)], [], [Self.first, extended])).isEmpty)
    }

    @Test("A renewal may have been charged after the status and dated back")
    func backdatedRenewals() throws {
        let renewed = TransactionDraft.renewal(of: Self.first).signed(at: .day(90))
        let transactions = [Self.first, renewed]
        #expect(found(try history([Self.status(3, 33)], [Self.retry], transactions)).isEmpty)
        #expect(found(try history([Self.status(2, 33)], [], transactions)).isEmpty)
        #expect(found(try history([Self.status(2, 33)], [], [renewed])).isEmpty)
        #expect(found(try history([Self.status(3, 33)], [], transactions)).count == 1)
        // The info that was signed by then names the end of the renewal.
        let info = RenewalInfoDraft(for: renewed, signedAt: .day(32))
        #expect(found(try history([Self.status(2, 33)], [info], transactions)).count == 1)
    }

    @Test("The unsigned status of Get All Subscription Statuses is compared, and decides nothing")
    func unsigned() throws {
        let info = with(Self.retry) { $0.signedAt = .day(33) }
        let answer = """
            {"environment":"Production","bundleId":"com.example.game","data":[{"subscriptionGroupIdentifier":"membership",
            "lastTransactions":[{"originalTransactionId":"1000","status":4,"signedTransactionInfo":"\(Self.first.fakeJWS)",
            "signedRenewalInfo":"\(info.fakeJWS)"}]}]}
            """
        var scanner = EvidenceScanner()
        let items = scanner.feed(Array(answer.utf8)) + scanner.finish()
        #expect(items.count == 2 && scanner.statuses.map(\.number) == [4])
        #expect(scanner.statuses.first?.signedAt == .day(33))
        var history = try TestShop.history([Self.first], [info])
        let resolver = EntitlementResolver(catalog: TestShop.catalog)
        let before = resolver.resolve(history)
        for status in scanner.statuses { history.record(status) }
        #expect(resolver.resolve(history) == before)
        let codes = EvidenceDiagnostics(history, resolver: resolver).diagnostics(at: .day(40), now: .day(40)).map(
            \.code)
        #expect(codes.contains(.statusDiffers))
    }
}
