/// A catalog as the content of a file.
///
/// The content depends only on the catalog, so that the same catalog always becomes the same bytes. Reading the file
/// returns the same catalog, except for the losses in ``diagnostics``. Members that this version of the package does
/// not know are preserved if the file is of the same kind. The settings and signing keys of a StoreKit configuration
/// are not written, because a catalog does not contain them. Its internal ids are replaced, because they are used only
/// inside the file.
public struct WrittenCatalog: Sendable {
    /// The formats that can be written.
    public enum Format: String, Sendable, CaseIterable {
        /// This project's product list as JSON, which can store every value of a catalog.
        case json
        /// This project's product list as an XML property list, which can store every value except most control
        /// characters.
        case propertyList = "plist"
        /// A StoreKit configuration in version 4 of Xcode's format.
        ///
        /// A configuration has no features, grants or access durations. Non-renewing products come first, other
        /// products follow, and the subscriptions of each group come last. All prices are in the currency of one
        /// storefront.
        case storeKitConfiguration = "storekit"

        /// Creates a format from the extension of a file name in upper or lower case; `nil` for any other extension.
        package init?(fileName: String) {
            guard let dot = fileName.lastIndex(of: "."), !fileName[dot...].contains("/") else { return nil }
            self.init(rawValue: fileName[dot...].dropFirst().lowercased())
        }
    }

    /// The content of the file.
    public let bytes: [UInt8]
    /// Remarks about the values that the format cannot store, and about the values that were written instead.
    public let diagnostics: [Diagnostic]
}

extension Catalog {
    /// Returns the catalog as the content of a file.
    public func written(as format: WrittenCatalog.Format) -> WrittenCatalog {
        switch format {
        case .json:
            let list = ProductListWriter.document(of: self, format: format) { _ in true }
            return WrittenCatalog(bytes: DocumentText.json(list.root), diagnostics: list.diagnostics)
        case .propertyList:
            let list = ProductListWriter.document(of: self, format: format, isEncodable: DocumentText.isEncodableInXML)
            return WrittenCatalog(bytes: DocumentText.propertyList(list.root), diagnostics: list.diagnostics)
        case .storeKitConfiguration:
            let configuration = StoreKitConfigurationWriter.document(of: self)
            return WrittenCatalog(
                bytes: DocumentText.xcodeJSON(configuration.root), diagnostics: configuration.diagnostics)
        }
    }
}
