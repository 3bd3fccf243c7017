/// The settings of a `.storekit` file, which describe a test environment: the rate of time, failures, and the
/// storefront.
///
/// Apple does not document the format; the keys are the keys that Xcode's files have in common.
///
/// - SeeAlso: Apple, "StoreKit Test: SKTestSession".
package struct StoreKitSettings: Hashable, Sendable {
    /// An error that one of StoreKit's functions throws in the test environment.
    package struct SimulatedFailure: Hashable, Sendable {
        /// The name of the function in the file, such as `Load Products`.
        package var api: String
        /// Whether the failure is switched on.
        package var isEnabled: Bool
        /// The kind of error: `generic`, `purchase` or `verification`; `nil` if no kind is chosen.
        package var type: String?
        /// The index of the error among the errors of its kind, starting at 0; `nil` if no error is chosen.
        package var index: Int?

        /// Creates a failure.
        package init(api: String, isEnabled: Bool, type: String? = nil, index: Int? = nil) {
            self.api = api
            self.isEnabled = isEnabled
            self.type = type
            self.index = index
        }
    }

    /// The rate of time as a number of `SKTestSession.TimeRate`; 0 is real time, and files may contain other numbers.
    package var timeRateCode: Int = 0
    /// The rate of time for older programs that do not support the value of ``timeRateCode``; `nil` if the file has no
    /// such value.
    package var compatibilityTimeRateCode: Int?
    /// The country of the App Store, by ISO 3166 in three letters.
    package var storefront: String = "USA"
    /// The language and region of texts, such as `en_US`.
    package var locale: String = "en_US"
    /// Whether every purchase waits for the approval of a guardian.
    package var isAskToBuyEnabled: Bool = false
    /// Whether every purchase is interrupted by an issue that the customer has to resolve first.
    package var isInterruptedPurchasesEnabled: Bool = false
    /// Whether a subscription continues for a grace period when its payment fails.
    package var isBillingGracePeriodEnabled: Bool = false
    /// Whether the payment of every renewal fails.
    package var entersBillingRetryOnRenewal: Bool = false
    /// Whether every payment fails, with the error ``failureErrorCode``.
    package var failsTransactions: Bool = false
    /// Whether purchases complete without a question to the customer.
    package var disablesDialogs: Bool = false
    /// The raw value in `SKError.Code` of the error with which payments fail; `nil` if the file does not contain it.
    package var failureErrorCode: Int?
    /// The app's id at the App Store; `nil` if the file was never synchronized.
    package var applicationID: String?
    /// The errors that StoreKit's functions throw in the test environment.
    package var errors: [SimulatedFailure] = []
    /// The diagnostics about questionable but readable values of the settings.
    package var diagnostics: [Diagnostic] = []

    /// Creates the default settings.
    package init() {}

    /// Reads the settings of a file.
    ///
    /// An unreadable value is ignored with a diagnostic. For a catalog of another format, which has no settings, the
    /// result has the default settings.
    ///
    /// - Throws: ``CatalogError`` if the file cannot be read as a catalog at all.
    package init(_ file: CatalogFile) throws(CatalogError) {
        let document = try CatalogDocument(reading: file)
        // The draft is created only because the initializer throws for a file that is not a catalog.
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
