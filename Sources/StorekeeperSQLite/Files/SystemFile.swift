import Storekeeper

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the system says of a file that SQLite is to open.
///
/// No file of a database is opened here: to close one that SQLite has open, too, would let go of its locks.
enum SystemFile {
    /// What is at a path.
    enum Kind: Equatable {
        case nothing
        /// A link that leads nowhere.
        case danglingLink
        case folder
        /// A pipe, a socket or a device.
        case special
        case file
        /// The system does not say, by its number of an error.
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

    /// What tells one state of a file from another.
    struct Stamp: Equatable {
        let device: UInt64
        let file: UInt64
        let size: Int64
        let seconds: Int64
        let nanoseconds: Int64
    }

    static func stamp(of path: String) -> Stamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        return Stamp(
            device: UInt64(truncatingIfNeeded: status.st_dev), file: UInt64(truncatingIfNeeded: status.st_ino),
            size: Int64(status.st_size), seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }

    /// How many bytes a file has; `nil` where there is none.
    static func size(of path: String) -> Int64? { stamp(of: path)?.size }

    /// Whether this process may write to a file and make others beside it.
    static func mayWrite(_ path: String) -> Bool {
        func may(_ path: String) -> Bool { faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 }
        return may(path) && may(folder(of: target(of: path)))
    }

    /// Makes an empty file that its owner alone may read and write, from the first moment on.
    ///
    /// - Returns: 0, or the system's number of the error: `EEXIST` where anything is at the path.
    static func makeOwnerOnly(_ path: String) -> Int32 {
        while true {
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if descriptor >= 0 {
                // Nobody has locked a file that was not there.
                close(descriptor)
                return 0
            }
            if errno != EINTR { return errno }
        }
    }

    static func remove(_ path: String) { _ = unlink(path) }

    /// An error of the system in its own words.
    static func words(_ number: Int32) -> String { strerror(number).map { String(cString: $0) } ?? "error \(number)" }

    /// The file behind links; the logs of a database stand beside it.
    static func target(of path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
    }
}

extension VaultFile {
    /// Makes the file, empty, for its owner alone.
    ///
    /// - Throws: ``/Storekeeper/VaultError`` with `exists`, `readOnly`, `full` or `io`.
    func make() throws(VaultError) {
        let number = SystemFile.makeOwnerOnly(path)
        guard number == 0 else { throw error(ofMaking: number) }
    }

    /// What a failure of the system to make the file means.
    func error(ofMaking number: Int32) -> VaultError {
        let cause = SystemFailure(number: number)
        switch number {
        case EEXIST: return VaultError(.exists, "there is something at \(path) already; name another file")
        case EROFS: return mayOnlyBeRead(cause)
        case ENOSPC, EDQUOT, EFBIG: return noRoom(cause)
        default: return cannotBeOpened(cause)
        }
    }
}

/// What the system said.
struct SystemFailure: Error, CustomStringConvertible {
    let number: Int32
    var message: String { SystemFile.words(number) }
    var description: String { "error \(number) of the system: \(message)" }
}
