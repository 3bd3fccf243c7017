import Storekeeper
import StorekeeperSimulator

/// Requests about the store's story, which is its recorded history of steps, with branches, undo and redo.
extension ControlAPI {
    /// Returns the steps and branches of the story, with the current step and branch.
    ///
    /// - Parameter count: The number of steps to leave out at the beginning.
    func story(after count: Int = 0) -> JSONText {
        let tree = local.recorder.story.tree
        return .object([
            "step": .whole(tree.current), "branch": .whole(tree.currentBranch), "now": .time(local.store.now),
            "undo": .whole(tree.previous?.id), "redo": .whole(tree.next?.id), "count": .whole(tree.steps.count),
            "branches": .array(
                tree.branches.map { branch in
                    .object([
                        "id": .whole(branch.id), "name": .string(branch.name), "step": .whole(branch.tip),
                        "isDeleted": .bool(branch.isDeleted),
                    ])
                }),
            "steps": .array(tree.steps.dropFirst(max(0, count)).map(\.document)),
        ])
    }

    func undo(_ body: [UInt8]) async throws -> JSONText {
        try Self.checkIsEmpty(body)
        try await local.undo()
        return story(after: .max)
    }

    func redo(_ body: [UInt8]) async throws -> JSONText {
        try Self.checkIsEmpty(body)
        try await local.redo()
        return story(after: .max)
    }

    /// Moves the store to its state after a step, as in `{"step": 3}`, or after the last step of a branch, as in
    /// `{"branch": 2}`.
    func go(_ body: [UInt8]) async throws -> JSONText {
        let json = try JSONObject.reading(body, members: ["step", "branch"])
        switch (try json.number("step"), try json.number("branch")) {
        case (let step?, nil): try await local.go(to: step)
        case (nil, let branch?): try await local.go(toBranch: branch)
        default: throw APIError.badRequest("write {\"step\": 3} or {\"branch\": 2}")
        }
        return story(after: .max)
    }

    /// Renames, deletes or restores a branch, as in `{"branch": 2, "name": "Refunded"}`,
    /// `{"branch": 2, "isDeleted": true}`.
    func changeBranch(_ body: [UInt8]) throws -> JSONText {
        let json = try JSONObject.reading(body, members: ["branch", "name", "isDeleted"])
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
        if !body.isEmpty { _ = try JSONObject.reading(body, members: []) }
    }

    /// Returns the differences between the customers at the ends of two branches.
    func comparison(_ first: Int, with second: Int) throws -> JSONText {
        try StoryComparison(of: first, and: second, in: local.current).document
    }
}

extension StoryTree.Step {
    /// The step as a JSON document.
    var document: JSONText {
        .object([
            "id": .whole(id), "parent": .whole(parent), "kind": .string(kind.rawValue), "text": .string(text),
            "at": .time(at), "requests": requests.isEmpty ? .null : .array(requests.map(JSONText.string)),
        ])
    }
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
