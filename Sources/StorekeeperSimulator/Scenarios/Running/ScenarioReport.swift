public import Storekeeper

/// The result of a scenario.
public struct ScenarioReport: Sendable {
    /// An entry of the report.
    public struct Entry: Sendable {
        /// The time of the entry.
        public let at: Instant
        /// The line of the step in the file; `nil` for a consequence of a step.
        public let line: Int?
        /// The person, if the entry is about a person.
        public let person: CustomerID?
        /// The content.
        public let content: Content
    }

    /// The content of an entry.
    public enum Content: Sendable {
        /// A step of the scenario.
        case step(String)
        /// Something happened at the App Store.
        case happening(Happening)
        /// An answer of the engine changed.
        case answer(ScenarioChange)
        /// A balance changed.
        case balance(Balance.ID, before: Int64, after: Int64)
        /// The result of a purchase, or of a change of a balance.
        case outcome(String)
        /// An expectation was checked.
        case expectation(isMet: Bool, expected: String, found: String)
        /// A step failed although the scenario expected no error; the report ends with this entry.
        case failure(String)
    }

    /// The name of the file.
    public let file: String
    /// The name of the scenario.
    public let story: String
    /// The instant at which the scenario began.
    public let start: Instant
    /// The random seed.
    public let seed: UInt64
    /// All entries, in order of time.
    public internal(set) var entries: [Entry] = []

    /// The unmet expectations and the failed step, with their lines in the file.
    public var failures: [(line: Int, expected: String, found: String)] {
        entries.compactMap { entry in
            switch entry.content {
            case .expectation(false, let expected, let found): (entry.line ?? 0, expected, found)
            case .failure(let message): (entry.line ?? 0, "a step that succeeds", message)
            default: nil
            }
        }
    }

    /// Whether all expectations were met and no step failed.
    public var isMet: Bool { failures.isEmpty }

    /// The number of checked expectations.
    public var expectationCount: Int {
        entries.count { entry in
            if case .expectation = entry.content { true } else { false }
        }
    }
}

/// A changed answer of the engine.
///
/// If an answer ends and begins again at one instant, this is not a change.
public struct ScenarioChange: Hashable, Sendable {
    /// The time of the change.
    public let at: Instant
    /// The subject of the answer.
    public let subject: StoreEvent.Subject
    /// The name of the subject: the id of a product or feature, or the name of a group.
    public let name: String
    /// The previous answer.
    public let before: StoreEvent.Answer
    /// The new answer.
    public let after: StoreEvent.Answer

    /// The change in the notation of a scenario's `events:` list, such as `pro entitled active` or
    /// `Membership expired pro.monthly`.
    public var text: String {
        if case .group = subject { return "\(name) \(after.word)\(after.productID.map { " \($0)" } ?? "")" }
        return "\(name) \(after.word) \(after.reasonWord)"
    }

    /// Returns the changes that events describe.
    ///
    /// All changes of a subject at one instant become one change.
    static func net(_ events: [StoreEvent], catalog: Catalog) -> [ScenarioChange] {
        var changes: [ScenarioChange] = []
        for event in events {
            let change = event.change
            let place = changes.lastIndex { $0.at == change.at && $0.subject == change.subject }
            let name =
                switch change.subject {
                case .product(let id): id.rawValue
                case .feature(let id): id.rawValue
                case .group(let id): catalog.groups.first { $0.id == id }?.name ?? id.rawValue
                case .notification(let kind): kind.rawValue
                }
            let before = place.map { changes[$0].before } ?? change.before
            if let place { changes.remove(at: place) }
            let net = ScenarioChange(
                at: change.at, subject: change.subject, name: name, before: before, after: change.after)
            if !net.isEmpty { changes.append(net) }
        }
        return changes
    }

    private var isEmpty: Bool {
        guard before.word == after.word, before.reasonWord == after.reasonWord else { return false }
        if case .group = subject { return before.productID == after.productID }
        return true
    }
}
