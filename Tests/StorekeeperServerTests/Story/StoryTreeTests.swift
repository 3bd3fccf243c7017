import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperLocalStore

/// Tests of the tree of steps and branches.
@Suite struct StoryTreeTests {
    private static func tree(_ texts: String...) -> StoryTree {
        var tree = StoryTree("a shop", at: .distantPast)
        for text in texts { tree.append(.step, text, at: .distantPast) }
        return tree
    }

    private static func words(_ tree: StoryTree, to id: Int? = nil) -> [String] {
        tree.path(to: id ?? tree.current).dropFirst().map(\.text)
    }

    @Test("Undo goes back along the steps, and redo forward to the end of the branch")
    func undo() throws {
        var tree = Self.tree("buy", "advance", "refund")
        try tree.undo()
        try tree.undo()
        #expect(Self.words(tree) == ["buy"] && tree.next?.text == "advance")
        try tree.redo()
        try tree.redo()
        #expect(Self.words(tree) == ["buy", "advance", "refund"] && tree.next == nil)
        #expect(throws: StoryTree.Refusal.nothingToRedo) { try tree.redo() }
        for _ in 1...3 { try tree.undo() }
        #expect(throws: StoryTree.Refusal.nothingToUndo) { try tree.undo() }
        #expect(tree.branches.count == 1)
    }

    @Test("An action after an earlier step begins a branch, and the other one stays")
    func branches() throws {
        var tree = Self.tree("buy", "advance", "refund")
        try tree.go(to: 1)
        tree.append(.step, "cancel", at: .distantPast)
        tree.append(.step, "advance", at: .distantPast)
        #expect(Self.words(tree) == ["buy", "cancel", "advance"])
        #expect(tree.branches.map(\.name) == ["Main", "Branch 2"] && tree.currentBranch == 2)
        #expect(Self.words(tree, to: tree.branches[0].tip) == ["buy", "advance", "refund"])
        #expect(try tree.commonStep(of: tree.branches[0].tip, and: tree.branches[1].tip).text == "buy")
        // Going to a step of both branches does not change the current branch. Going to a step of only the other branch
        // does.
        try tree.go(to: 1)
        #expect(tree.currentBranch == 2 && tree.next?.text == "cancel")
        try tree.go(to: 2)
        #expect(tree.currentBranch == 1 && tree.next?.text == "refund")
        try tree.go(toBranch: 2)
        #expect(tree.current == 5)
    }

    @Test(
        "Names of branches are unique, on one line and not too long",
        arguments: [
            (" Refunded  early ", "Refunded early"), ("ü 👋", "ü 👋"), ("", nil), (" \n", nil), ("Main", nil),
            ("a\u{7}b", nil), (String(repeating: "x", count: 60), String(repeating: "x", count: 60)),
            (String(repeating: "x", count: 61), nil), ("Branch 2", "Branch 2"),
        ])
    func names(_ name: String, _ expected: String?) throws {
        var tree = Self.tree("buy")
        try tree.undo()
        tree.append(.step, "cancel", at: .distantPast)
        try? tree.rename(2, to: name)
        #expect(tree.branches[1].name == expected ?? "Branch 2")
        #expect(throws: StoryTree.Refusal.unknownBranch(3)) { try tree.rename(3, to: "x") }
    }

    @Test("A deleted branch is not gone to, and comes back when it is restored")
    func deletion() throws {
        var tree = Self.tree("buy", "refund")
        try tree.undo()
        tree.append(.step, "cancel", at: .distantPast)
        #expect(throws: StoryTree.Refusal.isCurrent) { try tree.setDeleted(true, branch: 2) }
        try tree.setDeleted(true, branch: 1)
        #expect(tree.presentBranches.map(\.id) == [2])
        #expect(throws: StoryTree.Refusal.unknownBranch(1)) { try tree.go(toBranch: 1) }
        #expect(throws: StoryTree.Refusal.unknownStep(2)) { try tree.go(to: 2) }
        try tree.setDeleted(false, branch: 1)
        try tree.go(to: 2)
        #expect(tree.currentBranch == 1)
    }

