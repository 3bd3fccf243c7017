/// The reason why a file is not a valid catalog.
public struct CatalogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A machine-readable code for the kind of fault.
    public struct Code: ErrorCode {
        /// The code as text.
        public let rawValue: String

        /// Creates a code from its text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The file has no content.
        package static let empty = Code(rawValue: "empty")
        /// The file has more than ``CatalogFile/maximumSize`` bytes, or its content would be too large after it is
        /// expanded.
        package static let tooLarge = Code(rawValue: "tooLarge")
        /// Arrays and dictionaries are nested deeper than ``CatalogFile/maximumDepth``.
        package static let tooDeep = Code(rawValue: "tooDeep")
        /// The file is not UTF-8 text.
        package static let notUTF8 = Code(rawValue: "notUTF8")
        /// The file is not valid JSON.
        package static let notJSON = Code(rawValue: "notJSON")
        /// The file is not valid XML, or is XML but not a property list.
        package static let notPropertyList = Code(rawValue: "notPropertyList")
        /// The file is a binary property list that is damaged or cut off.
        package static let damagedPropertyList = Code(rawValue: "damagedPropertyList")
        /// The text ends before its content is complete.
        package static let truncated = Code(rawValue: "truncated")
        /// A dictionary contains the same key twice.
        package static let duplicateKey = Code(rawValue: "duplicateKey")
        /// The file contains the markers of an unresolved merge conflict.
        package static let conflictMarkers = Code(rawValue: "conflictMarkers")
        /// The file is a StoreKit configuration as an XML property list, but StoreKit configurations must be JSON.
        package static let xmlWhereJSON = Code(rawValue: "xmlWhereJSON")
        /// The file is a StoreKit configuration as a binary property list, but StoreKit configurations must be JSON.
        package static let binaryWhereJSON = Code(rawValue: "binaryWhereJSON")
        /// The file is an AppleDouble file, which macOS writes next to a file on a volume of another system.
        package static let appleDouble = Code(rawValue: "appleDouble")
        /// The file is a macOS alias of another file.
        package static let alias = Code(rawValue: "alias")
        /// The file is well-formed but lists no products.
        package static let noProductList = Code(rawValue: "noProductList")
        /// The file cannot be read.
        package static let unreadable = Code(rawValue: "unreadable")
        /// A product's grant is not a whole number of units.
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
