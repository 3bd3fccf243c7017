/// A catalog as the content of a file.
///
/// The content follows from the catalog alone: written twice it is the same bytes, and read back it is the same
/// catalog, but for what ``diagnostics`` name. It is a new file, not the files that the catalog was read from:
/// unknown keys, settings, further languages and keys for signing are not in a catalog and so not in it.
public struct WrittenCatalog: Sendable {
    /// The formats that can be written.
    public enum Format: String, Sendable, CaseIterable {
        /// Our own list as JSON, which can say everything.
        case json
        /// Our own list as an XML property list, which can say everything but most control characters.
        case propertyList = "plist"
        /// A StoreKit configuration as Xcode writes it, version 4.
        ///
        /// It knows no features, grants or lengths of access; its products stand in the order non-renewing,
        /// others, subscriptions by group; all prices are in the currency of one storefront.
        case storeKitConfiguration = "storekit"

        /// The format that a file's name says by its extension, in any case; `nil` for another or none.
        package init?(fileName: String) {
            guard let dot = fileName.lastIndex(of: "."), !fileName[dot...].contains("/") else { return nil }
            self.init(rawValue: fileName[dot...].dropFirst().lowercased())
        }
    }

    /// The content of the file.
    public let bytes: [UInt8]
    /// What the format cannot say, and what was made of it.
    public let diagnostics: [Diagnostic]
}

extension Catalog {
    /// The catalog as the content of a file.
    public func written(as format: WrittenCatalog.Format) -> WrittenCatalog {
        switch format {
        case .json:
            let list = ProductListWriter.document(of: self, format: format) { _ in true }
            return WrittenCatalog(bytes: DocumentText.json(list.root), diagnostics: list.diagnostics)
        case .propertyList:
            let list = ProductListWriter.document(of: self, format: format, isSayable: DocumentText.isSayableInXML)
            return WrittenCatalog(bytes: DocumentText.propertyList(list.root), diagnostics: list.diagnostics)
        case .storeKitConfiguration:
            let configuration = StoreKitConfigurationWriter.document(of: self)
            return WrittenCatalog(
                bytes: DocumentText.xcodeJSON(configuration.root), diagnostics: configuration.diagnostics)
        }
    }
}
