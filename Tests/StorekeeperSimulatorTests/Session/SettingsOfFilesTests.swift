import Storekeeper
import StorekeeperSimulator
import Testing

@Suite("The settings of a .storekit file") struct SettingsOfFilesTests {
    private static func settings(_ json: String) throws -> (settings: AppSettings, warnings: [Diagnostic]) {
        let file = CatalogFile(
            name: "Store.storekit", bytes: Array(#"{"products":[],"subscriptionGroups":[],"settings":\#(json)}"#.utf8))
        return AppSettings.read(try StoreKitSettings(file))
    }

    @Test("A file without settings has the default settings")
    func nothing() throws {
        let (settings, warnings) = try Self.settings("{}")
        #expect(settings == AppSettings())
        #expect(warnings.isEmpty)
    }

    @Test("Every setting of a file is used")
    func everything() throws {
        let (settings, warnings) = try Self.settings(
            """
            {"_timeRate": 13, "_storefront": "jpn", "_locale": "ja_JP", "_askToBuyEnabled": true,
             "_billingIssuesEnabled": true, "_billingGracePeriodEnabled": true, "_renewalBillingIssuesEnabled": true,
             "_failTransactionsEnabled": true, "_storeKitError": 12}
            """)
        #expect(warnings.isEmpty)
        #expect(settings.pace == .xcode(.monthlyRenewalEveryFiveMinutes))
        #expect(settings.storefront == "JPN")
        #expect(settings.locale == "ja_JP")
        #expect(settings.isAskToBuyEnabled)
        #expect(settings.interruptsPurchases)
        #expect(settings.gracePeriod == .days16)
        #expect(settings.entersBillingRetryOnRenewal)
        #expect(settings.failureErrorCode == 12)
    }

    @Test(
        "Each error number is that of StoreKit's list for the function",
        arguments: [
            (#"{"name":"Purchase","enabled":true,"current":{"index":1,"type":"purchase"}}"#, "productUnavailable"),
            (#"{"name":"Purchase","enabled":true,"current":{"index":2,"type":"generic"}}"#, "networkError"),
            (#"{"name":"Purchase","enabled":true,"current":3}"#, "systemError"),
            (#"{"name":"Purchase","enabled":true,"current":6}"#, "unsupported"),
            (#"{"name":"Purchase","enabled":true,"current":null}"#, "unknown"),
            (#"{"name":"Purchase","enabled":true}"#, "unknown"),
        ])
    func errors(entry: String, expected: String) throws {
        let (settings, warnings) = try Self.settings(#"{"_storeKitErrors": [\#(entry)]}"#)
        #expect(settings.simulatedErrors == [.purchase: SimulatedFailure(rawValue: expected)])
        #expect(warnings.isEmpty)
    }

    @Test("Every function can be named, and a disabled one does not fail", arguments: SimulatedAPI.allCases)
    func functions(api: SimulatedAPI) throws {
        let on = try Self.settings(#"{"_storeKitErrors": [{"name":"\#(api.rawValue)","enabled":true}]}"#).settings
        #expect(on.simulatedErrors == [api: api == .verification ? .revokedCertificate : .unknown])
        let off = try Self.settings(#"{"_storeKitErrors": [{"name":"\#(api.rawValue)","enabled":false}]}"#).settings
        #expect(off.simulatedErrors.isEmpty)
    }

    @Test("An unknown setting gives a warning, and the default is used")
    func unknown() throws {
        let (settings, warnings) = try Self.settings(
            """
            {"_timeRate": 77, "_storefront": "Mars",
             "_storeKitErrors": [{"name":"Purchase","enabled":true,"current":{"index":99,"type":"generic"}}]}
            """)
        #expect(settings.pace == .realTime)
        #expect(settings.storefront == "USA")
        #expect(settings.simulatedErrors == [.purchase: .unknown])
        #expect(
            warnings.map(\.location) == [
                "settings._timeRate", "settings._storefront", "settings._storeKitErrors[0]",
            ])
    }
}
