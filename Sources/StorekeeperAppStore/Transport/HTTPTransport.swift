public import Storekeeper

/// Sends HTTP requests and returns their responses.
///
/// A conforming type does not follow redirects, does not retry, and reads at most
/// ``TransportRequest/maximumBodySize`` bytes of a response. Calls may be concurrent. A call ends when its task is
/// cancelled.
public protocol HTTPTransport: Sendable {
    /// Sends a request and reads the whole response.
    ///
    /// - Returns: The response, whether its status means success or failure.
    /// - Throws: ``TransportError`` if no complete response was received or the response is too long, with
    ///   ``TransportErrorCode/cancelled`` if the task is cancelled.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse
}

/// A header field.
public struct HeaderField: Hashable, Sendable {
    /// The name of the field; upper and lower case have the same meaning.
    public let name: String
    /// The value of the field.
    public let value: String

    /// Creates a field.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A request to send.
public struct TransportRequest: Sendable {
    /// The method.
    public let method: HTTPMethod
    /// The whole URL.
    public let url: String
    /// The header fields, which include a bearer token and must not be logged.
    public let fields: [HeaderField]
    /// The body; `nil` for a request without a body.
    public let body: [UInt8]?
    /// The maximum size of a response body in bytes.
    public let maximumBodySize: Int

    /// Creates a request.
    public init(
        method: HTTPMethod, url: String, fields: [HeaderField], body: [UInt8]?, maximumBodySize: Int = 1 << 20
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.maximumBodySize = maximumBodySize
    }
}

/// A response.
public struct TransportResponse: Sendable {
    /// The HTTP status code.
    public let status: Int
    /// The header fields.
    public let fields: [HeaderField]
    /// The whole body.
    public let body: [UInt8]

    /// Creates a response.
    public init(status: Int, fields: [HeaderField], body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Returns the value of the first field with a name; case is ignored.
    public func value(of name: String) -> String? {
        let name = name.lowercased()
        return fields.first { $0.name.lowercased() == name }?.value
    }
}

/// The error of a request without a complete response.
public typealias TransportError = CodedError<TransportErrorCode>

/// A machine-readable code of the error.
public struct TransportErrorCode: ErrorCode {
    /// The code as text.
    public let rawValue: String
    /// Creates a code from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// No connection could be opened; nothing was sent.
    ///
    /// Remedy: Check the network, the address and the proxy.
    public static let notConnected = Self(rawValue: "notConnected")
    /// The host name could not be resolved; nothing was sent.
    ///
    /// Remedy: Check the host name and the name server.
    public static let hostNotFound = Self(rawValue: "hostNotFound")
    /// TLS could not authenticate the server; nothing was sent.
    ///
    /// Remedy: Check the clock; name the certificate of a proxy with `--ca`.
    public static let tlsFailed = Self(rawValue: "tlsFailed")
    /// The server closed the connection or did not answer with TLS, so it probably does not use TLS on this port;
    /// nothing was sent.
    ///
    /// Remedy: Write `http://`, or give the port on which the server uses TLS.
    public static let noTLS = Self(rawValue: "noTLS")
    /// The connection broke, or the response was not HTTP.
    ///
    /// Remedy: Try again.
    public static let connectionLost = Self(rawValue: "connectionLost")
    /// The response did not arrive in time.
    ///
    /// Remedy: Try again, or permit more time.
    public static let timedOut = Self(rawValue: "timedOut")
    /// The response exceeds the size limit.
    ///
    /// Remedy: Check that the address is that of the App Store.
    public static let responseTooLarge = Self(rawValue: "responseTooLarge")
    /// The task was cancelled.
    ///
    /// Remedy: Nothing; the caller ended the request.
    public static let cancelled = Self(rawValue: "cancelled")
}

extension TransportError {
    /// Whether the server may have read the request.
    public var mayHaveBeenSent: Bool { ![.notConnected, .hostNotFound, .tlsFailed, .noTLS].contains(code) }
}
