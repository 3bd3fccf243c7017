import FoundationEssentials
import HTTPTypes
import Hummingbird
package import Logging
import NIOCore
import ServiceLifecycle
import Storekeeper
package import StorekeeperPages
import UnixSignals

/// A local App Store that listens on a port of this machine.
package struct LocalAppStoreServer: Service {
    /// The maximum size of a request body, in bytes.
    static let longestBody = 1 << 20
    /// The maximum size of a form, which may contain a scenario and its catalogs, in bytes.
    static let longestForm = 8 << 20

    private let local: LocalAppStore
    private let address: ListenAddress
    private let logger: Logger
    private let onRunning: @Sendable (Int) async -> Void

    /// Makes a server.
    ///
    /// - Parameters:
    ///   - local: The local App Store to serve.
    ///   - address: The address to listen at.
    ///   - logger: The logger.
    ///   - onRunning: Called with the port when the server listens.
    package init(
        _ local: LocalAppStore, at address: ListenAddress = ListenAddress(),
        logger: Logger = Logger(label: "storekeeper.serve", factory: { _ in SwiftLogNoOpLogHandler() }),
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        self.local = local
        self.address = address
        self.logger = logger
        self.onRunning = onRunning
    }

    /// Serves until the task is cancelled or a service group shuts it down.
    ///
    /// - Throws: If it cannot listen, or an error of the cryptographic library.
    package func run() async throws {
        let application = Application(
            responder: Responder(local: local, isLoopback: address.isLoopback),
            configuration: .init(address: .hostname(address.host, port: address.port), serverName: nil),
            onServerRunning: { [onRunning] channel in await onRunning(channel.localAddress?.port ?? 0) },
            logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await cancelWhenGracefulShutdown { try await local.run() } }
            group.addTask { try await application.run() }
            // When one task ends, the other is cancelled.
            _ = try await group.next()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    /// Serves until the task is cancelled or the process receives SIGTERM or SIGINT; requests in progress are
    /// completed.
    ///
    /// - Throws: If it cannot listen, or an error of the cryptographic library.
    package func runUntilSignal() async throws {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }

    private struct Responder: HTTPResponder {
        typealias Context = BasicRequestContext

        let local: LocalAppStore
        let isLoopback: Bool

        func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
            let path = request.uri.path.split(separator: "/").map(\.percentDecoded)
            var limit = LocalAppStoreServer.longestBody
            let foreign = foreignRefusal(of: request)
            if PageAPI.isPage(path) {
                if let foreign { return Self.response(PageAPI.response(to: foreign)) }
                limit = LocalAppStoreServer.longestForm
            } else if let refusal = foreign.map(Self.answer) ?? typeRefusal(of: request, path) {
                return Self.response(refusal)
            }
            let body: ByteBuffer
            do { body = try await request.body.collect(upTo: limit) } catch {
                return Self.response(.text("The body is too long or incomplete.\n", status: 413))
            }
            let answer = await local.respond(
                to: APIRequest(
                    request.method.rawValue, path, query: (request.uri.query ?? "").formFields,
                    authorization: request.headers[.authorization], headers: Self.headers(request.headers),
                    body: Array(buffer: body)))
            return Self.response(answer)
        }

        /// Returns why a request from a foreign page in the user's browser is refused, whatever its path.
        private func foreignRefusal(of request: Request) -> ForeignPages.Refusal? {
            let foreign = ForeignPages(isLoopback: isLoopback)
            return request.method == .get || request.method == .head
                ? foreign.refusal(authority: request.head.authority)
                : foreign.refusal(ofFormAt: request.head.authority, headers: Self.headers(request.headers))
        }

        private static func answer(to refusal: ForeignPages.Refusal) -> APIResponse {
            switch refusal {
            case .foreignHost:
                ControlAPI.problem("foreignHost", "use the host localhost or 127.0.0.1", status: 403)
            case .foreignOrigin:
                ControlAPI.problem(
                    "foreignOrigin", "send the request from a page of this server, or from outside a browser",
                    status: 403)
            }
        }

        /// A foreign page cannot send JSON without a preflight request.
        private func typeRefusal(of request: Request, _ path: [String]) -> APIResponse? {
            let isJSON = request.headers[.contentType]?.lowercased().hasPrefix("application/json") == true
            guard request.method == .post, ControlRoute.find("POST", path) != nil, !isJSON else { return nil }
            return ControlAPI.problem("unsupportedType", "send application/json", status: 415)
        }

        /// The headers that the page needs.
        private static func headers(_ fields: HTTPFields) -> [String: String] {
            let names = ["content-type", "origin", "sec-fetch-site"]
            return Dictionary(
                names.compactMap { name in HTTPField.Name(name).flatMap { fields[$0] }.map { (name, $0) } },
                uniquingKeysWith: { first, _ in first })
        }

        private static func response(_ answer: APIResponse) -> Response {
            var headers = HTTPFields()
            if let type = answer.contentType { headers[.contentType] = type }
            for header in answer.headers {
                if let name = HTTPField.Name(header.name) { headers[name] = header.value }
            }
            return Response(
                status: HTTPResponse.Status(code: answer.status), headers: headers, body: body(of: answer))
        }

        /// The body, delivered whole unless a fault delays or cuts it.
        private static func body(of answer: APIResponse) -> ResponseBody {
            guard answer.delivery != .whole else { return ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)) }
            let half = answer.body.count / 2
            return ResponseBody(contentLength: answer.body.count) { writer in
                try await writer.write(ByteBuffer(bytes: answer.body[..<half]))
                guard case .slow(let milliseconds) = answer.delivery else { throw CutBody() }
                try await Task.sleep(for: .milliseconds(milliseconds))
                try await writer.write(ByteBuffer(bytes: answer.body[half...]))
                try await writer.finish(nil)
            }
        }

        /// Closes a connection in the middle of a body.
        private struct CutBody: Error {}
    }
}
