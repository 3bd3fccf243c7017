import Storekeeper
import StorekeeperSimulator
import Synchronization

/// Undo, redo and the branches of the story.
extension LocalAppStore {
    /// Goes back to the step before the current step.
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

    /// Goes to a step of the story, so that the time of this step becomes the present.
    ///
    /// The next action begins a new branch, unless the step is the last step of its branch.
    ///
    /// - Throws: ``StoryTree/Refusal`` if no such step exists; an error of the journal; `CancellationError`.
    @discardableResult
    package func go(to step: Int) async throws -> StoryTree.Step {
        try await move { tree throws(StoryTree.Refusal) in try tree.go(to: step) }.to
    }

    /// Goes to the last step of a branch.
    ///
    /// - Throws: ``StoryTree/Refusal`` if no such branch exists; an error of the journal; `CancellationError`.
    @discardableResult
    package func go(toBranch branch: Int) async throws -> StoryTree.Step {
        try await move { tree throws(StoryTree.Refusal) in try tree.go(toBranch: branch) }.to
    }

    /// Names a branch.
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

    /// Goes to another step of the story, and serves the store as it was after that step.
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
            // The branch and the step are chosen again, because a request may have added a step or a branch since the
            // first choice.
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
