import Storekeeper
import StorekeeperPages
import StorekeeperSimulator

/// Requests of the page about the catalog, which return it as a file or add to it.
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

    /// Adds the product or offer of a form to the catalog.
    ///
    /// The steps of the story are replayed with the new catalog, and the resulting store is served.
    ///
    /// - Throws: An error if the page cannot be made.
    func editCatalog(_ body: [UInt8], type: String?) async throws -> FormResult {
        try await result(of: body, type: type) { form throws in
            let served = local.current
            let app = form.value("app") ?? served.scenario.apps.first?.bundleID ?? ""
            let catalog = try served.store.catalog(of: app)
            let edit =
                form.value("add") == "offer"
                ? try CatalogEdit.offer(in: catalog, form.value) : try CatalogEdit.product(in: catalog, form.value)
            let seen = (number: served.number, calls: served.store.callCount)
            var scenario = try edit.scenario(editing: app, of: served)
            var runner = try await ScenarioRunner(
                scenario, authority: served.store.authority, wallClock: local.configuration.wallClock)
            let report = try await runner.run()
            // The story may contain purchases that the App Store has refused. Such purchases are not failures if the
            // new store refuses them as well.
            let refused = SavedTest.addOutcomes(of: report, to: &scenario)
            let wereRefused = served.store.count(of: .purchaseFailed)
            var failures = report.failures.map { "expected \($0.expected), found \($0.found)" }
            if failures.count == refused { failures = [] }
            if runner.store.count(of: .purchaseFailed) != wereRefused {
                failures.append("other purchases are refused than before")
            }
            guard failures.isEmpty else {
                throw FormRefusal(
                    heading: "The catalog was not changed: the story cannot be played with it.", lines: failures)
            }
            do {
                try await local.serve(runner.store, of: scenario, madeFrom: seen)
            } catch is StoryRecorder.StoreReplaced {
                throw FormRefusal(
                    heading: "The catalog was not changed: the store has changed meanwhile.",
                    lines: ["send the form again"])
            }
            return { location in
                location = location.showing(.store)
                location.item = edit.productID.rawValue
                location.done = local.store.happeningCount
            }
        }
    }
}
