import Storekeeper
import StorekeeperDurable

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the names of erased customers are hashed with: thirty-two bytes in a file of their own beside the vault.
///
/// Whoever is asked for the erasures of a customer has to compare a name with what is kept. Were all of it in the
/// vault's file, whoever has the file could try names until one fits. So the vault's file, a copy of it or a backup
/// alone tell nothing, and without this file nobody can be found out at all.
struct ErasureSecret: Equatable {
    /// How many bytes it has.
    static let length = ErasureKey.length

    private let bytes: [UInt8]

    /// The file of the secret of a vault.
    static func path(of file: VaultFile) -> String { SystemFile.target(of: file.path) + "-secret" }

    /// The secret of a vault; `nil` where it is not there, or may not be read: then the erased stay unknown.
    ///
    /// - Throws: ``/Storekeeper/VaultError`` with `io` for a file that holds something else or cannot be read.
    static func read(of file: VaultFile) throws(VaultError) -> ErasureSecret? {
        let path = path(of: file)
        switch SystemFile.bytes(of: path, atMost: length + 1) {
        case .success(let bytes):
            guard bytes.count == length else {
                throw VaultError(
                    .io,
                    "the secret beside \(file.path) is damaged; put back \(file.path)-secret as it was, or move it away"
                        + " and give up the names of those who were erased")
            }
            return ErasureSecret(bytes: bytes)
        case .failure(let cause):
            switch cause.number {
            case ENOENT, EACCES, EPERM: return nil
            default:
                throw VaultError(
                    .io,
                    "the secret beside \(file.path) cannot be read (\(cause.message)); look at \(file.path)-secret",
                    cause: cause)
            }
        }
    }

    /// The secret of a vault, made where there is none; called by whoever has the lock of those who write.
    ///
    /// When it returns, the secret is on disk.
    ///
    /// - Throws: ``/Storekeeper/VaultError`` with `readOnly`, `full` or `io`.
    static func make(for file: VaultFile) throws(VaultError) -> ErasureSecret {
        let path = path(of: file)
        if SystemFile.kind(of: path) != .nothing {
            if let known = try read(of: file) { return known }
            throw VaultError(
                .io, "the secret beside \(file.path) may not be read; allow it of \(file.path)-secret, or move it away")
        }
        let secret = ErasureSecret(bytes: ErasureKey.random().bytes)
        // A crash leaves the whole secret or none.
        let draft = path + "-new"
        SystemFile.remove(draft)
        let made = VaultFile(path: draft, busyTimeout: file.busyTimeout)
        try made.make()
        let number = SystemFile.put(secret.bytes, into: draft, thenAt: path)
        guard number == 0 else {
            SystemFile.remove(draft)
            throw made.error(ofMaking: number)
        }
        return secret
    }

    /// By what the erasures of a customer are found.
    func digest(of customer: CustomerID, salt: [UInt8]) -> [UInt8] {
        ErasureKey(bytes: bytes).digest(of: customer.rawValue, salt: salt)
    }
}

extension SystemFile {
    /// The first bytes of a file that is no link, no pipe and no device.
    static func bytes(of path: String, atMost limit: Int) -> Result<[UInt8], SystemFailure> {
        // Without waiting: to open a pipe would be to wait for whoever writes to it.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return .failure(SystemFailure(number: errno)) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return .failure(SystemFailure(number: errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else { return .failure(SystemFailure(number: EINVAL)) }
        var bytes: [UInt8] = []
        while bytes.count < limit {
            var part = [UInt8](repeating: 0, count: limit - bytes.count)
            let count = part.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                return .failure(SystemFailure(number: errno))
            }
            bytes += part.prefix(count)
        }
        return .success(bytes)
    }

    /// Writes bytes into a file that is there, and gives it the name it is to have, all of it on disk.
    ///
    /// - Returns: 0, or the system's number of the error.
    static func put(_ bytes: [UInt8], into draft: String, thenAt path: String) -> Int32 {
        let descriptor = open(draft, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return errno }
        var number: Int32 = 0
        let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if written != bytes.count { number = written < 0 ? errno : ENOSPC }
        if number == 0, fsync(descriptor) != 0 { number = errno }
        close(descriptor)
        guard number == 0 else { return number }
        guard rename(draft, path) == 0 else { return errno }
        // The name is an entry of the folder, which is written to disk by itself.
        let folder = open(folder(of: path), O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return errno }
        defer { close(folder) }
        return fsync(folder) == 0 ? 0 : errno
    }
}
