import FoundationEssentials
import StorekeeperAppStore
public import StorekeeperJWS
import Synchronization

/// A URL to which the service posts changes of customers' answers.
public struct WebhookEndpoint: Sendable {
    /// The name under which the vault records the deliveries.
    public let name: String
    /// The URL.
    public let url: String
    /// The time limit of an attempt.
    public let timeout: Duration
    /// The time after which a failing message is parked instead of retried.
    public let givesUpAfter: Duration
    private let keeper: SecretKeeper

    /// A holder of the secrets, which may be replaced while messages are sent.
    private final class SecretKeeper: Sendable {
        let secrets: Mutex<WebhookSecrets>

        init(_ secrets: WebhookSecrets) { self.secrets = Mutex(secrets) }
    }

    /// The allowed time limits of an attempt: from a tenth of a second to half a minute.
    public static let timeouts: ClosedRange<Duration> = .milliseconds(100)...(.seconds(30))

    /// Creates an endpoint.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 lower-case letters, digits and hyphens, beginning with a letter.
    ///   - url: A URL with the scheme `https`, without a user, password and fragment. The scheme `http` is allowed if
    ///     the host is the machine itself (`localhost`, `127.0.0.0/8`, `::1`).
    ///   - secrets: The secrets; each message is signed with every secret.
    ///   - allowsPlainHTTP: Whether `http` is allowed for every host, such as within a private network.
    ///   - timeout: The time limit of an attempt: a value within ``timeouts``.
    ///   - givesUpAfter: The time after which a failing message is parked.
    /// - Throws: ``WebhookEndpointFault``.
    public init(
        name: String, url: String, secrets: WebhookSecrets, allowsPlainHTTP: Bool = false,
        timeout: Duration = .seconds(15),
        givesUpAfter: Duration = .seconds(3 * 86_400)
    ) throws(WebhookEndpointFault) {
        guard Self.isName(name) else {
            throw WebhookEndpointFault(
                "'\(name)' is not a name; use up to 64 lower-case letters, digits and hyphens, beginning with a letter")
        }
        guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty else {
            throw WebhookEndpointFault("the address of '\(name)' has no host; write it like https://example.com/hook")
        }
        guard parts.user == nil, parts.password == nil, parts.fragment == nil else {
            throw WebhookEndpointFault("the address of '\(name)' contains a user or a fragment; remove them")
        }
        switch parts.scheme?.lowercased() {
        case "https": break
        case "http" where allowsPlainHTTP || AppStoreServerHost.isLoopback(host): break
        case "http":
            throw WebhookEndpointFault(
                "the address of '\(name)' does not use TLS; use https, or allow http for it if its network is private")
        default: throw WebhookEndpointFault("the address of '\(name)' does not begin with https://")
        }
        guard Self.timeouts.contains(timeout) else {
            throw WebhookEndpointFault("the timeout of '\(name)' is not between 100 ms and 30 s")
        }
        self.name = name
        self.url = url
        keeper = SecretKeeper(secrets)
        self.timeout = timeout
        self.givesUpAfter = max(givesUpAfter, .zero)
    }

    /// The secrets with which messages are signed.
    public var secrets: WebhookSecrets { keeper.secrets.withLock { $0 } }

    /// Replaces the secrets; the next attempt is signed with the new secrets.
    public func replaceSecrets(with secrets: WebhookSecrets) { keeper.secrets.withLock { $0 = secrets } }

    /// Returns whether a text can be the name of an endpoint.
    package static func isName(_ text: String) -> Bool {
        guard (1...64).contains(text.utf8.count), let first = text.utf8.first else { return false }
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        return letters.contains(first)
            && text.utf8.allSatisfy {
                letters.contains($0) || $0 == UInt8(ascii: "-")
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
    }
}

/// The reason why a webhook endpoint cannot be used.
public struct WebhookEndpointFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// A description of the fault and its remedy.
    public let description: String

    init(_ description: String) { self.description = description }
}
