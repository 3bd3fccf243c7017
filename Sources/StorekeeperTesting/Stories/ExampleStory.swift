package import FoundationEssentials
package import Storekeeper

/// One of the customers in `Configuration/evidence`: what the App Store signed, what to ask, what is promised.
package struct ExampleStory: Sendable, CustomStringConvertible {
    /// The name, which is that of its files.
    package let name: String
    /// The folder of the repository, to which the paths in ``command`` are relative.
    package let repository: URL
    /// The words after `storekeeper`.
    package let command: [String]

    /// The name.
    package var description: String { name }

    /// The stories of this repository, by name.
    ///
    /// - Parameter file: A file inside of the repository.
    /// - Throws: What reading a folder or file throws.
    package static func all(near file: String = #filePath) throws -> [ExampleStory] {
        guard let repository = repository(around: file) else { throw CocoaError(.fileNoSuchFile) }
        let suffix = ".command"
        return try FileManager.default.contentsOfDirectory(atPath: evidence(in: repository).path)
            .filter { $0.hasSuffix(suffix) }.sorted()
            .map { try ExampleStory(name: String($0.dropLast(suffix.count)), repository: repository) }
    }

    /// The folder of the repository that a file lies in: the nearest with `Configuration/evidence`.
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

    /// The words that follow an option, as often as it stands in the command.
    package func values(of option: String) -> [String] {
        zip(command, command.dropFirst()).filter { $0.0 == option }.map(\.1)
    }

    /// The files of evidence that the command names.
    package var evidence: [String] { command.dropFirst().prefix { !$0.hasPrefix("-") }.map { $0 } }

    /// The bytes of a file that the command names.
    package func bytes(of path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: repository.appending(path: path)))
    }

    /// The catalogs that the command names, unread.
    package func catalogFiles() throws -> [CatalogFile] {
        try values(of: "--catalog").map { CatalogFile(name: $0, bytes: try bytes(of: $0)) }
    }

    /// The promised output of the command with `--format json`.
    ///
    /// Diagnostics stand there without their messages, which are free text.
    package func expectedBytes() throws -> [UInt8] {
        try bytes(of: "Configuration/evidence/\(name).expected.json")
    }
}
