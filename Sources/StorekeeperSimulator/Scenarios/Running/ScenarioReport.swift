public import Storekeeper

/// The result of a scenario.
public struct ScenarioReport: Sendable {
    /// An entry of the story.
    public struct Entry: Sendable {
        /// When.
        public let at: Instant
        /// The line of the step in the file; `nil` for what follows from it.
        public let line: Int?
        /// Whom it is about, where it is about one person.
        public let person: CustomerID?
        /// What it says.
        public let content: Content
    }

    /// What an entry of the story says.
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
        /// A step could not be done, and nothing expected that; the story ends there.
        case failure(String)
    }

    /// What the file is called.
    public let file: String
    /// What the story is called.
    public let story: String
    /// When it began.
    public let start: Instant
    /// What chances were drawn from.
    public let seed: UInt64
    /// All entries, in order of time.
    public internal(set) var entries: [Entry] = []

    /// What was not as expected, with the line in the file.
    public var failures: [(line: Int, expected: String, found: String)] {
        entries.compactMap { entry in
            switch entry.content {
            case .expectation(false, let expected, let found): (entry.line ?? 0, expected, found)
            case .failure(let message): (entry.line ?? 0, "a step that can be done", message)
            default: nil
            }
        }
    }

    /// Whether all was as expected.
    public var isMet: Bool { failures.isEmpty }

    /// How many expectations were checked.
    public var expectationCount: Int {
        entries.count { entry in
            if case .expectation = entry.content { true } else { false }
        }
    }
}

/// An answer of the engine that changed; what ends and begins again at one instant is no change.
public struct ScenarioChange: Hashable, Sendable {
    /// When.
    public let at: Instant
    /// What the answer is about.
    public let subject: StoreEvent.Subject
    /// What a person would call that: a product, a feature, the name of a group.
    public let name: String
    /// The answer until then.
    public let before: StoreEvent.Answer
    /// The answer from then on.
    public let after: StoreEvent.Answer

    /// The change in one line, as `events:` expects it: `pro entitled active`, `Membership expired pro.monthly`.
    public var text: String {
        if case .group = subject { return "\(name) \(after.word)\(after.productID.map { " \($0)" } ?? "")" }
        return "\(name) \(after.word) \(after.reasonWord)"
    }

    /// The changes that events amount to, one for each subject and instant.
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
                }
            let before = place.map { changes[$0].before } ?? change.before
            if let place { changes.remove(at: place) }
            let net = ScenarioChange(
                at: change.at, subject: change.subject, name: name, before: before, after: change.after)
            if !net.saysNothing { changes.append(net) }
        }
        return changes
    }

    private var saysNothing: Bool {
        guard before.word == after.word, before.reasonWord == after.reasonWord else { return false }
        if case .group = subject { return before.productID == after.productID }
        return true
    }
}
