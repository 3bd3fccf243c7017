import Storekeeper
import StorekeeperDurable

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The secret with which the names of erased customers are hashed: 32 bytes in a separate file next to the vault.
///
/// The erasures of a customer are found by hashing the customer's name with the secret. If the vault's file contained
/// the secret, anyone with the file could test guessed names. Because the secret is in another file, the vault's file
/// or a backup of it alone reveals no names. Without the secret, an erased customer cannot be identified.
struct ErasureSecret: Equatable {
    /// The number of bytes of a secret.
    static let length = ErasureKey.length

    private let bytes: [UInt8]

    /// Returns the path of a vault's secret.
    static func path(of file: VaultFile) -> String { SystemFile.target(of: file.path) + "-secret" }

    /// Returns the secret of a vault; `nil` if the file of the secret is missing or this process may not read it.
    ///
    /// - Throws: ``/Storekeeper/VaultError`` with `io` if the content of the file is not a secret, or if reading fails
    ///   for another reason.
    static func read(of file: VaultFile) throws(VaultError) -> ErasureSecret? {
        let path = path(of: file)
        switch SystemFile.bytes(of: path, atMost: length + 1) {
        case .success(let bytes):
            guard bytes.count == length else {
                throw VaultError(
                    .io,
                    "the erasure secret of \(file.path) is damaged; restore \(file.path)-secret, or move it away"
                        + " and lose the names of erased customers")
            }
            return ErasureSecret(bytes: bytes)
        case .failure(let cause):
            switch cause.number {
            case ENOENT, EACCES, EPERM: return nil
            default:
                throw VaultError(
                    .io,
                    "the erasure secret of \(file.path) cannot be read (\(cause.message)); check \(file.path)-secret",
                    cause: cause)
            }
        }
    }

    /// Returns the secret of a vault, and creates the secret if none exists; the caller must hold the write lock.
    ///
    /// The secret is on disk when the function returns.
    ///
    /// - Throws: ``/Storekeeper/VaultError`` with `readOnly`, `full` or `io`.
    static func make(for file: VaultFile) throws(VaultError) -> ErasureSecret {
        let path = path(of: file)
        if SystemFile.kind(of: path) != .nothing {
            if let known = try read(of: file) { return known }
            throw VaultError(
                .io,
                "reading the erasure secret of \(file.path) is not permitted; allow reading \(file.path)-secret, or move it away"
            )
        }
        let secret = ErasureSecret(bytes: ErasureKey.random().bytes)
        // The file is replaced, because after a crash it must contain the whole secret or not exist.
        do throws(SecretFile.Failure) {
            try SecretFile.replace(path, with: secret.bytes)
        } catch {
            throw VaultFile(path: path, busyTimeout: file.busyTimeout).error(ofMaking: error.number)
        }
        return secret
    }

    /// Returns the digest by which a customer's erasures are found.
    func digest(of customer: CustomerID, salt: [UInt8]) -> [UInt8] {
        ErasureKey(bytes: bytes).digest(of: customer.rawValue, salt: salt)
    }
}

extension SystemFile {
    /// Reads the first bytes of a regular file.
    static func bytes(of path: String, atMost limit: Int) -> Result<[UInt8], SystemFailure> {
        // `O_NONBLOCK` is set, because opening a pipe would wait for a writer.
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
}
