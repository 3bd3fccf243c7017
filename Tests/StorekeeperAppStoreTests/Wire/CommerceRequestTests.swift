import FoundationEssentials
import Storekeeper
import Testing

@testable import StorekeeperAppStore

@Suite("Advanced Commerce requests of an app, and answers about seats") struct CommerceRequestTests {
    private static let names = AdvancedCommerce.Descriptors(displayName: "N", description: "D")
    private static let offer = AdvancedCommerce.Offer(price: 990, period: .month, periodCount: 3, reason: .acquisition)
    private static let item = AdvancedCommerce.Item(sku: "a", descriptors: names, price: 4990, offer: offer)
    private static let info = RequestTableTests.info
    private static let itemText =
        #""SKU":"a","description":"D","displayName":"N","offer":{"period":"P1M","periodCount":3,"price":990,"#
        + #""reason":"ACQUISITION"},"price":4990"#
    private static let infoText =
        #""requestInfo":{"appAccountToken":"7f3c2a10-1111-4222-8333-444455556666","consistencyToken":"t","#
        + #""requestReferenceId":"7f3c2a10-1111-4222-8333-444455556666"}"#

    static var change: AdvancedCommerce.Modification {
        var change = AdvancedCommerce.Modification(retainsBillingCycle: true)
        change.addedItems = [
            AdvancedCommerce.Item(sku: "b", descriptors: names, price: 1, proratedPrice: 2)
        ]
        change.changedItems = [
            AdvancedCommerce.ItemChange(of: "c", with: item, reason: .upgrade, effective: .immediately)
        ]
        change.removedSKUs = ["d"]
        change.descriptors = AdvancedCommerce.DescriptorsChange(displayName: "M", effective: .nextBillCycle)
        change.period = .year
        change.taxCode = "C"
        return change
    }

    static let rows: [(AdvancedCommerce.InAppRequest, String)] = [
        (
            .createOneTimeCharge(item, taxCode: "C"),
            #"{"currency":"USD","item":{\#(itemText)},"operation":"CREATE_ONE_TIME_CHARGE",\#(infoText),"#
                + #""storefront":"USA","taxCode":"C","version":"1"}"#
        ),
        (
            .createSubscription([item], descriptors: names, period: .month, taxCode: "C", previous: "1"),
            #"{"currency":"USD","descriptors":{"description":"D","displayName":"N"},"items":[{\#(itemText)}],"#
                + #""operation":"CREATE_SUBSCRIPTION","period":"P1M","previousTransactionId":"1",\#(infoText),"#
                + #""storefront":"USA","taxCode":"C","version":"1"}"#
        ),
        (
            .modifySubscription("1", change),
            #"{"addItems":[{"SKU":"b","description":"D","displayName":"N","price":1,"proratedPrice":2}],"#
                + #""changeItems":[{"SKU":"a","currentSKU":"c","description":"D","displayName":"N","effective":"#
                + #""IMMEDIATELY","offer":{"period":"P1M","periodCount":3,"price":990,"reason":"ACQUISITION"},"#
                + #""price":4990,"reason":"UPGRADE"}],"currency":"USD","descriptors":{"displayName":"M","effective":"#
                + #""NEXT_BILL_CYCLE"},"operation":"MODIFY_SUBSCRIPTION","periodChange":{"effective":"NEXT_BILL_CYCLE","#
                + #""period":"P1Y"},"removeItems":[{"SKU":"d"}],\#(infoText),"retainBillingCycle":true,"#
                + #""storefront":"USA","taxCode":"C","transactionId":"1","version":"1"}"#
        ),
        (
            .reactivateSubscription("1", skus: ["a"]),
            #"{"currency":"USD","items":[{"SKU":"a"}],"operation":"REACTIVATE_SUBSCRIPTION",\#(infoText),"#
                + #""storefront":"USA","transactionId":"1","version":"1"}"#
        ),
    ]

    @Test("A request is exactly these bytes", arguments: 0..<rows.count) func bytes(_ row: Int) throws {
        let (request, text) = Self.rows[row]
        let bytes = try request.json(Self.info, currency: "USD", storefront: "USA")
        #expect(String(decoding: bytes, as: UTF8.self) == text)
    }

    @Test("A request that the App Store would refuse is not signed") func refused() {
        let long = AdvancedCommerce.Item(sku: String(repeating: "x", count: 129), descriptors: Self.names, price: 1)
        let offer = AdvancedCommerce.Item(
            sku: "a", descriptors: Self.names, price: 1,
            offer: AdvancedCommerce.Offer(price: 1, period: .week, periodCount: 13, reason: .retention))
        for request: AdvancedCommerce.InAppRequest in [
            .createOneTimeCharge(long, taxCode: "C"), .createOneTimeCharge(offer, taxCode: "C"),
            .createSubscription([], descriptors: Self.names, period: .week, taxCode: "C"),
        ] {
            let error = #expect(throws: AppStoreServerError.self) { _ = try request.json(Self.info) }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test("Answers about seats and groups are read with all their members") func answers() async throws {
        let id = RequestTableTests.id
        let answers = [
            #"{"totalSeatCount":5,"availableSeatCount":3,"assignedSeatClaimIds":["\#(id)"],"x":1}"#,
            #"{"seatClaimId":"\#(id)"}"#,
            #"{"groups":[{"groupId":"g","groupType":"ORGANIZATION","roles":[{"productId":"p","role":"ADMIN"}]}]}"#,
            #"{"members":[{"appTransactionId":"7"}],"hasMore":true,"paginationToken":"t"}"#,
            #"{"signedTransactionInfo":"a.b.c","signedRenewalInfo":"d.e.f"}"#, #"{"seatClaimId":"x"}"#,
        ]
        try await Fixture.withClient(
            environment: .sandbox, attempts: 1, serving: { _, count in .json(answers[count]) }
        ) { client, _ in
            let seats = try await client.seatInfo(of: "1", in: .sandbox)
            #expect(seats.totalSeatCount == 5 && seats.availableSeatCount == 3 && seats.assignedSeatClaimIDs == [id])
            #expect(seats.unknownMembers == ["x": "1"])
            #expect(try await client.claimSeat(of: "1", requestIdentifier: id, in: .sandbox) == id)
            let group = try #require(try await client.customerGroups(of: "7", in: .sandbox).first)
            #expect(group.id == "g" && group.type == "ORGANIZATION" && group.roles.map(\.role) == ["ADMIN"])
            let members = try await client.groupMembers(of: "g", in: .sandbox)
            #expect(members.appTransactionIDs == ["7"] && members.hasMore && members.paginationToken == "t")
            let answer = try await client.cancelSubscription("1", Self.info, in: .sandbox)
            #expect(answer.signedTransactionInfo == "a.b.c" && answer.signedRenewalInfo == "d.e.f")
            let error = await Fixture.failure {
                try await client.claimSeat(of: "1", requestIdentifier: id, in: .sandbox)
            }
            #expect(error?.code == .malformedResponse)
        }
    }
}
