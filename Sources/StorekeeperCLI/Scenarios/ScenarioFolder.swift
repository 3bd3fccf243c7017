import FoundationEssentials
import Storekeeper
import StorekeeperJWS
import StorekeeperSimulator

/// Finds and reads scenarios, and writes their results.
enum ScenarioFolder {
    /// All errors in a scenario that cannot be run.
    struct Fault: Error {
        /// The errors, at least one.
        let errors: [CommandError]

        init(_ errors: [CommandError]) { self.errors = errors }

        /// The exit status of the command.
        ///
        /// The status for a malformed text takes precedence over the status for a missing file.
        var status: ExitStatus {
            errors.contains { $0.status == .malformedInput } ? .malformedInput : errors.first?.status ?? .bug
        }
    }

    /// Returns the paths of the scenarios in a folder, sorted by name; `nil` if the path is not a folder.
    static func files(in path: String) -> [String]? {
        guard path != InputFile.standardInputName,
            let names = try? FileManager.default.contentsOfDirectory(atPath: path)
        else { return nil }
        let folder = path.hasSuffix("/") ? path : path + "/"
        return names.filter { ($0.hasSuffix(".yaml") || $0.hasSuffix(".yml")) && !$0.hasPrefix(".") }
            .sorted().map { folder + $0 }
    }

    /// Reads a scenario and its catalogs.
    ///
    /// The paths of the catalogs are relative to the scenario's folder.
    static func read(_ path: String) -> Result<Scenario, Fault> {
        do throws(CommandError) {
            let bytes = try InputFile.contents(of: path, limit: 2 << 20)
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw CommandError(
                    .malformedInput, "the scenario is not UTF-8", at: InputFile.name(of: path), "save it as UTF-8")
            }
            return read(text, path: path)
        } catch {
            return .failure(Fault([error]))
        }
    }

    /// Reads a scenario from a text, as if the text were in a file at the path.
    static func read(_ text: String, path: String) -> Result<Scenario, Fault> {
        do {
            return .success(
                try Scenario(reading: text, file: InputFile.name(of: path)) { name in
                    let file = resolved(name, beside: path)
                    return CatalogFile(
                        name: InputFile.name(of: file),
                        bytes: try InputFile.contents(of: file, limit: CatalogFile.maximumSize))
                })
        } catch let error as ScenarioError {
            return .failure(Fault(error.all.map(CommandError.init)))
        } catch {
            return .failure(Fault([CommandError(.malformedInput, "\(error)", at: path, "correct it")]))
        }
    }

    /// Returns the given scenario, or a scenario without steps for the given catalogs.
    ///
    /// - Parameter story: The title of the scenario that is created for catalogs.
    /// - Returns: The scenario, and its real or assumed path.
    static func stage(
        _ paths: [String], story: String
    ) throws(CommandError) -> (path: String, Result<Scenario, Fault>) {
        if let path = paths.first, path.hasSuffix(".yaml") || path.hasSuffix(".yml") {
            guard paths.count == 1 else {
                throw .usage("only one scenario can be given", at: path, "name one file")
            }
            return (path, read(path))
        }
        let catalogs = paths.map { JSONText.string($0).text() }.joined(separator: ", ")
        let title = JSONText.string(story).text()
        let text = "story: \(title)\ncatalog: [\(catalogs)]\npeople: [customer]\nsteps: []\n"
        for path in paths where files(in: path) != nil {
            throw CommandError(.usage, "a folder is neither a scenario nor a catalog", at: path, "name a file")
        }
        try InputFile.check(paths)
        let staged = read(text, path: "scenario.yaml")
        // The catalogs are read again, so that an error in a catalog names the catalog instead of the generated
        // scenario.
        if case .failure = staged, !paths.contains(InputFile.standardInputName) { _ = try Catalog(atPaths: paths) }
        return ("scenario.yaml", staged)
    }

    /// Resolves a path in a scenario relative to the scenario's folder.
    static func resolved(_ name: String, beside path: String) -> String {
        guard !name.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return name }
        return path[...slash] + name
    }

    /// Converts a relative path in a scenario, so that the path still leads to the same file after the scenario was
    /// moved.
    static func moved(_ name: String, from path: String, to other: String) -> String {
        guard !name.hasPrefix("/") else { return name }
        let from = folder(of: other)
        let file = parts(absolute(resolved(name, beside: path)))
        let shared = zip(from, file).prefix { $0 == $1 }.count
        let up = [String](repeating: "..", count: from.count - shared)
        return (up + file.dropFirst(shared)).joined(separator: "/")
    }

    /// Returns a copy of a scenario that is to be saved at another path.
    ///
    /// The path of each catalog is converted, unless the scenario contains the catalog itself.
    static func moved(_ scenario: Scenario, from path: String, to other: String) -> Scenario {
        var moved = scenario
        moved.catalogs = scenario.catalogs.map { names in
            names.map { scenario.embeddedCatalogs.contains($0) ? $0 : Self.moved($0, from: path, to: other) }
        }
        return moved
    }

    private static func folder(of path: String) -> [String] {
        let slash = path.lastIndex(of: "/")
        return parts(absolute(slash.map { String(path[...$0]) } ?? "."))
    }

    /// Returns the absolute path with resolved symbolic links.
    ///
    /// The links are resolved, because '..' after a link refers to the parent of the link's target.
    private static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }

    /// Returns the components of a path, after resolving '.', '..' and empty components.
    private static func parts(_ path: String) -> [String] {
        path.split(separator: "/").reduce(into: []) { parts, name in
            if name == ".." {
                _ = parts.popLast()
            } else if name != "." {
                parts.append(String(name))
            }
        }
    }

    /// Writes the root certificate, as DER if the name ends in .cer or .der, otherwise as PEM.
    static func write(root authority: LocalAuthority, to path: String) throws(CommandError) {
        let isDER = [".cer", ".der"].contains { path.lowercased().hasSuffix($0) }
        try write(isDER ? authority.root.der : Array(authority.rootPEM.utf8), to: path)
    }

    /// Writes a text.
    static func write(_ text: String, to path: String) throws(CommandError) {
        try write(Array(text.utf8), to: path)
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(CommandError) {
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: path))
        } catch {
            throw CommandError(
                .unwritableFile, "the file cannot be written", at: path, "check the folder and its permissions")
        }
    }
}

extension CommandError {
    /// Creates the command's error for an error in a scenario.
    init(_ error: ScenarioError) {
        self.init(
            error.isUnreadableFile ? .unreadableFile : .malformedInput, error.message, at: error.place, error.remedy)
    }
}
