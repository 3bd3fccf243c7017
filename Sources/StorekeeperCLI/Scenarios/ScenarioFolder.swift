import FoundationEssentials
import Storekeeper
import StorekeeperSimulator

/// Finds and reads scenarios, and writes what comes of them.
enum ScenarioFolder {
    /// The scenarios in a folder, by name; `nil` for what is no folder.
    static func files(in path: String) -> [String]? {
        guard path != InputFile.standardInputName,
            let names = try? FileManager.default.contentsOfDirectory(atPath: path)
        else { return nil }
        let folder = path.hasSuffix("/") ? path : path + "/"
        return names.filter { ($0.hasSuffix(".yaml") || $0.hasSuffix(".yml")) && !$0.hasPrefix(".") }
            .sorted().map { folder + $0 }
    }

    /// Reads a scenario and the catalogs that it names, which stand beside it.
    static func scenario(at path: String) throws(CommandError) -> Scenario {
        let bytes = try InputFile.contents(of: path, limit: 2 << 20)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError(.malformedInput, "the scenario is not UTF-8", at: path, "save it as UTF-8")
        }
        return try scenario(text, path: path)
    }

    /// Reads a text as if it stood in a file.
    static func scenario(_ text: String, path: String) throws(CommandError) -> Scenario {
        do {
            return try Scenario(reading: text, file: InputFile.name(of: path)) { name in
                let file = resolved(name, beside: path)
                return CatalogFile(
                    name: InputFile.name(of: file),
                    bytes: try InputFile.contents(of: file, limit: CatalogFile.maximumSize))
            }
        } catch let error as CommandError {
            throw error
        } catch let error as ScenarioError {
            throw CommandError(error)
        } catch {
            throw CommandError(.malformedInput, "\(error)", at: path, "correct it")
        }
    }

    /// A path as a scenario names it, relative to the folder of the scenario.
    static func resolved(_ name: String, beside path: String) -> String {
        guard !name.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return name }
        return path[...slash] + name
    }

    /// Writes a file.
    static func write(_ text: String, to path: String) throws(CommandError) {
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            throw CommandError(
                .unwritableFile, "the file cannot be written", at: path, "check the folder and its permissions")
        }
    }
}

extension CommandError {
    /// A scenario that is none.
    init(_ error: ScenarioError) {
        self.init(.malformedInput, error.message, at: error.place, error.remedy)
    }
}
