import Storekeeper
import StorekeeperServer

/// The file with the keys of all callers: a line a key, `NAME SCOPE SHA256 [RATE]`; `#` begins a remark.
struct KeyFile {
    static let defaultPath = "storekeeper.keys"

    let path: String

    /// Reads the keys.
    ///
    /// - Throws: ``CommandError``: 66 where the file cannot be read, 65 for a line that is no key.
    func keys() throws(CommandError) -> [AccessKey] {
        guard VaultFile.isThere(path) else {
            throw CommandError(
                .unreadableFile, "there are no keys", at: path,
                "make one with 'storekeeper serve --new-key NAME --scope check'")
        }
        let text = String(decoding: try InputFile.contents(of: path, limit: 1 << 20), as: UTF8.self)
        var keys: [AccessKey] = []
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = (line.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).first ?? "")
                .split(whereSeparator: \.isWhitespace).map(String.init)
            guard !words.isEmpty else { continue }
            keys.append(try key(words, line: number + 1))
        }
        return keys
    }

    private func key(_ words: [String], line: Int) throws(CommandError) -> AccessKey {
        let place = "\(path):\(line)"
        guard words.count == 3 || words.count == 4 else {
            throw CommandError(
                .malformedInput, "a line has \(words.count) words", at: place,
                "write NAME SCOPE SHA256 and, if it has one, how many requests a second it may make")
        }
        var rate: Double?
        if words.count == 4 {
            guard let number = Double(words[3]) else {
                throw CommandError(
                    .malformedInput, "'\(words[3])' is no number", at: place,
                    "write how many requests a second the key may make")
            }
            rate = number
        }
        do throws(AccessKeyFault) {
            return try AccessKey(name: words[0], scope: words[1], sha256: words[2], rate: rate)
        } catch {
            throw CommandError(.malformedInput, error.description, at: place, "correct the line")
        }
    }

    /// Makes a key, adds it to the file, and gives the text that its bearer keeps.
    ///
    /// - Throws: ``CommandError``: 64 for a name that is taken or a scope that there is not, 73 where the file cannot be
    ///   written.
    func add(_ name: String, scope word: String) throws(CommandError) -> String {
        guard let scope = Scope(rawValue: word) else {
            throw .usage("'\(word)' is no scope", at: "--scope", "use check, spend or admin")
        }
        guard !name.isEmpty, !name.contains(where: { $0.isWhitespace || $0 == "#" }) else {
            throw .usage("'\(name)' is no name", at: "--new-key", "use a word, such as game-server")
        }
        if VaultFile.isThere(path), try keys().contains(where: { $0.caller.name == name }) {
            throw .usage("there is a key named '\(name)' already", at: "--new-key", "choose another name")
        }
        let made: (text: String, key: AccessKey)
        do throws(AccessKeyFault) { made = try AccessKey.make(name: name, scope: scope) } catch {
            throw CommandError(.bug, "\(error)", at: path, "report it")
        }
        let line = "\(name) \(word) \(made.key.sha256)\n"
        do throws(SystemFile.Failure) {
            try SystemFile.writePrivately(Array(line.utf8), to: path, replaces: false)
        } catch {
            throw CommandError(
                .unwritableFile, "the file cannot be written: \(error.message)", at: path, "check its folder")
        }
        return made.text
    }
}
