import StorekeeperCompanion
import StorekeeperLocalStore
import StorekeeperPages

/// The files with the TLS certificates and key of the companion service.
struct ServedIdentity: Sendable {
    /// The loaded certificates and key.
    let identity: TLSIdentity
    private let files: (certificate: String, key: String)

    /// Reads the files.
    ///
    /// - Throws: ``CommandError`` with status 66 if a file cannot be read, 65 if a file does not contain the
    ///   certificates or the key, or if the certificates do not match the key.
    init(_ files: (certificate: String, key: String)) throws(CommandError) {
        self.files = files
        for path in [files.certificate, files.key] { try InputFile.check(path, isOnly: true) }
        do { identity = try TLSIdentity(certificate: files.certificate, key: files.key) } catch {
            throw Self.fault(error, files.certificate)
        }
    }

    /// Reads the files again.
    ///
    /// - Throws: ``CommandError`` with status 65 if the files are not valid. In this case, the previous identity stays
    ///   in use.
    func reload() throws(CommandError) {
        do { try identity.reload() } catch { throw Self.fault(error, files.certificate) }
    }

    private static func fault(_ error: any Error, _ path: String) -> CommandError {
        CommandError(
            .malformedInput, "TLS cannot be set up: \(error)", at: path,
            "give certificates, the server's first, and their key, both in PEM")
    }

    /// The bytes of the files, which are compared with earlier bytes to detect changes; `nil` for an unreadable file.
    var contents: [[UInt8]?] {
        [files.certificate, files.key].map { try? InputFile.contents(of: $0, limit: 1 << 20) }
    }
}
