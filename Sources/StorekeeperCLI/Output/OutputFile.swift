import Foundation
import StorekeeperDurable

/// Writes the files that the user asks for.
enum OutputFile {
    /// Checks that a file to be written does not exist yet, before the command does any work.
    ///
    /// The error suggests `--force`.
    static func checkIsNew(_ path: String) throws(CommandError) {
        // A symbolic link counts as an existing file, even if its target is missing.
        if (try? FileManager.default.attributesOfItem(atPath: path)) != nil { throw exists(path, hasForce: true) }
    }

    /// Writes a file atomically.
    ///
    /// - Parameters:
    ///   - replaces: Whether an existing file is replaced.
    ///   - hasForce: Whether the command has the option `--force`.
    /// - Throws: ``CommandError`` with status 73 if the file cannot be written.
    static func write(
        _ bytes: [UInt8], to path: String, replaces: Bool, hasForce: Bool = false
    ) throws(CommandError) {
        do {
            try Data(bytes).write(
                to: URL(fileURLWithPath: path), options: replaces ? .atomic : .withoutOverwriting)
        } catch CocoaError.fileWriteFileExists {
            throw exists(path, hasForce: hasForce)
        } catch {
            throw unwritable(path)
        }
    }

    /// Writes a file with secrets, which only its owner can read and write.
    ///
    /// - Throws: ``CommandError`` with status 73 if the file cannot be written.
    static func writePrivate(_ bytes: [UInt8], to path: String, replaces: Bool) throws(CommandError) {
        do throws(SecretFile.Failure) {
            if replaces {
                try SecretFile.replace(path, with: bytes)
            } else {
                try SecretFile.create(path, with: bytes)
            }
        } catch {
            throw error.isExisting ? exists(path, hasForce: false) : unwritable(path)
        }
    }

    private static func unwritable(_ path: String) -> CommandError {
        CommandError(.unwritableFile, "the file cannot be written", at: path, "check the folder and its permissions")
    }

    private static func exists(_ path: String, hasForce: Bool) -> CommandError {
        CommandError(
            .unwritableFile, "the file already exists", at: path,
            hasForce ? "name another, or replace it with --force" : "name another file, or remove it first")
    }
}
