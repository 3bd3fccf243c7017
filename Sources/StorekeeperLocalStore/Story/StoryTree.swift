package import Storekeeper

/// The tree of all steps of a local App Store, from which a step is never removed.
///
/// Every action adds a step after the current step. Undo and redo move along the current branch; an action after an
/// earlier step begins another branch. The tree contains only texts and times; ``Story`` contains the changes of the
/// store.
package struct StoryTree: Hashable, Sendable {
    /// A step of the story.
    package struct Step: Hashable, Sendable, Identifiable {
        /// The origin of a step.
        package enum Kind: String, Hashable, Sendable, CaseIterable {
            /// The first store of the story.
            case beginning
            /// A scenario that replaced the store.
            case load
            /// An action of the page or of a test.
            case step
            /// A request of the App Store Server API.
            case request
        }

        /// The number of the step, in the order in which steps were added; the first step has number 0.
        package let id: Int
        /// The number of the step before this step; `nil` for the first step.
        package let parent: Int?
        /// The origin of the step.
        package let kind: Kind
        /// The text of the step, as the user or test entered it.
        package let text: String
        /// The store's time after the step.
        package let at: Instant
        /// The total number of happenings in the store when the step ended.
        package var happenings = 0
        /// The requests of the App Store Server API that changed the store while the step was carried out.
        package var requests: [String] = []
        /// The number of ancestors of the step in the tree.
        package fileprivate(set) var depth = 0

        /// Whether the step creates a new store, which does not depend on the previous steps.
        package var isBeginning: Bool { kind == .beginning || kind == .load }
    }

    /// A branch, which consists of the steps from the root of the tree to the last step of the branch.
    package struct Branch: Hashable, Sendable, Identifiable {
        /// The number of the branch; the first branch has number 1.
        package let id: Int
        /// The name of the branch, which is unique.
        package var name: String
        /// The number of the last step of the branch.
        package var tip: Int
        /// Whether the branch was deleted; a deleted branch can be restored.
        package var isDeleted = false
    }

    /// The reason why the tree cannot be changed.
    package enum Refusal: Error, Hashable, Sendable {
        case nothingToUndo
        case nothingToRedo
        case unknownStep(Int)
        case unknownBranch(Int)
        /// The current branch cannot be deleted.
        case isCurrent
        case nameTaken(String)
        case malformedName
    }

    /// All steps, by their numbers.
    package private(set) var steps: [Step]
    /// All branches, by their numbers; the first branch has number 1.
    package private(set) var branches: [Branch]
    /// The number of the current step; the store is in its state after this step.
    package private(set) var current: Int
    /// The number of the current branch, which the next action continues if ``current`` is its last step.
    package private(set) var currentBranch: Int

    /// The maximum length of the name of a branch, in characters.
    package static let maximumName = 60

    /// Creates a story that begins at an instant.
    package init(_ text: String, at instant: Instant, happenings: Int = 0) {
        steps = [Step(id: 0, parent: nil, kind: .beginning, text: text, at: instant, happenings: happenings)]
        branches = [Branch(id: 1, name: "Main", tip: 0)]
        (current, currentBranch) = (0, 1)
    }

    /// Creates a story from its steps and branches.
    ///
    /// - Returns: `nil` if the arguments are inconsistent, for example if the current step does not exist.
    init?(steps: [Step], branches: [Branch], current: Int, branch: Int) {
        guard steps.first?.parent == nil, steps.first?.isBeginning == true,
            steps.enumerated().allSatisfy({ $1.id == $0 && ($0 == 0 || ($1.parent ?? -1) >= 0 && $1.parent ?? $0 < $0) }
            ),
            branches.enumerated().allSatisfy({ $1.id == $0 + 1 && steps.indices.contains($1.tip) }),
            steps.indices.contains(current), branch >= 1, branch <= branches.count
        else { return nil }
        self.steps = steps
        self.branches = branches
        (self.current, currentBranch) = (current, branch)
        for step in steps { self.steps[step.id].depth = step.parent.map { self.steps[$0].depth + 1 } ?? 0 }
        guard !branches[branch - 1].isDeleted, isStep(current, in: branches[branch - 1]) else { return nil }
    }

    // MARK: Reading

    /// Returns a step.
    package func step(_ id: Int) throws(Refusal) -> Step {
        guard steps.indices.contains(id) else { throw .unknownStep(id) }
        return steps[id]
    }

    /// Returns a branch.
    package func branch(_ id: Int) throws(Refusal) -> Branch {
        guard id >= 1, id <= branches.count else { throw .unknownBranch(id) }
        return branches[id - 1]
    }

    /// The current branch.
    package var branch: Branch { branches[currentBranch - 1] }

    /// Returns the steps from the first step to a step, in order; an empty list for an unknown step.
    package func path(to id: Int) -> [Step] {
        var path: [Step] = []
        var next: Int? = steps.indices.contains(id) ? id : nil
        while let id = next {
            path.append(steps[id])
            next = steps[id].parent
        }
        return path.reversed()
    }

    /// Returns some of the steps between the root of the tree and a step, with the last step first.
    ///
    /// - Parameters:
    ///   - id: The step.
    ///   - count: The number of steps to leave out at the end; with 0, the result begins with the step itself.
    ///   - limit: The maximum number of steps.
    package func steps(backFrom id: Int, skipping count: Int = 0, limit: Int) -> [Step] {
        var found: [Step] = []
        var next: Int? = steps.indices.contains(id) ? id : nil
        var skipped = 0
        while let id = next, found.count < limit {
            if skipped < count { skipped += 1 } else { found.append(steps[id]) }
            next = steps[id].parent
        }
        return found
    }

    /// Returns the last step that the paths to two steps share.
    package func commonStep(of first: Int, and second: Int) throws(Refusal) -> Step {
        var (left, right) = (try step(first), try step(second))
        // The number of a step is greater than the number of its parent.
        while left.id != right.id {
            if left.id > right.id, let parent = left.parent {
                left = steps[parent]
            } else if let parent = right.parent {
                right = steps[parent]
            }
        }
        return left
    }

    /// Returns whether a branch contains a step.
    package func isStep(_ id: Int, in branch: Branch) -> Bool {
        guard steps.indices.contains(id) else { return false }
        var step = steps[branch.tip]
        while step.id > id, let parent = step.parent { step = steps[parent] }
        return step.id == id
    }

    /// The step that undo makes the current step; `nil` at the first step.
    package var previous: Step? { steps[current].parent.map { steps[$0] } }

    /// The number of steps of the current branch.
    package var branchLength: Int { steps[branch.tip].depth + 1 }

    /// The number of ancestors of the current step in the tree.
    package var place: Int { steps[current].depth }

    /// The step that redo makes the current step; `nil` at the end of the current branch.
    package var next: Step? {
        var step = steps[branch.tip]
        // The number of a step is greater than the number of its parent.
        while step.id > current, let parent = step.parent {
            if parent == current { return step }
            step = steps[parent]
        }
        return nil
    }

    /// The branches that were not deleted.
    package var presentBranches: [Branch] { branches.filter { !$0.isDeleted } }

    // MARK: Changing

    /// Adds a step after the current step.
    ///
    /// If the current branch already continues after the current step, the new step begins another branch.
    ///
    /// - Returns: The new step.
    @discardableResult
    package mutating func append(
        _ kind: Step.Kind, _ text: String, at instant: Instant, happenings: Int = 0, requests: [String] = []
    ) -> Step {
        let step = Step(
            id: steps.count, parent: current, kind: kind, text: text, at: instant, happenings: happenings,
            requests: requests, depth: steps[current].depth + 1)
        steps.append(step)
        if branch.tip == current {
            branches[currentBranch - 1].tip = step.id
        } else {
            currentBranch = branches.count + 1
            branches.append(Branch(id: currentBranch, name: freeName("Branch \(currentBranch)"), tip: step.id))
        }
        current = step.id
        return step
    }

    /// Makes the step before the current step the current step.
    package mutating func undo() throws(Refusal) {
        guard let parent = steps[current].parent else { throw .nothingToUndo }
        current = parent
    }

    /// Makes the next step of the current branch the current step; this is the step that was undone last.
    package mutating func redo() throws(Refusal) {
        guard let next else { throw .nothingToRedo }
        current = next.id
    }

    /// Makes a step the current step.
    ///
    /// If the current branch does not contain the step, the oldest branch with the step becomes the current branch. A
    /// deleted branch is never chosen.
    package mutating func go(to id: Int) throws(Refusal) {
        _ = try step(id)
        if !isStep(id, in: branch) {
            guard let other = branches.first(where: { !$0.isDeleted && isStep(id, in: $0) }) else {
                throw .unknownStep(id)
            }
            currentBranch = other.id
        }
        current = id
    }

    /// Makes a branch the current branch, and its last step the current step.
    package mutating func go(toBranch id: Int) throws(Refusal) {
        let other = try branch(id)
        guard !other.isDeleted else { throw .unknownBranch(id) }
        (current, currentBranch) = (other.tip, id)
    }

    /// Renames a branch.
    package mutating func rename(_ id: Int, to name: String) throws(Refusal) {
        _ = try branch(id)
        let words = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let isPlain = words.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard !words.isEmpty, words.count <= Self.maximumName, words.utf8.count <= 4 * Self.maximumName, isPlain else {
            throw .malformedName
        }
        guard !branches.contains(where: { $0.name == words && $0.id != id }) else { throw .nameTaken(words) }
        branches[id - 1].name = words
    }

    /// Deletes a branch, or restores it.
    package mutating func setDeleted(_ isDeleted: Bool, branch id: Int) throws(Refusal) {
        _ = try branch(id)
        guard id != currentBranch || !isDeleted else { throw .isCurrent }
        branches[id - 1].isDeleted = isDeleted
    }

    private func freeName(_ name: String) -> String {
        var free = name
        var number = 2
        while branches.contains(where: { $0.name == free }) {
            free = "\(name) (\(number))"
            number += 1
        }
        return free
    }
}

extension StoryTree.Refusal {
    /// A machine-readable code, which stays the same in later versions.
    var code: String {
        switch self {
        case .nothingToUndo: "nothingToUndo"
        case .nothingToRedo: "nothingToRedo"
        case .unknownStep: "unknownStep"
        case .unknownBranch: "unknownBranch"
        case .isCurrent: "currentBranch"
        case .nameTaken: "nameTaken"
        case .malformedName: "malformedName"
        }
    }

    /// The cause of the refusal, and its remedy.
    var message: String {
        switch self {
        case .nothingToUndo: "there is nothing to undo: this is the first step"
        case .nothingToRedo: "there is nothing to redo: this is the last step of the branch"
        case .unknownStep(let id): "there is no step \(id), or its branch was deleted"
        case .unknownBranch(let id): "there is no branch \(id), or it was deleted"
        case .isCurrent: "the current branch cannot be deleted: go to another one first"
        case .nameTaken(let name): "another branch is named '\(name)': choose another name"
        case .malformedName:
            "the name of a branch has 1 to \(StoryTree.maximumName) characters on one line"
        }
    }
}
