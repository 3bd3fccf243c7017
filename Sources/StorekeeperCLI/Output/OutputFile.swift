import Foundation

/// A file that a command writes because it was told to.
enum OutputFile {
    /// Checks that nothing stands where a file is to be written, before anything is done.
    static func checkIsNew(_ path: String) throws(CommandError) {
        // A link counts, wherever it leads.
        if (try? FileManager.default.attributesOfItem(atPath: path)) != nil { throw exists(path) }
    }

    /// Writes a file, whole or not at all.
    ///
    /// - Parameter replaces: Whether a file that is there gives way.
    /// - Throws: ``CommandError`` with 73.
    static func write(_ bytes: [UInt8], to path: String, replaces: Bool) throws(CommandError) {
        do {
            try Data(bytes).write(
                to: URL(fileURLWithPath: path), options: replaces ? .atomic : .withoutOverwriting)
        } catch CocoaError.fileWriteFileExists {
            throw exists(path)
        } catch {
            throw CommandError(
                .unwritableFile, "the file cannot be written", at: path, "check the folder and its permissions")
        }
    }

    /// Writes a file that is its owner's alone.
    ///
    /// - Throws: ``CommandError`` with 73.
    static func writePrivate(_ bytes: [UInt8], to path: String, replaces: Bool) throws(CommandError) {
        try write(bytes, to: path, replaces: replaces)
        do {
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        } catch {
            throw CommandError(
                .unwritableFile, "the file cannot be kept from others", at: path, "choose another folder")
        }
    }

    private static func exists(_ path: String) -> CommandError {
        CommandError(
            .unwritableFile, "there is a file already", at: path, "name another, or replace it with --force")
    }
}
