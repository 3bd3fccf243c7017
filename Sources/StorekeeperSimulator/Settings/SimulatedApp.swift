public import Storekeeper

/// An app in a simulated App Store.
public struct SimulatedApp: Sendable {
    /// Its bundle id.
    public var bundleID: String
    /// Its number in the App Store; `nil`: one is given.
    public var appleID: Int64?
    /// Its version, as app transactions have it.
    public var version: String
    /// What it sells.
    public var catalog: Catalog
    /// The settings that it begins with and can be set back to.
    public var settings: AppSettings

    /// Makes an app.
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
