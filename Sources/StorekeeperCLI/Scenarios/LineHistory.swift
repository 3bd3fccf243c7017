import FoundationEssentials

/// The lines that somebody has typed, from run to run, in a file that only they can read.
///
/// What cannot be read or written is left: nobody who plays a story wants to hear of it.
struct LineHistory {
    let folder: String
    var path: String { "\(folder)/simulate-history" }

    /// How many lines the editor is given.
    static let length = 500
    /// The longest file that is read; a longer one is begun anew.
    static let limit = 1 << 20

    /// Where the state of programs belongs; `nil` where the environment does not say.
    ///
    /// - Parameter environment: `XDG_STATE_HOME`, which counts only as a whole path, else `HOME`.
    init?(environment: [String: String]) {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            folder = "\(state)/storekeeper"
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            folder = "\(home)/.local/state/storekeeper"
        } else {
            return nil
        }
    }

    /// The newest lines, the oldest first; the file is cut to them where it has grown to twice as many.
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

    /// Whether there is an ordinary file; a link to one is none.
    private func isRegular(_ path: String) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.type] as? FileAttributeType == .typeRegular
    }

    /// Adds a line at the end.
    func append(_ line: String) {
        guard line.onOneLine == line else { return }
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try? SystemFile.writePrivately(Array((line + "\n").utf8), to: path, replaces: false)
    }
}
