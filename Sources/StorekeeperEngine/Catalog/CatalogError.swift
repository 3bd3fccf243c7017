/// The reason why a file is not a valid catalog.
public struct CatalogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A machine-readable code for the kind of fault.
    public struct Code: ErrorCode {
        /// The code as text.
        public let rawValue: String

        /// Creates a code from its text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The file has no content.
        ///
        /// Remedy: Restore the file, or leave it out of the catalog.
        package static let empty = Code(rawValue: "empty")
        /// The file has more than ``CatalogFile/maximumSize`` bytes, or its content would be too large after it is
        /// expanded.
        ///
        /// Remedy: Name a product list or a StoreKit configuration file.
        package static let tooLarge = Code(rawValue: "tooLarge")
        /// Arrays and dictionaries are nested deeper than ``CatalogFile/maximumDepth``.
        ///
        /// Remedy: Name a product list or a StoreKit configuration file.
        package static let tooDeep = Code(rawValue: "tooDeep")
        /// The file is not UTF-8 text.
        ///
        /// Remedy: Save it as UTF-8.
        package static let notUTF8 = Code(rawValue: "notUTF8")
        /// The file is not valid JSON.
        ///
        /// Remedy: Correct the JSON at the place that the message names.
        package static let notJSON = Code(rawValue: "notJSON")
        /// The file is not valid XML, or is XML but not a property list.
        ///
        /// Remedy: Correct the property list; `plutil -lint` checks it.
        package static let notPropertyList = Code(rawValue: "notPropertyList")
        /// The file is a binary property list that is damaged or cut off.
        ///
        /// Remedy: Restore the file; `plutil -lint` checks it.
        package static let damagedPropertyList = Code(rawValue: "damagedPropertyList")
        /// The text ends before its content is complete.
        ///
        /// Remedy: Restore the end of the file.
        package static let truncated = Code(rawValue: "truncated")
        /// A dictionary contains the same key twice.
        ///
        /// Remedy: Remove one of the keys.
        package static let duplicateKey = Code(rawValue: "duplicateKey")
        /// The file contains the markers of an unresolved merge conflict.
        ///
        /// Remedy: Resolve the conflict, and save the file.
        package static let conflictMarkers = Code(rawValue: "conflictMarkers")
        /// The file is a StoreKit configuration as an XML property list, but StoreKit configurations must be JSON.
        ///
        /// Remedy: Convert it with `plutil -convert json`.
        package static let xmlWhereJSON = Code(rawValue: "xmlWhereJSON")
        /// The file is a StoreKit configuration as a binary property list, but StoreKit configurations must be JSON.
        ///
        /// Remedy: Convert it with `plutil -convert json`.
        package static let binaryWhereJSON = Code(rawValue: "binaryWhereJSON")
        /// The file is an AppleDouble file, which macOS writes next to a file on a volume of another system.
        ///
        /// Remedy: Name the file without the leading `._`.
        package static let appleDouble = Code(rawValue: "appleDouble")
        /// The file is a macOS alias of another file.
        ///
        /// Remedy: Name the file that the alias points to.
        package static let alias = Code(rawValue: "alias")
        /// The file is well-formed but lists no products.
        ///
        /// Remedy: List the products under `products`, or name another file.
        package static let noProductList = Code(rawValue: "noProductList")
        /// The file cannot be read.
        ///
        /// Remedy: Check the path and its permissions.
        package static let unreadable = Code(rawValue: "unreadable")
        /// A product's grant is not a whole number of units.
        ///
        /// Remedy: Write grants like `{"coins": 500}`.
        package static let badGrants = Code(rawValue: "badGrants")
    }

    /// The code for the kind of fault.
    public let code: Code
    /// The name of the file at fault.
    public let file: String
    /// The fault in words.
    public let message: String
    /// The place in the file, such as `line 3, column 5`, or a path such as `products[3].grants`.
    package let location: String?
    /// The remedy in words.
    public let remedy: String

    /// Creates an error.
    package init(_ code: Code, file: String, message: String, location: String? = nil, remedy: String) {
        self.code = code
        self.file = file
        self.message = message
        self.location = location
        self.remedy = remedy
    }

    /// The fault, its place in the file, and the remedy, in one line.
    public var description: String {
        "\(message) (\(file)\(location.map { ", \($0)" } ?? "")): \(remedy)"
    }
}
