/// What the settings of a `.storekit` file say of the test environment: how fast time passes, what fails, and where.
///
/// Apple does not document the format; the words follow what Xcode's files have in common.
///
/// - SeeAlso: Apple, "StoreKit Test: SKTestSession".
package struct StoreKitSettings: Hashable, Sendable {
    /// An error that one of StoreKit's functions is to throw.
    package struct SimulatedFailure: Hashable, Sendable {
        /// Which function, in the file's own words, such as `Load Products`.
        package var api: String
        /// Whether it fails now.
        package var isEnabled: Bool
        /// The sort of error that is chosen: `generic`, `purchase` or `verification`; `nil` where none is chosen.
        package var type: String?
        /// Which error of its sort is chosen, from 0; `nil` where none is chosen.
        package var index: Int?

        /// Makes a failure.
        package init(api: String, isEnabled: Bool, type: String? = nil, index: Int? = nil) {
            self.api = api
            self.isEnabled = isEnabled
            self.type = type
            self.index = index
        }
    }

    /// How fast time passes, as the number of `SKTestSession.TimeRate`; 0 is real time, and any number may stand here.
    package var timeRateCode: Int = 0
    /// The number for those who do not know ``timeRateCode``; `nil` where the file gives none.
    package var compatibilityTimeRateCode: Int?
    /// The country of the App Store, by ISO 3166 in three letters.
    package var storefront: String = "USA"
    /// The language and region of texts, such as `en_US`.
    package var locale: String = "en_US"
    /// Whether every purchase waits for a guardian.
    package var isAskToBuyEnabled: Bool = false
    /// Whether every purchase is interrupted by something the customer has to settle first.
    package var isInterruptedPurchasesEnabled: Bool = false
    /// Whether a subscription whose payment fails goes on for a grace period.
    package var isBillingGracePeriodEnabled: Bool = false
    /// Whether the payment of every renewal fails.
    package var entersBillingRetryOnRenewal: Bool = false
    /// Whether every payment fails, with ``failureErrorCode``.
    package var failsTransactions: Bool = false
    /// Whether purchases complete without asking.
    package var disablesDialogs: Bool = false
    /// The number of the error in `SKError.Code` of payments that fail; `nil` where the file gives none.
    package var failureErrorCode: Int?
    /// The app's id at the App Store; `nil` where the file was never synchronised.
    package var applicationID: String?
    /// Which of StoreKit's functions fail.
    package var errors: [SimulatedFailure] = []
    /// What is odd about the settings.
    package var diagnostics: [Diagnostic] = []

    /// Makes the settings of a file that says nothing.
    package init() {}

    /// Reads the settings of a file.
    ///
    /// What cannot be read costs itself and a diagnostic. A catalog of another format has no settings, and so the same
    /// as ``init()``.
    ///
    /// - Throws: ``CatalogError`` where the file cannot be read as a catalog at all.
    package init(_ file: CatalogFile) throws(CatalogError) {
        let document = try CatalogDocument(reading: file)
        // Says what is no catalog, as whoever reads the products would.
        _ = try CatalogDraft(document, file: file.name, prefix: "")
        self.init()
        guard StoreKitConfigurationReader.recognizes(document.root), let value = document.root.dictionary?["settings"]
        else { return }
        var draft = CatalogDraft(file: file.name, prefix: "")
        if let settings = value.dictionary {
            var reader = StoreKitSettingsReader(settings: settings, draft: draft)
            reader.read(into: &self)
            draft = reader.draft
        } else {
            draft.report(.unknownValue, "expected a dictionary; the settings were ignored", at: "settings")
        }
        diagnostics = draft.diagnostics
    }
}
