import HTTPTypes
import Hummingbird
import NIOCore
import Storekeeper
import StorekeeperJWS
import StorekeeperPages
import StorekeeperSimulator

/// Routes the HTTP requests that a local App Store receives: for the App Store Server API, OCSP, the control API and
/// the pages.
struct LocalStoreRouter: Sendable {
    /// A route, with the function that responds to it.
    private struct Route {
        let method: HTTPRequest.Method
        let path: String
        let respond: @Sendable (RequestValues) async throws -> Response

        init(
            _ method: HTTPRequest.Method, _ path: String,
            _ respond: @escaping @Sendable (RequestValues) async throws -> Response
        ) {
            self.method = method
            self.path = path
            self.respond = respond
        }
    }

    let local: LocalAppStore
    /// Whether only this machine can reach the server.
    let isLoopback: Bool

    /// The maximum size of a request body, in bytes.
    private static let maximumBody = 1 << 20
    /// The maximum size of a form, which may contain a scenario and its catalogs, in bytes.
    private static let maximumForm = 8 << 20
    private static let style = PageStyle.text + SavingStyle.text + StoryStyle.text + PresentTemplate.style

    /// Returns the responder to all requests.
    func responder() -> RouterResponder<BasicRequestContext> {
        let router = Router()
        router.add(middleware: RequestCheck(router: self))
        add(
            Endpoint.all.map { endpoint in
                Route(endpoint.method, endpoint.path) { await respond(to: endpoint, $0) }
            }, to: router)
        add(
            ControlRequest.all.map { control in
                Route(control.method, control.path) { await respond(to: control, $0) }
            }, to: router)
        add(pageRoutes, to: router, limit: Self.maximumForm)
        // Apple deprecates verifyReceipt. The body is not read, because a receipt may be larger than other requests.
        router.post("/verifyReceipt") { _, _ in
            Response.text(
                "Verify the receipt with 'storekeeper receipt', or read the customer's purchases with GET "
                    + "/inApps/v2/history/{transactionId} and the id of any transaction in the receipt.\n",
                status: .gone)
        }
        add(
            [
                Route(.post, "/ocsp") { await respond(toOCSP: $0.body) },
                Route(.get, "/ocsp/**") { await respond(toOCSP: StandardBase64.decode($0.rest.utf8)) },
            ], to: router)
        router.get("/openapi.yaml") { _, _ in Response(LocalDescription.text, type: "application/yaml") }
        return router.buildResponder()
    }

    /// Adds routes, and refuses other methods for the paths of these routes.
    private func add(_ routes: [Route], to router: Router<BasicRequestContext>, limit: Int = maximumBody) {
        for route in routes {
            router.on(RouterPath(route.path), method: route.method) { request, context in
                guard let values = await RequestValues(request, context, limit: limit) else {
                    return Response.text("The body is too long or incomplete.\n", status: .contentTooLarge)
                }
                return try await route.respond(values)
            }
        }
        for (path, routes) in Dictionary(grouping: routes, by: \.path) {
            let supported = routes.map(\.method)
            let allowed = supported.map(\.rawValue).joined(separator: ", ")
            for method in HTTPRequest.Method.standard where !supported.contains(method) {
                router.on(RouterPath(path), method: method) { _, _ -> Response in
                    throw HTTPError(.methodNotAllowed, headers: [.allow: allowed])
                }
            }
        }
    }

    // MARK: The App Store Server API

    private func respond(to endpoint: Endpoint, _ request: RequestValues) async -> Response {
        let served = local.current
        let app: String
        do { app = try await served.rule.app(for: request.authorization) } catch {
            return .unauthenticated(error.reason)
        }
        if let retryAt = local.rate?.retryAt(endpoint.limit, of: endpoint.name, app: app) {
            return .tooManyRequests(retryAt: retryAt)
        }
        let fault = served.faults.consume(at: endpoint.place, app: app)?.fault.effect
        let retryAt = local.configuration.wallClock.now.adding(milliseconds: 1000)
        if let fault, let refusal = Response(fault, at: endpoint.place, retryAt: retryAt) { return refusal }
        defer { if endpoint.method != .get { local.sendNotifications() } }
        do {
            var document = try endpoint.answer(served.serverAPI(of: app), request)
            if endpoint.changesStore {
                try served.recorder.recordRequest(endpoint.words(of: request), of: served.number)
            }
            if case .incomplete? = fault {
                document = .object(["requestIdentifier": .string(request["request"]), "complete": .bool(false)])
            }
            return Response(document, status: endpoint.status, fault: fault)
        } catch let error as APIError {
            return .error(error)
        } catch {
            return .error(.internalError("\(error)"))
        }
    }

