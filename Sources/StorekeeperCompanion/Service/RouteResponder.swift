import HTTPTypes
import Hummingbird
import Logging
import Storekeeper
import StorekeeperPages

/// Responds to the requests of a route: checks the access, calls the handler, and records the response in the log and
/// metrics.
///
/// One function does all this instead of a chain of middleware, because each middleware would take as much time as
/// computing the answer. Log lines contain the metadata of the host's context, such as the host's id of the request.
struct RouteResponder {
    let service: CompanionService
    let route: CompanionRoute

    /// Responds to a request, with problem details if access is denied or the handler fails.
    func respond(to request: Request, _ context: some RequestContext) async -> Response {
        let start = ContinuousClock.now
        let (id, client) = (request.id(in: context.logger), Client(context))
        var caller: Caller?
        let memory =
            route.scope == nil
            ? BodyReservation(in: service.openBodies, for: service.configuration.openRate == nil ? nil : client.address)
            : BodyReservation(in: service.bodies, for: nil)
        defer { memory.release() }
        let response: Response
        do {
            caller = try service.caller(of: request, to: route, from: client)
            let request = try CompanionRequest(
                request, to: route, caller, client, context.parameters, id, memory, at: service.clock.now)
            response = try await route.handler(service, request)
        } catch {
            let problem = Problem(of: error)
            caller = caller ?? problem.caller
            // The response to a thrown `Problem` contains its cause, so only errors of other types are logged.
            if problem.status >= 500, !(error is Problem) {
                service.logFailure("\(route.id): \(error)", client.logger(of: id))
            }
            response = service.deskRefusal(problem, to: request, of: route, caller: caller) ?? problem.response
        }
        report(response, to: caller, id, client, took: ContinuousClock.now - start)
        return response.completed(for: request, id: id)
    }

    /// Records a response in the metrics and the log, which names neither the customer nor the key.
    private func report(
        _ response: Response, to caller: Caller?, _ id: String, _ client: Client, took duration: Duration
    ) {
        service.counts.record(route, response.status.code, took: duration)
        guard client.hostLogger.logLevel <= .info else { return }
        client.logger(of: id).info(
            "answered",
            metadata: [
                "route": "\(route.id)", "status": "\(response.status.code)", "caller": "\(caller?.name ?? "-")",
                "ms": "\(duration / .milliseconds(1))",
            ])
    }
}

/// The sender of a request, as the host's context describes it.
struct Client: Sendable {
    /// The logger of the host's context.
    let hostLogger: Logger
    private let context: any RequestContext

    init(_ context: some RequestContext) {
        hostLogger = context.logger
        self.context = context
    }

    /// The IP address of the sender, as limits see it; `nil` if the context does not have it.
    ///
    /// The address is formatted only when it is used, because requests with a valid key do not use it.
    var address: String? { (context as? any RemoteAddressRequestContext)?.remoteAddress?.limitedAddress }

    /// Returns a logger for lines about a request, with the request's id in its metadata.
    ///
    /// The logger is made only when a line is written, because a log handler may format its metadata at each change.
    func logger(of request: String) -> Logger {
        var logger = hostLogger
        logger[metadataKey: "request"] = "\(request)"
        return logger
    }
}

extension Problem {
    /// Creates the problem details of the response to a handler's error.
    fileprivate init(of error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let refusal as LedgerRefusal: self.init(refusal)
        case let failure as VaultError: self.init(failure)
        default: self.init(.unavailable, "try again")
        }
    }
}
