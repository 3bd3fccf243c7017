import Storekeeper
import StorekeeperPages
import StorekeeperSimulator

/// The steps before and after the current step of the story, shown next to every view.
struct StorySideContent {
    /// The text of the current step, which undo reverts; `nil` at the first step.
    let undo: String?
    /// The text of the step that redo repeats; `nil` at the last step.
    let redo: String?
    let branchName: String
    let earlier: Int?
    let steps: [StoryStepRow]
    let later: Int?
    let allAddress: String
    /// The URL of the form that saves the story as a test.
    let saveAddress: String
}

/// A step of a branch, as one row of a list.
struct StoryStepRow {
    let stepID: Int
    let words: String
    let time: String
    let isCurrent: Bool
    /// Whether the step was undone.
    let isUndone: Bool
    let notes: [String]
}

/// The steps of the current branch, and all branches.
struct StoryBookContent {
    struct BranchRow {
        let branchID: Int
        let branchName: String
        let isCurrent: Bool
        let lastWords: String
        let lastTime: String
        /// The text and time of the last step that the branch shares with the current branch; `current` for the current
        /// branch itself.
        let since: String
        let stepCount: Int
    }

    struct Deleted {
        let branchID: Int
        let branchName: String
    }

    let undo: String?
    let redo: String?
    let branchName: String
    let count: Int
    let paging: PageContent.Paging?
    let steps: [StoryStepRow]
    /// The URL of the form that saves the story as a test.
    let saveAddress: String
    let branches: [BranchRow]
    let deleted: [Deleted]
    /// The number of branches that are not shown.
    let omitted: Int?
    let hasSeveral: Bool
    let firsts: [PageContent.Choice]
    let seconds: [PageContent.Choice]
    /// The parameters of the page's URL, which the form submits again as hidden fields.
    let kept: [PageActionForm.Hidden]
    let comparison: StoryComparisonContent?
}

/// The differences between two branches.
struct StoryComparisonContent {
    struct Row {
        let customer: String
        let app: String?
        let subject: String
        let first: String
        let second: String
        let differs: Bool
    }

    let firstName: String
    let firstTime: String
    let secondName: String
    let secondTime: String
    let commonWords: String
    let commonTime: String
    let rows: [Row]
    let customerCount: Int
    let isCut: Bool
    let closeAddress: String
}

/// An action on the story, as the page's URL encodes it.
enum StoryAction: String, Sendable, CaseIterable {
    case undo, redo, go, name, delete, restore
}

extension PageBuilder {
    /// The maximum numbers of rows in the lists of the story.
    ///
    /// The numbers limit the steps before and after the current step, the steps on a page, the happenings on a page,
    /// and the branches.
    static let (stepsBefore, stepsAfter, stepsSize, eventsSize, branchesSize) = (7, 3, 40, 100, 20)

    private var tree: StoryTree { served.recorder.story.tree }

    func storySide() -> StorySideContent {
        let tree = tree
        let (place, all) = (tree.place, tree.branchLength)
        let from = max(0, place - Self.stepsBefore)
        let to = min(all, place + Self.stepsAfter + 1)
        let steps = tree.steps(backFrom: tree.branch.tip, skipping: all - to, limit: to - from).reversed()
        func count(_ number: Int) -> Int? { number > 0 ? number : nil }
        return StorySideContent(
            undo: undoWords(in: tree), redo: tree.next?.words, branchName: tree.branch.name,
            earlier: count(from), steps: steps.map { row($0, in: tree) }, later: count(all - to),
            allAddress: location.showing(.story).address,
            saveAddress: location.showing(.scenario).address + "#test-heading")
    }

    private func undoWords(in tree: StoryTree) -> String? {
        tree.previous.flatMap { _ in try? tree.step(tree.current).words }
    }

    private func row(_ step: StoryTree.Step, in tree: StoryTree) -> StoryStepRow {
        var notes: [String] = []
        if step.kind == .request { notes.append("by the app's server") }
        if step.kind == .load { notes.append("replaces the store") }
        if !step.requests.isEmpty {
            notes.append(
                "with \(step.requests.count) request\(step.requests.count == 1 ? "" : "s") of the app's server")
        }
        return StoryStepRow(
            stepID: step.id, words: step.words, time: PageTime.text(step.at), isCurrent: step.id == tree.current,
            isUndone: step.id > tree.current, notes: notes)
    }

