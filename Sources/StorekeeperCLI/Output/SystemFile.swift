import FoundationEssentials
import Storekeeper
import StorekeeperDurable

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The system calls of the command line.
enum SystemFile {
    /// The reason why a call failed, as the system describes it.
    struct Failure: Error {
        let number: Int32
        var message: String { String(cString: strerror(number)) }
        /// Whether the reader of a pipe has closed it.
        var isBrokenPipe: Bool { number == EPIPE }
        /// Whether the file does not exist.
        var isMissingFile: Bool { number == ENOENT }
        /// Whether the path is a directory instead of a file.
        var isDirectory: Bool { number == EISDIR }
    }

    static let standardInput: Int32 = 0
    static let standardOutput: Int32 = 1
    static let standardError: Int32 = 2

    /// Opens a file for reading.
    static func open(_ path: String) throws(Failure) -> Int32 { try open(path, O_RDONLY | O_CLOEXEC) }

    private static func open(_ path: String, _ flags: Int32) throws(Failure) -> Int32 {
        try repeating { systemOpen(path, flags) }
    }

    /// Repeats a call while signals interrupt it.
    ///
    /// - Returns: The result of the call, which is not negative.
    private static func repeating<Number: SignedInteger>(_ call: () -> Number) throws(Failure) -> Number {
        while true {
            let result = call()
            if result >= 0 { return result }
            guard errno == EINTR else { throw Failure(number: errno) }
        }
    }

    private static func systemOpen(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 {
        #if canImport(Darwin)
            Darwin.open(path, flags)
        #elseif canImport(Musl)
            Musl.open(path, flags)
        #else
            Glibc.open(path, flags)
        #endif
    }

    /// Closes a file.
    ///
    /// Failures are ignored, because they do not affect data that was read.
    static func closeIgnoringErrors(_ descriptor: Int32) { _ = close(descriptor) }

    /// Checks that a path can be opened for reading and is not a directory.
    ///
    /// The file is not opened, because a pipe may be opened only once.
    static func checkReadable(_ path: String) throws(Failure) {
        guard access(path, R_OK) == 0 else { throw Failure(number: errno) }
        if let directory = try? open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY) {
            closeIgnoringErrors(directory)
            throw Failure(number: EISDIR)
        }
    }

