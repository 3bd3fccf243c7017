public import Storekeeper
import Synchronization

/// The error with which payments fail, as a code of `SKError`.
///
/// - SeeAlso: Apple, "StoreKit Test: failureError", which allows these codes.
public enum FailureError: Int, Sendable, CaseIterable {
    /// An unknown error.
    case unknown = 0
    /// The offer does not exist.
    case invalidOfferIdentifier = 11
    /// The offer's signature is wrong.
    case invalidSignature = 12
    /// Parameters of the offer are missing.
    case missingOfferParams = 13
    /// The offer's price is wrong.
    case invalidOfferPrice = 14
}

/// The settings, with the names that they have in `SKTestSession`.
extension SimulatedSession {
    // A change of a setting cannot fail, because the session's app always exists.
    private func set(_ setting: SimulatorSetting) { _ = try? perform(.setSetting(setting)) }

    /// Resets all settings and simulated errors to their initial values.
    ///
    /// Transactions are not deleted.
    public func resetToDefaultState() {
        _ = try? perform(.resetSettings)
        failure.withLock { $0 = initialFailure }
        let country = settings.storefront
        if storefront != country { _ = try? perform(.setStorefront(country, of: customer)) }
    }

    /// The country of the account's App Store, as three letters of ISO 3166-1.
    ///
    /// Prices are in the currency of this country.
    ///
    /// Setting a text that is not three letters has no effect.
    public var storefront: String {
        get {
            store.read { world in
                world.accountPlaces[customer].map { world.storefront(of: $0).country } ?? ""
            }
        }
        set {
            guard Storefront.isCountry(newValue) else { return }
            set(.storefront(newValue.uppercased()))
            _ = try? perform(.setStorefront(newValue, of: customer))
        }
    }

    /// The locale, such as `en_US`.
    public var locale: String {
        get { settings.locale }
        set { set(.locale(newValue)) }
    }

    /// Whether purchases skip dialogs.
    ///
    /// The setting has no effect, because the simulator has no dialogs.
    public var disableDialogs: Bool {
        get { settings.disablesDialogs }
        set { set(.disableDialogs(newValue)) }
    }

    /// Whether every purchase waits for a guardian's answer.
    public var askToBuyEnabled: Bool {
        get { settings.isAskToBuyEnabled }
        set { set(.askToBuy(newValue)) }
    }

    /// Whether every purchase is interrupted until its issue is resolved.
    public var interruptedPurchasesEnabled: Bool {
        get { settings.interruptsPurchases }
        set { set(.interruptedPurchases(newValue)) }
    }

    /// Whether a failed renewal has a grace period.
    ///
    /// The length of the grace period is 16 days, unless a setting of ``store`` changes it.
    ///
    /// Renewals fail only if a failure is simulated, for example with ``shouldEnterBillingRetryOnRenewal``.
    public var billingGracePeriodIsEnabled: Bool {
        get { settings.gracePeriod != nil }
        set { set(.billingGracePeriod(newValue ? .days16 : nil)) }
    }

    /// Whether the payment of every renewal fails.
    ///
    /// After an issue is resolved, the payment of the next renewal fails again.
    public var shouldEnterBillingRetryOnRenewal: Bool {
        get { settings.entersBillingRetryOnRenewal }
        set { set(.billingRetryOnRenewal(newValue)) }
    }

    /// Whether every payment fails, with ``failureError``.
    ///
    /// Since Xcode 15, Apple advises against this property; prefer ``setSimulatedError(_:forAPI:)``.
    public var failTransactionsEnabled: Bool {
        get { settings.failureErrorCode != nil }
        set { set(.failTransactions(code: newValue ? failureError.rawValue : nil)) }
    }

    /// The error with which payments fail while ``failTransactionsEnabled`` is true.
    public var failureError: FailureError {
        get { failure.withLock { $0 } }
        set {
            failure.withLock { $0 = newValue }
            if failTransactionsEnabled { set(.failTransactions(code: newValue.rawValue)) }
        }
    }

    /// The speed at which subscriptions renew; a change does not move the end of a period that has begun.
    ///
    /// The value is ``TimeRate/realTime`` if the pace is not one of Xcode's rates.
    public var timeRate: TimeRate {
        get { if case .xcode(let rate) = settings.pace.source { rate } else { .realTime } }
        set { set(.pace(newValue == .realTime ? .realTime : .xcode(newValue))) }
    }

    // MARK: Simulated errors

    /// Makes a function of StoreKit fail until this method is called again for the function.
    ///
    /// - Parameters:
    ///   - failure: The failure; `nil` removes the simulated failure.
    ///   - api: The function.
    /// - Throws: ``SimulatorError`` with `invalidValue` if the function cannot fail in that way.
    public func setSimulatedError(
        _ failure: SimulatedFailure?, forAPI api: SimulatedAPI
    ) throws(SimulatorError) {
        if let failure, !api.failures.contains(failure) {
            throw SimulatorError(
                .invalidValue,
                "'\(api.rawValue)' cannot fail with \(failure.rawValue); it can fail with "
                    + api.failures.map(\.rawValue).joined(separator: ", "))
        }
        try perform(.setSetting(.simulatedError(failure, api: api)))
    }

    /// Returns the simulated failure of a function of StoreKit; `nil` if no failure is simulated.
    public func simulatedError(forAPI api: SimulatedAPI) -> SimulatedFailure? { settings.simulatedErrors[api] }
}
