/// Reads the settings of a StoreKit configuration in any version of its format.
struct StoreKitSettingsReader {
    let settings: DocumentDictionary
    var draft: CatalogDraft

    /// The names of the functions that Xcode can make fail.
    private static let knownAPIs: Set<String> = [
        "Load Products", "Purchase", "Verification", "App Store Sync", "Subscription Status", "App Transaction",
        "Manage Subscriptions Sheet", "Refund Request Sheet", "Offer Code Redeem Sheet",
    ]

    /// Reads all known settings; absent settings have their default values.
    mutating func read(into result: inout StoreKitSettings) {
        result.compatibilityTimeRateCode = compatibilityTimeRate()
        result.timeRateCode = number("_timeRate") ?? result.compatibilityTimeRateCode ?? result.timeRateCode
        result.storefront = text("_storefront")?.uppercased() ?? result.storefront
        result.locale = text("_locale") ?? result.locale
        result.isAskToBuyEnabled = isOn("_askToBuyEnabled")
        // Despite its name, the first key is the one that Xcode writes for interrupted purchases, not for failing
        // renewals.
        let interruptions = [isOn("_billingIssuesEnabled"), isOn("_interruptedPurchasesEnabled")]
        result.isInterruptedPurchasesEnabled = interruptions.contains(true)
        result.isBillingGracePeriodEnabled = isOn("_billingGracePeriodEnabled")
        result.entersBillingRetryOnRenewal = isOn("_renewalBillingIssuesEnabled")
        result.failsTransactions = isOn("_failTransactionsEnabled")
        result.disablesDialogs = isOn("_disableDialogs")
        result.failureErrorCode = number("_storeKitError")
        result.applicationID = applicationID()
        result.errors = failures()
    }

    private mutating func isOn(_ key: String) -> Bool {
        draft.bool(settings[key], subject: nil, at: "settings.\(key)") ?? false
    }

    private mutating func text(_ key: String) -> String? {
        draft.text(settings[key], subject: nil, at: "settings.\(key)")
    }

    private mutating func number(_ key: String) -> Int? {
        draft.wholeNumber(settings[key], subject: nil, at: "settings.\(key)")
    }

    /// Returns the rate of time, which is a number, or a dictionary with a number for each version of the format.
    ///
    /// Of a dictionary, the number for the newest version is returned.
    private mutating func compatibilityTimeRate() -> Int? {
        let key = "_compatibilityTimeRate"
        guard let rates = settings[key]?.dictionary else { return number(key) }
        let versions = rates.members.compactMap { member in
            DecimalText(member.name)?.wholeNumber.map { (version: $0, member: member) }
        }
        guard let newest = versions.max(by: { $0.version < $1.version })?.member else { return nil }
        return draft.wholeNumber(newest.value, subject: nil, at: memberPath("settings.\(key)", newest.name))
    }

    private mutating func applicationID() -> String? {
        let key = "_applicationInternalID"
        if case .number(let digits)? = settings[key] { return digits }
        return text(key)
    }

    private mutating func failures() -> [StoreKitSettings.SimulatedFailure] {
        let path = "settings._storeKitErrors"
        guard let value = settings["_storeKitErrors"] else { return [] }
        guard let elements = value.array else {
            draft.report(.skippedEntry, "expected an array; the value was skipped", at: path)
            return []
        }
        var failures: [StoreKitSettings.SimulatedFailure] = []
        for (index, element) in elements.enumerated() where !element.isNull {
            if let failure = failure(element, at: "\(path)[\(index)]") { failures.append(failure) }
        }
        return failures
    }

    private mutating func failure(_ value: DocumentValue, at path: String) -> StoreKitSettings.SimulatedFailure? {
        guard let entry = value.dictionary, let api = entry["name"]?.string, !api.isEmpty else {
            draft.report(.skippedEntry, "an entry without the name of a function was skipped", at: path)
            return nil
        }
        if !Self.knownAPIs.contains(api) {
            draft.report(
                .unknownValue, subject: String(api.prefix(80)), "StoreKit has no function of this name that can fail",
                at: "\(path).name")
        }
        var failure = StoreKitSettings.SimulatedFailure(
            api: api, isEnabled: draft.bool(entry["enabled"], subject: api, at: "\(path).enabled") ?? false)
        if let current = entry["current"]?.dictionary {
            failure.type = draft.text(current["type"], subject: api, at: "\(path).current.type")
            failure.index = draft.wholeNumber(current["index"], subject: api, at: "\(path).current.index")
        } else {
            failure.index = draft.wholeNumber(entry["current"], subject: api, at: "\(path).current")
        }
        return failure
    }
}
