import FoundationEssentials

/// An open input file, or standard input, which is named `-`.
final class InputFile {
    /// The path as the user wrote it.
    let path: String
    private let descriptor: Int32
    /// Bytes that were read to examine the beginning of the file, and that the next read returns.
    private var ahead: [UInt8] = []
    /// The number of bytes read.
    private(set) var bytesRead = 0

    static let standardInputName = "-"

    init(_ path: String) throws(CommandError) {
        self.path = path
        guard path != Self.standardInputName else {
            descriptor = SystemFile.standardInput
            return
        }
        do { descriptor = try SystemFile.open(path) } catch { throw Self.unreadable(path, error) }
    }

    deinit {
        if descriptor != SystemFile.standardInput { SystemFile.closeIgnoringErrors(descriptor) }
    }

    /// Returns the next bytes, or an empty array at the end of the file.
    func read(upTo count: Int = 1 << 18) throws(CommandError) -> [UInt8] {
        if !ahead.isEmpty {
            defer { ahead = [] }
            return ahead
        }
        do {
            let bytes = try SystemFile.read(descriptor, upTo: count)
            bytesRead += bytes.count
            return bytes
        } catch {
            throw Self.unreadable(path, error)
        }
    }

    /// Returns whether the file begins with the given bytes, without consuming them.
    func begins(with prefix: [UInt8]) throws(CommandError) -> Bool {
        var start = ahead
        // The loop ends at the first different byte, instead of waiting for more input.
        while start.count < prefix.count, prefix.starts(with: start) {
            ahead = []
            let next = try read()
            if next.isEmpty { break }
            start += next
        }
        ahead = start
        return start.starts(with: prefix)
    }

    /// Returns the first bytes of the file without consuming them.
    ///
    /// The number of bytes is that of a single read.
    func beginning() throws(CommandError) -> [UInt8] {
        if ahead.isEmpty { ahead = try read() }
        return ahead
    }

    /// Whether reading would not block.
    var isReady: Bool { !ahead.isEmpty || SystemFile.isReady(descriptor) }

    /// Checks that a file can be read, before anything is printed.
    ///
    /// - Parameter isOnly: Whether the option accepts only one file, so that the error for a folder does not suggest
    ///   naming its files.
    static func check(_ path: String, isOnly: Bool = false) throws(CommandError) {
        guard path != standardInputName else { return }
        do { try SystemFile.checkReadable(path) } catch { throw unreadable(path, error, isOnly: isOnly) }
    }

    /// Checks that several files can be read, and that standard input is named at most once.
    static func check(_ paths: [String]) throws(CommandError) {
        for path in paths { try check(path) }
        guard paths.count(where: { $0 == standardInputName }) < 2 else {
            throw .usage("standard input can be read only once", at: name(of: standardInputName), "name it once")
        }
    }

    /// Returns all bytes of a file.
    static func contents(of path: String, limit: Int) throws(CommandError) -> [UInt8] {
        try check(path, isOnly: true)
        let file = try InputFile(path)
        var bytes: [UInt8] = []
        while true {
            let next = try file.read()
            if next.isEmpty { return bytes }
            bytes += next
            guard bytes.count <= limit else {
                throw CommandError(
                    .malformedInput, "the file is larger than \(limit >> 20) MiB", at: name(of: path),
                    "check that it is the right file")
            }
        }
    }

    /// Returns the total size of files in bytes; `nil` if a size is unknown, as for a pipe.
    static func size(of paths: [String]) -> Int? {
        var size = 0
        for path in paths {
            guard path != standardInputName, let status = SystemFile.status(of: path), status.isRegular else {
                return nil
            }
            let (sum, overflows) = size.addingReportingOverflow(Int(clamping: status.size))
            guard !overflows else { return nil }
            size = sum
        }
        return size
    }

    /// Returns the name that messages use for a file.
    static func name(of path: String) -> String {
        path == standardInputName ? "standard input" : path.isEmpty ? "''" : path
    }

    private static func unreadable(
        _ path: String, _ failure: SystemFile.Failure, isOnly: Bool = false
    ) -> CommandError {
        let reason = failure.message.prefix(1).lowercased() + failure.message.dropFirst()
        let advice =
            !failure.isDirectory
            ? "check the path and its permissions"
            : isOnly ? "name a file in it" : "name the files in it, such as \(path)/*"
        return CommandError(.unreadableFile, "the file cannot be read: \(reason)", at: name(of: path), advice)
    }
}
