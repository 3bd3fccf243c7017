import Storekeeper

extension Scenario {
    /// Reads a scenario whose text contains its catalog files under the key `catalog files`.
    ///
    /// - Parameters:
    ///   - text: YAML in UTF-8, at most 1 MiB, without anchors and aliases.
    ///   - file: The name of the file, for messages.
    /// - Throws: ``ScenarioError`` if the text is not a valid scenario, or names a catalog file that the text does not
    ///   contain.
    public init(reading text: String, file: String = "scenario") throws {
        try self.init(reading: text, file: file) { _ in throw MissingFile() }
    }

    private struct MissingFile: Error {}
}

extension ScenarioNode {
    /// Returns the content of a file: a text in UTF-8, or bytes in base64 with YAML's tag `!!binary`.
    func fileContent(_ name: String) throws(ScenarioError) -> [UInt8] {
        if let text = scalarText { return Array(text.utf8) }
        guard case .binary(let base64) = content else {
            throw error("'\(name)' is not a single value", "write the content of the file after it")
        }
        guard let bytes = StandardBase64.decode(base64.utf8.filter { $0 > UInt8(ascii: " ") }) else {
            throw error("'\(name)' is not base64", "write it in base64 with padding, or as a text without '!!binary'")
        }
        return bytes
    }
}
