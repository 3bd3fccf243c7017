package import FoundationEssentials
package import Storekeeper

/// An example customer in `Configuration/evidence`, with signed evidence, a command, and the expected output of the
/// command.
package struct ExampleStory: Sendable, CustomStringConvertible {
    /// The name of the example and of its files.
    package let name: String
    /// The folder of the repository, to which the paths in ``command`` are relative.
    package let repository: URL
    /// The arguments of `storekeeper`.
    package let command: [String]

    /// The name of the example.
    package var description: String { name }

    /// Returns the examples of this repository, sorted by name.
    ///
    /// - Parameter file: A file in the repository.
    /// - Throws: An error from reading a folder or file.
    package static func all(near file: String = #filePath) throws -> [ExampleStory] {
        guard let repository = repository(around: file) else { throw CocoaError(.fileNoSuchFile) }
        let suffix = ".command"
        return try FileManager.default.contentsOfDirectory(atPath: evidence(in: repository).path)
            .filter { $0.hasSuffix(suffix) }.sorted()
            .map { try ExampleStory(name: String($0.dropLast(suffix.count)), repository: repository) }
    }

    /// Returns the repository folder that contains a file, which is the nearest parent folder with
    /// `Configuration/evidence`.
    package static func repository(around file: String = #filePath) -> URL? {
        var folder = URL(filePath: file)
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            if FileManager.default.fileExists(atPath: evidence(in: folder).path) { return folder }
        }
        return nil
    }

    private static func evidence(in repository: URL) -> URL { repository.appending(path: "Configuration/evidence") }

    private init(name: String, repository: URL) throws {
        self.name = name
        self.repository = repository
        let line = try Data(contentsOf: Self.evidence(in: repository).appending(path: name + ".command"))
        command = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// Returns all values of an option in the command.
    package func values(of option: String) -> [String] {
        zip(command, command.dropFirst()).filter { $0.0 == option }.map(\.1)
    }

    /// The evidence files named in the command.
    package var evidence: [String] { command.dropFirst().prefix { !$0.hasPrefix("-") }.map { $0 } }

    /// Returns the bytes of a file named in the command.
    package func bytes(of path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: repository.appending(path: path)))
    }

    /// Returns the catalog files named in the command.
    package func catalogFiles() throws -> [CatalogFile] {
        try values(of: "--catalog").map { CatalogFile(name: $0, bytes: try bytes(of: $0)) }
    }

    /// Returns the expected output of the command with `--format json`.
    ///
    /// The expected diagnostics have no messages, because messages are free text.
    package func expectedBytes() throws -> [UInt8] {
        try bytes(of: "Configuration/evidence/\(name).expected.json")
    }
}
