public import Storekeeper

/// Carries one request to a server and its answer back.
///
/// A conforming type follows no redirect, does not try again, and reads at most ``TransportRequest/maximumBodySize`` bytes
/// of an answer. It may be used from many tasks at once, and gives up when its task is cancelled.
public protocol HTTPTransport: Sendable {
    /// Sends a request and reads the whole answer.
    ///
    /// - Returns: The answer, of whatever status.
    /// - Throws: ``TransportError`` where there is none, or it is too long. A cancelled task gives
    ///   ``TransportError/Code/cancelled``.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse
}

/// A field of a header.
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

/// A request as it is sent.
public struct TransportRequest: Sendable {
    /// The method.
    public let method: HTTPMethod
    /// The whole URL.
    public let url: String
    /// The header, with a bearer token in it: it must not be logged.
    public let fields: [HeaderField]
    /// The body; `nil` sends none.
    public let body: [UInt8]?
    /// How many bytes of an answer's body are read at most.
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

/// An answer as it was read.
public struct TransportResponse: Sendable {
    /// The status.
    public let status: Int
    /// The header.
    public let fields: [HeaderField]
    /// The whole body.
    public let body: [UInt8]

    /// Makes an answer.
    public init(status: Int, fields: [HeaderField], body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The value of the first field with a name, in whichever case.
    public func value(of name: String) -> String? {
        let name = name.lowercased()
        return fields.first { $0.name.lowercased() == name }?.value
    }
}

/// Why a request has no answer.
public struct TransportError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for programs to switch on.
    public struct Code: ErrorCode {
        /// The word.
        public let rawValue: String
        /// Makes a code of its word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There was no connection, so that nothing was sent.
        public static let notConnected = Code(rawValue: "notConnected")
        /// The name of the host has no address, so that nothing was sent.
        public static let hostNotFound = Code(rawValue: "hostNotFound")
        /// The server is not one that TLS lets us trust, so that nothing was sent.
        public static let tlsFailed = Code(rawValue: "tlsFailed")
        /// The connection broke, or what came was no HTTP.
        public static let connectionLost = Code(rawValue: "connectionLost")
        /// The answer did not come in time.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The answer is longer than is read.
        public static let responseTooLarge = Code(rawValue: "responseTooLarge")
        /// The task was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
    }

    /// What went wrong.
    public let code: Code
    /// What went wrong, in words; without URL, header and body.
    public let message: String
    /// What the layer below said.
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
