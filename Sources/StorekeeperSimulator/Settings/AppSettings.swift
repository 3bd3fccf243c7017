package import Storekeeper

/// The current settings of an app's test environment.
///
/// - SeeAlso: Apple, "StoreKit Test: SKTestSession".
public struct AppSettings: Hashable, Sendable {
    /// The storefront of accounts that are created without a storefront, as three letters.
    public var storefront = "USA"
    /// The locale, such as `en_US`.
    public var locale = "en_US"
    /// The speed at which subscriptions renew.
    public var pace = RenewalPace.realTime
    /// Whether every purchase waits for a guardian's answer.
    public var isAskToBuyEnabled = false
    /// Whether every purchase is interrupted until its issue is resolved.
    public var interruptsPurchases = false
    /// The length of the grace period after a failed renewal; `nil` for no grace period.
    public var gracePeriod: GracePeriodLength?
    /// Whether a grace period follows a free offer if the first paid renewal fails.
    public var gracePeriodFollowsFreeOffers = true
    /// Whether the payment of every renewal fails.
    public var entersBillingRetryOnRenewal = false
    /// Whether a subscription in billing retry is charged again every day.
    public var retriesDaily = false
    /// The probability that a daily charge succeeds although the customer's payments fail, from 0 to 1.
    public var recoveryChance = 0.0
    /// Whether renewals are charged a day before they begin.
    public var chargesEarly = false
    /// Whether dialogs are skipped.
    ///
    /// The setting has no effect, because the simulator has no dialogs.
    public var disablesDialogs = true
    /// Whether refunds requested in the app are granted at once.
    public var grantsRefundRequests = true
    /// The code of `SKError` with which every purchase fails; `nil` to let purchases succeed.
    public var failureErrorCode: Int?
    /// The simulated failures, by the API that fails.
    public var simulatedErrors: [SimulatedAPI: SimulatedFailure] = [:]

    /// Creates the default settings.
    public init() {}

    /// Returns the settings with one setting changed.
    func with(_ setting: SimulatorSetting) -> AppSettings {
        var settings = self
        switch setting {
        case .storefront(let country): settings.storefront = country
        case .locale(let locale): settings.locale = locale
        case .pace(let pace): settings.pace = pace
        case .askToBuy(let isOn): settings.isAskToBuyEnabled = isOn
        case .interruptedPurchases(let isOn): settings.interruptsPurchases = isOn
        case .billingGracePeriod(let length): settings.gracePeriod = length
        case .gracePeriodFollowsFreeOffers(let isOn): settings.gracePeriodFollowsFreeOffers = isOn
        case .billingRetryOnRenewal(let isOn): settings.entersBillingRetryOnRenewal = isOn
        case .retriesDaily(let isOn): settings.retriesDaily = isOn
        case .recoveryChance(let chance): settings.recoveryChance = chance
        case .chargesEarly(let isOn): settings.chargesEarly = isOn
        case .disableDialogs(let isOn): settings.disablesDialogs = isOn
        case .grantsRefundRequests(let isOn): settings.grantsRefundRequests = isOn
        case .failTransactions(let code): settings.failureErrorCode = code
        case .simulatedError(let failure, let api): settings.simulatedErrors[api] = failure
        }
        return settings
    }
}

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
