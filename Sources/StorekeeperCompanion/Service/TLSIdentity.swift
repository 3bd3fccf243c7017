import NIOCore
package import NIOSSL
import Synchronization

/// The certificates and the key by which a server encrypts, which can be exchanged while it runs.
package final class TLSIdentity: Sendable {
    private struct Pair: Sendable {
        let chain: [NIOSSLCertificateSource]
        let key: NIOSSLPrivateKeySource
    }

    private let files: (certificate: String, key: String)
    private let current: Mutex<Pair>

    /// Reads the files, both PEM, the server's certificate first.
    ///
    /// - Throws: What the library of TLS throws where they are none, or do not belong together.
    package init(certificate: String, key: String) throws {
        files = (certificate, key)
        current = Mutex(try Self.read((certificate, key)))
    }

    /// Reads the files again.
    ///
    /// - Throws: As ``init(certificate:key:)``; then what was read before holds.
    package func reload() throws {
        let read = try Self.read(files)
        current.withLock { $0 = read }
    }

    /// How connections are encrypted: each new one by what was read last.
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
        // Whether they belong together is found out here, and not by the first who connects.
        _ = try NIOSSLContext(configuration: configuration(pair))
        return pair
    }
}
