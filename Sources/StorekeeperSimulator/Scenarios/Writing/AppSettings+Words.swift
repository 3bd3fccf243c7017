/// A setting as scenarios write it, with the values that it can have.
package struct SettingWords: Hashable, Sendable {
    /// Its key.
    package let key: String
    /// Its value.
    package let value: String
    /// All the values that it can have; none where it can have any.
    package let choices: [String]
}

extension AppSettings {
    /// All settings as scenarios write them; one for each interface that can fail.
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
    /// The values that a setting can have; none where it can have any.
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
