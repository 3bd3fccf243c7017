import HTTPTypes
public import Hummingbird
import Logging
import NIOCore
import Storekeeper
import StorekeeperPages

extension CompanionService {
    /// Adds all routes to a router, and responses for unsupported methods.
    public func addRoutes<Context: RequestContext>(to router: some RouterMethods<Context>) {
        var supported: [String: [HTTPRequest.Method]] = [:]
        for route in CompanionRoute.all {
            let parts = Self.parts(of: route)
            for method in route.methods {
                supported[route.path, default: []].append(method)
                router.on(RouterPath(route.path), method: method) { request, context in
                    let response = await respond(to: request, from: Self.address(of: context), route, parts)
                    return method == .head ? response.createHeadResponse() : response
                }
            }
        }
        for (path, supported) in supported {
            let wrongMethod = Problem.wrongMethod(supported.map(\.rawValue).sorted())
            for method in Self.methods where !supported.contains(method) {
                router.on(RouterPath(path), method: method) { request, _ in
                    await RequestID.named(request) {
                        let response = (Self.isTidy(request.uri.path) ? wrongMethod : .notFound).response
                        return method == .head ? response.createHeadResponse() : response
                    }
                }
            }
        }
    }

    private static let methods: [HTTPRequest.Method] =
        [.get, .post, .put, .patch, .delete, .head, .options, .trace, .connect]
        + [HTTPRequest.Method("QUERY")].compactMap(\.self)

    /// Returns the address of the client, if the server knows it.
    private static func address(of context: some RequestContext) -> String? {
        (context as? any RemoteAddressRequestContext)?.remoteAddress?.ipAddress
    }

    /// Returns whether no segment of a path is empty; the router ignores empty segments.
    private static func isTidy(_ path: String) -> Bool {
        !path.utf8.elementsEqual("/".utf8) && !path.contains("//") && path.utf8.last != UInt8(ascii: "/")
    }

    /// The logger, with the id of the current request.
    var log: Logger {
        var logger = logger
        if let id = RequestID.current { logger[metadataKey: "request"] = "\(id)" }
        return logger
    }

    // MARK: Responding

    /// Responds to a request; errors become responses, too.
    private func respond(
        to request: Request, from address: String?, _ route: CompanionRoute, _ parts: [String?]
    ) async -> Response {
        await RequestID.named(request) {
            let start = ContinuousClock.now
            var caller: Caller?
            let response = await respond(to: request, from: address, route, parts, caller: &caller)
            let duration = ContinuousClock.now - start
            counts.note(route, response.status.code, took: duration)
            // The log names neither the customer nor the key.
            log.info(
                "answered",
                metadata: [
                    "route": "\(route.id)", "status": "\(response.status.code)",
                    "caller": "\(caller?.name ?? "-")", "ms": "\(duration / .milliseconds(1))",
                ])
            return response
        }
    }

    private func respond(
        to request: Request, from address: String?, _ route: CompanionRoute, _ parts: [String?],
        caller: inout Caller?
    ) async -> Response {
        do {
            guard Self.isTidy(request.uri.path) else { throw Problem.notFound }
            caller = try admit(request, from: address, route)
            let admitted = try CompanionRequest(
                request, Self.names(request.uri.path, parts), by: caller, from: address, at: clock.now)
            return try await route.handler(self, admitted)
        } catch let problem as Problem {
            return problem.response
        } catch let refusal as LedgerRefusal {
            return Problem(refusal).response
        } catch let error as VaultError {
            let problem = Problem(error)
            if problem.status >= 500 { log.error("\(route.id): \(error)") }
            return problem.response
        } catch {
            log.error("\(route.id): \(error)")
            return Problem(503, "unavailable", "It cannot be answered now", "try again").response
        }
    }

    // MARK: Authorisation

    /// Authenticates the caller, if the route requires a key.
    ///
    /// - Throws: ``Problem`` if the key is missing or does not permit the request, or if an address has sent too many
    ///   requests without a key.
    private func admit(_ request: Request, from address: String?, _ route: CompanionRoute) throws(Problem) -> Caller? {
        guard let scope = route.scope else {
            if route.openLimit != .none, let address, let wait = openLimit(address, cost: route.openLimit == .all) {
                throw limited(.tooManyFromAddress(retryAfter: wait))
            }
            return nil
        }
        do throws(AccessRefusal) {
            return try keys.caller(request.headers[.authorization], for: scope, route.isForPeople)
        } catch {
            if error.isWithoutKey, let address,
                let wait = limits.wait(ofKey: "no key: \(address)", perSecond: Self.guessRate, burst: Self.guessBurst)
            {
                throw limited(.tooManyFromAddress(retryAfter: wait))
            }
            if case .tooMany = error { throw limited(error) }
            var problem = Problem(error)
            if route.isForPeople, problem.status == 401 { problem.headers["WWW-Authenticate"] = Self.deskChallenge }
            throw problem
        }
    }

    /// The requests per second that an address may send without a valid key, and the burst after a pause.
    private static let guessRate = 5.0
    private static let guessBurst = 50.0

    /// Returns the seconds after which an address may call routes without a key; `nil` for now.
    ///
    /// - Parameter cost: Whether the request is counted.
    func openLimit(_ address: String, cost: Bool) -> Int? {
        guard let openRate else { return nil }
        let (name, burst) = ("open: \(address)", max(openRate * 10, 1))
        return cost
            ? limits.wait(ofKey: name, perSecond: openRate, burst: burst)
            : limits.wait(before: name, perSecond: openRate, burst: burst)
    }

    private func limited(_ refusal: AccessRefusal) -> Problem {
        if case .tooMany = refusal { ServiceState.noteLimited("key") } else { ServiceState.noteLimited("address") }
        return Problem(refusal)
    }

    // MARK: Paths

    /// Returns the parts of a route's path: the name for a parameter, otherwise `nil`.
    private static func parts(of route: CompanionRoute) -> [String?] {
        route.path.split(separator: "/").map { $0.hasPrefix("{") ? String($0.dropFirst().dropLast()) : nil }
    }

    /// Returns the parameters in a path, except for those that are not text; the route may be mounted below another
    /// path.
    private static func names(_ path: String, _ parts: [String?]) -> [(name: String, value: String)] {
        var names: [(name: String, value: String)] = []
        var rest = path.utf8[...]
        let slash = UInt8(ascii: "/")
        for name in parts.reversed() {
            while rest.last == slash { rest.removeLast() }
            let start = rest.lastIndex(of: slash).map { rest.index(after: $0) } ?? rest.startIndex
            if let name, let text = Substring(rest[start...]).removingPercentEncoding { names.append((name, text)) }
            rest = rest[..<start]
        }
        return names
    }
}
