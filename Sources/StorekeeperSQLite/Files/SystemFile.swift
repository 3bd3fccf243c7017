import Storekeeper
import StorekeeperDurable

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The system's functions for the files that SQLite opens.
///
/// These functions do not open existing database files, because closing a file that SQLite has open would release
/// SQLite's locks.
enum SystemFile {
    /// The kind of a file.
    enum Kind: Equatable {
        case nothing
        /// A symbolic link without a target.
        case danglingLink
        case folder
        /// A pipe, a socket or a device.
        case special
        case file
        /// Unknown; the associated value is the system's error number.
        case unknown(Int32)
    }

    static func kind(of path: String) -> Kind {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let number = errno
            guard number == ENOENT else { return .unknown(number) }
            return lstat(path, &status) == 0 ? .danglingLink : .nothing
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: return .folder
        default: return .special
        }
    }

    /// The attributes of a file that differ after the file was changed or replaced.
    struct Fingerprint: Equatable {
        let device: UInt64
        let file: UInt64
        let size: Int64
        let seconds: Int64
        let nanoseconds: Int64
    }

    static func fingerprint(of path: String) -> Fingerprint? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        return Fingerprint(
            device: UInt64(truncatingIfNeeded: status.st_dev), file: UInt64(truncatingIfNeeded: status.st_ino),
            size: Int64(status.st_size), seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }

    /// Returns the device number and the inode number of a file; `nil` if no file exists.
    static func identity(of path: String) -> [UInt64]? { fingerprint(of: path).map { [$0.device, $0.file] } }

    /// Returns the size of a file in bytes; `nil` if no file exists.
    static func size(of path: String) -> Int64? { fingerprint(of: path)?.size }

    /// Returns whether this process may write to a file and create other files next to it.
    static func mayWrite(_ path: String) -> Bool {
        func may(_ path: String) -> Bool { faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 }
        return may(path) && may(SecretFile.folder(of: target(of: path)))
    }

    /// Makes an existing file readable and writable by its owner only.
    ///
    /// - Returns: 0, or the system's error number if others may still read or write the file.
    static func restrictToOwner(_ path: String) -> Int32 {
        guard chmod(path, 0o600) != 0 else { return 0 }
        let number = errno
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o077 == 0 ? 0 : number
    }

    static func remove(_ path: String) { _ = unlink(path) }

    /// Returns the system's description of an error.
    static func words(_ number: Int32) -> String { strerror(number).map { String(cString: $0) } ?? "error \(number)" }

    /// Returns the path after resolving symbolic links, because the logs of a database are next to the resolved file.
    static func target(of path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }
}

extension VaultFile {
    /// Creates an empty file that only its owner may read and write.
    ///
    /// - Throws: ``/Storekeeper/VaultError`` with `exists`, `readOnly`, `full` or `io`.
    func make() throws(VaultError) {
        // SQLite has not opened the new file yet, so that closing the file releases no locks.
        do throws(SecretFile.Failure) { try SecretFile.create(path) } catch { throw self.error(ofMaking: error.number) }
    }

    /// Restricts a file to its owner before the file becomes a vault.
    ///
    /// SQLite creates other files next to the file with the same permissions. Existing logs next to the file are
    /// restricted in the same way. Nothing changes if this process may not write to the file.
    func restrictToOwner() throws(VaultError) {
        guard SystemFile.mayWrite(path) else { return }
        let number = SystemFile.restrictToOwner(path)
        guard number == 0 else { throw error(ofMaking: number) }
        let target = SystemFile.target(of: path)
        for end in ["-wal", "-shm"] { _ = SystemFile.restrictToOwner(target + end) }
    }

    /// Returns the vault error for a system error that occurred while a file was created.
    func error(ofMaking number: Int32) -> VaultError {
        let cause = SystemFailure(number: number)
        switch number {
        case EEXIST: return VaultError(.exists, "\(path) already exists; name another file")
        case EROFS: return readOnlyError(cause)
        case ENOSPC, EDQUOT, EFBIG: return diskFullError(cause)
        default: return openError(cause)
        }
    }
}

/// An error of the system.
struct SystemFailure: Error, CustomStringConvertible {
    let number: Int32
    var message: String { SystemFile.words(number) }
    var description: String { "error \(number) of the system: \(message)" }
}
