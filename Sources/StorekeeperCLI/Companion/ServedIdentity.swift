import StorekeeperCompanion
import StorekeeperLocalStore
import StorekeeperPages

/// The files with the certificates and the key by which the companion service encrypts.
struct ServedIdentity: Sendable {
    /// What was read.
    let identity: TLSIdentity
    private let files: (certificate: String, key: String)

    /// Reads the files.
    ///
    /// - Throws: ``CommandError``: 66 where one cannot be read, 65 for what is neither certificate nor key, and where they
    ///   do not belong together.
    init(_ files: (certificate: String, key: String)) throws(CommandError) {
        self.files = files
        for path in [files.certificate, files.key] { try InputFile.check(path) }
        do { identity = try TLSIdentity(certificate: files.certificate, key: files.key) } catch {
            throw Self.fault(error, files.certificate)
        }
    }

    /// Reads the files again.
    ///
    /// - Throws: ``CommandError`` with 65; then what was read before holds.
    func reload() throws(CommandError) {
        do { try identity.reload() } catch { throw Self.fault(error, files.certificate) }
    }

    private static func fault(_ error: any Error, _ path: String) -> CommandError {
        CommandError(
            .malformedInput, "TLS cannot be set up: \(error)", at: path,
            "give certificates, the server's first, and their key, both in PEM")
    }

    /// The bytes of the files, to see whether they have changed.
    var contents: [[UInt8]] {
        [files.certificate, files.key].map { (try? InputFile.contents(of: $0, limit: 1 << 20)) ?? [] }
    }
}
