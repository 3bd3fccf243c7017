/// Catalog files like those of apps, but longer.
enum SampleCatalogs {
    /// A StoreKit configuration: half subscriptions in groups of four, half one-time products.
    static func storeKit(_ count: Int) -> [UInt8] {
        let subscriptions = count / 2
        let products = (0..<count - subscriptions).map { number in
            """
            {"displayPrice":"4.99","familyShareable":false,"internalID":"\(internalID(number))","localizations":[
             {"description":"Product number \(number) of many","displayName":"Product \(number)","locale":"en_US"}],
             "productID":"com.example.game.product.\(number)","referenceName":"Product \(number)",
             "type":"\(number.isMultiple(of: 2) ? "Consumable" : "NonConsumable")"}
            """
        }
        let groups = stride(from: 0, to: subscriptions, by: 4).map { start in
            let members = (start..<min(start + 4, subscriptions)).map { number in
                """
                {"adHocOffers":[],"codeOffers":[],"displayPrice":"9.99","familyShareable":true,
                 "groupNumber":\(number % 4 + 1),"internalID":"\(internalID(500_000 + number))",
                 "introductoryOffer":{"internalID":"\(internalID(600_000 + number))","paymentMode":"free",
                 "subscriptionPeriod":"P1W"},"localizations":[{"description":"Level \(number % 4 + 1)",
                 "displayName":"Subscription \(number)","locale":"en_US"}],
                 "productID":"com.example.game.subscription.\(number)","recurringSubscriptionPeriod":"P1M",
                 "referenceName":"Subscription \(number)","subscriptionGroupID":"\(internalID(700_000 + start))",
                 "type":"RecurringSubscription"}
                """
            }
            return """
                {"id":"\(internalID(700_000 + start))","localizations":[],"name":"Group \(start)",
                 "subscriptions":[\(members.joined(separator: ","))]}
                """
        }
        let text = """
            {"identifier":"5A0E6F7C","nonRenewingSubscriptions":[],"products":[\(products.joined(separator: ","))],
             "settings":{"_storefront":"USA"},"subscriptionGroups":[\(groups.joined(separator: ","))],
             "version":{"major":4,"minor":0}}
            """
        return Array(text.utf8)
    }

    /// A property list that contains only ids, as in older apps.
    static func propertyList(_ count: Int) -> [UInt8] {
        let ids = (0..<count).map { "<string>com.example.game.product.\($0)</string>\n" }.joined()
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict><key>Products</key><array>
            \(ids)</array></dict></plist>
            """
        return Array(text.utf8)
    }

    private static func internalID(_ number: Int) -> String { String(0x1000_0000 + number, radix: 16, uppercase: true) }
}