    // MARK: Control requests

    private func respond(to control: ControlRequest, _ request: RequestValues) async -> Response {
        // Only JSON is accepted, because a foreign page cannot send JSON without a preflight request.
        guard control.method == .get || request.contentType?.lowercased().hasPrefix("application/json") == true else {
            return .problem("unsupportedType", "send application/json", status: .unsupportedMediaType)
        }
        do {
            return try await control.respond(ControlAPI(local: local), request)
        } catch let error as SimulatorError {
            return .problem("\(error.code.rawValue)", error.message, status: .unprocessableContent)
        } catch let error as ScenarioError {
            let lines = error.all.map(\.description).joined(separator: "\n")
            return .problem("malformedStep", lines, status: .badRequest)
        } catch let refusal as StoryTree.Refusal {
            return .problem(refusal.code, refusal.message, status: .unprocessableContent)
        } catch is LocalAppStore.StepRefusal {
            return .problem(
                "noEngine", "a local App Store has no engine: leave out 'expect', 'spend' and 'grant'",
                status: .unprocessableContent)
        } catch let error as APIError {
            return .problem("malformedRequest", error.message, status: .badRequest)
        } catch {
            return .problem("failed", "\(error)", status: .internalServerError)
        }
    }

    // MARK: Pages

    private var pageRoutes: [Route] {
        let page = PageAPI(local: local)
        @Sendable func response(to result: PageAPI.FormResult) -> Response {
            switch result {
            case .done(let address): Response(status: .seeOther, headers: [.location: address])
            case .refused(.malformed, let page): Response(page, type: Self.html, status: .badRequest)
            case .refused(.outdated, let page): Response(page, type: Self.html, status: .forbidden)
            case .refused(.impossible, let page): Response(page, type: Self.html, status: .unprocessableContent)
            }
        }
        return [
            Route(.get, "/") { request in
                let (text, isMissing) = try page.page(PageLocation(request.query.items))
                return Response(text, type: Self.html, status: isMissing ? .notFound : .ok)
            },
            Route(.get, "/page/style.css") { _ in
                Response(Self.style, type: "text/css; charset=utf-8")
            },
            Route(.get, "/page/script.js") { _ in Response(PageScript.text, type: "text/javascript; charset=utf-8") },
            Route(.get, "/page/icon.svg") { _ in Response(PageStyle.icon, type: "image/svg+xml") },
            Route(.get, "/page/version") { _ in .json(page.version) },
            Route(.get, "/page/timeline.svg") { request in
                do {
                    return Response(try page.timelineSVG(PageLocation(request.query.items)), type: "image/svg+xml")
                } catch {
                    return .text("\(error)\n", status: .notFound)
                }
            },
            Route(.get, "/page/scenario.yaml") { _ in
                Response(try await local.savedTest(.scenario, expecting: []), isDownload: true)
            },
            Route(.get, "/page/test") { request in
                switch try await page.save(request.query) {
                case .test(let test): Response(test, isDownload: true)
                case .refused(let page): Response(page, type: Self.html, status: .unprocessableContent)
                }
            },
            Route(.get, "/page/catalog.json") { request in
                .file(try page.catalogFile(PageLocation(request.query.items), as: .json), named: "catalog.json")
            },
            Route(.get, "/page/catalog.storekit") { request in
                let location = PageLocation(request.query.items)
                return .file(try page.catalogFile(location, as: .storeKitConfiguration), named: "catalog.storekit")
            },
            Route(.get, "/page/catalog-edits.json") { request in
                guard let file = page.catalogEdits(PageLocation(request.query.items)) else {
                    return .text("Nothing was added to this catalog.\n", status: .notFound)
                }
                return .file(file.bytes, named: file.name)
            },
            Route(.post, "/page/catalog") { response(to: try await page.editCatalog($0.body, type: $0.contentType)) },
            Route(.post, "/page/steps") { response(to: try await page.carryOut($0.body, type: $0.contentType)) },
            Route(.post, "/page/notifications") { response(to: try await page.resend($0.body, type: $0.contentType)) },
            Route(.post, "/page/story") { response(to: try await page.changeStory($0.body, type: $0.contentType)) },
            Route(.post, "/page/scenario") { response(to: try await page.load($0.body, type: $0.contentType)) },
        ]
    }

    private static let html = "text/html; charset=utf-8"

    // MARK: Others

