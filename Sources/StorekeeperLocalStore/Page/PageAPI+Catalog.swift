import Storekeeper
import StorekeeperPages
import StorekeeperSimulator

/// The catalog of the page: its files, and additions.
extension PageAPI {
    /// Returns the catalog of an app as the content of a file, with the present prices.
    ///
    /// - Throws: ``SimulatorError`` if the app does not exist.
    func catalogFile(_ location: PageLocation, as format: WrittenCatalog.Format) throws -> [UInt8] {
        let served = local.current
        let app = location.app ?? served.scenario.apps.first?.bundleID
        return try served.store.presentCatalog(of: app).written(as: format).bytes
    }

    /// Returns the file with the additions to the catalog of an app; `nil` if nothing was added.
    func catalogEdits(_ location: PageLocation) -> CatalogFile? {
        let scenario = local.scenario
        let app = location.app ?? scenario.apps.first?.bundleID ?? ""
        return scenario.catalogFiles[CatalogEdit.fileName(for: app, in: scenario)]
    }

    /// Adds the product or offer of a form to the catalog: the story is played again with it, and served.
    ///
    /// - Throws: If the page cannot be made.
    func editCatalog(_ body: [UInt8], type: String?) async throws -> FormResult {
        try await result(of: body, type: type) { form throws in
            let served = local.current
            let app = form.value("app") ?? served.scenario.apps.first?.bundleID ?? ""
            let catalog = try served.store.catalog(of: app)
            let edit =
                form.value("add") == "offer"
                ? try CatalogEdit.offer(in: catalog, form.value) : try CatalogEdit.product(in: catalog, form.value)
            let seen = (number: served.number, calls: served.store.callCount)
            let report: ScenarioReport
            do {
                report = try await local.load(try await edit.scenario(editing: app, of: served), madeFrom: seen)
            } catch is StoryRecorder.StoreReplaced {
                throw FormRefusal(
                    heading: "The catalog was not changed: the store has changed meanwhile.",
                    lines: ["send the form again"])
            }
            guard report.isMet else {
                throw FormRefusal(
                    heading: "The catalog was not changed: the story cannot be played with it.",
                    lines: report.failures.map { "expected \($0.expected), found \($0.found)" })
            }
            return { location in
                location = location.showing(.store)
                location.item = edit.productID.rawValue
                location.done = local.store.happeningCount
            }
        }
    }
}
