public import Storekeeper

extension Scenario {
    /// Creates a scenario from calls, such as the calls that made a test fail.
    ///
    /// - Parameters:
    ///   - calls: The calls, such as ``SimulatedAppStore/calls``, from the beginning.
    ///   - story: The name of the scenario.
    ///   - apps: The apps of the store.
    ///   - catalogs: The files of each app's catalog, by the names that the scenario uses.
    ///   - environment: The environment of the App Store.
    ///   - start: The instant at which the scenario begins.
    ///   - seed: The random seed.
    public init(
        calls: [SimulatorCall], story: String, apps: [SimulatedApp], catalogs: [[String]],
        environment: AppStore.Environment = .sandbox, start: Instant = SimulatedAppStore.defaultStart, seed: UInt64 = 0
    ) {
        self.init(story: story, apps: apps, environment: environment, start: start, seed: seed)
        self.catalogs = catalogs
        settings = apps.first?.settings.all ?? []
        steps = Self.steps(of: calls)
    }

    /// The maximum number of consecutive advances that are joined into one step.
    ///
    /// Each advance passes an instant with a happening, and a step may pass only a limited number of these instants.
    private static let maximumJumpsInAStep = ScenarioRunner.maximumEvents

    /// Joins consecutive advances into one advance to the last instant.
    ///
    /// The joined advance causes the same events.
    private static func joined(_ calls: [SimulatorCall]) -> [SimulatorCall] {
        var joined: [SimulatorCall] = []
        var jumps = 0
        for call in calls {
            guard case .advance = call.command else {
                jumps = 0
                joined.append(call)
                continue
            }
            if jumps > 0, jumps < maximumJumpsInAStep { joined.removeLast() } else { jumps = 0 }
            joined.append(call)
            jumps += 1
        }
        return joined
    }

    /// Returns steps that perform the calls again, with consecutive advances joined into one.
    package static func steps(of calls: [SimulatorCall]) -> [ScenarioStep] {
        let writer = ScenarioWriter()
        return joined(calls).map { call in
            var step = ScenarioStep(ScenarioStep.Action(performing: call.command), text: "", app: call.app)
            step.text = line(of: writer.pairs(of: step))
            return step
        }
    }

    /// Returns calls as steps in the notation of scenario files, which can be appended to existing steps.
    package static func text(of calls: [SimulatorCall]) -> String { text(of: steps(of: calls)) }

    /// Returns steps in the notation of scenario files, which can be appended to existing steps.
    package static func text(of steps: [ScenarioStep]) -> String {
        var text = ""
        var writer = ScenarioWriter()
        for step in steps {
            for (index, pair) in writer.pairs(of: step).enumerated() {
                text += "\(index == 0 ? "  - " : "    ")\(pair.key):\(Self.text(pair.value, indent: 6))\n"
            }
            if let name = step.name { writer.names.insert(name) }
        }
        return text
    }

    static func line(of pairs: ScenarioWriter.Pairs) -> String {
        pairs.map { pair in
            switch pair.value {
            case .text(let text): "\(pair.key) \(text)"
            case .list(let items): "\(pair.key) \(items.joined(separator: ", "))"
            case .mapping(let members): members.map { "\(pair.key) \($0.joined(separator: " "))" }.joined()
            }
        }.joined(separator: " ")
    }

    /// The scenario as the text of a file.
    ///
    /// Reading the text returns the same scenario.
    ///
    /// The text names the catalog files without their contents, unless the scenario was read from a text with these
    /// contents.
    public var text: String {
        var text = "story: \(Self.scalar(story))\n"
        if let about {
            let isPlain = about.unicodeScalars.allSatisfy { $0 == "\n" || ($0.value >= 32 && $0.value < 127) }
            let lines = about.split(separator: "\n", omittingEmptySubsequences: false)
            if isPlain, about.hasSuffix("\n"), !about.hasSuffix("\n\n"), !about.hasPrefix(" "), !about.hasPrefix("\n") {
                text += "about: |\n" + lines.dropLast().map { $0.isEmpty ? "\n" : "  \($0)\n" }.joined()
            } else {
                text += "about: \(Self.scalar(about))\n"
            }
        }
        text += beginning
        text += steps.isEmpty ? "steps: []\n" : "steps:\n"
        return text + Self.text(of: steps)
    }