    /// Returns the response to an OCSP request.
    ///
    /// - Parameter question: The OCSP request; `nil` if the path was not valid base64.
    private func respond(toOCSP question: [UInt8]?) async -> Response {
        guard let question else { return .text("The path is not base64.\n", status: .badRequest) }
        do {
            return Response(try await local.certificates.answer(to: question), type: "application/ocsp-response")
        } catch {
            return .text("The response cannot be signed: \(error)\n", status: .internalServerError)
        }
    }

    /// Returns the response to an unknown path, or to a method that the path does not support.
    ///
    /// - Parameter allowed: The methods that the path supports; `nil` for an unknown path.
    private func response(toUnknown request: Request, allowed: String?) async -> Response {
        var response: Response
        switch request.firstSegment {
        case nil, "page": return .text("This page does not exist; go to / instead.\n", status: .notFound)
        case "local":
            guard let allowed else {
                return .problem("notFound", "this path does not exist; see /openapi.yaml", status: .notFound)
            }
            response = .problem("wrongMethod", "use \(allowed)", status: .methodNotAllowed)
        case let segment:
            if ["inApps", "advancedCommerce", "groups"].contains(segment) {
                do { _ = try await local.current.rule.app(for: request.headers[.authorization]) } catch {
                    return .unauthenticated(error.reason)
                }
            }
            guard let allowed else { return .error(.notFound) }
            response = .text("Use \(allowed).\n", status: .methodNotAllowed)
        }
        response.headers[.allow] = allowed
        return response
    }

    /// Refuses requests from foreign pages, adds security headers to pages, and responds to unknown paths.
    private struct RequestCheck: RouterMiddleware {
        let router: LocalStoreRouter

        @concurrent
        func handle(
            _ request: Request, context: BasicRequestContext,
            next: @concurrent (Request, BasicRequestContext) async throws -> Response
        ) async throws -> Response {
            let isPage = request.firstSegment == nil || request.firstSegment == "page"
            var response: Response
            if let refusal = refusal(of: request) {
                response = Self.response(to: refusal, isPage: isPage)
            } else {
                do { response = try await next(request, context) } catch let error as HTTPError {
                    response = await router.response(toUnknown: request, allowed: error.headers[.allow])
                } catch {
                    response = .text("The page cannot be made: \(error)\n", status: .internalServerError)
                }
            }
            guard isPage else { return response }
            for field in SecurityHeaders.fields(of: response.headers[.contentType] ?? "") {
                response.headers[field.name] = field.value
            }
            return response
        }

        /// Returns the refusal of a request that a page of another site has sent from the user's browser; `nil` for
        /// other requests.
        private func refusal(of request: Request) -> CrossOriginCheck.Refusal? {
            let (foreign, authority) = (CrossOriginCheck(isLoopback: router.isLoopback), request.head.authority)
            if request.method == .get || request.method == .head { return foreign.refusal(authority: authority) }
            return foreign.refusal(ofFormAt: authority, headers: request.headers)
        }

        private static func response(to refusal: CrossOriginCheck.Refusal, isPage: Bool) -> Response {
            switch (refusal, isPage) {
            case (.foreignHost, true): .text("Open this page as localhost or 127.0.0.1.\n", status: .forbidden)
            case (.foreignOrigin, true):
                .text("This form was sent from a page of another site; nothing was done.\n", status: .forbidden)
            case (.foreignHost, false):
                .problem("foreignHost", "use the host localhost or 127.0.0.1", status: .forbidden)
            case (.foreignOrigin, false):
                .problem(
                    "foreignOrigin", "send the request from a page of this server, or not from a browser",
                    status: .forbidden)
            }
        }
    }
}

/// The path parameters, query, body and two headers of a request.
struct RequestValues: Sendable {
    private let parameters: Parameters
    let query: QueryValues
    let authorization: String?
    let contentType: String?
    let body: [UInt8]

    /// Reads a request; `nil` if its body is too long or incomplete.
    fileprivate init?(_ request: Request, _ context: BasicRequestContext, limit: Int) async {
        guard let body = try? await request.body.collect(upTo: limit) else { return nil }
        self.body = Array(buffer: body)
        parameters = context.parameters
        query = QueryValues(items: (request.uri.query ?? "").formFields)
        authorization = request.headers[.authorization]
        contentType = request.headers[.contentType]
    }

    /// Returns a parameter of the path, percent-decoded.
    subscript(name: String) -> String { parameters[name[...]]?.percentDecoded ?? "" }

    /// The rest of the path, which the route's wildcard matches, percent-decoded.
    fileprivate var rest: String { parameters.getCatchAll().map(\.percentDecoded).joined(separator: "/") }
}

extension Request {
    /// The first segment of the path; `nil` for the root.
    fileprivate var firstSegment: Substring? { uri.path.split(separator: "/").first }
}
