import CStorekeeper
import Storekeeper
import StorekeeperJWS
import StorekeeperSimulator

/// The object of an `sk_simulator`.
final class SimulatorObject: HandleObject {
    static let kind = HandleKind.simulator

    let store: SimulatedAppStore
    let verifier: JWSVerifier

    init(_ options: sk_simulator_options) throws(Failure) {
        guard let bundleID = try Arguments.optionalText(options.bundle_id, "bundle_id"), !bundleID.isEmpty else {
            throw Failure(.invalid, "noApp", "'bundle_id' is missing")
        }
        guard
            let catalog = try CatalogArgument.catalog(
                path: options.catalog_path, text: options.catalog, length: options.catalog_length)
        else { throw Failure(.invalid, "noCatalog", "a simulated App Store sells a catalog; give one") }
        let start =
            try options.start == 0
            ? SimulatedAppStore.defaultStart : Arguments.instant(options.start) ?? WallClock().now
        let environment = AppStore.Environment.sandbox
        let store = try failing {
            try SimulatedAppStore(
                apps: [SimulatedApp(bundleID: bundleID, catalog: catalog)], environment: environment,
                seed: options.seed, start: start)
        }
        self.store = store
        verifier = store.verifier(bundleID: bundleID, environments: [environment])
    }
}
