import FoundationEssentials
import Storekeeper
import StorekeeperCharts
import StorekeeperPages
import StorekeeperSimulator

/// The transaction manager: the local App Store as a web page.
///
/// It offers the same steps as ``ControlAPI``. It works without a script, which only refreshes the page, plays time and
/// handles the keyboard.
struct PageAPI: Sendable {
    let local: LocalAppStore

    /// Returns whether a path belongs to the page.
    static func isPage(_ path: [String]) -> Bool { path.isEmpty || path.first == "page" }

    /// Returns the response to a request from a foreign page.
    static func response(to refusal: ForeignPages.Refusal) -> APIResponse {
        switch refusal {
        case .foreignHost:
            Self.guarded(.text("Open this page as localhost or 127.0.0.1.\n", status: 403))
        case .foreignOrigin:
            Self.guarded(.text("This form was sent from a page of another site; nothing was done.\n", status: 403))
        }
    }

    /// Responds to a request of the page.
    func respond(to request: APIRequest) async -> APIResponse {
        let path = request.path.dropFirst()
        let response: APIResponse =
            switch (request.method, path.count > 1 ? nil : path.first) {
            case ("GET", nil) where request.path.isEmpty: page(PageLocation(request.query))
            case ("GET", "style.css"): Self.asset(PageStyle.text, "text/css; charset=utf-8")
            case ("GET", "script.js"): Self.asset(PageScript.text, "text/javascript; charset=utf-8")
            case ("GET", "icon.svg"): Self.asset(PageStyle.icon, "image/svg+xml")
            case ("GET", "version"): version
            case ("GET", "timeline.svg"): picture(PageLocation(request.query))
            case ("GET", "scenario.yaml"): scenario
            case ("POST", "steps"): await carryOut(request)
            case ("POST", "scenario"): await load(request)
            default: .text("This page does not exist; go to / instead.\n", status: 404)
            }
        return Self.guarded(response)
    }

    // MARK: Pages

    /// - Parameters:
    ///   - failure: Why a form was refused.
    ///   - typed: The refused form.
    func page(
        _ location: PageLocation, failure: PageContent.Notice? = nil, typed: FormBody? = nil, status: Int = 200
    ) -> APIResponse {
        do {
            let maker = PageMaker(local.current, location, formToken: local.newFormToken, typed: typed)
            let text = try PageTemplates.transactionManager.page(try maker.content(failure: failure), "page")
            let status = status == 200 && maker.stranger != nil ? 404 : status
            return APIResponse(status: status, contentType: "text/html; charset=utf-8", body: Array(text.utf8))
        } catch {
            return .text("The page cannot be made: \(error)\n", status: 500)
        }
    }

    private var version: APIResponse {
        let stage = local.current
        return .json(
            .object(["version": .string(PageMaker.version(of: stage)), "now": .time(stage.store.now)]))
    }

    private var scenario: APIResponse {
        var response = APIResponse(
            status: 200, contentType: "application/yaml", body: Array(local.current.saved.text.utf8))
        response.headers = [("Content-Disposition", "attachment; filename=\"scenario.yaml\"")]
        return response
    }

    private func picture(_ location: PageLocation) -> APIResponse {
        let stage = local.current
        let app = location.app ?? stage.scenario.apps.first?.bundleID ?? ""
        do {
            let inquiry = try CustomerInquiry(of: CustomerID(rawValue: location.person ?? ""), app: app, in: stage)
            let text = inquiry.chart.svg(title: "\(location.person ?? ""), \(app)")
            return APIResponse(status: 200, contentType: "image/svg+xml", body: Array(text.utf8))
        } catch {
            return .text("\(error)\n", status: 404)
        }
    }

    // MARK: Responses

    private static func asset(_ text: String, _ type: String) -> APIResponse {
        APIResponse(status: 200, contentType: type, body: Array(text.utf8))
    }

    private static func guarded(_ response: APIResponse) -> APIResponse {
        var response = response
        response.headers += BrowserGuard.fields(of: response.contentType ?? "").map { ($0.name, $0.value) }
        return response
    }
}
