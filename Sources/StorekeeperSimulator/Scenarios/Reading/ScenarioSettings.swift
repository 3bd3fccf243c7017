import Storekeeper

/// Converts the settings of the test environment from and to the syntax of scenarios.
enum ScenarioSettings {
    static let keys = [
        "storefront", "locale", "pace", "ask to buy", "interrupted purchases", "grace period",
        "grace after free offers", "billing retry on renewal", "daily retries", "recovery chance", "early charges",
        "disable dialogs",
        "grant refund requests", "fail transactions", "errors",
    ]

    /// Returns the settings in a map, in the order of the text.
    ///
    /// Errors are added to the list of mistakes, and the setting with an error is omitted.
    static func read(_ node: ScenarioNode) -> [SimulatorSetting] {
        let pairs = node.attempt { () throws(ScenarioError) in try node.pairs("the settings") } ?? []
        return pairs.flatMap { pair in
            node.attempt { () throws(ScenarioError) in try settings(pair) } ?? []
        }
    }

    private static func settings(
        _ pair: (key: ScenarioNode, word: String, value: ScenarioNode)
    ) throws(ScenarioError) -> [SimulatorSetting] {
        let value = pair.value
        switch pair.word {
        case "storefront": return [.storefront(try country(value))]
        case "locale": return [.locale(try value.text(pair.word))]
        case "pace": return [.pace(try pace(value))]
        case "ask to buy": return [.askToBuy(try value.flag(pair.word))]
        case "interrupted purchases": return [.interruptedPurchases(try value.flag(pair.word))]
        case "grace period": return [.billingGracePeriod(try grace(value))]
        case "grace after free offers": return [.gracePeriodFollowsFreeOffers(try value.flag(pair.word))]
        case "billing retry on renewal": return [.billingRetryOnRenewal(try value.flag(pair.word))]
        case "daily retries": return [.retriesDaily(try value.flag(pair.word))]
        case "recovery chance":
            guard let chance = Double(try value.text(pair.word)), (0...1).contains(chance) else {
                throw value.error("'recovery chance' is not a number from 0 to 1", "write it like 0.3")
            }
            return [.recoveryChance(chance)]
        case "early charges": return [.chargesEarly(try value.flag(pair.word))]
        case "disable dialogs": return [.disableDialogs(try value.flag(pair.word))]
        case "grant refund requests": return [.grantsRefundRequests(try value.flag(pair.word))]
        case "fail transactions":
            let word = try value.text(pair.word)
            guard word == "no" || word == "off" || Int(word) != nil else {
                throw value.error("'\(word)' is not a valid SKError code", "write its number, or 'no'")
            }
            return [.failTransactions(code: Int(word))]
        case "errors":
            return try value.pairs("the errors").compactMap { failure in
                value.attempt { () throws(ScenarioError) in try simulatedError(failure) }
            }
        default:
            throw pair.key.error(
                "there is no setting '\(pair.word)'", NearestWord.advice(for: pair.word, among: keys))
        }
    }

    /// Reads a storefront, which is a country code of three letters.
    static func country(_ node: ScenarioNode) throws(ScenarioError) -> String {
        let text = try node.text("storefront")
        guard Storefront.isCountry(text) else {
            throw node.error("'\(text)' is not a valid storefront", "write three letters, such as USA")
        }
        return text
    }

    private static func grace(_ node: ScenarioNode) throws(ScenarioError) -> GracePeriodLength? {
        switch try node.text("grace period") {
        case "no", "off": return nil
        case "3 days": return .days3
        case "16 days": return .days16
        case "28 days": return .days28
        case let word:
            throw node.error(
                "'\(word)' is not a valid length of a grace period", "write 3 days, 16 days, 28 days or no")
        }
    }

