/// A setting in the notation of scenarios, with its possible values.
package struct SettingWords: Hashable, Sendable {
    /// The setting's key.
    package let key: String
    /// The setting's value.
    package let value: String
    /// All possible values; empty if any value is allowed.
    package let choices: [String]
}

extension AppSettings {
    /// All settings in the notation of scenarios.
    ///
    /// Each API that can be made to fail has a separate setting.
    package var words: [SettingWords] {
        let ordinary = all.compactMap { setting -> SettingWords? in
            if case .simulatedError = setting { return nil }
            let (key, value) = ScenarioSettings.text(setting)
            return SettingWords(key: key, value: value, choices: ScenarioSettings.choices(of: setting))
        }
        let errors = SimulatedAPI.allCases.map { api in
            SettingWords(
                key: "errors \(api.rawValue)", value: simulatedErrors[api]?.rawValue ?? "no",
                choices: ["no"] + api.failures.map(\.rawValue))
        }
        return ordinary + errors
    }
}

extension ScenarioSettings {
    /// Returns the possible values of a setting; empty if any value is allowed.
    fileprivate static func choices(of setting: SimulatorSetting) -> [String] {
        switch setting {
        case .askToBuy, .interruptedPurchases, .gracePeriodFollowsFreeOffers, .billingRetryOnRenewal, .retriesDaily,
            .chargesEarly, .disableDialogs, .grantsRefundRequests:
            ["yes", "no"]
        case .billingGracePeriod: ["no", "3 days", "16 days", "28 days"]
        case .pace: paces.map(text)
        case .storefront, .locale, .recoveryChance, .failTransactions, .simulatedError: []
        }
    }

    private static let paces: [RenewalPace] =
        [.realTime] + TimeRate.known.filter { $0 != .realTime }.map { .xcode($0) }
        + SandboxSpeed.allCases.map { .sandbox($0) } + [.testFlight]
}
