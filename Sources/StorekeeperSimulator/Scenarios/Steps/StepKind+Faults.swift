import Storekeeper

extension StepKind.Key {
    static let how = StepKey<String>.text(
        "how", .text(placeholder: "500", list: "manners"),
        schema: ScenarioSchema.either([
            ScenarioSchema.integer(400...599), ScenarioSchema.integer(4_000_000...5_999_999),
            ScenarioSchema.words(
                (SimulatedFault.Place.massExtensionStatus.effects + SimulatedFault.Place.notifications.effects)
                    .filter { Int($0) == nil }),
        ]))
    static let times = StepKey<Int>.whole("times", 1...1_000_000)
    static let span = StepKey<Int64>(
        "span", label: "for how long", .text(placeholder: "5 seconds"), schema: ScenarioSchema.reference("span")
    ) { node, _ throws(ScenarioError) in
        guard let span = ScenarioSpan(try node.text("span")), span.months == 0, span.milliseconds > 0 else {
            throw node.error("'span' is not a length of time", "write it like '5 seconds' or '2 hours'")
        }
        return span.milliseconds
    } write: {
        .text(ScenarioSpan(milliseconds: $0).text)
    }
}

extension StepKind {
    /// The step that begins a fault, such as `fault: history`, `how: 500`, `times: 2`, or ends all faults.
    static let ofFaults = StepKind(
        "fault", .fault, "makes requests or notifications fail; 'none' ends all faults",
        [Key.how, Key.times, Key.span], form: .store(title: "Begin a fault", rank: 2)
    ) { step throws(ScenarioError) in
        let word = try step.value.text("fault")
        if word == "none" { return .endFaults }
        guard let place = SimulatedFault.Place(rawValue: word) else {
            throw step.value.error(
                "'\(word)' is not a valid place for a fault",
                NearestWord.advice(for: word, among: ["none"] + SimulatedFault.Place.allCases.map(\.rawValue)))
        }
        let span = step[Key.span]
        let times = step[Key.times]
        if let times, !(1...1_000_000).contains(times), let node = step.members["times"] {
            throw node.error("a fault cannot occur \(times) times", "write a number from 1 to 1000000")
        }
        // A step that ends all faults has no effect, so the key is not required of every step.
        if step.members["how"] == nil { step.key.mistakes.add(step.absence(of: "how")) }
        let effect = step.read("how") { node throws(ScenarioError) in
            let text = try node.text("how")
            guard let effect = SimulatedFault.Effect(text, span: span) else {
                throw node.error(
                    "'\(text)' is not a valid fault", NearestWord.advice(for: text, among: place.effects))
            }
            guard effect.fits(place) else {
                throw node.error(
                    "'\(text)' does not fit '\(word)'", "write one of \(place.effects.joined(separator: ", "))")
            }
            if effect == .delayed(0) {
                throw node.error("'delayed' has no duration", "add 'span: 2 hours'")
            }
            return effect
        }
        return .beginFault(SimulatedFault(place, effect ?? .dropped, times: times))
    } writes: {
        switch $0 {
        case .beginFault(let fault):
            .text(
                fault.place.rawValue, Key.how(fault.effect.word), Key.times(fault.times), Key.span(fault.effect.span))
        case .endFaults: .text("none")
        default: nil
        }
    }
}

extension SimulatedFault {
    /// The fault in a few words, such as `notifications: delayed, 2 hours`.
    package var words: String {
        let span = effect.span.map { ", \(ScenarioSpan(milliseconds: $0).text)" } ?? ""
        return "\(place.rawValue): \(effect.word)\(span)"
    }
}

extension SimulatedFault.Place {
    /// The effects that a fault of these requests or notifications can have, as they are written in scenarios.
    ///
    /// The list contains only some of the possible HTTP statuses and Apple error codes.
    package var effects: [String] {
        switch self {
        case .notifications:
            ["dropped", "duplicated", "delayed", "reordered"] + NotificationFlaw.allCases.map { "wrong \($0.rawValue)" }
        case .massExtensionStatus: Self.ofRequests + ["incomplete"]
        default: Self.ofRequests
        }
    }

    private static let ofRequests = [
        "404", "429", "500", "503", "4040010", "4040019", "half body", "cut body", "slow body",
    ]
}

extension SimulatedFault.Effect {
    /// The default delay of a response body, in milliseconds.
    private static let usualSlowness: Int64 = 10_000

    /// Reads an effect as it is written in scenarios; `nil` for an unknown effect.
    ///
    /// - Parameters:
    ///   - word: The text of the effect, such as `500`, `4040019`, `slow body` or `wrong bundle`.
    ///   - span: The delay in milliseconds; `nil` if the step states no delay.
    init?(_ word: String, span: Int64?) {
        switch word {
        case "half body": self = .halfBody
        case "cut body": self = .cutBody
        case "slow body": self = .slowBody(span ?? Self.usualSlowness)
        case "incomplete": self = .incomplete
        case "dropped": self = .dropped
        case "duplicated": self = .duplicated
        case "delayed": self = .delayed(span ?? 0)
        case "reordered": self = .reordered
        case _ where word.hasPrefix("wrong "):
            guard let flaw = NotificationFlaw(rawValue: String(word.dropFirst(6))) else { return nil }
            self = .flawed(flaw)
        default:
            guard word.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int64(word) else { return nil }
            switch number {
            case 400...599: self = .status(Int(number))
            case 4_000_000...5_999_999: self = .code(number)
            default: return nil
            }
        }
    }

    /// The effect, as it is written in scenarios.
    package var word: String {
        switch self {
        case .status(let status): "\(status)"
        case .code(let code): "\(code)"
        case .halfBody: "half body"
        case .cutBody: "cut body"
        case .slowBody: "slow body"
        case .incomplete: "incomplete"
        case .dropped: "dropped"
        case .duplicated: "duplicated"
        case .delayed: "delayed"
        case .reordered: "reordered"
        case .flawed(let flaw): "wrong \(flaw.rawValue)"
        }
    }

    /// The delay in milliseconds; `nil` for an effect without a delay.
    var span: Int64? {
        switch self {
        case .slowBody(let span), .delayed(let span): span
        default: nil
        }
    }

    /// Returns whether a fault of these requests or notifications can have this effect.
    func fits(_ place: SimulatedFault.Place) -> Bool {
        switch self {
        case .dropped, .duplicated, .delayed, .reordered, .flawed: place == .notifications
        case .incomplete: place == .massExtensionStatus
        case .status, .code, .halfBody, .cutBody, .slowBody: place != .notifications
        }
    }
}
