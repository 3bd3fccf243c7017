import FoundationEssentials
import HTTPTypes
import Storekeeper
import StorekeeperAppStore
import StorekeeperSimulator
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of Advanced Commerce, groups and seats at a local App Store.
@Suite struct AdvancedCommerceTests {
    private static let id = "7f3c2a10-1111-4222-8333-444455556666"
    private static let request = #""requestInfo":{"requestReferenceId":"7F3C2A10-1111-4222-8333-444455556666"}"#
    private static let info =
        #"{"descriptors":{"displayName":"Bundle","description":"Two worlds"},"period":"P1M","taxCode":"S","items":["#
        + #"{"SKU":"a","displayName":"A","description":"World A","price":4990},"#
        + #"{"SKU":"b","displayName":"B","description":"World B","price":2990}]}"#

    /// Returns a store with a subscription of two items, and the id of its transaction.
    private func served() async throws -> (ServedStore, Transaction.ID) {
        let served = try await ServedStore()
        let gold = try #require(try await served.step("buy gold.monthly by anna"))
        try served.store.perform(.setAdvancedCommerce(Self.info, of: .id(gold), change: .description))
        return (served, gold)
    }

    private func post(
        _ served: ServedStore, _ path: String, _ id: Transaction.ID, _ members: String = "",
        reference: String = UUID().uuidString
    ) async -> LocalResponse {
        let request = #""requestInfo":{"requestReferenceId":"\#(reference)"}"#
        return await served.ask(
            "POST", "/advancedCommerce/v1/\(path)/\(id.rawValue)",
            body: "{\(request)\(members.isEmpty ? "" : ",")\(members)}")
    }

    /// Returns the items in a signed member of an answer, each as its name, price and state.
    private func items(_ answer: LocalResponse, _ name: String) -> [String] {
        let info = answer.signed(name)?["advancedCommerceInfo"]
        return info?["items"]?.array.map { items in
            items.map { item in
                [
                    item["SKU"]?.string, item["price"]?.int64.map(String.init), item["displayName"]?.string,
                    item["priceIncreaseInfo"]?["status"]?.string, item["revocationDate"].map { _ in "revoked" },
                    item["refunds"]?.array?.first { _ in true }?["refundAmount"]?.int64.map(String.init),
                ].compactMap(\.self).joined(separator: " ")
            }
        } ?? []
    }

