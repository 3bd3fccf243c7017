import ArgumentParser
import NIOSSL
import Storekeeper
import StorekeeperAppStore

/// The connection options of all commands that connect to servers.
struct ConnectionOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Also trust the certificates in this PEM file for TLS; SSL_CERT_FILE replaces those of the system, and "
                + "HTTPS_PROXY and NO_PROXY name a proxy.", valueName: "file"),
        completion: .file())
    var ca: String?

    /// Opens connections for the duration of a closure.
    ///
    /// - Throws: ``CommandError`` with status 66 for an unreadable file of certificates, 65 for an invalid file of
    ///   certificates, 64 for an invalid proxy; also throws the errors of the closure.
    func with<Value: Sendable>(
        on console: Console, _ work: (HTTPConnections) async throws -> Value
    ) async throws -> Value {
        let connections = try HTTPConnections(try configuration(on: console))
        let result: Result<Value, any Error>
        do { result = .success(try await work(connections)) } catch { result = .failure(error) }
        do { try await connections.shutdown() } catch {
            console.errors.line("storekeeper: the connections: \(error)")
        }
        return try result.get()
    }

    /// Returns the configuration from the option and the environment.
    func configuration(on console: Console) throws(CommandError) -> AsyncHTTPTransport.Configuration {
        var configuration = AsyncHTTPTransport.Configuration()
        if let ca { configuration.additionalTrustRoots = [try Self.certificates(ca, of: "--ca")] }
        if let path = console.environment["SSL_CERT_FILE"], !path.isEmpty {
            configuration.trustRoots = try Self.certificates(path, of: "SSL_CERT_FILE")
        }
        do throws(HTTPProxies.Fault) { configuration.proxies = try HTTPProxies(environment: console.environment) } catch
        {
            throw .usage(
                "it does not name a proxy", at: error.variable, "write it like http://proxy.example.com:3128")
        }
        return configuration
    }

    /// Reads a file of certificates.
    private static func certificates(_ path: String, of name: String) throws(CommandError) -> String {
        let bytes = try InputFile.contents(of: path, limit: 16 << 20)
        let count: Int
        do { count = try NIOSSLCertificate.fromPEMBytes(bytes).count } catch { count = 0 }
        guard count > 0 else {
            throw CommandError(
                .malformedInput, "\(name) names a file without a PEM certificate", at: InputFile.name(of: path),
                "give BEGIN CERTIFICATE blocks; 'openssl x509 -inform der' converts a .cer file")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension TransportError {
    /// The remedy if a server cannot be reached.
    var remedy: String {
        switch code {
        case .hostNotFound: "check the name, and the DNS of this machine (/etc/resolv.conf)"
        case .tlsFailed:
            "trust its root with --ca FILE or SSL_CERT_FILE, which a proxy that decrypts needs too; install "
                + "ca-certificates; check the address and this machine's clock"
        case .noTLS: "write http:// if the server has no TLS, or give the port on which it has"
        case .notConnected:
            "check the address and that a server listens there; check the firewall, or set HTTPS_PROXY"
        case .timedOut: "try again later; check the firewall, or set HTTPS_PROXY"
        default: "try again later"
        }
    }
}
