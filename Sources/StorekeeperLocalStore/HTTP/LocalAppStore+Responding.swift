extension LocalAppStore {
    /// Responds to a request as the App Store, as its OCSP responder, or for a test.
    package func respond(to request: APIRequest) async -> APIResponse {
        switch request.path.first {
        case "inApps": await respondAsAppStore(to: request)
        case "local": await ControlAPI(local: self).respond(to: request)
        case "ocsp": await certificates.respond(to: request)
        case "openapi.yaml" where request.path.count == 1 && request.method == "GET":
            APIResponse(status: 200, contentType: "application/yaml", body: Array(LocalDescription.text.utf8))
        case _ where PageAPI.isPage(request.path): await PageAPI(local: self).respond(to: request)
        default: .error(.notFound)
        }
    }
}
