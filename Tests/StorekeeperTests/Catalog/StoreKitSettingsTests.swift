import Testing

@testable import StorekeeperEngine

@Suite("Settings of StoreKit configurations") struct StoreKitSettingsTests {
    /// Returns the settings of a configuration that has these members in its `settings`.
    private func settings(_ members: String) throws(CatalogError) -> StoreKitSettings {
        try read(#"{"settings":{\#(members)},"products":[]}"#)
    }

    private func read(_ text: String) throws(CatalogError) -> StoreKitSettings {
        try StoreKitSettings(CatalogFile(name: "Store.storekit", bytes: Array(text.utf8)))
    }

    @Test("Settings that a file omits are Xcode's defaults")
    func defaults() throws {
        let defaults = StoreKitSettings()
        #expect(defaults.timeRateCode == 0 && defaults.storefront == "USA" && defaults.locale == "en_US")
        #expect(!defaults.isAskToBuyEnabled && !defaults.failsTransactions && defaults.errors.isEmpty)
        for text in [
            #"{"settings":{}}"#, #"{"settings":null,"products":[],"version":{"major":4}}"#,
            #"{"subscriptionGroups":[]}"#, #"{"settings":{"_storefront":"","_locale":null,"_timeRate":null}}"#,
        ] {
            #expect(try read(text) == defaults, "\(text)")
        }
    }

    @Test("A catalog of another format has the default settings")
    func otherFormats() throws {
        #expect(try read(CatalogFixtures.ownList) == StoreKitSettings())
        let list = CatalogFile(name: "Products.plist", bytes: CatalogFixtures.binaryOwnList)
        #expect(try StoreKitSettings(list) == StoreKitSettings())
    }

    @Test("Settings are read from the keys that Xcode writes")
    func all() throws {
        let settings = try settings(
            """
            "_timeRate":1003,"_compatibilityTimeRate":{"3":6,"10":5},"_storefront":"nor","_locale":"nb_NO",
            "_askToBuyEnabled":true,"_billingIssuesEnabled":true,"_billingGracePeriodEnabled":true,
            "_renewalBillingIssuesEnabled":true,"_failTransactionsEnabled":true,"_disableDialogs":true,
            "_storeKitError":12,"_applicationInternalID":"6756204776","_developerTeamID":"XXXXXXXXXX",
            "_lastSynchronizedDate":1.5,"_storeKitErrors":[
            {"current":{"index":1,"type":"purchase"},"enabled":true,"name":"Purchase"},
            {"current":null,"enabled":false,"name":"App Store Sync"},{"name":"Load Products","current":2}]
            """)
        var expected = StoreKitSettings()
        expected.timeRateCode = 1003
        expected.compatibilityTimeRateCode = 5
        expected.storefront = "NOR"
        expected.locale = "nb_NO"
        expected.isAskToBuyEnabled = true
        expected.isInterruptedPurchasesEnabled = true
        expected.isBillingGracePeriodEnabled = true
        expected.entersBillingRetryOnRenewal = true
        expected.failsTransactions = true
        expected.disablesDialogs = true
        expected.failureErrorCode = 12
        expected.applicationID = "6756204776"
        expected.errors = [
            .init(api: "Purchase", isEnabled: true, type: "purchase", index: 1),
            .init(api: "App Store Sync", isEnabled: false), .init(api: "Load Products", isEnabled: false, index: 2),
        ]
        #expect(settings == expected)
    }

    @Test(
        "Each switch is read from its own key",
        arguments: [
            ("_askToBuyEnabled", 0), ("_billingIssuesEnabled", 1), ("_interruptedPurchasesEnabled", 1),
            ("_billingGracePeriodEnabled", 2), ("_renewalBillingIssuesEnabled", 3), ("_failTransactionsEnabled", 4),
            ("_disableDialogs", 5),
        ])
    func switches(key: String, position: Int) throws {
        func switchedOn(_ value: String) throws -> [Int] {
            let settings = try settings(#""\#(key)":\#(value)"#)
            #expect(settings.diagnostics.map(\.location) == (value == #""yes""# ? ["settings.\(key)"] : []))
            let switches = [
                settings.isAskToBuyEnabled, settings.isInterruptedPurchasesEnabled,
                settings.isBillingGracePeriodEnabled, settings.entersBillingRetryOnRenewal,
                settings.failsTransactions, settings.disablesDialogs,
            ]
            return switches.indices.filter { switches[$0] }
        }
        #expect(try switchedOn("true") == [position])
        #expect(try switchedOn("false") == [])
        #expect(try switchedOn(#""yes""#) == [])
    }

    @Test(
        "The time rate is read in the encoding of every file version",
        arguments: [
            (#""_timeRate":15"#, 15, nil), (#""_timeRate":7"#, 7, nil), (#""_timeRate":-1"#, -1, nil),
            (#""_compatibilityTimeRate":6"#, 6, 6), (#""_timeRate":1002,"_compatibilityTimeRate":6"#, 1002, 6),
            (#""_timeRate":0,"_compatibilityTimeRate":{"3":6}"#, 0, 6), (#""_compatibilityTimeRate":{}"#, 0, nil),
            (#""_compatibilityTimeRate":{"x":3}"#, 0, nil),
        ] as [(String, Int, Int?)])
    func timeRates(members: String, code: Int, compatibility: Int?) throws {
        let settings = try settings(members)
        #expect(settings.timeRateCode == code && settings.compatibilityTimeRateCode == compatibility)
        #expect(settings.diagnostics.isEmpty)
    }

    @Test("A setting that cannot be read is dropped with a diagnostic")
    func faults() throws {
        let settings = try settings(
            #"""
            "_timeRate":"fast","_storefront":7,"_storeKitError":[],"_applicationInternalID":42,
            "_storeKitErrors":[3,{"enabled":true},{"name":"Transaction Listener","enabled":true},null]
            """#)
        #expect(settings.timeRateCode == 0 && settings.storefront == "USA" && settings.failureErrorCode == nil)
        #expect(settings.applicationID == "42")
        #expect(settings.errors == [.init(api: "Transaction Listener", isEnabled: true)])
        #expect(
            Set(settings.diagnostics.map { "\($0.code.rawValue) \($0.location ?? "")" }) == [
                "unknownValue settings._timeRate", "unknownValue settings._storefront",
                "unknownValue settings._storeKitError", "skippedEntry settings._storeKitErrors[0]",
                "skippedEntry settings._storeKitErrors[1]", "unknownValue settings._storeKitErrors[2].name",
            ])
        #expect(try read(#"{"settings":[],"subscriptionGroups":[]}"#).diagnostics.map(\.location) == ["settings"])
        #expect(try self.settings(#""_storeKitErrors":{}"#).diagnostics.map(\.code) == [.skippedEntry])
    }

    @Test(
        "Reading settings refuses a file that is not a catalog with the catalog's error",
        arguments: ["", "{", "<plist/>", #"{"a":{"b":1}}"#])
    func refusals(text: String) {
        let expected = CatalogFixtures.error(text)
        #expect(expected != nil)
        do throws(CatalogError) {
            _ = try StoreKitSettings(CatalogFile(name: "Products", bytes: Array(text.utf8)))
            Issue.record("settings were read from \(text)")
        } catch {
            #expect(error == expected)
        }
    }

    @Test("Settings never hold the private key")
    func secrets() throws {
        let settings = try read(
            #"{"settings":{"_privateKey":"hush"},"subscriptionOffersKeyPair":{"id":"K","privateKey":"hush"}}"#)
        #expect(!"\(settings)".contains("hush"))
    }
}
