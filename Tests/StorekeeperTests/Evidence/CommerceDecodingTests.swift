import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperEngine

@Suite("Advanced Commerce and seats in signed facts") struct CommerceDecodingTests {
    private static let base =
        #""transactionId":"1","originalTransactionId":"1","productId":"p","type":"Consumable","purchaseDate":0,"#
        + #""signedDate":0,"bundleId":"b","environment":"Sandbox""#
    private static let renewalBase =
        #""originalTransactionId":"1","autoRenewStatus":1,"signedDate":0,"environment":"Sandbox""#

    private func transaction(_ members: String) throws -> Transaction {
        let bytes = Array("{\(Self.base)\(members)}".utf8)
        return try Transaction(payload: try JSONReader().read(bytes).root, source: .unsigned(bytes))
    }

    private func renewal(_ members: String) throws -> RenewalInfo {
        let bytes = Array("{\(Self.renewalBase)\(members)}".utf8)
        return try RenewalInfo(payload: try JSONReader().read(bytes).root, source: .unsigned(bytes))
    }

    @Test("A transaction's items, refunds and taxes are read") func items() throws {
        let info = try #require(
            try transaction(
                #","advancedCommerceInfo":{"descriptors":{"displayName":"N","description":"D"},"estimatedTax":1,"#
                    + #""taxExclusivePrice":2,"taxCode":"C","taxRate":"0.2","period":"P6M","requestReferenceId":"r","#
                    + #""items":[{"SKU":"a","displayName":"A","description":"I","price":4990,"offer":{"price":990,"#
                    + #""period":"P3D","periodCount":3,"reason":"WIN_BACK"},"refunds":[{"refundAmount":5,"#
                    + #""refundDate":6,"refundReason":"LEGAL","refundType":"PRORATED"}],"revocationDate":7},{"SKU":"b"},3]}"#
            ).advancedCommerceInfo)
        #expect(info.descriptors == AdvancedCommerce.Descriptors(displayName: "N", description: "D"))
        #expect(info.estimatedTax == 1 && info.taxExclusivePrice == 2 && info.taxCode == "C" && info.taxRate == "0.2")
        #expect(info.period == .sixMonths && info.requestReferenceID == "r")
        #expect(info.items.map(\.sku) == ["a", "b"])
        let item = try #require(info.items.first)
        #expect(item.displayName == "A" && item.description == "I" && item.price == 4990)
        #expect(
            item.offer
                == AdvancedCommerce.Offer(price: 990, period: .threeDays, periodCount: 3, reason: .winBack))
        #expect(item.revokedAt == Instant(millisecondsSince1970: 7))
        let refund = try #require(item.refunds.first)
        #expect(refund.amount == 5 && refund.refundedAt == Instant(millisecondsSince1970: 6))
        #expect(refund.reason == .legal && refund.type == .prorated)
    }

    @Test("A renewal info's items and price increases are read") func renewalItems() throws {
        let info = try #require(
            try renewal(
                #","advancedCommerceInfo":{"consistencyToken":"t","descriptors":{"displayName":"N","description":"D"},"#
                    + #""period":"P1Y","requestReferenceId":"r","taxCode":"C","items":[{"SKU":"a","price":1,"#
                    + #""priceIncreaseInfo":{"price":2,"dependentSKUs":["b","c"],"status":"PENDING"}}]}"#
            ).advancedCommerceInfo)
        #expect(info.consistencyToken == "t" && info.period == .year && info.taxCode == "C")
        #expect(info.requestReferenceID == "r" && info.descriptors?.displayName == "N")
        let increase = try #require(info.items.first?.priceIncrease)
        #expect(increase.price == 2 && increase.dependentSKUs == ["b", "c"] && increase.status == .pending)
    }

    @Test("Seats, their prices and the next renewal's are read") func seats() throws {
        let seats = try #require(
            try transaction(
                #","quantity":25,"multiSeatInfo":{"invitationManagement":"DEVELOPER","revokedSeatQuantity":2,"#
                    + #""priceTiers":[{"price":100,"quantity":20},{"price":50,"quantity":5}]}"#
            ).multiSeatInfo)
        #expect(seats.invitationManagement == .developer && seats.revokedSeatQuantity == 2)
        #expect(seats.priceTiers.map(\.price) == [100, 50] && seats.priceTiers.map(\.quantity) == [20, 5])
        let next = try renewal(
            #","renewalQuantity":9,"multiSeatInfo":{"renewalPriceTiers":[{"price":1,"quantity":9}]}"#)
        #expect(next.renewalQuantity == 9 && next.renewalPriceTiers.map(\.quantity) == [9])
    }

    @Test("Bundles, predecessors and additional transactions are read") func bundles() throws {
        let fact = try transaction(
            #","previousOriginalTransactionId":"7","additionalTransactionReason":"SEAT_ADDITION","bundleProductId":"b","#
                + #""bundleTransactionId":"8","bundleOriginalTransactionId":"9","bundleSubscriptionGroupIdentifier":"g","#
                + #""revocationReason":2,"offerType":5"#)
        #expect(fact.previousOriginalTransactionID == "7" && fact.additionalTransactionReason == .seatAddition)
        #expect(fact.bundle?.productID == "b" && fact.bundle?.transactionID == "8")
        #expect(fact.bundle?.originalTransactionID == "9" && fact.bundle?.subscriptionGroupID == "g")
        #expect(fact.revocationReason == .upgradedToBundle && fact.offer?.type == .retention)
        #expect(fact.unknownValues.isEmpty)
        let info = try renewal(#","bundleSubscriptionGroupId":"g","willUnbundle":true,"expirationIntent":6"#)
        #expect(info.bundle?.subscriptionGroupID == "g" && info.willUnbundle && info.expirationReason == .unbundled)
        #expect(info.unknownValues.isEmpty && info.expirationReason?.word == "unbundled")
        #expect(try transaction("").bundle == nil && renewal("").bundle == nil && !renewal("").willUnbundle)
        #expect(
            try transaction(#","additionalTransactionReason":"X""#).unknownValues == ["additionalTransactionReason: X"])
    }

    @Test("The store type and the revocation of an app transaction are read") func appTransactions() throws {
        let base = #"{"bundleId":"b","receiptType":"Production","receiptCreationDate":9"#
        for (members, revokedAt, type) in [
            (#","revocationDate":5,"storeType":"education"}"#, 5, "education"), (#","revocationDate":"x"}"#, 9, nil),
            ("}", nil, nil),
        ] as [(String, Int64?, String?)] {
            let bytes = Array((base + members).utf8)
            let app = try AppTransaction(payload: try JSONReader().read(bytes).root, source: .unsigned(bytes))
            #expect(app.revokedAt == revokedAt.flatMap(Instant.init(millisecondsSince1970:)) && app.storeType == type)
        }
    }

    @Test(
        "Members that cannot be read count as absent, and cost no other member",
        arguments: [
            "", #","advancedCommerceInfo":3"#, #","advancedCommerceInfo":null,"multiSeatInfo":[]"#,
            #","advancedCommerceInfo":{"items":3,"descriptors":{"displayName":"N"},"period":4}"#,
        ])
    func odd(_ members: String) throws {
        let fact = try transaction(members)
        #expect(fact.id == "1" && fact.advancedCommerceInfo?.items.isEmpty ?? true && fact.multiSeatInfo == nil)
        #expect(fact.advancedCommerceInfo?.descriptors == nil && fact.advancedCommerceInfo?.period == nil)
        let info = try renewal(members)
        #expect(info.advancedCommerceInfo?.items.isEmpty ?? true && info.renewalQuantity == nil)
        #expect(info.renewalPriceTiers.isEmpty)
    }
}
