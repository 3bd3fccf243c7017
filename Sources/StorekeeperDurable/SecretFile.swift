#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Creates the files with secrets, such as private keys and vaults; no other code creates them.
///
/// From the first moment, only its owner may read and write such a file. A file that is created with the permissions of
/// ordinary files and then protected can be opened by others in between, who can then read it for ever.
package enum SecretFile: Sendable {
    /// The reason why a file was not created, as the system's error number.
    package struct Failure: Error {
        package let number: Int32
        /// Whether a file, or a symbolic link, exists at the path.
        package var isExisting: Bool { number == EEXIST }
    }

    /// Creates a file.
    ///
    /// A content that is not empty is on disk when the function returns. An existing file or symbolic link is never
    /// changed or followed.
    package static func create(_ path: String, with bytes: [UInt8] = []) throws(Failure) {
        try make(path, with: bytes)
        if !bytes.isEmpty { try synchronizeFolder(of: path) }
    }

    /// Creates a file, in place of an existing file or symbolic link.
    ///
    /// The content is on disk when the function returns. After a crash, the file has its old or its new content.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(Failure) {
        let draft = path + "-new"
        // A crash may have left a draft.
        _ = unlink(draft)
        try make(draft, with: bytes)
        guard rename(draft, path) == 0 else {
            let number = errno
            _ = unlink(draft)
            throw Failure(number: number)
        }
        try synchronizeFolder(of: path)
    }

    /// Takes the permissions of other users from a file, which an older version may have created with them.
    ///
    /// A symbolic link is not followed, and a file of another user is not changed.
    package static func restrict(_ path: String) {
        // A pipe at the path must not make the call wait.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o077 != 0
        else { return }
        _ = fchmod(descriptor, 0o600)
    }

    private static func make(_ path: String, with bytes: [UInt8]) throws(Failure) {
        var descriptor: Int32
        repeat {
            descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else { throw Failure(number: errno) }
        defer { close(descriptor) }
        guard let number = failure(ofWriting: bytes, to: descriptor) else { return }
        _ = unlink(path)
        throw Failure(number: number)
    }

    /// Writes bytes to disk, and returns the system's error number; `nil` if the bytes were written.
    private static func failure(ofWriting bytes: [UInt8], to descriptor: Int32) -> Int32? {
        guard !bytes.isEmpty else { return nil }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 {
                return ENOSPC
            } else if errno != EINTR {
                return errno
            }
        }
        return fsync(descriptor) == 0 ? nil : errno
    }

    /// Writes the name of a file to disk, which is stored in the file's folder.
    private static func synchronizeFolder(of path: String) throws(Failure) {
        let descriptor = open(folder(of: path), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(number: errno) }
        defer { close(descriptor) }
        // Some file systems cannot synchronize folders.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw Failure(number: errno) }
    }

    /// Returns the path of a file's folder.
    package static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
    }
}
