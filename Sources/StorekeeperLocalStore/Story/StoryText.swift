package import Storekeeper
import StorekeeperJWS
package import StorekeeperSimulator

/// The comment lines with which a journal records the order of a story's steps, and the branches other than the current
/// one.
///
/// Because these lines are comments, the journal can be read as a scenario of the current branch. The journal begins
/// with the low-level steps before the story, followed by a line `# story` and the steps of the current branch. After
/// each step, a line `# step` describes it. Lines of other branches begin with `# | `. The order matters only among
/// lines of the same kind.
enum StoryText {
    static let begin = "# story "
    static let step = "# step "
    static let branch = "# branch "
    static let place = "# at "
    static let beginning = "# beginning "
    /// The prefix of the lines of other branches.
    static let aside = "# | "

    /// Returns the line that describes a step.
    ///
    /// - Parameters:
    ///   - form: The text of the scenario steps that reproduce the step; `nil` if the journal's preceding lines contain
    ///     these steps.
    ///   - branch: The number of the branch whose last step is this step, if the line is appended to the journal.
    static func line(_ step: StoryTree.Step, form: String? = nil, branch: Int? = nil) -> String {
        line(
            Self.step,
            [
                "id": .whole(step.id), "parent": .whole(step.parent), "kind": .string(step.kind.rawValue),
                "text": .string(step.text), "at": .whole(step.at.millisecondsSince1970), "steps": .text(form),
                "branch": .whole(branch), "happenings": .whole(step.happenings),
                "requests": step.requests.isEmpty ? .null : .array(step.requests.map(JSONText.string)),
            ])
    }

    static func line(_ branch: StoryTree.Branch) -> String {
        line(
            Self.branch,
            [
                "id": .whole(branch.id), "name": .string(branch.name), "tip": .whole(branch.tip),
                "deleted": branch.isDeleted ? .bool(true) : .null,
            ])
    }

    static func place(in tree: StoryTree) -> String {
        line(place, ["step": .whole(tree.current), "branch": .whole(tree.currentBranch)])
    }

    /// Returns the text of a whole journal.
    ///
    /// - Parameters:
    ///   - messaging: The changes of retention messages since each step that created a store, by the number of the
    ///     step.
    ///   - rest: The lines of the step in progress.
    ///   - store: Stores a catalog, and returns its name in the journal.
    static func whole(
        _ story: Story, messaging: [Int: [MessagingRecord]], rest: String, store: (CatalogFile) throws -> String
    ) throws -> String {
        let tree = story.tree
        let base = story.beginning(of: tree.current)
        guard let start = story.beginnings[base] else { throw StoryTree.Refusal.unknownStep(base) }
        var text = try Self.text(of: start.recorded, store)
        text += lines(of: story.attempts[base] ?? [])
        text += (messaging[base] ?? []).map { $0.line + "\n" }.joined()
        text += line(begin, ["step": .whole(base)])
        let path = story.path(from: base, to: tree.current)
        for step in path {
            text += Scenario.text(of: story.actions[step.id] ?? []) + line(step)
            text += lines(of: story.attempts[step.id] ?? [])
        }
        let shown = Set(path.map(\.id))
        for step in tree.steps where !shown.contains(step.id) {
            var lines = Scenario.text(of: story.actions[step.id] ?? []) + line(step)
            if step.id != base { lines += Self.lines(of: story.attempts[step.id] ?? []) }
            text += lines.split(separator: "\n").map { "\(aside)\($0)\n" }.joined()
        }
        for (id, other) in story.beginnings.sorted(by: { $0.key < $1.key }) where id != base {
            let scenario = StandardBase64.encode(Array(try Self.text(of: other.recorded, store).utf8))
            let records = (messaging[id] ?? []).map { JSONText.string($0.line) }
            text += line(
                beginning,
                [
                    "step": .whole(id), "scenario": .string(scenario),
                    "messaging": records.isEmpty ? .null : .array(records),
                ])
        }
        return text + tree.branches.map { line($0) }.joined() + place(in: tree) + rest
    }

    static func lines(of attempts: [AttemptRecord]) -> String { attempts.map { $0.line + "\n" }.joined() }

    /// Returns the text of a scenario, in which each catalog has its name in the journal.
    private static func text(
        of scenario: Scenario, _ store: (CatalogFile) throws -> String
    ) throws -> String {
        var scenario = scenario
        var names: [String: String] = [:]
        for name in Set(scenario.catalogs.flatMap(\.self)) {
            if let file = scenario.catalogFiles[name] { names[name] = try store(file) }
        }
        scenario.catalogs = scenario.catalogs.map { $0.map { names[$0] ?? $0 } }
        let text = scenario.text
        // The empty list of steps is removed, because steps will follow.
        let none = "steps: []\n"
        return text.hasSuffix(none) ? String(text.dropLast(none.count)) + "steps:\n" : text
    }

