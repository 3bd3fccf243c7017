import FoundationEssentials
import Testing

@testable import StorekeeperEngine

/// Short ways to make catalogs and files for tests.
enum CatalogFixtures {
    static func read(_ text: String, name: String = "Products") throws(CatalogError) -> Catalog {
        try Catalog(reading: [CatalogFile(name: name, bytes: Array(text.utf8))])
    }

    static func read(_ texts: [(name: String, text: String)]) throws(CatalogError) -> Catalog {
        try Catalog(reading: texts.map { CatalogFile(name: $0.name, bytes: Array($0.text.utf8)) })
    }

    static func error(_ bytes: [UInt8]) -> CatalogError? {
        do throws(CatalogError) {
            _ = try Catalog(reading: [CatalogFile(name: "Products", bytes: bytes)])
            return nil
        } catch {
            return error
        }
    }

    static func error(_ text: String) -> CatalogError? { error(Array(text.utf8)) }

    /// Returns an XML property list that contains a value.
    static func plist(_ value: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        \(value)
        </plist>
        """
    }

    /// Returns a binary property list of objects, which are given as bytes, with references and offsets of one byte.
    static func binaryPlist(_ objects: [[UInt8]], top: UInt8 = 0) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets.append(UInt8(truncatingIfNeeded: bytes.count))
            bytes += object
        }
        let table = bytes.count
        bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
        for number in [objects.count, Int(top), table] {
            bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
        return bytes
    }

    static func base64(_ text: String) -> [UInt8] { Array(Data(base64Encoded: text) ?? Data()) }

    /// A product list of MKStoreKit as a binary property list, written by a Mac.
    static let binaryMKStoreKit = base64(
        """
        YnBsaXN0MDDUAQIDBAUHExVWT3RoZXJzW0NvbnN1bWFibGVzXxAPTm9uLUNvbnN1bWFibGVzXFNoYXJlZFNlY3JldKEGXxARY29tLmV4YW1w\
        bGUub3RoZXLSCAkKD18QE2NvbS5leGFtcGxlLmNvaW5zLmJfEBNjb20uZXhhbXBsZS5jb2lucy5h0gsMDQ5UTmFtZVVDb3VudFVjb2lucyNA\
        SQAAAAAAANIQEQ0SXENvbnN1bWFibGVJZF8QD0NvbnN1bWFibGVDb3VudBAKoRRfEA9jb20uZXhhbXBsZS5wcm9UaHVzaAgRGCQ2Q0VZXnSK\
        j5SaoKmuu83P0eMAAAAAAAABAQAAAAAAAAAWAAAAAAAAAAAAAAAAAAAA6A==
        """)
    /// A dictionary from labels to ids.
    static let binaryLabels = base64(
        """
        YnBsaXN0MDDTAQIDBAUGVVplYnJhVUFwcGxlWTEwIGJvb3N0c11jb20uZXhhbXBsZS5hXWNvbS5leGFtcGxlLmNdY29tLmV4YW1wbGUuYggP\
        FRslM0EAAAAAAAABAQAAAAAAAAAHAAAAAAAAAAAAAAAAAAAATw==
        """)
    /// A product list in this project's format.
    static let binaryOwnList = base64(
        """
        YnBsaXN0MDDTAQIDBA8VWHByb2R1Y3RzXXN1YnNjcmlwdGlvbnNYZmVhdHVyZXOiBQZZY29pbnMuMTAw1AcICQoLDA0OUmlkVWxldmVsVXBy\
        aWNlXxAPZmFtaWx5U2hhcmVhYmxlXGdvbGQubW9udGhseRABVDkuOTkJoRDSEQESE1Vncm91cFptZW1iZXJzaGlwogsUXnNpbHZlci5tb250\
        aGx50RYXU3Byb6ELCA8YJi8yPEVITlRmc3V6e32CiJOWpaisAAAAAAAAAQEAAAAAAAAAGAAAAAAAAAAAAAAAAAAAAK4=
        """)
    /// An array of two strings, one of them in UTF-16.
    static let binaryStrings = base64(
        "YnBsaXN0MDCiAQJtAGMAbwBtAC4AZQB4AGEAbQBwAGwAZQAuAPxdY29tLmV4YW1wbGUuYQgLJgAAAAAAAAEBAAAAAAAAAAMAAAAAAAAAAAAA"
            + "AAAAAAA0")

    static let ownList = """
        {"products":["coins.100",{"id":"gold.monthly","type":"autoRenewable","group":"membership","level":1,"period":"P1M"},
                     {"id":"season.pass","type":"nonRenewable","accessDuration":"P90D"},
                     {"id":"coins.500","type":"consumable","grants":{"coins":500}}],
         "subscriptions":[{"group":"membership","products":["gold.monthly","silver.monthly"]}],
         "features":{"ad-free":["gold.monthly","silver.monthly","remove.ads"],"pro":["gold.monthly"]}}
        """

    static let configuration = """
        {"identifier" : "A1B2C3D4",
         "nonRenewingSubscriptions" : [{"productID":"season","type":"NonRenewingSubscription","displayPrice":"5"}],
         "products" : [
           {"productID":"coins","type":"Consumable","displayPrice":"0.99","familyShareable":false,"internalID":"1",
            "localizations":[{"locale":"de","displayName":"Münzen","description":"Viele"},
                             {"locale":"en_US","displayName":"Coins","description":"Many"}],"referenceName":"Ref"}],
         "settings" : {"_locale":"de_DE","_storefront":"DEU"},
         "subscriptionGroups" : [{"id":"21","name":"Membership","localizations":[],"subscriptions":[
           {"productID":"silver","type":"RecurringSubscription","groupNumber":2,"displayPrice":"4.99",
            "recurringSubscriptionPeriod":"P1M","subscriptionGroupID":"21","familyShareable":true,
            "introductoryOffer":{"internalID":"X","paymentMode":"free","displayPrice":"3","subscriptionPeriod":"P1W"},
            "adHocOffers":[{"internalID":"Y","offerID":"loyal","referenceName":"Loyal","paymentMode":"payAsYouGo",
              "displayPrice":"1.99","numberOfPeriods":3,"subscriptionPeriod":"P1M"}],
            "codeOffers":[{"internalID":"Z","referenceName":"Code","paymentMode":"payUpFront","displayPrice":"2",
              "subscriptionPeriod":"P1M","eligibility":["new"],"isStackable":true}],
            "winbackOffers":[{"internalID":"W","offerID":"back","paymentMode":"free","subscriptionPeriod":"P1M",
              "isEligible":true}]},
           {"productID":"gold","type":"RecurringSubscription","groupNumber":1,"displayPrice":"9.99",
            "recurringSubscriptionPeriod":"P1M","introductoryOffer":null}]}],
         "version" : {"major":4,"minor":0}}
        """

    /// A sample of every format and structure.
    static let samples: [[UInt8]] = [
        Array(ownList.utf8), Array(configuration.utf8), binaryMKStoreKit, binaryLabels, binaryOwnList, binaryStrings,
        Array(
            plist(
                """
                <dict><!-- a note --><key>Products</key><array><string>com.example.a &amp; b</string>
                <string><![CDATA[com.example.c]]></string></array><key>Subscriptions</key><array><dict>
                <key>Group</key><string>vip</string><key>Products</key><array><string>gold</string>
                <array><string>silver</string></array></array></dict></array>
                <key>Consumables</key><dict><key>com.example.coins</key><dict><key>Count</key><real>50</real>
                <key>Name</key><string>coins</string></dict></dict><key>x</key><true/><key>y</key><date/></dict>
                """
            ).utf8),
        Array(
            """
            {"appleSKU":"","products":[{"id":"a","type":0,"storeIDs":[{"store":"AppleAppStore","id":"com.example.a"}],
            "defaultDescription":{"title":"A","description":"B"}},{"id":"b","type":2}]}
            """.utf8),
        Array(
            """
            {"products":[{"id":"gold","type":"autoRenewable","price":"11.88","currency":"USD","billingPlans":[
            {"type":"upFront","price":"11.88"},{"type":"monthly","price":1,"commitmentPrice":"12","enabled":false}],
            "offers":[{"kind":"code","id":"c","paymentMode":"oneTime","price":"1","eligibility":["lapsed"],
            "stackable":true,"billingPlan":"monthly"},{"kind":"winBack","id":"w","paymentMode":"freeTrial",
            "period":"P1W","eligible":false}]}],"subscriptions":[{"products":["gold"],"aliases":["vip"]}]}
            """.utf8),
        Array(
            """
            {"gold":{"type":"autoRenewable","grants":{"coins":5}},"Non-Consumables-batch":{"type":"x","all":["a","b"]}}
            """.utf8),
        Array(#"{"Non-Consumables-batch":{"all":["a","b"]},"Consumables":{"c":5},"Subscriptions":{"s":30}}"#.utf8),
    ]
}

extension Catalog {
    var ids: [Product.ID] { products.map(\.id) }
    var codes: [String] { diagnostics.map(\.code.rawValue) }
}
