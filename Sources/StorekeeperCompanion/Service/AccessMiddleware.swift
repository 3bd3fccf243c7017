import HTTPTypes
import Hummingbird

/// Authenticates the caller of a route and applies the rate limits of its key or address.
///
/// The result is stored in the context, so that refused requests are counted and logged, too.
struct AccessMiddleware<Host: RequestContext>: RouterMiddleware {
    typealias Context = CompanionContext<Host>

    let service: CompanionService
    let route: CompanionRoute

    @concurrent
    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        do throws(Problem) {
            context.access = .success(try caller(of: request, from: context.address))
        } catch {
            context.access = .failure(error)
        }
        return try await next(request, context)
    }

    /// Returns the caller, if the route requires a key.
    ///
    /// - Throws: ``Problem`` if the key is missing or does not permit the request, or if an address has sent too many
    ///   requests without a key.
    private func caller(of request: Request, from address: String?) throws(Problem) -> Caller? {
        guard request.hasTidyPath else { throw .notFound }
        guard let scope = route.scope else {
            if route.openLimit != .none, let address,
                let wait = service.openLimit(address, isCounted: route.openLimit == .all)
            {
                throw limited(.tooManyFromAddress(retryAfter: wait))
            }
            return nil
        }
        do throws(AccessRefusal) {
            return try service.keys.caller(request.headers[.authorization], for: scope, route.isForPeople)
        } catch {
            if error.isWithoutKey, let address, let wait = service.guessLimit(address) {
                throw limited(.tooManyFromAddress(retryAfter: wait))
            }
            if case .tooMany = error { throw limited(error) }
            var problem = Problem(error)
            if route.isForPeople, problem.status == 401 {
                problem.headers[.wwwAuthenticate] = CompanionService.deskChallenge
            }
            throw problem
        }
    }

    private func limited(_ refusal: AccessRefusal) -> Problem {
        if case .tooMany = refusal { ServiceState.countLimited("key") } else { ServiceState.countLimited("address") }
        return Problem(refusal)
    }
}

extension CompanionService {
    /// The requests per second that an address may send without a valid key, and the burst after a pause.
    private static let guessRate = 5.0
    private static let guessBurst = 50.0

    /// Counts a request without a valid key.
    ///
    /// - Returns: The seconds after which the address may retry; `nil` if the request may be answered.
    fileprivate func guessLimit(_ address: String) -> Int? {
        limits.wait(ofKey: "no key: \(address)", perSecond: Self.guessRate, burst: Self.guessBurst)
    }

    /// Returns the seconds after which an address may call routes without a key; `nil` for now.
    ///
    /// - Parameter isCounted: Whether the request is counted.
    func openLimit(_ address: String, isCounted: Bool) -> Int? {
        guard let openRate else { return nil }
        return limits.wait(
            ofKey: "open: \(address)", perSecond: openRate, burst: max(openRate * 10, 1), isCounted: isCounted)
    }
}

extension Request {
    /// Whether no segment of the path is empty; the router ignores empty segments.
    var hasTidyPath: Bool {
        let path = uri.path
        return !path.utf8.elementsEqual("/".utf8) && !path.contains("//") && path.utf8.last != UInt8(ascii: "/")
    }
}