    private var beginning: String {
        var text = ""
        func list(_ items: [String]) -> String { "[\(items.map { Self.scalar($0) }.joined(separator: ", "))]" }
        if apps.count > 1 {
            text += "apps:\n"
            for (index, app) in apps.enumerated() {
                text += "  - id: \(Self.scalar(app.bundleID))\n"
                text += "    catalog: \(list(index < catalogs.count ? catalogs[index] : []))\n"
                text += "    version: \(Self.scalar(app.version))\n"
                if let id = app.appleID { text += "    apple id: \(id)\n" }
                text += "    settings:\(Self.text(ScenarioWriter.mapping(app.settings.all), indent: 6))\n"
            }
        } else {
            if let id = apps.first?.bundleID { text += "app: \(Self.scalar(id))\n" }
            text += "catalog: \(list(catalogs.first ?? []))\n"
            if !settings.isEmpty { text += "settings:\(Self.text(ScenarioWriter.mapping(settings), indent: 2))\n" }
        }
        text += embeddedFiles + "environment: \(environment.rawValue)\nstart: \(start.scenarioText)\nseed: \(seed)\n"
        if !people.isEmpty {
            text += "people:\n"
            for person in people {
                let storefront = person.storefront.map { ", storefront: \(Self.scalar($0))" } ?? ""
                text += "  - { name: \(Self.scalar(person.name.rawValue))\(storefront) }\n"
            }
        }
        if !families.isEmpty {
            text += "families:\n" + families.map { "  - \(list($0.map(\.rawValue)))\n" }.joined()
        }
        let environments = policy.environments.keys.map(\.rawValue).sorted()
        text += "policy:\n  renewal leeway: \(ScenarioSpan(milliseconds: policy.renewalLeeway.milliseconds).text)\n"
        text += "  grace: \(policy.gracePeriodEntitles ? "yes" : "no")\n"
        text += "  billing retry entitles: \(policy.billingRetryEntitles ? "yes" : "no")\n"
        text += "  refunds: \(policy.refundPolicy.rawValue)\n  environments: \(list(environments))\n"
        return text
    }

    private static func text(_ value: ScenarioWriter.Value, indent: Int) -> String {
        switch value {
        case .text(""): return ""
        case .text(let text): return " \(scalar(text))"
        case .list(let items): return " [\(items.map { scalar($0) }.joined(separator: ", "))]"
        case .mapping(let members):
            let blanks = String(repeating: " ", count: indent)
            return members.map { "\n\(blanks)\($0[0]): \($0[1])" }.joined()
        }
    }

    /// Returns a text as a YAML scalar, in quotation marks if a YAML reader would otherwise read another value.
    static func scalar(_ text: String) -> String {
        func isWord(_ byte: UInt8) -> Bool {
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || byte == UInt8(ascii: "_")
        }
        let bytes = Array(text.utf8)
        let isPlain =
            bytes.first.map(isWord) ?? false
            && bytes.indices.allSatisfy { index in
                let byte = bytes[index]
                let next = index + 1 < bytes.count ? bytes[index + 1] : UInt8(ascii: " ")
                switch byte {
                case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "/"): return true
                case UInt8(ascii: ":"), UInt8(ascii: " "): return isWord(next)
                default: return isWord(byte)
                }
            }
        if isPlain, !["null", "Null", "NULL"].contains(text) { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            let value = scalar.value
            if value == 32 || value < 128 && isWord(UInt8(value)) || ".,;:-+/()=!?'@$".unicodeScalars.contains(scalar)
                || value >= 128 && scalar.properties.isAlphabetic && !scalar.properties.isNoncharacterCodePoint
            {
                quoted.unicodeScalars.append(scalar)
            } else {
                let digits = String(value, radix: 16, uppercase: true)
                quoted += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            }
        }
        return quoted + "\""
    }
}

extension AppSettings {
    /// Every setting with its value.
    var all: [SimulatorSetting] {
        [
            .storefront(storefront), .locale(locale), .pace(pace), .askToBuy(isAskToBuyEnabled),
            .interruptedPurchases(interruptsPurchases), .billingGracePeriod(gracePeriod),
            .gracePeriodFollowsFreeOffers(gracePeriodFollowsFreeOffers),
            .billingRetryOnRenewal(entersBillingRetryOnRenewal), .retriesDaily(retriesDaily),
            .recoveryChance(recoveryChance),
            .chargesEarly(chargesEarly), .disableDialogs(disablesDialogs), .grantsRefundRequests(grantsRefundRequests),
            .failTransactions(code: failureErrorCode),
        ]
            + simulatedErrors.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                .simulatedError($0.value, api: $0.key)
            }
    }
}
