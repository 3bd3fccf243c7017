import Storekeeper

extension ScenarioWriter {
    /// Returns a fault as the keys and values of a step.
    static func pairs(of fault: SimulatedFault) -> Pairs {
        var pairs: Pairs = [("fault", .text(fault.place.rawValue)), ("how", .text(fault.effect.word))]
        if let times = fault.times { pairs.append(("times", .text("\(times)"))) }
        if let span = fault.effect.span { pairs.append(("span", .text(ScenarioSpan(milliseconds: span).text))) }
        return pairs
    }
}

extension SimulatedFault {
    /// The fault in a few words, such as `notifications: delayed, 2 hours`.
    package var words: String {
        let span = effect.span.map { ", \(ScenarioSpan(milliseconds: $0).text)" } ?? ""
        return "\(place.rawValue): \(effect.word)\(span)"
    }
}