    /// Returns the content of the view of the story.
    ///
    /// - Throws: An error of the cryptographic library.
    func storyBook() throws -> StoryBookContent {
        let tree = tree
        let all = tree.branchLength
        let page = min(location.steps, max(1, (all + Self.stepsSize - 1) / Self.stepsSize))
        let shown = tree.steps(
            backFrom: tree.branch.tip, skipping: (page - 1) * Self.stepsSize, limit: Self.stepsSize)
        let present = tree.presentBranches
        // The current branch is always among the shown branches.
        let branches = ([tree.branch] + present.filter { $0.id != tree.currentBranch }.reversed())
            .prefix(Self.branchesSize).sorted { $0.id < $1.id }
        let compared = location.compared.count == 2 ? location.compared : nil
        func choices(_ chosen: Int?) -> [PageContent.Choice] {
            branches.map {
                .init(value: String($0.id), label: $0.name, isChosen: $0.id == chosen)
            }
        }
        let other = branches.last { $0.id != tree.currentBranch }?.id
        return StoryBookContent(
            undo: undoWords(in: tree), redo: tree.next?.words, branchName: tree.branch.name, count: all,
            paging: paging(page: page, of: all, size: Self.stepsSize, by: \.steps),
            steps: shown.map { row($0, in: tree) },
            saveAddress: location.showing(.scenario).address + "#test-heading",
            branches: branches.compactMap { branch in
                guard let last = try? tree.step(branch.tip),
                    let common = try? tree.commonStep(of: branch.tip, and: tree.branch.tip)
                else { return nil }
                return StoryBookContent.BranchRow(
                    branchID: branch.id, branchName: branch.name, isCurrent: branch.id == tree.currentBranch,
                    lastWords: last.words, lastTime: PageTime.text(last.at),
                    since: branch.id == tree.currentBranch ? "current" : "\(common.words), \(PageTime.text(common.at))",
                    stepCount: last.depth + 1)
            },
            deleted: tree.branches.filter(\.isDeleted).suffix(Self.branchesSize).map {
                .init(branchID: $0.id, branchName: $0.name)
            }, omitted: present.count > branches.count ? present.count - branches.count : nil,
            hasSeveral: branches.count > 1, firsts: choices(compared?.first ?? tree.currentBranch),
            seconds: choices(compared?.last ?? other),
            kept: location.showing(.story).fields.map { .init(name: $0.name, value: $0.value) },
            comparison: try compared.flatMap { try comparison($0) })
    }

    /// Compares two branches.
    ///
    /// - Returns: The comparison; `nil` if a branch does not exist.
    private func comparison(_ compared: [Int]) throws -> StoryComparisonContent? {
        guard let first = compared.first, let second = compared.last else { return nil }
        let found: StoryComparison
        do { found = try StoryComparison(of: first, and: second, in: served) } catch is StoryTree.Refusal { return nil }
        let isOneApp = served.scenario.apps.count <= 1
        let rows = found.rows.prefix(room - Self.stepsSize - Self.branchesSize)
        return StoryComparisonContent(
            firstName: found.first.branch.name, firstTime: PageTime.text(found.first.now),
            secondName: found.second.branch.name, secondTime: PageTime.text(found.second.now),
            commonWords: found.common.words, commonTime: PageTime.text(found.common.at),
            rows: rows.map { row in
                .init(
                    customer: row.customer.rawValue, app: isOneApp ? nil : row.app, subject: row.subject,
                    first: row.first ?? "never had it", second: row.second ?? "never had it", differs: row.differs)
            }, customerCount: found.customerCount, isCut: found.isCut || rows.count < found.rows.count,
            closeAddress: location.with { $0.compared = [] }.address)
    }

    /// A message about the last action on the story.
    var storyNotice: PageContent.Notice? {
        guard let told = location.told else { return nil }
        let tree = tree
        let again = "it is \(PageTime.text(served.store.now)) again; the next action begins a branch"
        switch told {
        case .undo:
            return PageContent.Notice(heading: "Undone: \(tree.next?.words ?? "a step").", lines: [again])
        case .redo, .go:
            guard let step = try? tree.step(tree.current) else { return nil }
            let isLast = tree.next == nil
            return PageContent.Notice(
                heading: told == .redo ? "Done again: \(step.words)." : "Back at: \(step.words).",
                lines: [isLast ? "it is \(PageTime.text(served.store.now))" : again])
        case .name: return PageContent.Notice(heading: "The branch was named.", lines: [])
        case .delete: return PageContent.Notice(heading: "The branch was deleted.", lines: ["it can be restored below"])
        case .restore: return PageContent.Notice(heading: "The branch was restored.", lines: [])
        }
    }
}

extension StoryTree.Step {
    /// The text of the step, as the page shows it; a long text is truncated.
    var words: String {
        let words = kind == .beginning ? "beginning: \(text)" : text
        return words.count > 160 ? words.prefix(159) + "…" : words
    }
}
