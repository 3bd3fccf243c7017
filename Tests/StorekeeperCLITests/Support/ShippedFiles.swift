import Foundation

/// The files of a repository as in a fresh clone, without files that commands left there.
struct ShippedFiles {
    /// The folder of the repository.
    var root = CompanionFolder.repository

    /// Returns the paths of the files below a folder that git tracks, relative to the root.
    ///
    /// Without git, or if the folder is not a repository, it returns all files except the files that `.gitignore`
    /// names.
    func paths(below folder: String) throws -> [String] {
        let tracked = git(["ls-files", "-z", "--", folder])?.split(separator: 0).map {
            String(decoding: $0, as: UTF8.self)
        }
        let top = git(["rev-parse", "--show-toplevel"]).map { String(decoding: $0.dropLast(), as: UTF8.self) }
        if let tracked, !tracked.isEmpty, let top, isRoot(top) {
            return tracked.filter { FileManager.default.fileExists(atPath: root.appending(path: $0).path) }
        }
        return try notIgnored(below: folder)
    }

    /// Copies the files below a folder to the same place below another root.
    func copy(_ folder: String, to other: URL) throws {
        for path in try paths(below: folder) {
            let target = other.appending(path: path)
            try FileManager.default.createDirectory(
                at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: root.appending(path: path), to: target)
        }
    }

    private func isRoot(_ path: String) -> Bool {
        URL(filePath: path).resolvingSymlinksInPath().path == root.resolvingSymlinksInPath().path
    }

    private func git(_ arguments: [String]) -> Data? {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["git", "-c", "safe.directory=*", "-C", root.path] + arguments
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let bytes = try? output.fileHandleForReading.readToEnd()
        process.waitForEnd()
        return process.terminationStatus == 0 ? bytes ?? Data() : nil
    }

    /// Returns the files that `.gitignore` does not name.
    ///
    /// It reads only names without a slash, because all files that commands leave have such a name in `.gitignore`.
    private func notIgnored(below folder: String) throws -> [String] {
        let ignored = try String(contentsOf: root.appending(path: ".gitignore"), encoding: .utf8)
            .split(separator: "\n").filter { !$0.hasPrefix("#") && !$0.contains("/") }.map(String.init)
        guard let names = FileManager.default.enumerator(atPath: root.appending(path: folder).path) else { return [] }
        return names.compactMap { $0 as? String }.sorted().compactMap { name in
            var isFolder: ObjCBool = false
            let path = "\(folder)/\(name)"
            let exists = FileManager.default.fileExists(
                atPath: root.appending(path: path).path, isDirectory: &isFolder)
            let last = URL(filePath: name).lastPathComponent
            return !exists || isFolder.boolValue || ignored.contains { fnmatch($0, last, 0) == 0 } ? nil : path
        }
    }
}
