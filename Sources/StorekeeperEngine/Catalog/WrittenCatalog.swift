/// A catalog as the content of a file.
///
/// The content depends on the catalog alone: writing twice gives the same bytes, and reading gives the same catalog,
/// except for the losses in ``diagnostics``. Keys that this version does not know are written again into a file of the
/// same kind. The settings and signing keys of a StoreKit configuration are not in a catalog and so not written.
public struct WrittenCatalog: Sendable {
    /// The formats that can be written.
    public enum Format: String, Sendable, CaseIterable {
        /// Our list as JSON, which can express everything.
        case json
        /// Our list as an XML property list, which can express everything except most control characters.
        case propertyList = "plist"
        /// A StoreKit configuration as Xcode writes it, version 4.
        ///
        /// It has no features, grants or lengths of access; its products are in the order non-renewing, others,
        /// subscriptions by group; all prices are in the currency of one storefront.
        case storeKitConfiguration = "storekit"

        /// Creates the format of a file name's extension, in any case; `nil` for another or none.
        package init?(fileName: String) {
            guard let dot = fileName.lastIndex(of: "."), !fileName[dot...].contains("/") else { return nil }
            self.init(rawValue: fileName[dot...].dropFirst().lowercased())
        }
    }

    /// The content of the file.
    public let bytes: [UInt8]
    /// The parts that the format cannot express, and how they were written instead.
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
