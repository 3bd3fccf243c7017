import Storekeeper
import StorekeeperTesting
import Synchronization
import Testing

@testable import StorekeeperAppStore

@Suite("All evidence of a customer", .system) struct CustomerEvidenceTests {
    static func page(_ revision: String, hasMore: Bool, _ items: [String]) -> LoopbackServer.Reply {
        let texts = items.map { "\"\($0)\"" }.joined(separator: ",")
        return .json(
            #"{"revision":"\#(revision)","hasMore":\#(hasMore),"bundleId":"\#(Fixture.bundleID)","#
                + #""environment":"Production","signedTransactions":[\#(texts)]}"#)
    }

    static let statuses = LoopbackServer.Reply.json(
        #"{"environment":"Production","bundleId":"\#(Fixture.bundleID)","data":[{"subscriptionGroupIdentifier":"g","#
            + #""lastTransactions":[{"originalTransactionId":"1","status":1,"signedTransactionInfo":"s.t.x","#
            + #""signedRenewalInfo":"r.i.x"}]}]}"#)

    /// Answers the requests about one customer: a history with one item, a status, and the given answer about the app
    /// transaction.
    static func reply(_ request: LoopbackServer.Request, appTransaction: LoopbackServer.Reply) -> LoopbackServer.Reply {
        if request.target.contains("/history/") { return page("end", hasMore: false, ["t.1.x"]) }
        return request.target.contains("/subscriptions/") ? statuses : appTransaction
    }

    @Test(
        "If the request for the app transaction fails in any way, the rest of the evidence is kept",
        arguments: [
            (
                LoopbackServer.Reply.error(4_040_019), AppStoreServerError.Code.refused,
                AppStoreErrorCode?.some(.appTransactionDoesNotExist)
            ),
            (.error(4_040_010), .refused, .transactionIDNotFound),
            (.error(5_000_000), .refused, .init(rawValue: 5_000_000)),
            (.answer(503), .serverFailure, nil), (.cut, .unreachable, nil), (.json("{}"), .malformedResponse, nil),
            (.answer(401, [:], "Unauthenticated", type: "text/plain"), .unauthorized, nil),
        ] as [(LoopbackServer.Reply, AppStoreServerError.Code, AppStoreErrorCode?)])
    func lastCall(
        _ reply: LoopbackServer.Reply, _ code: AppStoreServerError.Code, _ apiCode: AppStoreErrorCode?
    ) async throws {
        try await Fixture.withClient(attempts: 1, serving: { request, _ in Self.reply(request, appTransaction: reply) })
        {
            client, _ in
            let evidence = try await client.evidence(of: "1")
            #expect(evidence.items == ["t.1.x", "s.t.x", "r.i.x"])
            #expect(evidence.appTransactionRefusal?.code == code)
            #expect(evidence.appTransactionRefusal?.apiCode == apiCode)
        }
    }

    @Test("The app transaction is the last item, and no refusal is reported")
    func whole() async throws {
        try await Fixture.withClient(serving: { request, _ in
            Self.reply(request, appTransaction: .json(#"{"signedAppTransactionInfo":"a.t.x"}"#))
        }) { client, _ in
            let evidence = try await client.evidence(of: "1")
            #expect(evidence.items == ["t.1.x", "s.t.x", "r.i.x", "a.t.x"])
            #expect(evidence.appTransactionRefusal == nil && evidence.requestCount == 3)
        }
    }

    /// A faulty history without a last page, as a function of the page number.
    struct EndlessHistory: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let limit: Int
        let page: @Sendable (Int) -> LoopbackServer.Reply
    }

    static let endless = [
        EndlessHistory(testDescription: "the same revision", limit: 3) { page("r", hasMore: true, ["t.\($0).x"]) },
        EndlessHistory(testDescription: "two revisions in turn", limit: 6) {
            page("r\($0 % 2)", hasMore: true, ["t.\($0).x"])
        },
        EndlessHistory(testDescription: "a circle after a beginning", limit: 40) {
            page($0 < 5 ? "a\($0)" : "r\($0 % 7)", hasMore: true, ["t.\($0).x"])
        },
        EndlessHistory(testDescription: "empty pages with new revisions", limit: 17) {
            page("r\($0)", hasMore: true, [])
        },
        EndlessHistory(testDescription: "new revisions", limit: 50) { page("r\($0)", hasMore: true, ["t.\($0).x"]) },
    ]

    @Test("A history that never ends is an error, not a loop", arguments: endless)
    func endlessHistory(_ history: EndlessHistory) async throws {
        let pages = Mutex(0)
        try await Fixture.withClient(
            change: { $0.maximumHistoryPages = 50 },
            serving: { _, _ in
                history.page(
                    pages.withLock { pages in
                        pages += 1
                        return pages
                    })
            }
        ) { client, server in
            let error = await Fixture.failure { try await client.evidence(of: "1") }
            #expect(error?.code == .endlessHistory && error?.isRetryable == false)
            #expect(server.requests.count <= history.limit, "\(server.requests.count)")
        }
    }

    @Test("A long history with some empty pages is read to its end")
    func longHistory() async throws {
        let pages = Mutex(0)
        try await Fixture.withClient(
            change: { $0.maximumHistoryPages = 50 },
            serving: { request, _ in
                guard request.target.contains("/history/") else {
                    return Self.reply(request, appTransaction: .error(4_040_019))
                }
                let page = pages.withLock { pages in
                    pages += 1
                    return pages
                }
                return Self.page("r\(page)", hasMore: page < 50, page % 16 == 0 ? ["t.\(page).x"] : [])
            }
        ) { client, _ in
            let evidence = try await client.evidence(of: "1")
            #expect(evidence.items == ["t.16.x", "t.32.x", "t.48.x", "s.t.x", "r.i.x"])
        }
    }
}

/// Tests of reconciliations of vaults if the App Store refuses to answer about some of the customers.
@Suite("Reconciling with an App Store that refuses", .system) struct PartialReconciliationTests {
    /// Returns a purchase of an Apple Account.
    static func draft(_ id: Transaction.ID, account: String) -> TransactionDraft {
        var draft = TransactionDraft.purchase(of: TestShop.removeAds, at: .day(0), id: id)
        draft.appTransactionID = account
        return draft
    }

    static func refunded(_ id: Transaction.ID, account: String) -> TransactionDraft {
        var draft = draft(id, account: account)
        draft.signedAt = .day(9)
        draft.revokedAt = .day(8)
        return draft
    }

    static func vault(_ purchases: [CustomerID: [TransactionDraft]]) async throws -> InMemoryVault {
        let vault = InMemoryVault()
        for (customer, drafts) in purchases {
            let facts = drafts.compactMap { VerifiedFact(TestVerifier().verify($0.jws)) }
            #expect(facts.count == drafts.count)
            _ = try await vault.commit(CommitBatch(customer: customer, at: .day(1), facts: facts))
        }
        return vault
    }

    static func reconciliation(
        _ client: AppStoreServerClient, _ vault: InMemoryVault,
        learn: @escaping @Sendable ([String]) async -> Void = { _ in }
    ) -> Reconciliation {
        Reconciliation(
            Reconciliation.Configuration(store: StoreConfiguration(catalog: TestShop.catalog), concurrency: 1),
            client: client, vault: vault, verifier: TestVerifier(), learn: learn, clock: VirtualClock(.day(10)))
    }

    static func account(_ request: LoopbackServer.Request) -> String {
        let path = request.target.split(separator: "?").first ?? ""
        return String(path.split(separator: "/").last ?? "")
    }

    static let noStatuses = LoopbackServer.Reply.json(
        #"{"environment":"Production","bundleId":"\#(Fixture.bundleID)","data":[]}"#)

    @Test("A customer whose history never ends is reported as refused, and the others are compared")
    func endless() async throws {
        let vault = try await Self.vault([
            "ada": [Self.draft("1", account: "700")], "bea": [Self.draft("2", account: "701")],
            "cleo": [Self.draft("3", account: "702")],
        ])
        let pages = Mutex(0)
        try await Fixture.withClient(
            attempts: 1, change: { $0.maximumHistoryPages = 30 },
            serving: { request, _ in
                let account = Self.account(request)
                guard request.target.contains("/history/") else {
                    return request.target.contains("/subscriptions/") ? Self.noStatuses : .error(4_040_019)
                }
                guard account == "701" else {
                    let id: Transaction.ID = account == "700" ? "1" : "3"
                    return CustomerEvidenceTests.page(
                        "end", hasMore: false, [Self.refunded(id, account: account).jws])
                }
                let page = pages.withLock { pages in
                    pages += 1
                    return pages
                }
                return CustomerEvidenceTests.page(
                    "r\(page)", hasMore: true, [Self.draft("2", account: "701").jws])
            }
        ) { client, _ in
            var found: [CustomerDifference] = []
            let report = try await Self.reconciliation(client, vault).run(onDifference: { found.append($0) })
            #expect(report.compared == 3 && report.repaired == 2 && report.open == 1)
            #expect(found.map(\.customer) == ["ada", "bea", "cleo"])
            #expect(found.map { $0.refusal?.code } == [nil, .endlessHistory, nil])
            #expect(found.last?.answers.first?.after == "lapsed")
        }
        #expect(pages.withLock { $0 } == 30)
    }

    @Test("If the App Store refuses one account of a customer, a refund in another account is still stored")
    func accounts() async throws {
        let vault = try await Self.vault(["ada": [Self.draft("1", account: "700"), Self.draft("2", account: "701")]])
        let learned = Mutex<[String]>([])
        try await Fixture.withClient(
            attempts: 1,
            serving: { request, _ in
                guard Self.account(request) == "701" else { return .error(4_040_010) }
                if request.target.contains("/subscriptions/") { return Self.noStatuses }
                guard request.target.contains("/history/") else { return .error(4_040_019) }
                return CustomerEvidenceTests.page("end", hasMore: false, [Self.refunded("2", account: "701").jws])
            }
        ) { client, _ in
            let reconciliation = Self.reconciliation(client, vault) { items in learned.withLock { $0 += items } }
            let (difference, _) = try await reconciliation.compare("ada")
            #expect(difference.refusal?.apiCode == .transactionIDNotFound)
            #expect(difference.changed.map(\.transactionID) == ["2"] && difference.isRepaired)
            // The transactions of the refused account are not reported as unknown.
            #expect(difference.unknown.isEmpty)
            #expect(try await vault.load("ada").syncedAt == nil)
        }
        #expect(learned.withLock { $0 } == [Self.refunded("2", account: "701").jws])
    }

    @Test("The place is stored after each customer, so that little is requested again")
    func place() async throws {
        let people = (0..<8).map { CustomerID(rawValue: "customer-\($0)") }
        var purchases: [CustomerID: [TransactionDraft]] = [:]
        for (index, person) in people.enumerated() {
            purchases[person] = [Self.draft(Transaction.ID(rawValue: "\(index)"), account: "70\(index)")]
        }
        let vault = try await Self.vault(purchases)
        try await Fixture.withClient(
            attempts: 1,
            serving: { request, _ in
                let account = Self.account(request)
                // The network fails at the fourth customer.
                guard account != "703" else { return .cut }
                if request.target.contains("/subscriptions/") { return Self.noStatuses }
                guard request.target.contains("/history/") else { return .error(4_040_019) }
                let id = Transaction.ID(rawValue: String(account.suffix(1)))
                return CustomerEvidenceTests.page("end", hasMore: false, [Self.draft(id, account: account).jws])
            }
        ) { client, _ in
            let error = await Fixture.failure { try await Self.reconciliation(client, vault).run() }
            #expect(error?.code == .unreachable)
        }
        let cursor = try await vault.cursor(of: "reconciliation:\(Fixture.bundleID)")
        let place = try JSONReader().read(Array(try #require(cursor?.rawValue).utf8)).root.object
        #expect(place?["compared"]?.int64 == 3 && place?["last"]?.string == "customer-2")
    }
}
