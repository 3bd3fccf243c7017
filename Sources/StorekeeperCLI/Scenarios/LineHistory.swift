import FoundationEssentials

/// The history of typed lines across runs, in a file that only the user can read.
///
/// Errors of reading and writing are ignored, because the history is not essential.
struct LineHistory {
    let folder: String
    var path: String { "\(folder)/simulate-history" }

    /// The number of lines that are loaded into the editor.
    static let length = 500
    /// The maximum number of bytes of the file; a longer file is replaced.
    static let limit = 1 << 20

    /// Creates the history in the user's state directory; `nil` if the environment names neither a state directory nor
    /// a home directory.
    ///
    /// - Parameter environment: The environment variables. `XDG_STATE_HOME` is used if it is an absolute path, or else
    ///   `HOME`.
    init?(environment: [String: String]) {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            folder = "\(state)/storekeeper"
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            folder = "\(home)/.local/state/storekeeper"
        } else {
            return nil
        }
    }

    /// Returns the newest lines in the order in which they were typed.
    ///
    /// If the file has more than twice ``length`` lines, the file is replaced by the returned lines.
    func lines() -> [String] {
        guard isRegular(path) else { return [] }
        guard let bytes = try? InputFile.contents(of: path, limit: Self.limit) else {
            try? SystemFile.writePrivately([], to: path, replaces: true)
            return []
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        let newest = Array(lines.suffix(Self.length))
        if lines.count > 2 * Self.length {
            let text = newest.map { $0 + "\n" }.joined()
            try? SystemFile.writePrivately(Array(text.utf8), to: path, replaces: true)
        }
        return newest
    }

    /// Returns whether the path is a regular file, not a link.
    private func isRegular(_ path: String) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.type] as? FileAttributeType == .typeRegular
    }

    /// Appends a line, unless it contains control characters.
    func append(_ line: String) {
        guard line.onOneLine == line else { return }
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try? SystemFile.writePrivately(Array((line + "\n").utf8), to: path, replaces: false)
    }
}
