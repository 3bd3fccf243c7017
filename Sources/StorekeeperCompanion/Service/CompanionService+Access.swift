import HTTPTypes
import Hummingbird

/// Authenticates callers and applies the rate limits of access keys and IP addresses.
extension CompanionService {
    /// The number of requests per second that one IP address may send with a wrong key.
    private static let guessRate = 5.0
    private static let guessBurst = 50.0

    /// Returns the caller that a request's access key identifies; `nil` if the route requires no key.
    ///
    /// - Throws: ``Problem`` if the key is missing or does not permit the request, or if an IP address has sent too
    ///   many wrong keys.
    func caller(of request: Request, to route: CompanionRoute, from client: Client) throws(Problem) -> Caller? {
        guard request.hasTidyPath else { throw .notFound }
        guard let scope = route.scope else {
            if route.openLimit != .none, let address = client.address,
                let wait = openLimit(address, isCounted: route.openLimit == .all)
            {
                throw Self.limited(.tooManyFromAddress(retryAfter: wait))
            }
            return nil
        }
        do throws(AccessRefusal) {
            return try keys.caller(request.headers[.authorization], for: scope, route.isForPeople)
        } catch {
            // A request without a key guesses nothing. If it counted, other clients of a proxy could keep a browser from
            // getting the challenge, which it needs to prompt for the key.
            if error == .unknown, let address = client.address, let wait = guessLimit(address) {
                throw Self.limited(.tooManyFromAddress(retryAfter: wait))
            }
            if case .tooMany = error { throw Self.limited(error) }
            var problem = Problem(error)
            if route.isForPeople, problem.status == 401 { problem.headers[.wwwAuthenticate] = Self.deskChallenge }
            throw problem
        }
    }

    private static func limited(_ refusal: AccessRefusal) -> Problem {
        if case .tooMany = refusal { ServiceState.countLimited("key") } else { ServiceState.countLimited("address") }
        return Problem(refusal)
    }

    /// Counts a request with a wrong key toward the limit of its IP address.
    ///
    /// - Returns: The seconds after which the address may retry; `nil` if the request may be answered.
    private func guessLimit(_ address: String) -> Int? {
        guard configuration.openRate != nil else { return nil }
        return limits.wait(ofKey: "no key: \(address)", perSecond: Self.guessRate, burst: Self.guessBurst)
    }

    /// Returns the number of seconds until an IP address may call a route without a key again; `nil` if no wait is
    /// necessary.
    ///
    /// - Parameter isCounted: Whether this request counts toward the limit.
    private func openLimit(_ address: String, isCounted: Bool) -> Int? {
        guard let openRate = configuration.openRate else { return nil }
        return limits.wait(
            ofKey: "open: \(address)", perSecond: openRate, burst: Self.openBurst(openRate), isCounted: isCounted)
    }

    /// Counts a refused request to a route without a key toward the limit of its IP address: once, and once more for
    /// each 16 KiB of its body, because the work that a request causes grows with its size.
    func countRefusal(_ request: CompanionRequest, bytes: Int) {
        guard let openRate = configuration.openRate, let address = request.address else { return }
        limits.charge(
            1 + bytes / (16 << 10), toKey: "open: \(address)", perSecond: openRate, burst: Self.openBurst(openRate))
    }

    private static func openBurst(_ rate: Double) -> Double { max(rate * 10, 1) }
}

extension Request {
    /// Whether the path has no empty segment and no slash at its end.
    ///
    /// The router ignores empty segments. Without this check, one route would have several paths.
    var hasTidyPath: Bool {
        var isAfterSlash = false
        for byte in uri.path.utf8 {
            let isSlash = byte == UInt8(ascii: "/")
            if isSlash, isAfterSlash { return false }
            isAfterSlash = isSlash
        }
        return !isAfterSlash
    }
}
