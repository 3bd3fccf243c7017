import NIOCore
package import NIOSSL
import Synchronization

/// The certificates and the private key of a server, which can be replaced while the server runs.
package final class TLSIdentity: Sendable {
    private struct Pair: Sendable {
        let chain: [NIOSSLCertificateSource]
        let key: NIOSSLPrivateKeySource
    }

    private let files: (certificate: String, key: String)
    private let current: Mutex<Pair>

    /// Reads the PEM files; the server's certificate must be the first certificate in its file.
    ///
    /// - Throws: The TLS library's error if the files are malformed, or if the key and the certificate do not match.
    package init(certificate: String, key: String) throws {
        files = (certificate, key)
        current = Mutex(try Self.read((certificate, key)))
    }

    /// Reads the files again.
    ///
    /// - Throws: The errors of ``init(certificate:key:)``; if an error is thrown, the previous certificates and key
    ///   stay in use.
    package func reload() throws {
        let read = try Self.read(files)
        current.withLock { $0 = read }
    }

    /// The TLS configuration; each new connection uses the identity that was read last.
    package var configuration: TLSConfiguration {
        var configuration = Self.configuration(current.withLock { $0 })
        configuration.sslContextCallback = { [self] _, promise in
            let pair = current.withLock { $0 }
            var identity = NIOSSLContextConfigurationOverride()
            identity.certificateChain = pair.chain
            identity.privateKey = pair.key
            promise.succeed(identity)
        }
        return configuration
    }

    private static func configuration(_ pair: Pair) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: pair.chain, privateKey: pair.key)
        configuration.minimumTLSVersion = .tlsv12
        return configuration
    }

    private static func read(_ files: (certificate: String, key: String)) throws -> Pair {
        let pair = Pair(
            chain: try NIOSSLCertificate.fromPEMFile(files.certificate).map { .certificate($0) },
            key: .privateKey(try NIOSSLPrivateKey(file: files.key, format: .pem)))
        // Creating a context detects a key that does not match the certificate before the first client connects.
        _ = try NIOSSLContext(configuration: configuration(pair))
        return pair
    }
}
