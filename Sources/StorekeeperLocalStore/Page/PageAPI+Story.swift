import Storekeeper

extension PageAPI {
    /// Carries out a form about the story, which undoes or redoes a step, goes to a step, or changes a branch.
    ///
    /// - Throws: An error if the page cannot be made.
    func changeStory(_ body: [UInt8], type: String?) async throws -> FormResult {
        try await result(of: body, type: type) { form throws in
            let branch = form.value("branch").flatMap(Int.init)
            if let step = form.value("step").flatMap(Int.init) {
                try await local.go(to: step)
                return { $0.moved(by: .go) }
            }
            switch (form.value("act").flatMap(StoryAction.init), branch) {
            case (.undo, _):
                try await local.undo()
                return { $0.moved(by: .undo) }
            case (.redo, _):
                try await local.redo()
                return { $0.moved(by: .redo) }
            case (.go, let branch?):
                try await local.go(toBranch: branch)
                return { $0.moved(by: .go) }
            case (.name, let branch?):
                try local.rename(branch: branch, to: form.value("name") ?? "")
                return { $0.told = .name }
            case (.delete, let branch?):
                try local.setDeleted(true, branch: branch)
                return { $0.told = .delete }
            case (.restore, let branch?):
                try local.setDeleted(false, branch: branch)
                return { $0.told = .restore }
            default: throw FormRefusal(heading: "The action is unknown.", lines: ["Reload the page."])
            }
        }
    }
}

extension PageLocation {
    /// Changes the location to the page that is shown after another step has become the current step.
    fileprivate mutating func moved(by action: StoryAction) {
        (told, steps, page) = (action, 1, 1)
    }
}
