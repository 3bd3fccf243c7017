import Storekeeper
import StorekeeperCompanion
import StorekeeperLocalStore
import StorekeeperPages

/// The file with the keys of all callers, one per line: `NAME SCOPE SHA256 [RATE] [until=TIME]`; `#` begins a comment.
struct KeyFile {
    static let defaultPath = "storekeeper.keys"

    let path: String

    /// Reads the keys.
    ///
    /// - Throws: ``CommandError`` with status 66 if the file cannot be read, 65 for a line that is not a key.
    func keys() throws(CommandError) -> [AccessKey] {
        guard VaultFile.exists(path) else {
            throw CommandError(
                .unreadableFile, "there is no file with keys", at: path,
                "create one with 'storekeeper serve --new-key NAME --scope check'")
        }
        return try Self.keys(in: try InputFile.contents(of: path, limit: 1 << 20), path: path)
    }

    /// Reads the keys of a file.
    ///
    /// - Throws: ``CommandError`` with status 65 for a line that is not a key.
    private static func keys(in bytes: [UInt8], path: String) throws(CommandError) -> [AccessKey] {
        var keys: [AccessKey] = []
        for (number, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
        {
            guard let text = String(validating: line, as: UTF8.self) else {
                throw CommandError(
                    .malformedInput, "a line is not UTF-8", at: "\(path):\(number + 1)", "correct the line")
            }
            // Scalars are compared, so that no character hides the `#` beside it.
            let words = text.unicodeScalars.prefix { $0 != "#" }.split { $0.properties.isWhitespace }
                .map { String($0) }
            guard !words.isEmpty else { continue }
            keys.append(try key(words, at: "\(path):\(number + 1)"))
        }
        return keys
    }

    /// Reads the keys, and checks that no two keys have the same name or hash.
    ///
    /// - Throws: The errors of ``keys()``, and ``CommandError`` with status 65 if two keys have the same name or hash.
    func accessKeys() throws(CommandError) -> AccessKeys {
        let known = try keys()
        do throws(AccessKeyFault) { return try AccessKeys(known) } catch {
            throw CommandError(.malformedInput, error.description, at: path, "correct the file")
        }
    }

    private static let untilWord = "until="

    private static func key(_ words: [String], at place: String) throws(CommandError) -> AccessKey {
        guard (3...5).contains(words.count) else {
            throw CommandError(
                .malformedInput, "a line has \(words.count) words", at: place,
                "write NAME SCOPE SHA256, and optionally the requests per second and until=TIME")
        }
        var (rate, end): (Double?, Instant?)
        for word in words.dropFirst(3) {
            if word.hasPrefix(untilWord), end == nil, let time = Instant(String(word.dropFirst(untilWord.count))) {
                end = time
            } else if rate == nil, let number = Double(word) {
                rate = number
            } else {
                throw CommandError(
                    .malformedInput, "'\(word)' is neither a rate nor an expiry", at: place,
                    "write the requests per second, or until=2027-01-01T00:00:00Z, each once")
            }
        }
        do throws(AccessKeyFault) {
            return try AccessKey(name: words[0], scope: words[1], sha256: words[2], rate: rate, expiresAt: end)
        } catch {
            throw CommandError(.malformedInput, error.description, at: place, "correct the line")
        }
    }

    /// Creates a key, shows it, and adds it to the file.
    ///
    /// The key is first written as a comment, then shown, and becomes valid only after it was shown. Thus every valid
    /// key was shown, and a key that cannot be written to the file is not shown.
    ///
    /// - Parameters:
    ///   - rate: The maximum number of requests per second; `nil` means no limit.
    ///   - end: The instant from which the key is no longer valid; `nil` means never.
    ///   - show: Shows the key to the user, and returns whether the output was written.
    /// - Returns: Whether the key was shown and added.
    /// - Throws: ``CommandError`` with status 64 for a name in use or an unknown scope, 73 if the file cannot be
    ///   written.
    func add(
        _ name: String, scope word: String, rate: Double?, until end: Instant?, showing show: (String) -> Bool
    ) throws(CommandError) -> Bool {
        guard let scopes = Scope.several(word) else {
            throw .usage("'\(word)' is not a scope", at: "--scope", "use \(Scope.list)")
        }
        if let rate, !(rate > 0 && rate.isFinite) {
            throw .usage("\(rate) is not a rate", at: "--rate", "use a number of requests per second above 0")
        }
        guard !name.isEmpty, !name.unicodeScalars.contains(where: { $0.properties.isWhitespace || $0 == "#" }) else {
            throw .usage("'\(name)' is not a name", at: "--new-key", "use a word, such as game-server")
        }
        let folder: Int32
        do throws(SystemFile.Failure) {
            folder = try SystemFile.openLockedFolder(of: path)
        } catch {
            throw unwritable(error)
        }
        defer { SystemFile.closeIgnoringErrors(folder) }
        if VaultFile.exists(path), try keys().contains(where: { $0.caller.name == name }) {
            throw .usage("a key named '\(name)' already exists", at: "--new-key", "choose another name")
        }
        let made: (text: String, key: AccessKey)
        do throws(AccessKeyFault) {
            made = try AccessKey.make(name: name, scopes: scopes, rate: rate, expiresAt: end)
        } catch {
            throw CommandError(.bug, "\(error)", at: path, "report it")
        }
        let more = [rate.map { " \($0)" }, end.map { " \(Self.untilWord)\($0)" }].compactMap(\.self).joined()
        let line = "\(name) \(word) \(made.key.sha256)\(more)\n"
        do throws(SystemFile.Failure) {
            return try SystemFile.appendPrivately(
                Array(line.utf8), hiding: name.utf8.count, to: path, in: folder
            ) {
                show(made.text)
            }
        } catch {
            throw unwritable(error)
        }
    }

    private func unwritable(_ error: SystemFile.Failure) -> CommandError {
        CommandError(
            .unwritableFile, "there is no new key, because the file cannot be written: \(error.message)", at: path,
            "check its folder")
    }
}
