import Foundation
import Storekeeper

/// The app of the stories.
struct App {
    /// The bundle id.
    let bundleID: String
    /// The App Store's number for the app.
    let appAppleID: Int64
    /// The storefront of its customers: the country and the App Store's number for it.
    let storefront: (country: String, id: String)
    /// The catalog.
    let catalog: Catalog

    /// Reads a description of an app and its catalogs, whose paths are relative to its folder.
    init(describedBy file: URL) throws {
        let root = try DescriptionNode(reading: file)
        let members = try root.members(among: [
            "name", "bundleId", "appAppleId", "storefront", "storefrontId", "catalogs",
        ])
        func member(_ name: String) throws -> DescriptionNode {
            guard let member = members[name] else { throw root.error("\(name) is missing") }
            return member
        }
        bundleID = try member("bundleId").text()
        appAppleID = try member("appAppleId").number()
        storefront = (try member("storefront").text(), try member("storefrontId").text())
        catalog = try Catalog(
            reading: member("catalogs").elements().map { name in
                let path = file.deletingLastPathComponent().appending(path: try name.text())
                guard let bytes = try? Data(contentsOf: path) else { throw name.error("cannot be read") }
                return CatalogFile(name: try name.text(), bytes: Array(bytes))
            })
    }

    /// Returns the price of a product in milliunits and its currency; `nil` if the catalog has none.
    func price(of product: Product) -> (milliunits: Int64, currency: String)? {
        guard let price = product.price, let currency = product.currencyCode else { return nil }
        return (NSDecimalNumber(decimal: price * 1000).int64Value, currency)
    }
}