    /// Returns a line that consists of a prefix and a JSON object in ASCII.
    ///
    /// The line contains only ASCII, because some other characters also end a line in YAML.
    static func line(_ mark: String, _ members: [String: JSONText]) -> String {
        mark + JSONText.object(members).text().asciiJSON + "\n"
    }

    /// Returns the JSON object that follows a prefix in a line; `nil` if the line does not have the prefix.
    static func object(_ line: some StringProtocol, after mark: String) -> JSONObject? {
        guard line.hasPrefix(mark) else { return nil }
        return (try? JSONReader(maximumDepth: 16, maximumSize: 64 << 20).read(Array(line.dropFirst(mark.count).utf8)))?
            .root.object
    }
}

/// A story that was read from a journal, so that a store can continue the story.
package struct StoryArchive: Sendable {
    let tree: StoryTree
    let actions: [Int: [ScenarioStep]]
    let attempts: [Int: [AttemptRecord]]
    /// For each step that created a store, a scenario with low-level steps that reproduces the store.
    let beginnings: [Int: Scenario]
    let messaging: [Int: [MessagingRecord]]
    /// Whether the process ended during the last step, so that the lines of the step are incomplete.
    let isInterrupted: Bool

    /// Returns whether a journal contains a story.
    package static func isPresent(in text: String) -> Bool {
        text.split(separator: "\n").contains { $0.hasPrefix(StoryText.begin) }
    }

    /// Reads the story of a journal.
    ///
    /// - Parameters:
    ///   - text: The journal, in whole lines.
    ///   - scenario: The scenario of the journal, with all its steps.
    ///   - store: The store after the steps of the scenario.
    ///   - catalog: Reads a catalog by its name in the journal.
    /// - Returns: `nil` if the journal has no story, or if the story was changed by hand.
    package init?(
        _ text: String, scenario: Scenario, store: SimulatedAppStore, catalog: (String) throws -> CatalogFile
    ) {
        var main = Reading()
        var aside = Reading()
        var branches: [Int: StoryTree.Branch] = [:]
        var place: (step: Int, branch: Int)?
        var others: [(step: Int, scenario: Scenario, messaging: [MessagingRecord])] = []
        var start: (step: Int, count: Int)?
        for line in text.split(separator: "\n") {
            if line.hasPrefix(StoryText.aside) {
                aside.read(line.dropFirst(StoryText.aside.count))
            } else if let object = StoryText.object(line, after: StoryText.begin) {
                guard let step = object.whole("step"), start == nil else { return nil }
                // Only lines after `steps:` are counted, because the scenario's apps are also written as list items.
                let steps = main.lines.lastIndex(of: "steps:").map { main.lines[$0...] } ?? []
                start = (step, steps.count { $0.hasPrefix("  - ") })
                main.begin()
            } else if let object = StoryText.object(line, after: StoryText.branch) {
                guard let branch = StoryTree.Branch(object) else { return nil }
                branches[branch.id] = branch
            } else if let object = StoryText.object(line, after: StoryText.place) {
                guard let step = object.whole("step"), let branch = object.whole("branch") else { return nil }
                place = (step, branch)
            } else if let object = StoryText.object(line, after: StoryText.beginning) {
                guard let other = Self.beginning(object, catalog) else { return nil }
                others.append(other)
            } else if let id = main.read(line) {
                // A step that was appended to the journal is the last step of its branch.
                branches[id.branch, default: StoryTree.Branch(id: id.branch, name: "Branch \(id.branch)", tip: 0)].tip =
                    id.step
                place = (id.step, id.branch)
            }
        }
        guard let start, var place else { return nil }
        var base = scenario
        base.steps = Array(scenario.steps.prefix(start.count))
        var beginnings = [start.step: base]
        var messaging = [
            start.step: text.split(separator: "\n").compactMap { MessagingRecord(line: $0) }
        ]
        for other in others {
            beginnings[other.step] = other.scenario
            messaging[other.step] = other.messaging
        }
        isInterrupted = !main.lines.isEmpty
        var steps = main.steps.merging(aside.steps) { first, _ in first }
        if isInterrupted {
            // The process ended during this step.
            let id = steps.count
            steps[id] = Reading.Read(
                step: StoryTree.Step(id: id, parent: place.step, kind: .step, text: "", at: .distantPast),
                lines: main.lines.joined(separator: "\n") + "\n", attempts: main.open)
            if branches[place.branch]?.tip == place.step {
                branches[place.branch]?.tip = id
            } else {
                let number = branches.count + 1
                branches[number] = StoryTree.Branch(id: number, name: "Branch \(number)", tip: id)
                place.branch = number
            }
            place.step = id
        }
        var attempts = steps.mapValues(\.attempts)
        attempts[start.step] = main.base
        var actions: [Int: [ScenarioStep]] = [:]
        // For each step, the number of the step that created the store in which the step ran.
        var origins: [Int: Int] = [:]
        for (id, read) in steps.sorted(by: { $0.key < $1.key }) {
            if read.step.isBeginning {
                origins[id] = id
                continue
            }
            guard let parent = read.step.parent, let origin = origins[parent], let scenario = beginnings[origin],
                let action = try? scenario.steps(reading: read.lines)
            else { return nil }
            origins[id] = origin
            actions[id] = action
        }
        if isInterrupted, let last = steps[place.step] {
            let words = actions[place.step]?.last?.text ?? "a step"
            steps[place.step]?.step = StoryTree.Step(
                id: last.step.id, parent: last.step.parent, kind: .step, text: "\(words) (interrupted)",
                at: store.now, happenings: store.happeningCount)
        }
        guard
            let tree = StoryTree(
                steps: steps.sorted { $0.key < $1.key }.map(\.value.step),
                branches: branches.sorted { $0.key < $1.key }.map(\.value), current: place.step, branch: place.branch),
            tree.steps.allSatisfy({ !$0.isBeginning || beginnings[$0.id] != nil })
        else { return nil }
        self.tree = tree
        self.actions = actions
        self.attempts = attempts
        self.beginnings = beginnings
        self.messaging = messaging
    }

    /// Reads the line that describes a beginning other than the current one.
    private static func beginning(
        _ object: JSONObject, _ catalog: (String) throws -> CatalogFile
    ) -> (step: Int, scenario: Scenario, messaging: [MessagingRecord])? {
        guard let step = object.whole("step"),
            let bytes = object["scenario"]?.string.flatMap({ StandardBase64.decode($0.utf8) }),
            let text = String(validating: bytes, as: UTF8.self),
            let scenario = try? Scenario(reading: text, file: "journal", catalog: catalog)
        else { return nil }
        let records = object["messaging"]?.array?.compactMap { $0.string.flatMap { MessagingRecord(line: $0) } } ?? []
        return (step, scenario, records)
    }

    /// The steps, and the attempts to send notifications, that were read from the lines of a journal.
    private struct Reading {
        struct Read {
            var step: StoryTree.Step
            let lines: String
            var attempts: [AttemptRecord]
        }

        var steps: [Int: Read] = [:]
        /// The lines of scenario steps since the last line `# step`.
        var lines: [Substring] = []
        /// The attempts to send notifications that were read after the first of ``lines``.
        var open: [AttemptRecord] = []
        /// The attempts to send notifications that were made before the first step of the story.
        var base: [AttemptRecord] = []
        private var last: Int?

        /// Begins the story; the lines that were read until now belong to the story's beginning.
        mutating func begin() {
            base += open
            (lines, open) = ([], [])
        }

        /// Reads a line.
        ///
        /// - Returns: The numbers of a step and its branch if the line describes a step that was appended to the
        ///   journal; otherwise `nil`.
        @discardableResult
        mutating func read(_ line: Substring) -> (step: Int, branch: Int)? {
            if let attempt = AttemptRecord(line: line) {
                if !lines.isEmpty {
                    open.append(attempt)
                } else if let last {
                    steps[last]?.attempts.append(attempt)
                } else {
                    base.append(attempt)
                }
                return nil
            }
            guard let object = StoryText.object(line, after: StoryText.step) else {
                if !line.hasPrefix("#") { lines.append(line) }
                return nil
            }
            guard let step = StoryTree.Step(object) else { return nil }
            let above = lines.isEmpty ? "" : lines.joined(separator: "\n") + "\n"
            steps[step.id] = Read(step: step, lines: object["steps"]?.string ?? above, attempts: open)
            (lines, open, last) = ([], [], step.id)
            return object.whole("branch").map { (step.id, $0) }
        }
    }
}

extension StoryTree.Step {
    /// Reads a step from the JSON object of its line.
    fileprivate init?(_ object: JSONObject) {
        guard let id = object.whole("id"), let kind = object["kind"]?.string.flatMap(Kind.init),
            let text = object["text"]?.string,
            let at = object["at"]?.int64.flatMap({ Instant(millisecondsSince1970: $0) })
        else { return nil }
        self.init(
            id: id, parent: object.whole("parent"), kind: kind, text: text, at: at,
            happenings: object.whole("happenings") ?? 0,
            requests: object["requests"]?.array?.compactMap(\.string) ?? [])
    }
}

extension StoryTree.Branch {
    /// Reads a branch from the JSON object of its line.
    fileprivate init?(_ object: JSONObject) {
        guard let id = object.whole("id"), let name = object["name"]?.string, let tip = object.whole("tip") else {
            return nil
        }
        self.init(id: id, name: name, tip: tip, isDeleted: object["deleted"]?.bool ?? false)
    }
}

extension JSONObject {
    fileprivate func whole(_ name: String) -> Int? { self[name]?.int64.flatMap { Int(exactly: $0) } }
}
