package import Storekeeper
import StorekeeperPages
import StorekeeperSimulator

/// Requests about the store's story, which is its recorded history of steps, with branches, undo and redo.
extension ControlAPI {
    /// Returns the steps and branches of the story, with the current step and branch.
    ///
    /// - Parameter count: The number of steps to leave out at the beginning.
    func story(after count: Int = 0) -> StoryDocument {
        StoryDocument(tree: local.recorder.story.tree, now: local.store.now, skipped: max(0, count))
    }

    struct StoryDocument: JSONShaped {
        let tree: StoryTree
        let now: Instant
        /// The number of steps to leave out at the beginning.
        let skipped: Int

        static let shape = JSONShape<Self>([
            .member("step", "The step after which the store is.") { $0.tree.current },
            .member("branch", "The current branch.") { $0.tree.currentBranch }, .member("now") { $0.now },
            .member("undo", "The step that undo goes back to.") { $0.tree.previous?.id },
            .member("redo", "The step that redo goes to.") { $0.tree.next?.id },
            .member("count", "The number of all steps.") { $0.tree.steps.count },
            .member("branches") { $0.tree.branches },
            .member("steps") { Array($0.tree.steps.dropFirst($0.skipped)) },
        ])
    }

    func undo(_ body: [UInt8]) async throws -> StoryDocument {
        try Self.checkIsEmpty(body)
        try await local.undo()
        return story(after: .max)
    }

    func redo(_ body: [UInt8]) async throws -> StoryDocument {
        try Self.checkIsEmpty(body)
        try await local.redo()
        return story(after: .max)
    }

    /// Moves the store to its state after a step, as in `{"step": 3}`, or after the last step of a branch, as in
    /// `{"branch": 2}`.
    func go(_ body: [UInt8]) async throws -> StoryDocument {
        let json = try JSONObject.reading(body, as: .place)
        switch (try json.number("step"), try json.number("branch")) {
        case (let step?, nil): try await local.go(to: step)
        case (nil, let branch?): try await local.go(toBranch: branch)
        default: throw APIError.badRequest("write {\"step\": 3} or {\"branch\": 2}")
        }
        return story(after: .max)
    }

    /// Renames, deletes or restores a branch, as in `{"branch": 2, "name": "Refunded"}`,
    /// `{"branch": 2, "isDeleted": true}`.
    func changeBranch(_ body: [UInt8]) throws -> StoryDocument {
        let json = try JSONObject.reading(body, as: .branch)
        guard let branch = try json.number("branch") else { throw APIError.badRequest("branch is missing") }
        let isDeleted = json["isDeleted"]?.bool
        guard json["isDeleted"] == nil || isDeleted != nil else {
            throw APIError.badRequest("isDeleted must be true or false")
        }
        guard let name = try json.text("name") else {
            guard let isDeleted else { throw APIError.badRequest("write a name, or isDeleted") }
            try local.setDeleted(isDeleted, branch: branch)
            return story(after: .max)
        }
        guard isDeleted == nil else { throw APIError.badRequest("write a name or isDeleted, not both") }
        try local.rename(branch: branch, to: name)
        return story(after: .max)
    }

    /// Checks that a request has no body, or an empty object.
    private static func checkIsEmpty(_ body: [UInt8]) throws(APIError) {
        if !body.isEmpty { _ = try JSONObject.reading(body, as: .empty) }
    }

    /// Returns the differences between the customers at the ends of two branches.
    func comparison(_ first: Int, with second: Int) throws -> StoryComparison {
        try StoryComparison(of: first, and: second, in: local.current)
    }
}

extension StoryTree.Step: JSONShaped {
    /// The step as a JSON document.
    package static let shape = JSONShape<StoryTree.Step>(
        "StoryStep",
        [
            .member("id") { $0.id }, .member("parent", "The step before it.") { $0.parent },
            .member("kind", as: .words(of: Kind.self)) { $0.kind.rawValue },
            .member("text", "The step in the words in which it was made.") { $0.text },
            .member("at", "The store's time after it.") { $0.at },
            .member("requests", "The requests of the App Store Server API that changed the store meanwhile.") {
                $0.requests.ifAny
            },
        ])
}

extension StoryTree.Branch: JSONShaped {
    package static let shape = JSONShape<StoryTree.Branch>([
        .member("id") { $0.id }, .member("name") { $0.name }, .member("step", "Its last step.") { $0.tip },
        .member("isDeleted") { $0.isDeleted },
    ])
}

extension JSONObject {
    /// Returns a member that is a whole number; `nil` if the member is absent.
    fileprivate func number(_ name: String) throws(APIError) -> Int? {
        guard let value = self[name] else { return nil }
        guard let number = value.int64.flatMap({ Int(exactly: $0) }) else {
            throw .badRequest("\(name) must be a whole number")
        }
        return number
    }
}
