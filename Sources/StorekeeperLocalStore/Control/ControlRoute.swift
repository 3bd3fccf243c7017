/// A request by which tests control a local App Store or inspect it.
enum ControlRoute: String, Sendable, CaseIterable {
    case overview = "GET /local/v1"
    case rootCertificate = "GET /local/v1/root.pem"
    case happenings = "GET /local/v1/happenings"
    case transactions = "GET /local/v1/transactions"
    case notifications = "GET /local/v1/notifications"
    case evidence = "GET /local/v1/people/{name}/evidence"
    case appTransaction = "GET /local/v1/people/{name}/app-transaction"
    case scenario = "GET /local/v1/scenario"
    case certificates = "GET /local/v1/certificates"
    case faults = "GET /local/v1/faults"
    case carryOut = "POST /local/v1/steps"
    case setCertificates = "POST /local/v1/certificates"

    /// The method, and the segments of the path.
    var parts: (method: Substring, path: [Substring]) {
        let words = rawValue.split(separator: " ")
        return (words[0], words.count > 1 ? words[1].split(separator: "/") : [])
    }

    /// Finds the route of a method and path.
    ///
    /// - Returns: The route with the name in its path; `nil` if no route matches.
    static func find(_ method: String, _ path: [String]) -> (route: ControlRoute, name: String)? {
        for route in allCases where route.parts.method == method {
            if let name = route.name(in: path) { return (route, name) }
        }
        return nil
    }

    /// Returns the methods that a path supports.
    static func methods(at path: [String]) -> [String] {
        allCases.filter { $0.name(in: path) != nil }.map { String($0.parts.method) }
    }

    /// Returns the name in a path, empty if the route has none; `nil` if the path does not match.
    private func name(in path: [String]) -> String? {
        let pairs = Array(zip(parts.path, path))
        guard parts.path.count == path.count, pairs.allSatisfy({ $0.0 == "{name}" || $0.0 == $0.1 }) else { return nil }
        return pairs.first { $0.0 == "{name}" }?.1 ?? ""
    }
}