    @Test("Parts that do not fit together are no story")
    func parts() throws {
        let tree = Self.tree("buy", "refund")
        let (steps, branches) = (tree.steps, tree.branches)
        #expect(StoryTree(steps: steps, branches: branches, current: 2, branch: 1) == tree)
        #expect(StoryTree(steps: [], branches: branches, current: 0, branch: 1) == nil)
        #expect(StoryTree(steps: steps.reversed(), branches: branches, current: 2, branch: 1) == nil)
        #expect(StoryTree(steps: steps, branches: branches, current: 3, branch: 1) == nil)
        #expect(StoryTree(steps: steps, branches: branches, current: 2, branch: 2) == nil)
        #expect(StoryTree(steps: steps, branches: [.init(id: 1, name: "x", tip: 9)], current: 0, branch: 1) == nil)
        #expect(StoryTree(steps: steps, branches: [.init(id: 1, name: "x", tip: 1)], current: 2, branch: 1) == nil)
    }

    // MARK: Laws

    private enum Operation: Sendable {
        case append, undo, redo
        case go(Int), branch(Int), rename(Int, Int), delete(Int), restore(Int)
    }

    private static func operations(_ random: inout SplitMix64) -> [Operation] {
        (0..<random.number(in: 1...40)).map { _ in
            let number = random.number(in: 0...20)
            switch random.number(in: 0...12) {
            case 0...4: return .append
            case 5, 6: return .undo
            case 7: return .redo
            case 8: return .go(number)
            case 9: return .branch(number % 6)
            case 10: return .rename(number % 6, number)
            case 11: return .delete(number % 6)
            default: return .restore(number % 6)
            }
        }
    }

    private static func apply(_ operation: Operation, to tree: inout StoryTree) {
        switch operation {
        case .append: tree.append(.step, "step \(tree.steps.count)", at: .distantPast)
        case .undo: try? tree.undo()
        case .redo: try? tree.redo()
        case .go(let id): try? tree.go(to: id)
        case .branch(let id): try? tree.go(toBranch: id)
        case .rename(let id, let name): try? tree.rename(id, to: "Branch \(name)")
        case .delete(let id): try? tree.setDeleted(true, branch: id)
        case .restore(let id): try? tree.setDeleted(false, branch: id)
        }
    }

    private static func breaksLaw(_ tree: StoryTree, before: StoryTree) -> String? {
        guard tree.steps.starts(with: before.steps) else { return "a step was lost or changed" }
        guard tree.isStep(tree.current, in: tree.branch), !tree.branch.isDeleted else {
            return "the place is not on the current branch"
        }
        guard tree.steps.allSatisfy({ step in tree.branches.contains { tree.isStep(step.id, in: $0) } }) else {
            return "a step is on no branch"
        }
        guard Set(tree.branches.map(\.name)).count == tree.branches.count else { return "two branches have one name" }
        let again = StoryTree(
            steps: tree.steps, branches: tree.branches, current: tree.current, branch: tree.currentBranch)
        guard again == tree else { return "the parts do not give the tree" }
        for old in before.branches where tree.branches[old.id - 1].tip != old.tip {
            guard old.id == before.currentBranch, before.current == old.tip, tree.current == tree.branch.tip else {
                return "a branch was changed by an action elsewhere"
            }
        }
        var undone = tree
        if (try? undone.undo()) != nil {
            guard (try? undone.redo()) != nil, undone == tree else { return "undo and redo are not the identity" }
        }
        var redone = tree
        if (try? redone.redo()) != nil {
            guard (try? redone.undo()) != nil, redone == tree else { return "redo and undo are not the identity" }
        }
        return nil
    }

    @Test("Whatever is done, nothing is lost, and undo and redo are inverse")
    func laws() {
        struct Broken: Error { let reason: String }
        checkProperty(
            "a story never loses a step", cases: 300, generate: { Self.operations(&$0) },
            shrink: { list in list.indices.map { index in Array(list[..<index]) + list[(index + 1)...] } }
        ) { operations in
            var tree = StoryTree("a shop", at: .distantPast)
            for operation in operations {
                let before = tree
                Self.apply(operation, to: &tree)
                if let reason = Self.breaksLaw(tree, before: before) { throw Broken(reason: reason) }
            }
            return true
        }
    }
}
