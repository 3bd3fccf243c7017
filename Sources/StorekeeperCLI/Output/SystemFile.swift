import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The few calls of the operating system that the command line makes.
enum SystemFile {
    /// Why a call failed, in the system's words.
    struct Failure: Error {
        let number: Int32
        var message: String { String(cString: strerror(number)) }
        /// Whether the reader of a pipe has gone away.
        var isBrokenPipe: Bool { number == EPIPE }
        /// Whether there is no such file.
        var isMissingFile: Bool { number == ENOENT }
        /// Whether it is a directory where a file is wanted.
        var isDirectory: Bool { number == EISDIR }
    }

    static let standardInput: Int32 = 0
    static let standardOutput: Int32 = 1
    static let standardError: Int32 = 2

    /// Opens a file for reading.
    static func open(_ path: String) throws(Failure) -> Int32 { try open(path, O_RDONLY | O_CLOEXEC) }

    /// - Parameter mode: Who may do what with a file that is made.
    private static func open(_ path: String, _ flags: Int32, _ mode: mode_t = 0) throws(Failure) -> Int32 {
        try repeating { ForeignBytes.withCString(path) { systemOpen($0, flags, mode) } }
    }

    /// Makes a call again as often as a signal interrupts it.
    ///
    /// - Returns: What the call does, which is not negative.
    private static func repeating<Number: SignedInteger>(_ call: () -> Number) throws(Failure) -> Number {
        while true {
            let result = call()
            if result >= 0 { return result }
            guard errno == EINTR else { throw Failure(number: errno) }
        }
    }

    private static func systemOpen(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
        #if canImport(Darwin)
            Darwin.open(path, flags, mode)
        #elseif canImport(Musl)
            Musl.open(path, flags, mode)
        #else
            Glibc.open(path, flags, mode)
        #endif
    }

    /// Closes a file; a failure to do so loses nothing that was read.
    static func shut(_ descriptor: Int32) { _ = close(descriptor) }

    /// Checks that a path can be opened for reading and is no directory, without opening it: a pipe may be
    /// opened only once.
    static func checkReadable(_ path: String) throws(Failure) {
        guard ForeignBytes.withCString(path, { access($0, R_OK) }) == 0 else { throw Failure(number: errno) }
        if let directory = try? open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY) {
            shut(directory)
            throw Failure(number: EISDIR)
        }
    }

    /// Who may do what with a file, and how many bytes it has; `nil` where that cannot be told.
    static func status(of path: String) -> (mode: UInt32, size: Int64, isRegular: Bool, isDirectory: Bool)? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let mode = number(attributes[.posixPermissions]), let size = number(attributes[.size])
        else { return nil }
        let type = attributes[.type] as? FileAttributeType
        return (UInt32(clamping: mode), size, type == .typeRegular, type == .typeDirectory)
    }

    /// What tells a file from every other on this machine, whatever it is called; `nil` where there is none.
    static func identity(of path: String) -> (device: Int64, file: Int64)? {
        let path = URL(filePath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let device = number(attributes[.systemNumber]), let file = number(attributes[.systemFileNumber])
        else { return nil }
        return (device, file)
    }

    /// A number among attributes: a plain one, or where all of Foundation is in the program an object.
    private static func number(_ value: Any?) -> Int64? {
        (value as? any BinaryInteger).map { Int64(clamping: $0) } ?? (value as? Int).map(Int64.init)
    }

    /// How many bytes there is room for where a file is, for those who are not the superuser.
    static func freeSpace(at path: String) throws(Failure) -> UInt64 {
        var status = statvfs()
        guard ForeignBytes.withCString(path, { statvfs($0, &status) }) == 0 else { throw Failure(number: errno) }
        let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflow ? .max : bytes
    }

    /// Reads up to a number of bytes; none at the end of the file.
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

    /// Whether reading would give something at once, be it the end of the file.
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

    /// Writes into a file that only its owner can read and write.
    ///
    /// It is made where there is none. Nothing is written through a link.
    ///
    /// - Parameter replaces: Whether what stood there goes; else the bytes stand behind it.
    static func writePrivately(_ bytes: [UInt8], to path: String, replaces: Bool) throws(Failure) {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (replaces ? O_TRUNC : O_APPEND)
        let descriptor = try open(path, flags, 0o600)
        defer { shut(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw Failure(number: errno) }
        try write(bytes, to: descriptor)
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

    /// Whether a descriptor is a terminal.
    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Puts something that fails in the place of standard streams that the parent has closed.
    ///
    /// Else the next file that is opened would stand there: what is printed would go into it, and standard input would
    /// give its bytes.
    static func holdClosedStreams() {
        for (stream, flags) in [(standardInput, O_WRONLY), (standardOutput, O_RDONLY), (standardError, O_RDONLY)]
        where fcntl(stream, F_GETFD) < 0 {
            // The lowest number that is free is taken, which is this stream's.
            _ = try? open("/dev/null", flags)
        }
    }

    /// Lets a pipe whose reader has gone away end the process without a word, whatever the parent set.
    static func endQuietlyOnBrokenPipes() { signal(SIGPIPE, SIG_DFL) }

    /// Lets a write beyond the greatest size that a file may have fail like any other, in place of ending the process.
    static func failOnTooLargeFiles() { signal(SIGXFSZ, SIG_IGN) }

    /// Ends the process.
    static func end(_ status: ExitStatus) -> Never { exit(status.rawValue) }
}