    @Test("A cancelled subscription does not renew; a revoked one is refunded at once")
    func ending() async throws {
        let (served, gold) = try await served()
        let cancelled = await post(served, "subscription/cancel", gold)
        #expect(cancelled.status == 200)
        #expect(cancelled.signed("signedRenewalInfo")?["autoRenewStatus"]?.int64 == 0)
        #expect(items(cancelled, "signedTransactionInfo") == ["a 4990 A", "b 2990 B"])
        let revoked = await post(
            served, "subscription/revoke", gold,
            #""refundType":"FULL","refundReason":"LEGAL","refundRiskingPreference":false"#)
        #expect(revoked.signed("signedTransactionInfo")?["revocationDate"]?.int64 != nil)
        #expect(served.store.happenings().last?.notification == "REFUND")
    }

    @Test("A subscription that has ended is neither cancelled nor revoked")
    func ended() async throws {
        let (served, gold) = try await served()
        try await served.step("cancel gold.monthly by anna")
        try await served.step("advance 62 days")
        let count = served.store.happeningCount
        let cancelled = await post(served, "subscription/cancel", gold)
        #expect(cancelled.status == 403 && cancelled.code == 4_030_010)
        let revoked = await post(
            served, "subscription/revoke", gold,
            #""refundType":"FULL","refundReason":"LEGAL","refundRiskingPreference":false"#)
        #expect(revoked.status == 400 && revoked.code == 4_000_186)
        #expect(served.store.happeningCount == count)
    }

    @Test("New names take effect, and the server is notified")
    func metadata() async throws {
        let (served, gold) = try await served()
        let answer = await post(
            served, "subscription/changeMetadata", gold,
            #""descriptors":{"displayName":"New","effective":"IMMEDIATELY"},"taxCode":"T","items":[{"currentSKU":"b","#
                + #""SKU":"c","displayName":"C","effective":"IMMEDIATELY"}]"#, reference: Self.id.uppercased())
        #expect(answer.status == 200)
        #expect(items(answer, "signedTransactionInfo") == ["a 4990 A", "c 2990 C"])
        let info = answer.signed("signedRenewalInfo")?["advancedCommerceInfo"]
        #expect(info?["descriptors"]?["displayName"]?.string == "New")
        #expect(info?["descriptors"]?["description"]?.string == "Two worlds")
        #expect(info?["taxCode"]?.string == "T" && info?["requestReferenceId"]?.string == Self.id)
        #expect(served.store.happenings().last?.notification == "METADATA_UPDATE")
    }

    @Test("A new price is announced in the renewal info and applies from the next period on")
    func price() async throws {
        let (served, gold) = try await served()
        let answer = await post(
            served, "subscription/changePrice", gold, #""items":[{"SKU":"a","price":5990},{"SKU":"b","price":990}]"#)
        #expect(items(answer, "signedRenewalInfo") == ["a 4990 A SCHEDULED", "b 2990 B ACCEPTED"])
        #expect(items(answer, "signedTransactionInfo") == ["a 4990 A", "b 2990 B"])
        #expect(served.store.happenings().last?.notification == "PRICE_CHANGE")
        try await served.step("advance 31 days")
        let next = await post(served, "subscription/cancel", gold)
        #expect(items(next, "signedTransactionInfo") == ["a 5990 A", "b 990 B"])
    }

    @Test("A change for the next bill cycle is in the renewal info at once, in the transaction from the renewal on")
    func laterMetadata() async throws {
        let (served, gold) = try await served()
        let later = #""effective":"NEXT_BILL_CYCLE""#
        let answer = await post(
            served, "subscription/changeMetadata", gold,
            #""descriptors":{"displayName":"New",\#(later)},"items":[{"currentSKU":"b","SKU":"c","displayName":"C",\#(later)}]"#
        )
        func name(_ answer: LocalResponse, _ info: String) -> String? {
            answer.signed(info)?["advancedCommerceInfo"]?["descriptors"]?["displayName"]?.string
        }
        #expect(items(answer, "signedTransactionInfo") == ["a 4990 A", "b 2990 B"])
        #expect(items(answer, "signedRenewalInfo") == ["a 4990 A", "c 2990 C"])
        #expect(name(answer, "signedTransactionInfo") == "Bundle" && name(answer, "signedRenewalInfo") == "New")
        // A later immediate change leaves the other values of the planned change as they are.
        let now = await post(
            served, "subscription/changeMetadata", gold,
            #""items":[{"currentSKU":"b","displayName":"D","effective":"IMMEDIATELY"}]"#)
        #expect(items(now, "signedTransactionInfo") == ["a 4990 A", "b 2990 D"])
        #expect(items(now, "signedRenewalInfo") == ["a 4990 A", "c 2990 D"])
        try await served.step("advance 31 days")
        let next = await post(served, "subscription/cancel", gold)
        #expect(items(next, "signedTransactionInfo") == ["a 4990 A", "c 2990 D"])
        #expect(name(next, "signedTransactionInfo") == "New")
    }

    @Test(
        "Two items cannot have one SKU",
        arguments: [("a", "IMMEDIATELY"), ("c", "IMMEDIATELY"), ("a", "NEXT_BILL_CYCLE")])
    func duplicates(_ sku: String, _ effective: String) async throws {
        let (served, gold) = try await served()
        let first = #"{"currentSKU":"a","SKU":"c","effective":"NEXT_BILL_CYCLE"}"#
        let answer = await post(
            served, "subscription/changeMetadata", gold,
            #""items":[\#(first),{"currentSKU":"b","SKU":"\#(sku)","effective":"\#(effective)"}]"#)
        #expect(answer.code == 4_000_122)
        #expect(throws: SimulatorError.self) {
            try served.store.perform(
                .setAdvancedCommerce(
                    #"{"items":[{"SKU":"a"},{"SKU":"a"}]}"#, of: .id(gold), change: .description))
        }
    }

    @Test("The signed prices are the sum of the items")
    func sums() async throws {
        let served = try await ServedStore()
        let silver = try #require(try await served.step("buy silver.monthly by anna"))
        try served.store.perform(.setAdvancedCommerce(Self.info, of: .id(silver), change: .description))
        func prices(_ answer: LocalResponse) -> [Int64?] {
            [
                answer.signed("signedTransactionInfo")?["price"]?.int64,
                answer.signed("signedRenewalInfo")?["renewalPrice"]?.int64,
            ]
        }
        let answer = await post(
            served, "subscription/changePrice", silver, #""items":[{"SKU":"a","price":5990},{"SKU":"b","price":990}]"#)
        #expect(prices(answer) == [7980, 6980])
        try await served.step("advance 31 days")
        let next = await post(
            served, "subscription/changePrice", silver, #""items":[{"SKU":"a","price":4990}]"#)
        #expect(prices(next) == [6980, 5980])
        // If an item has no price, the price of the product applies, and a free trial remains free.
        try await served.step("buy gold.monthly by bert")
        try served.store.perform(
            .setAdvancedCommerce(Self.info, of: .latest("gold.monthly", of: "bert"), change: .description))
        let trial = try #require(served.store.transactions.last?.id)
        #expect(
            prices(await post(served, "subscription/changePrice", trial, #""items":[{"SKU":"a","price":1}]"#)) == [
                0, 2991,
            ])
        try served.store.perform(
            .setAdvancedCommerce(#"{"items":[{"SKU":"a"}]}"#, of: .id(trial), change: .description))
        #expect(prices(await post(served, "subscription/changeMetadata", trial, #""taxCode":"T""#)) == [0, 9990])
        for price in ["-1", "9223372036854775807"] {
            #expect(throws: SimulatorError.self) {
                try served.store.perform(
                    .setAdvancedCommerce(
                        #"{"items":[{"SKU":"a","price":\#(price)}]}"#, of: .id(trial), change: .description))
            }
        }
    }

    @Test("A migrated subscription keeps its price and period, and its product changes with the next renewal")
    func target() async throws {
        let served = try await ServedStore()
        let silver = try #require(try await served.step("buy silver.monthly by anna"))
        func migrate(_ target: String, _ items: String) async -> LocalResponse {
            await post(
                served, "subscription/migrate", silver,
                #""targetProductId":"\#(target)","taxCode":"S","descriptors":{},"items":[\#(items)]"#)
        }
        for target in ["coins.100", "news.monthly", "none"] {
            #expect(await migrate(target, #"{"SKU":"a"}"#).code == 4_000_167)
        }
        #expect(await migrate("gold.yearly", #"{"SKU":"a"},{"SKU":"a"}"#).code == 4_000_122)
        let answer = await migrate("gold.yearly", #"{"SKU":"a","displayName":"A"}"#)
        #expect(items(answer, "signedTransactionInfo") == ["a 4990 A"])
        let (transaction, renewal) = (answer.signed("signedTransactionInfo"), answer.signed("signedRenewalInfo"))
        #expect(transaction?["productId"]?.string == "silver.monthly" && transaction?["price"]?.int64 == 4990)
        #expect(renewal?["autoRenewProductId"]?.string == "gold.yearly" && renewal?["renewalPrice"]?.int64 == 4990)
        try await served.step("advance 31 days")
        for _ in 0..<2 {
            let next = await post(served, "subscription/changePrice", silver, #""items":[{"SKU":"a","price":4990}]"#)
            let signed = next.signed("signedTransactionInfo")
            #expect(signed?["productId"]?.string == "gold.yearly" && signed?["price"]?.int64 == 4990)
            #expect(items(next, "signedTransactionInfo") == ["a 4990 A"])
            let days = ((signed?["expiresDate"]?.int64 ?? 0) - (signed?["purchaseDate"]?.int64 ?? 0)) / 86_400_000
            #expect((28...31).contains(days))
            try await served.step("advance 28 days")
        }
        // After a change to another product, the subscription has no items.
        try await served.step("change plan silver.monthly by anna")
        try await served.step("advance 31 days")
        let last = await post(served, "subscription/cancel", silver).signed("signedTransactionInfo")
        #expect(last?["productId"]?.string == "silver.monthly" && last?["advancedCommerceInfo"] == nil)
    }

    @Test(
        "A migrated subscription renews with other items, if the migration names them",
        arguments: [
            (["a"], ["b"], ["b 4990 B"]), (["a"], ["a"], ["a 4990 A"]), (["a", "b"], ["b"], ["b B"]),
            (["a"], ["b", "a"], ["a 4990 A", "b B"]), (["a"], ["b", "c"], ["b 4990 B", "c C"]),
        ] as [([String], [String], [String])])
    func renewalItems(_ now: [String], _ later: [String], _ expected: [String]) async throws {
        let served = try await ServedStore()
        let silver = try #require(try await served.step("buy silver.monthly by anna"))
        func list(_ skus: [String]) -> String {
            skus.map { #"{"SKU":"\#($0)","displayName":"\#($0.uppercased())"}"# }.joined(separator: ",")
        }
        func migrate(_ renewalItems: String) async -> LocalResponse {
            await post(
                served, "subscription/migrate", silver,
                #""targetProductId":"gold.yearly","taxCode":"S","descriptors":{},"items":[\#(list(now))],"#
                    + #""renewalItems":\#(renewalItems)"#)
        }
        #expect(await migrate("[]").code == 4_000_160)
        #expect(await migrate("[{}]").code == 4_000_105)
        #expect(await migrate("[\(list(["z", "z"]))]").code == 4_000_122)
        let answer = await migrate("[\(list(later))]")
        let current = now.map { now.count == 1 ? "\($0) 4990 \($0.uppercased())" : "\($0) \($0.uppercased())" }
        #expect(items(answer, "signedTransactionInfo") == current)
        #expect(items(answer, "signedRenewalInfo") == expected)
        try await served.step("advance 31 days")
        let next = await post(served, "subscription/cancel", silver)
        #expect(items(next, "signedTransactionInfo") == expected)
    }

    @Test("An ordinary subscription migrates once")
    func migration() async throws {
        let served = try await ServedStore()
        let gold = try #require(try await served.step("buy gold.monthly by anna"))
        let members =
            #""targetProductId":"gold.yearly","taxCode":"S","descriptors":{"displayName":"N","description":"D"},"#
            + #""items":[{"SKU":"a","displayName":"A","description":"World A"}]"#
        #expect(
            await post(served, "subscription/changePrice", gold, #""items":[{"SKU":"a","price":1}]"#).code == 4_030_010)
        let answer = await post(served, "subscription/migrate", gold, members)
        #expect(items(answer, "signedTransactionInfo") == ["a 9990 A"])
        #expect(served.store.happenings().last?.notification == "MIGRATION")
        #expect(await post(served, "subscription/migrate", gold, members).code == 4_000_176)
    }

    @Test("Refunded items are revoked one by one; the last one refunds the purchase")
    func refunds() async throws {
        let (served, gold) = try await served()
        func refund(_ sku: String, _ more: String) async -> LocalResponse {
            await post(
                served, "transaction/requestRefund", gold,
                #""refundRiskingPreference":true,"items":[{"SKU":"\#(sku)","refundReason":"OTHER",\#(more)}]"#)
        }
        let first = await refund("a", #""refundType":"CUSTOM","refundAmount":990,"revoke":true"#)
        #expect(items(first, "signedTransactionInfo") == ["a 4990 A revoked 990", "b 2990 B"])
        #expect(first.signed("signedTransactionInfo")?["revocationDate"] == nil)
        #expect(first.document?["signedRenewalInfo"] == nil)
        #expect(served.store.happenings().last?.notification == "REFUND")
        for (sku, more, code) in [
            ("a", #""refundType":"FULL","revoke":true"#, 4_030_021),
            ("b", #""refundType":"CUSTOM","refundAmount":9990,"revoke":true"#, 4_000_132),
            ("b", #""refundType":"CUSTOM","refundAmount":-1,"revoke":true"#, 4_000_154),
            ("b", #""refundType":"CUSTOM","revoke":true"#, 4_000_153),
            ("b", #""refundType":"FULL","refundAmount":1,"revoke":true"#, 4_000_155),
            ("b", #""refundType":"FULL""#, 4_000_173), ("b", #""refundType":"SOME","revoke":true"#, 4_000_123),
            ("z", #""refundType":"FULL","revoke":true"#, 4_000_122),
        ] as [(String, String, Int64)] {
            #expect(await refund(sku, more).code == code)
        }
        let second = await refund("b", #""refundType":"FULL","revoke":true"#)
        #expect(items(second, "signedTransactionInfo") == ["a 4990 A revoked 990", "b 2990 B revoked 2990"])
        #expect(second.signed("signedTransactionInfo")?["revocationDate"]?.int64 != nil)
    }

    /// Returns a store with a subscription of two items in the middle of its first period, and the id of its
    /// transaction.
    private func halfway() async throws -> (ServedStore, Transaction.ID) {
        let served = try await ServedStore()
        let silver = try #require(try await served.step("buy silver.monthly by anna"))
        try served.store.perform(.setAdvancedCommerce(Self.info, of: .id(silver), change: .description))
        // 16 of 31 days are left: 51.613 %.
        try await served.step("advance 15 days")
        return (served, silver)
    }

    @Test(
        "The refunds of an item are kept, and never exceed its price",
        arguments: [
            (["PRORATED"], [2575], nil), (["FULL"], [4990], nil), (["CUSTOM 990", "FULL"], [990, 4000], nil),
            (["CUSTOM 4000", "PRORATED"], [4000, 990], nil), (["CUSTOM 0", "CUSTOM 4990"], [0, 4990], nil),
            (["CUSTOM 990", "CUSTOM 4001"], [990], 4_000_132), (["CUSTOM 4991"], [], 4_000_132),
            (["CUSTOM -1"], [], 4_000_154), (["FULL", "CUSTOM 1"], [4990], 4_030_021),
            (["FULL", "FULL"], [4990], 4_030_021), (["CUSTOM 4990", "PRORATED"], [4990], 4_030_021),
        ] as [([String], [Int64], Int64?)])
    func amounts(_ refunds: [String], _ amounts: [Int64], _ refusal: Int64?) async throws {
        let (served, silver) = try await halfway()
        var found: [Int64] = []
        for refund in refunds {
            let words = refund.split(separator: " ")
            let amount = words.count > 1 ? #","refundAmount":\#(words[1])"# : ""
            let answer = await post(
                served, "transaction/requestRefund", silver,
                #""refundRiskingPreference":true,"items":[{"SKU":"a","refundReason":"OTHER","refundType":"\#(words[0])","#
                    + #""revoke":false\#(amount)}]"#)
            guard let signed = answer.signed("signedTransactionInfo") else {
                #expect(answer.code == refusal)
                continue
            }
            let item = signed["advancedCommerceInfo"]?["items"]?.array?.first { _ in true }
            found = item?["refunds"]?.array?.compactMap { $0["refundAmount"]?.int64 } ?? []
            #expect(signed["revocationDate"] == nil && signed["price"]?.int64 == 7980)
        }
        #expect(found == amounts)
    }

    @Test(
        "The refund of the last item revokes the purchase, with the share that was paid back",
        arguments: [
            (#""refundType":"CUSTOM","refundAmount":100"#, #""refundType":"CUSTOM","refundAmount":298"#, 4987),
            (#""refundType":"CUSTOM","refundAmount":0"#, #""refundType":"CUSTOM","refundAmount":0"#, 1),
            (#""refundType":"FULL""#, #""refundType":"FULL""#, 100_000),
            (#""refundType":"PRORATED""#, #""refundType":"FULL""#, 69_737),
        ])
    func lastItem(_ first: String, _ second: String, _ percentage: Int64) async throws {
        let (served, silver) = try await halfway()
        let answer = await post(
            served, "transaction/requestRefund", silver,
            #""refundRiskingPreference":true,"items":[{"SKU":"a","refundReason":"OTHER","revoke":true,\#(first)},"#
                + #"{"SKU":"b","refundReason":"OTHER","revoke":true,\#(second)}]"#)
        let signed = answer.signed("signedTransactionInfo")
        #expect(signed?["revocationDate"]?.int64 != nil && signed?["revocationPercentage"]?.int64 == percentage)
        #expect(signed?["revocationType"] == nil)
    }

    @Test("A revoked subscription has refunds of all its items; the type of an ordinary one is signed")
    func revoked() async throws {
        let (served, silver) = try await halfway()
        let prorated = #""refundType":"PRORATED","refundReason":"LEGAL","refundRiskingPreference":false"#
        let answer = await post(served, "subscription/revoke", silver, prorated)
        #expect(items(answer, "signedTransactionInfo") == ["a 4990 A revoked 2575", "b 2990 B revoked 1543"])
        let signed = answer.signed("signedTransactionInfo")
        #expect(signed?["revocationPercentage"]?.int64 == 51_604 && signed?["revocationType"] == nil)
        #expect(await post(served, "subscription/revoke", silver, prorated).code == 4_030_021)
        try await served.step("buy silver.monthly by bert")
        try await served.step("advance 15 days")
        let ordinary = try #require(served.store.transactions.last { $0.person == "bert" }?.id)
        let other = await post(served, "subscription/revoke", ordinary, prorated).signed("signedTransactionInfo")
        #expect(other?["revocationType"]?.string == "REFUND_PRORATED" && other?["advancedCommerceInfo"] == nil)
        #expect(other?["revocationPercentage"]?.int64 == 51_613)
    }

    @Test("Consumption information about a purchase of Advanced Commerce is accepted in the first version only")
    func consumption() async throws {
        let (served, gold) = try await served()
        let named = #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED"}"#
        let numbered =
            #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":0,"accountTenure":0,"#
            + #""consumptionStatus":0,"lifetimeDollarsPurchased":0,"lifetimeDollarsRefunded":0,"platform":0,"#
            + #""playTime":0,"userStatus":0,"appAccountToken":""}"#
        func send(_ version: Int, _ id: Transaction.ID, _ body: String) async -> LocalResponse {
            await served.ask("PUT", "/inApps/v\(version)/transactions/consumption/\(id.rawValue)", body: body)
        }
        let refused = await send(2, gold, named)
        #expect(refused.status == 400 && refused.code == 4_000_000)
        #expect(!served.store.happenings().contains { $0.kind == .consumptionInformed })
        #expect(await send(1, gold, numbered).status == 202)
        // The second version accepts an ordinary purchase.
        let ordinary = try #require(try await served.step("buy silver.monthly by bert"))
        #expect(await send(2, ordinary, named).status == 202)
    }

    @Test(
        "A request with the reference id of an earlier request is refused and changes nothing",
        arguments: [
            (
                "transaction/requestRefund",
                #""refundRiskingPreference":true,"items":[{"SKU":"a","refundReason":"OTHER","refundType":"CUSTOM","#
                    + #""refundAmount":100,"revoke":false}]"#
            ),
            ("subscription/revoke", #""refundType":"FULL","refundReason":"LEGAL","refundRiskingPreference":false"#),
            ("subscription/changePrice", #""items":[{"SKU":"a","price":5990}]"#),
            ("subscription/changeMetadata", #""taxCode":"T""#),
        ] as [(String, String)])
    func repeated(_ path: String, _ members: String) async throws {
        let (served, silver) = try await halfway()
        #expect(await post(served, path, silver, members, reference: Self.id).status == 200)
        // The id is recognized in any letter case, and also in the next period.
        for step in ["advance 1 day", "advance 31 days"] {
            try await served.step(step)
            let count = served.store.happeningCount
            for reference in [Self.id, Self.id.uppercased()] {
                #expect(await post(served, path, silver, members, reference: reference).code == 4_000_097)
            }
            #expect(served.store.happeningCount == count)
        }
    }

    @Test("A repeated cancellation gets the response to the first one")
    func repeatedCancellation() async throws {
        let (served, silver) = try await halfway()
        for _ in 1...2 {
            let answer = await post(served, "subscription/cancel", silver, reference: Self.id)
            #expect(answer.signed("signedRenewalInfo")?["autoRenewStatus"]?.int64 == 0)
        }
        #expect(served.store.happenings().filter { $0.kind == .autoRenewDisabled }.count == 1)
    }

    @Test(
        "A request that is not valid is refused and changes nothing",
        arguments: [
            ("subscription/cancel/1", "{}", 4_040_010), ("subscription/cancel/x", "{}", 4_000_006),
            ("subscription/cancel/ID", "{}", 4_000_079),
            ("subscription/cancel/ID", #"{"requestInfo":{}}"#, 4_000_080),
            ("subscription/cancel/ID", #"{"requestInfo":{"requestReferenceId":"7"}}"#, 4_000_081),
            ("subscription/cancel/ID", "[", 4_000_000),
            ("subscription/revoke/ID", "{REQUEST}", 4_000_157),
            ("subscription/revoke/ID", #"{REQUEST,"refundType":"FULL"}"#, 4_000_156),
            ("subscription/revoke/ID", #"{REQUEST,"refundType":"FULL","refundReason":"SAD"}"#, 4_000_124),
            ("subscription/revoke/ID", #"{REQUEST,"refundType":"CUSTOM","refundReason":"OTHER"}"#, 4_000_123),
            ("subscription/revoke/ID", #"{REQUEST,"refundType":"FULL","refundReason":"OTHER"}"#, 4_000_159),
            ("subscription/changePrice/ID", "{REQUEST}", 4_000_101),
            ("subscription/changePrice/ID", #"{REQUEST,"items":[]}"#, 4_000_160),
            ("subscription/changePrice/ID", #"{REQUEST,"items":[{"price":1}]}"#, 4_000_105),
            ("subscription/changePrice/ID", #"{REQUEST,"items":[{"SKU":"z","price":1}]}"#, 4_000_122),
            ("subscription/changePrice/ID", #"{REQUEST,"items":[{"SKU":"a"}]}"#, 4_000_109),
            ("subscription/changePrice/ID", #"{REQUEST,"items":[{"SKU":"a","price":-1}]}"#, 4_000_086),
            (
                "subscription/changeMetadata/ID", #"{REQUEST,"items":[{"currentSKU":"a","effective":"LATER"}]}"#,
                4_000_111
            ),
            ("subscription/changeMetadata/ID", #"{REQUEST,"items":[{}]}"#, 4_000_169),
            ("subscription/migrate/ID", "{REQUEST}", 4_000_176),
            ("transaction/requestRefund/ID", #"{REQUEST,"items":[{"SKU":"a"}]}"#, 4_000_159),
        ] as [(String, String, Int64)])
    func invalid(_ path: String, _ body: String, _ code: Int64) async throws {
        let (served, gold) = try await served()
        let count = served.store.happeningCount
        let answer = await served.ask(
            "POST", "/advancedCommerce/v1/\(path.replacing("ID", with: gold.rawValue))",
            body: body.replacing("REQUEST", with: Self.request))
        #expect(answer.code == code)
        #expect(served.store.happeningCount == count)
    }

    // MARK: Seats

    @Test("Seats are claimed up to their number, once for each request, and released")
    func seats() async throws {
        let served = try await ServedStore()
        let gold = try #require(try await served.step("buy gold.monthly by anna")).rawValue
        let path = "/groups/v1/transactions/\(gold)/seats"
        #expect(await served.ask("GET", path).code == 4_000_000)
        try await served.step("seats gold.monthly by anna number 3 invitations DEVELOPER")
        #expect(served.store.happenings().last?.notification == "DID_CHANGE_RENEWAL_PREF/INCREASE_QUANTITY")
        func claim(_ request: UUID = UUID(), _ member: String? = nil) async -> LocalResponse {
            let more = member.map { #","appTransactionId":"\#($0)""# } ?? ""
            return await served.ask("POST", path, body: #"{"requestIdentifier":"\#(request)"\#(more)}"#)
        }
        func counts() async -> [Int64?] {
            let info = await served.ask("GET", path).document
            return [
                info?["totalSeatCount"]?.int64, info?["availableSeatCount"]?.int64,
                info?["assignedSeatClaimIds"]?.array.map { Int64(Array($0).count) },
            ]
        }
        #expect(await counts() == [3, 2, 0])
        let request = UUID()
        let first = try #require(await claim(request).document?["seatClaimId"]?.string)
        #expect(await claim(request).document?["seatClaimId"]?.string == first)
        try await served.step("buy coins.100 by bert")
        let bert = try #require(served.store.transactions.last?.id.rawValue)
        let member = try #require(served.store.customer(with: bert, app: ServedStore.bundleID)?.appTransactionID)
        let second = try #require(await claim(UUID(), member).document?["seatClaimId"]?.string)
        // A member can have only one seat.
        #expect(await claim(UUID(), member).document?["seatClaimId"]?.string == second)
        #expect(
            await served.ask("POST", "\(path)/\(first)/associate", body: #"{"appTransactionId":"\#(member)"}"#).code
                == 4_000_000)
        #expect(await claim().code == 4_000_000)
        #expect(await counts() == [3, 0, 2])
        #expect(await claim(UUID(), "77").code == 4_040_000)

        // Both customers see their groups, and the members of a group are returned in pages.
        let group = "group-\(gold)"
        let anna = try #require(served.store.customer(with: gold, app: ServedStore.bundleID)?.appTransactionID)
        for person in [anna, member] {
            let groups = await served.ask("GET", "/groups/v1/currentGroups/\(person)").document?["groups"]?.array
            #expect(groups?.map { $0["groupId"]?.string } == [group])
        }
        let page = await served.ask("GET", "/groups/v1/group/\(group)", query: [("limit", "1")]).document
        #expect(page?["members"]?.array?.map { $0["appTransactionId"]?.string } == [anna])
        #expect(page?["hasMore"]?.bool == true)
        let token = try #require(page?["paginationToken"]?.string)
        let rest = await served.ask(
            "GET", "/groups/v1/group/\(group)", query: [("limit", "1"), ("paginationToken", token)]
        ).document
        #expect(rest?["members"]?.array?.map { $0["appTransactionId"]?.string } == [member])
        #expect(rest?["hasMore"]?.bool == false && rest?["paginationToken"] == nil)
        for limit in ["0", "101", "x"] {
            #expect(await served.ask("GET", "/groups/v1/group/\(group)", query: [("limit", limit)]).code == 4_000_004)
        }
        #expect(await served.ask("GET", "/groups/v1/group/none").code == 4_040_022)
        #expect(await served.ask("GET", "/groups/v1/group/\(String(repeating: "9", count: 65))").code == 4_000_225)
        // The id of any transaction of the customer also finds the groups.
        let groups = await served.ask("GET", "/groups/v1/currentGroups/\(bert)").document?["groups"]?.array
        #expect(groups?.map { $0["groupId"]?.string } == [group])
        #expect(await served.ask("GET", "/groups/v1/currentGroups/77").code == 4_040_010)
        #expect(await served.ask("GET", "/groups/v1/currentGroups/x").code == 4_000_006)

        #expect(
            await served.ask("POST", "\(path)/\(first)/associate", body: #"{"appTransactionId":"\#(anna)"}"#).status
                == 200)
        #expect(await served.ask("DELETE", "\(path)/\(first)").status == 200)
        #expect(await served.ask("DELETE", "\(path)/\(first)").code == 4_040_000)
        #expect(await counts() == [3, 1, 1])

        // The App Store takes the other seat away.
        try await served.step("unclaim seats transaction \(gold) claims \(second)")
        let happening = try #require(served.store.happenings().last)
        #expect(happening.notification == "UNCLAIM_SEATS")
        let text = try #require(try served.store.notification(of: happening.id))
        let payload = try #require(LocalResponse.payload(text))
        #expect(payload["unclaimInfo"]?["unclaimSeatIds"]?.array?.map(\.string) == [second])
        #expect(payload["data"] == nil && payload["unclaimInfo"]?["bundleId"]?.string == ServedStore.bundleID)
        #expect(await counts() == [3, 2, 0])
    }

    @Test("Seats are in the transaction and the renewal info: more at once, fewer from the next renewal on")
    func quantities() async throws {
        let served = try await ServedStore()
        let gold = try #require(try await served.step("buy gold.monthly by anna"))
        func state() throws -> [Int64?] {
            let texts = try served.store.evidence(of: "anna").compactMap(LocalResponse.payload)
            let (transaction, renewal) = (texts.last { $0["transactionId"] != nil }, texts.last)
            return [
                transaction?["quantity"]?.int64,
                transaction?["multiSeatInfo"]?["priceTiers"]?.array?.first { _ in true }?["quantity"]?.int64,
                renewal?["renewalQuantity"]?.int64,
            ]
        }
        #expect(try state() == [1, nil, nil])
        try await served.step("seats transaction \(gold.rawValue) number 5 invitations APPLE")
        #expect(try state() == [5, 5, 5])
        try await served.step("seats transaction \(gold.rawValue) number 2 invitations APPLE")
        #expect(try state() == [5, 5, 2])
        #expect(served.store.happenings().last?.notification == "DID_CHANGE_RENEWAL_PREF/DECREASE_QUANTITY")
        try await served.step("advance 31 days")
        #expect(try state() == [2, 2, 2])
        #expect(await served.ask("GET", "/groups/v1/transactions/\(gold.rawValue)/seats").code == 4_000_000)
        for number in ["0", "100001"] {
            await #expect(throws: (any Error).self) {
                try await served.step("seats transaction \(gold.rawValue) number \(number)")
            }
        }
    }
}
