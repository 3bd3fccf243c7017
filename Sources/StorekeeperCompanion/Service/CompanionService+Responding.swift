import HTTPTypes
public import Hummingbird
import Storekeeper
import StorekeeperPages

extension CompanionService {
    /// Adds all routes to a router, and error responses for unsupported methods.
    ///
    /// The logger of the router's context receives a line at level `info` for each request, and a line for each
    /// internal failure. The lines name neither keys nor customers.
    public func addRoutes<Context: RequestContext>(to router: some RouterMethods<Context>) {
        add(CompanionRoute.all, to: router)
    }

    /// Adds routes to a router, and error responses for unsupported methods.
    func add<Context: RequestContext>(_ routes: [CompanionRoute], to router: some RouterMethods<Context>) {
        var supported: [String: [HTTPRequest.Method]] = [:]
        for route in routes {
            let responder = RouteResponder(service: self, route: route)
            for method in route.methods {
                supported[route.path, default: []].append(method)
                router.on(RouterPath(route.path), method: method) { request, context in
                    await responder.respond(to: request, context)
                }
            }
        }
        for (path, supported) in supported {
            let wrongMethod = Problem.wrongMethod(supported.map(\.rawValue).sorted())
            for method in HTTPRequest.Method.standard where !supported.contains(method) {
                router.on(RouterPath(path), method: method) { request, context in
                    (request.hasTidyPath ? wrongMethod : .notFound).response
                        .completed(for: request, id: request.id(in: context.logger))
                }
            }
        }
    }
}
