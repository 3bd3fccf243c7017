import Storekeeper
import StorekeeperSimulator
import Synchronization

/// Undo, redo and branches of the story, which is the recorded history of the store's steps.
extension LocalAppStore {
    /// Returns the store to its state before the current step.
    ///
    /// - Returns: The step that was undone.
    /// - Throws: ``StoryTree/Refusal`` at the first step; an error of the journal; `CancellationError`.
    @discardableResult
    package func undo() async throws -> StoryTree.Step {
        try await move { tree throws(StoryTree.Refusal) in try tree.undo() }.from
    }

    /// Repeats the step that was undone last.
    ///
    /// - Returns: The repeated step.
    /// - Throws: ``StoryTree/Refusal`` at the end of the branch; an error of the journal; `CancellationError`.
    @discardableResult
    package func redo() async throws -> StoryTree.Step {
        try await move { tree throws(StoryTree.Refusal) in try tree.redo() }.to
    }

    /// Moves the store to its state after a step of the story, including the time at that step.
    ///
    /// If the step is not the last step of its branch, the next action begins a new branch.
    ///
    /// - Throws: ``StoryTree/Refusal`` if no such step exists; an error of the journal; `CancellationError`.
    @discardableResult
    package func go(to step: Int) async throws -> StoryTree.Step {
        try await move { tree throws(StoryTree.Refusal) in try tree.go(to: step) }.to
    }

    /// Moves the store to its state after the last step of a branch.
    ///
    /// - Throws: ``StoryTree/Refusal`` if no such branch exists; an error of the journal; `CancellationError`.
    @discardableResult
    package func go(toBranch branch: Int) async throws -> StoryTree.Step {
        try await move { tree throws(StoryTree.Refusal) in try tree.go(toBranch: branch) }.to
    }

    /// Renames a branch.
    ///
    /// - Throws: ``StoryTree/Refusal``; an error of the journal.
    package func rename(branch: Int, to name: String) throws {
        try recorder.change { tree throws(StoryTree.Refusal) in try tree.rename(branch, to: name) }
    }

    /// Deletes a branch, or restores it.
    ///
    /// - Throws: ``StoryTree/Refusal``; an error of the journal.
    package func setDeleted(_ isDeleted: Bool, branch: Int) throws {
        try recorder.change { tree throws(StoryTree.Refusal) in try tree.setDeleted(isDeleted, branch: branch) }
    }

    /// Makes another step the current step, and serves the store in its state after that step.
    ///
    /// The notifications that the store has already sent are not sent again.
    private func move(
        _ change: @Sendable (inout StoryTree) throws(StoryTree.Refusal) -> Void
    ) async throws -> (from: StoryTree.Step, to: StoryTree.Step) {
        guard await stepLock.acquire() else { throw CancellationError() }
        defer { stepLock.release() }
        var story = recorder.story
        var tree = story.tree
        try change(&tree)
        let (from, to) = (try tree.step(story.tree.current), try tree.step(tree.current))
        guard from != to else {
            try recorder.change(change)
            return (from, to)
        }
        let beginning = story.beginning(of: to.id)
        guard let scenario = story.beginnings[beginning]?.scenario else { throw StoryTree.Refusal.unknownStep(to.id) }
        if story.beginnings[beginning]?.store == nil {
            let start = try story.store(ofBeginning: beginning, authority: store.authority)
            recorder.keep(start, ofBeginning: beginning)
            story.keep(start, of: beginning)
        }
        let store = try story.store(at: to.id, authority: store.authority)
        let number = current.number + 1
        let (target, branch) = (tree.current, tree.currentBranch)
        try recorder.replace(with: store, number: number) { story in
            // The branch and the step are selected again, because a request may have added a step or a branch in the
            // meantime.
            try story.change { tree throws(StoryTree.Refusal) in
                try tree.go(toBranch: branch)
                try tree.go(to: target)
            }
        }
        let served = await ServedScenario(
            store, scenario, number: number, webhook: webhook, configuration: configuration,
            attempts: story.allAttempts(to: to.id), recorder: recorder, beginning: beginning)
        self.served.withLock { $0 = served }
        sending.send()
        return (from, to)
    }
}
