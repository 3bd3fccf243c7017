/// Sends one request to a server and returns its response.
///
/// A conforming type follows no redirect, does not retry, and reads at most ``TransportRequest/maximumBodySize`` bytes
/// of a response. It may be used from many tasks at once, and stops when its task is cancelled.
public protocol HTTPTransport: Sendable {
    /// Sends a request and reads the whole response.
    ///
    /// - Returns: The response, of any status.
    /// - Throws: ``TransportError`` if there is no response, or it is too long. A cancelled task throws
    ///   ``TransportError/Code/cancelled``.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse
}

/// A header field.
public struct HeaderField: Hashable, Sendable {
    /// Its name, in any case.
    public let name: String
    /// Its value.
    public let value: String

    /// Makes a field.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// An HTTP request.
public struct TransportRequest: Sendable {
    /// The method.
    public let method: HTTPMethod
    /// The whole URL.
    public let url: String
    /// The header fields, with a bearer token: they must not be logged.
    public let fields: [HeaderField]
    /// The body; `nil` sends none.
    public let body: [UInt8]?
    /// The maximum number of bytes to read from a response's body.
    public let maximumBodySize: Int

    /// Makes a request.
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

/// An HTTP response.
public struct TransportResponse: Sendable {
    /// The status.
    public let status: Int
    /// The header.
    public let fields: [HeaderField]
    /// The whole body.
    public let body: [UInt8]

    /// Makes a response.
    public init(status: Int, fields: [HeaderField], body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Returns the value of the first field with a name, ignoring case.
    public func value(of name: String) -> String? {
        let name = name.lowercased()
        return fields.first { $0.name.lowercased() == name }?.value
    }
}

/// Why a request has no response.
public struct TransportError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for programs to switch on.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The word, which stays the same from release to release.
        public let rawValue: String
        /// Makes a code from its word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No connection could be opened, so nothing was sent.
        public static let notConnected = Code(rawValue: "notConnected")
        /// The host name has no address, so nothing was sent.
        public static let hostNotFound = Code(rawValue: "hostNotFound")
        /// TLS did not trust the server, so nothing was sent.
        public static let tlsFailed = Code(rawValue: "tlsFailed")
        /// The connection broke, or the response was not HTTP.
        public static let connectionLost = Code(rawValue: "connectionLost")
        /// The response did not come in time.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The response exceeds the size limit.
        public static let responseTooLarge = Code(rawValue: "responseTooLarge")
        /// The task was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
    }

    /// What went wrong.
    public let code: Code
    /// What went wrong, in words; without URL, header and body.
    public let message: String
    /// The underlying error.
    public let cause: (any Error)?

    /// Whether the server may have read the request.
    public var mayHaveBeenSent: Bool { ![.notConnected, .hostNotFound, .tlsFailed].contains(code) }

    /// Makes an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code and the message, in one line.
    public var description: String { "\(code.rawValue): \(message)" }
}
