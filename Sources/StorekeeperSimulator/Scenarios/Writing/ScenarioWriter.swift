import Storekeeper

/// Writes steps in the notation of scenario files.
struct ScenarioWriter {
    /// The value of a key in a scenario file.
    enum Value: Hashable {
        case text(String)
        case list([String])
        /// The keys with their values, which are YAML.
        case mapping([[String]])

        /// Several texts as a list, and one text alone.
        static func oneOrList(_ texts: [String]) -> Value { texts.count == 1 ? .text(texts[0]) : .list(texts) }
    }

    typealias Pairs = [(key: String, value: Value)]

    /// The names that earlier steps have given to purchases.
    var names: Set<String> = []

    /// Returns a step as keys and values; the first key is the step's keyword.
    func pairs(of step: ScenarioStep) -> Pairs {
        var action = step.action
        if case .perform(let commands) = action, commands.count == 1 {
            action = ScenarioStep.Action(performing: commands[0])
        }
        var pairs: Pairs = []
        for kind in StepKind.all {
            guard let values = kind.values(action, self) else { continue }
            switch values.subject {
            case .value(let value): pairs = [(kind.name, value)]
            case .purchase(let reference):
                pairs = [(kind.name, .text(text(reference)))]
                if case .latest(_, let person) = reference { pairs.append(Self.by(person)) }
            }
            pairs += values.keys.compactMap(\.self)
            break
        }
        for (key, value) in [("as", step.name), ("app", step.app), ("outcome", step.outcome), ("error", step.error)] {
            if let value { pairs.append((key, .text(value))) }
        }
        return pairs
    }

    static func mapping(_ settings: [SimulatorSetting]) -> Value {
        var members: [[String]] = []
        for setting in settings {
            let (key, value) = ScenarioSettings.text(setting)
            guard case .simulatedError = setting else {
                members.append([key, Scenario.scalar(value)])
                continue
            }
            // Errors are merged under one key: { A: x } and { B: y } become { A: x, B: y }.
            if let place = members.firstIndex(where: { $0[0] == key }) {
                members[place][1] = String(members[place][1].dropLast(2)) + ", " + String(value.dropFirst(2))
            } else {
                members.append([key, value])
            }
        }
        return .mapping(members)
    }

    // MARK: Parts

    static func by(_ person: CustomerID) -> Pairs.Element { ("by", .text(person.rawValue)) }

    static func `for`(_ person: CustomerID) -> Pairs.Element { ("for", .text(person.rawValue)) }

    /// Returns a purchase as the name that a step has given to it, by its id, or as a product.
    func text(_ reference: TransactionReference) -> String {
        switch reference {
        case .id(let id): names.contains(id.rawValue) ? id.rawValue : "transaction \(id.rawValue)"
        case .latest(let product, _): product.rawValue
        }
    }

    /// Returns thousandths as a number with up to three decimals.
    static func decimal(_ thousandths: Int64) -> String {
        let rest = String(abs(thousandths % 1000))
        var digits = String(repeating: "0", count: 3 - rest.count) + rest
        while digits.hasSuffix("0") { digits.removeLast() }
        return digits.isEmpty ? "\(thousandths / 1000)" : "\(thousandths / 1000).\(digits)"
    }
}
