import HTTPTypes
public import Hummingbird
import Storekeeper
import StorekeeperPages

extension CompanionService {
    /// Adds all routes to a router, and responses for unsupported methods.
    ///
    /// Log lines go to the logger of the router's context: one at level `info` for each request, and internal failures.
    /// They name no key and no customer.
    public func addRoutes<Context: RequestContext>(to router: some RouterMethods<Context>) {
        var supported: [String: [HTTPRequest.Method]] = [:]
        for route in CompanionRoute.all {
            let group = router.group(context: CompanionContext<Context>.self).addMiddleware {
                RequestIDMiddleware()
                AccessMiddleware(service: self, route: route)
                ReportMiddleware(metrics: counts, route: route)
                RouteProblemMiddleware(route: route.id)
            }
            for method in route.methods {
                supported[route.path, default: []].append(method)
                group.on(RouterPath(route.path), method: method) { request, context in
                    try await route.handler(self, try CompanionRequest(request, context, at: clock.now))
                }
            }
        }
        let others = router.group().add(middleware: RequestIDMiddleware())
        for (path, supported) in supported {
            let wrongMethod = Problem.wrongMethod(supported.map(\.rawValue).sorted())
            for method in HTTPRequest.Method.standard where !supported.contains(method) {
                others.on(RouterPath(path), method: method) { request, _ in
                    (request.hasTidyPath ? wrongMethod : .notFound).response
                }
            }
        }
    }
}
