import Hummingbird
import Logging

/// The context of a request to a route, made from the context of the router that has the routes.
///
/// Its logger is the router's, so that log lines carry the host's metadata, such as its id of the request.
struct CompanionContext<Host: RequestContext>: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address of the client, if the host's context has it.
    let address: String?
    /// When the request arrived.
    let start = ContinuousClock.now
    /// The caller, or `nil` if the route requires no key; or why the request is refused.
    ///
    /// Set by ``AccessMiddleware``; until then every request is refused.
    var access = Result<Caller?, Problem>.failure(.unchecked)

    init(context: Host) {
        coreContext = context.coreContext
        address = (context as? any RemoteAddressRequestContext)?.remoteAddress?.ipAddress
    }
}

extension Problem {
    /// The problem of a request before its access is checked.
    fileprivate static let unchecked = Problem(.missing)
}
