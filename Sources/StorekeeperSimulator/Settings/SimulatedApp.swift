public import Storekeeper

/// An app in a simulated App Store.
public struct SimulatedApp: Sendable {
    /// The app's bundle id.
    public var bundleID: String
    /// The app's App Store id; `nil` assigns an id.
    public var appleID: Int64?
    /// The version of the app that its app transactions state.
    public var version: String
    /// The app's catalog.
    public var catalog: Catalog
    /// The initial settings; a reset restores them.
    public var settings: AppSettings

    /// Creates an app.
    public init(
        bundleID: String = "com.example.game", appleID: Int64? = nil, version: String = "1", catalog: Catalog,
        settings: AppSettings = AppSettings()
    ) {
        self.bundleID = bundleID
        self.appleID = appleID
        self.version = version
        self.catalog = catalog
        self.settings = settings
    }
}
