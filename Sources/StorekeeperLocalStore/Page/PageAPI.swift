import Storekeeper
import StorekeeperCharts
import StorekeeperPages
import StorekeeperSimulator

/// The transaction manager, a web page that shows and controls the local App Store.
///
/// The page offers the same steps as ``ControlAPI``. The page also works without its script, which only refreshes the
/// page, advances time continuously, and handles the keyboard.
struct PageAPI: Sendable {
    let local: LocalAppStore

    /// Returns a page.
    ///
    /// - Parameters:
    ///   - failure: The reason why a form was refused; `nil` if no form was refused.
    ///   - typed: The refused form, whose values the page shows again.
    ///   - mistakes: The mistakes in a form that adds to the catalog.
    /// - Returns: The page, and whether the customer or transaction that the location names does not exist.
    func page(
        _ location: PageLocation, failure: PageContent.Notice? = nil, typed: FormBody? = nil,
        mistakes: CatalogEdit.Mistakes? = nil
    ) throws -> (text: String, isMissing: Bool) {
        var builder = PageBuilder(
            local.current, location, at: local.configuration.wallClock.now, formToken: local.newFormToken, typed: typed,
            complaints: failure?.lines ?? [])
        builder.mistakes = mistakes
        let text = try PageTemplates.transactionManager.page(try builder.content(failure: failure), "page")
        return (text, builder.stranger != nil || builder.missing != nil)
    }

    /// The version of the present state; the page's script polls this version to notice changes.
    var version: JSONText {
        let served = local.current
        return .object(["version": .string(PageBuilder.version(of: served)), "now": .time(served.store.now)])
    }

    /// Returns the timeline of a customer as an SVG picture.
    func timelineSVG(_ location: PageLocation) throws -> String {
        let served = local.current
        let app = location.app ?? served.scenario.apps.first?.bundleID ?? ""
        let inquiry = try CustomerAnswersQuery(of: CustomerID(rawValue: location.person ?? ""), app: app, in: served)
        let span = location.span.flatMap { TimelineSpan($0) }
        return inquiry.chart.showing(from: span?.from, to: span?.to).svg(title: "\(location.person ?? ""), \(app)")
    }
}