    /// Returns the permissions, size and kind of a file; `nil` if they cannot be read.
    static func status(of path: String) -> (mode: UInt32, size: Int64, isRegular: Bool, isDirectory: Bool)? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let mode = number(attributes[.posixPermissions]), let size = number(attributes[.size])
        else { return nil }
        let type = attributes[.type] as? FileAttributeType
        return (UInt32(clamping: mode), size, type == .typeRegular, type == .typeDirectory)
    }

    /// Returns the instant at which the content of a file last changed, following links; `nil` if the instant cannot be
    /// read.
    static func changedAt(_ path: String) -> Instant? {
        let file = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        let date = try? FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
        return date.map { Instant(clamped: Int64($0.timeIntervalSince1970) * 1000) }
    }

    /// Returns the device and inode of a file, following links; `nil` if it does not exist.
    static func identity(of path: String) -> (device: Int64, file: Int64)? {
        let path = URL(filePath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let device = number(attributes[.systemNumber]), let file = number(attributes[.systemFileNumber])
        else { return nil }
        return (device, file)
    }

    /// Returns the number in a file attribute.
    ///
    /// The value is an integer, or a Foundation object if the program links the full Foundation.
    private static func number(_ value: Any?) -> Int64? {
        (value as? any BinaryInteger).map { Int64(clamping: $0) } ?? (value as? Int).map(Int64.init)
    }

    /// Returns the free bytes of a file's volume that are available to ordinary users.
    static func freeSpace(at path: String) throws(Failure) -> UInt64 {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { throw Failure(number: errno) }
        let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflow ? .max : bytes
    }

    /// Reads up to a number of bytes; returns an empty array at the end of the file.
    static func read(_ descriptor: Int32, upTo count: Int) throws(Failure) -> [UInt8] {
        var result: Result<Int, Failure> = .success(0)
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let start = buffer.baseAddress
            result = Result { () throws(Failure) in try repeating { systemRead(descriptor, start, count) } }
            filled = (try? result.get()) ?? 0
        }
        _ = try result.get()
        return bytes
    }

    private static func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int {
        #if canImport(Darwin)
            Darwin.read(descriptor, buffer, count)
        #elseif canImport(Musl)
            Musl.read(descriptor, buffer, count)
        #else
            Glibc.read(descriptor, buffer, count)
        #endif
    }

    /// Returns whether reading would not block; the end of the file counts as readable.
    static func isReady(_ descriptor: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) != 0
    }

    /// Writes all bytes.
    static func write(_ bytes: [UInt8], to descriptor: Int32) throws(Failure) {
        var written = 0
        while written < bytes.count {
            written += try repeating { bytes.withUnsafeBytes { systemWrite(descriptor, $0, from: written) } }
        }
    }

    /// Appends a line to a file that only its owner can read and write.
    ///
    /// The line is first written as a comment. If a condition is then true, the line is uncommented.
    ///
    /// Creates the file if it does not exist. Never writes through a link. If the condition is false, or the line
    /// cannot be written, the file is as it was before the call.
    ///
    /// - Parameters:
    ///   - line: The line, with its line break.
    ///   - count: The number of bytes of the line's first word. Until the condition is true, each of these bytes is
    ///     replaced by `#`.
    ///   - folder: The folder of the file; see ``openLockedFolder(of:)``.
    ///   - isWanted: Returns the condition. It is called after the line was written as a comment.
    /// - Returns: Whether the condition is true.
    static func appendPrivately(
        _ line: [UInt8], hiding count: Int, to path: String, in folder: Int32, if isWanted: () -> Bool
    ) throws(Failure) -> Bool {
        let isNew = status(of: path) == nil
        if isNew {
            do throws(SecretFile.Failure) { try SecretFile.create(path) } catch { throw Failure(number: error.number) }
        }
        let descriptor = try open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        defer { closeIgnoringErrors(descriptor) }
        let start = lseek(descriptor, 0, SEEK_END)
        guard start >= 0, fchmod(descriptor, 0o600) == 0 else { throw Failure(number: errno) }
        // No line of another call is removed, because the folder is locked.
        func undo() {
            _ = ftruncate(descriptor, start)
            if isNew { _ = unlink(path) }
        }
        let comment = [UInt8](repeating: UInt8(ascii: "#"), count: count)
        do throws(Failure) {
            try write(comment + Array(line.dropFirst(count)), to: descriptor)
            guard fsync(descriptor) == 0 else { throw Failure(number: errno) }
            // The name of a file is stored in its folder, which must be synchronized separately.
            guard !isNew || fsync(folder) == 0 else { throw Failure(number: errno) }
        } catch {
            undo()
            throw error
        }
        guard isWanted() else {
            undo()
            return false
        }
        do throws(Failure) {
            // The write replaces existing bytes, so it needs no additional space on the disk.
            guard lseek(descriptor, start, SEEK_SET) >= 0 else { throw Failure(number: errno) }
            try write(Array(line.prefix(count)), to: descriptor)
            guard fsync(descriptor) == 0 else { throw Failure(number: errno) }
        } catch {
            undo()
            throw error
        }
        return true
    }

    /// Opens the folder of a file, and locks the folder until it is closed.
    ///
    /// Waits while another process, or another call in this process, has locked the folder. A file system that cannot
    /// lock folders, such as NFS, is used without a lock.
    static func openLockedFolder(of path: String) throws(Failure) -> Int32 {
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) + "/" } ?? "."
        let descriptor = try open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
        return descriptor
    }

    private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
        #if canImport(Darwin)
            return Darwin.write(descriptor, rest.baseAddress, rest.count)
        #elseif canImport(Musl)
            return Musl.write(descriptor, rest.baseAddress, rest.count)
        #else
            return Glibc.write(descriptor, rest.baseAddress, rest.count)
        #endif
    }

    /// Returns whether a descriptor is a terminal.
    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Opens `/dev/null` for each standard stream that the parent process has closed, so that using the stream fails.
    ///
    /// Without this call, the next opened file would become a standard stream. Then output would be written into this
    /// file, or standard input would read it.
    static func holdClosedStreams() {
        for (stream, flags) in [(standardInput, O_WRONLY), (standardOutput, O_RDONLY), (standardError, O_RDONLY)]
        where fcntl(stream, F_GETFD) < 0 {
            // The system assigns the lowest free descriptor, which is that of the closed stream.
            _ = try? open("/dev/null", flags)
        }
    }

    /// Restores the default for SIGPIPE, so that a closed pipe ends the process silently.
    static func endQuietlyOnBrokenPipes() { signal(SIGPIPE, SIG_DFL) }

    /// Ignores SIGXFSZ, so that a write beyond the limit of the file size fails instead of ending the process.
    static func failOnTooLargeFiles() { signal(SIGXFSZ, SIG_IGN) }

    static func end(_ status: ExitStatus) -> Never { exit(status.rawValue) }
}
