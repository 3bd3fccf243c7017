package import Storekeeper

extension AppSettings {
    /// Creates the settings of a `.storekit` file.
    ///
    /// This initializer drops the warnings about unknown values, which ``read(_:)`` returns.
    package init(_ settings: StoreKitSettings) { self = Self.read(settings).settings }

    /// Reads the settings of a `.storekit` file.
    ///
    /// - Returns: The settings, and a warning for each unknown value. A default replaces the unknown value.
    package static func read(_ file: StoreKitSettings) -> (settings: AppSettings, warnings: [Diagnostic]) {
        var settings = AppSettings()
        var warnings: [Diagnostic] = []
        let (rate, warning) = TimeRate.read(file)
        if let warning { warnings.append(warning) }
        settings.pace = rate == .realTime ? .realTime : .xcode(rate)
        if Storefront.isCountry(file.storefront) {
            settings.storefront = file.storefront.uppercased()
        } else {
            warnings.append(
                Diagnostic(
                    .unknownValue, subject: String(file.storefront.prefix(80)),
                    message: "a storefront has three letters; \(settings.storefront) is used instead",
                    location: "settings._storefront"))
        }
        settings.locale = file.locale
        settings.isAskToBuyEnabled = file.isAskToBuyEnabled
        settings.interruptsPurchases = file.isInterruptedPurchasesEnabled
        settings.gracePeriod = file.isBillingGracePeriodEnabled ? .days16 : nil
        settings.entersBillingRetryOnRenewal = file.entersBillingRetryOnRenewal
        settings.failureErrorCode = file.failsTransactions ? file.failureErrorCode ?? 0 : nil
        for (index, error) in file.errors.enumerated() where error.isEnabled {
            let path = "settings._storeKitErrors[\(index)]"
            guard let api = SimulatedAPI(rawValue: error.api) else {
                // The reader of the file has already reported the unknown API.
                continue
            }
            if let failure = SimulatedFailure(error, of: api) {
                settings.simulatedErrors[api] = failure
            } else {
                settings.simulatedErrors[api] = api == .verification ? .invalidSignature : .unknown
                warnings.append(
                    Diagnostic(
                        .unknownValue, subject: error.api,
                        message: "the selected error is unknown; an unknown error is used instead", location: path))
            }
        }
        return (settings, warnings)
    }
}