    private static func simulatedError(
        _ pair: (key: ScenarioNode, word: String, value: ScenarioNode)
    ) throws(ScenarioError) -> SimulatorSetting {
        guard let api = SimulatedAPI(rawValue: pair.word) else {
            throw pair.key.error(
                "there is no failure '\(pair.word)'",
                NearestWord.advice(for: pair.word, among: SimulatedAPI.allCases.map(\.rawValue)))
        }
        if ["no", "off"].contains(try pair.value.text(pair.word)) { return .simulatedError(nil, api: api) }
        return .simulatedError(try pair.value.word(pair.word, of: SimulatedFailure.self), api: api)
    }

    // MARK: Paces

    static let rates: [(word: String, rate: TimeRate)] = [
        ("hour", .monthlyRenewalEveryHour), ("30 minutes", .monthlyRenewalEveryThirtyMinutes),
        ("15 minutes", .monthlyRenewalEveryFifteenMinutes), ("5 minutes", .monthlyRenewalEveryFiveMinutes),
        ("30 seconds", .monthlyRenewalEveryThirtySeconds),
    ]

    private static let paceAdvice =
        "write real time, xcode month is 5 minutes, xcode rate 13, sandbox 5 minutes or testflight"

    private static func pace(_ node: ScenarioNode) throws(ScenarioError) -> RenewalPace {
        let text = try node.text("pace")
        if let pace = pace(text) { return pace }
        throw node.error("'\(text)' is not a valid pace", paceAdvice)
    }

    private static func pace(_ text: String) -> RenewalPace? {
        switch text {
        case "real time": return .realTime
        case "testflight": return .testFlight
        default: break
        }
        if let rest = text.rest(after: "xcode rate ") {
            return Int(rest).map { .xcode(TimeRate(rawValue: $0)) }
        }
        if let rest = text.rest(after: "xcode month is ") {
            return rates.first { $0.word == rest }.map { .xcode($0.rate) }
        }
        if let rest = text.rest(after: "sandbox "), rest.hasSuffix(" minutes") {
            return Int(rest.dropLast(8)).flatMap(SandboxSpeed.init(rawValue:)).map { .sandbox($0) }
        }
        return nil
    }

    /// Returns the key and the value with which a scenario states a setting.
    static func text(_ setting: SimulatorSetting) -> (key: String, value: String) {
        func flag(_ isOn: Bool) -> String { isOn ? "yes" : "no" }
        switch setting {
        case .storefront(let country): return ("storefront", country)
        case .locale(let locale): return ("locale", locale)
        case .pace(let pace): return ("pace", text(pace))
        case .askToBuy(let isOn): return ("ask to buy", flag(isOn))
        case .interruptedPurchases(let isOn): return ("interrupted purchases", flag(isOn))
        case .billingGracePeriod(let length): return ("grace period", length.map { "\($0.rawValue) days" } ?? "no")
        case .gracePeriodFollowsFreeOffers(let isOn): return ("grace after free offers", flag(isOn))
        case .billingRetryOnRenewal(let isOn): return ("billing retry on renewal", flag(isOn))
        case .retriesDaily(let isOn): return ("daily retries", flag(isOn))
        case .recoveryChance(let chance): return ("recovery chance", "\(chance)")
        case .chargesEarly(let isOn): return ("early charges", flag(isOn))
        case .disableDialogs(let isOn): return ("disable dialogs", flag(isOn))
        case .grantsRefundRequests(let isOn): return ("grant refund requests", flag(isOn))
        case .failTransactions(let code): return ("fail transactions", code.map(String.init) ?? "no")
        case .simulatedError(let failure, let api):
            return ("errors", "{ \(api.rawValue): \(failure?.rawValue ?? "no") }")
        }
    }

    /// Returns the text with which a scenario states a renewal pace.
    static func text(_ pace: RenewalPace) -> String {
        switch pace.source {
        case .realTime: "real time"
        case .xcode(let rate): "xcode rate \(rate.rawValue)"
        case .sandbox(let speed): "sandbox \(speed.rawValue) minutes"
        case .testFlight: "testflight"
        }
    }
}

extension String {
    /// Returns the text after a prefix; `nil` if the text does not begin with the prefix.
    func rest(after prefix: String) -> String? { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil }
}
