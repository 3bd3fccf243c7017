import Storekeeper
import StorekeeperAppStore
import StorekeeperPages

/// Asks a running companion service whether it is ready, for health checks of containers without another HTTP client.
struct ReadinessProbe {
    /// The URL at which the service reports whether it is ready.
    let url: String

    /// - Parameter settings: The settings of the service, which runs on this machine.
    init(of settings: ServiceSettings) {
        var address = settings.address
        // A service that listens at all addresses also listens at the loopback address.
        switch address.host {
        case "0.0.0.0": address.host = "127.0.0.1"
        case "::": address.host = "::1"
        default: break
        }
        address.port = settings.healthPort ?? address.port
        url = address.url(scheme: settings.identity == nil ? "http" : "https", port: address.port) + "/health/ready"
    }

    /// Probes the service, and prints the result.
    ///
    /// - Returns: 0 if the service is ready, else 1.
    /// - Throws: ``CommandError`` with status 69 if the service does not answer.
    func run(_ format: OutputFormat, on console: Console) async throws(CommandError) -> ExitStatus {
        var configuration = AsyncHTTPTransport.Configuration(
            connectTimeout: .seconds(2), requestTimeout: .seconds(3), connectionsPerHost: 1)
        // The certificate names the service's public host and not this address, so it is not checked. The request
        // contains no secret.
        configuration.trustsAnyCertificate = true
        let answer: TransportResponse
        do {
            let transport = try AsyncHTTPTransport(configuration)
            let result: Result<TransportResponse, any Error>
            do {
                result = .success(
                    try await transport.send(TransportRequest(method: .get, url: url, fields: [], body: nil)))
            } catch { result = .failure(error) }
            try await transport.close()
            answer = try result.get()
        } catch {
            throw CommandError(
                .unreachableService, "the service does not answer: \(error)", at: url,
                "start it with the same settings, or see its log")
        }
        let isReady = answer.status == 200
        switch format {
        case .json: console.output.json(.object(["ready": .bool(isReady)]))
        case .text: console.output.line(isReady ? "ready" : "not ready: status \(answer.status)")
        }
        return isReady ? .success : .no
    }
}
