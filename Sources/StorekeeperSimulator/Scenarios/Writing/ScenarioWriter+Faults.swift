import Storekeeper

extension ScenarioWriter {
    /// Returns a fault as keys and values.
    static func pairs(of fault: SimulatedFault) -> Pairs {
        var pairs: Pairs = [("fault", .text(fault.place.rawValue)), ("how", .text(fault.manner.word))]
        if let times = fault.times { pairs.append(("times", .text("\(times)"))) }
        if let span = fault.manner.span { pairs.append(("span", .text(ScenarioSpan(milliseconds: span).text))) }
        return pairs
    }
}

extension SimulatedFault {
    /// The fault in a few words: `history, how 500, 2 times`.
    package var words: String {
        let span = manner.span.map { ", \(ScenarioSpan(milliseconds: $0).text)" } ?? ""
        return "\(place.rawValue): \(manner.word)\(span)"
    }
}
