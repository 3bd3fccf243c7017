/// One file of a catalog: a `.storekit` configuration or a list of products, as a property list or JSON.
public struct CatalogFile: Sendable {
    /// The name by which messages refer to the file; the format is detected from the content, not from the name.
    package var name: String
    /// The file's content.
    package var bytes: [UInt8]

    /// The maximum number of bytes of a file: 5 MiB.
    package static let maximumSize = 5 << 20
    /// The maximum nesting depth of arrays and dictionaries.
    package static let maximumDepth = 64

    /// Creates a file.
    ///
    /// - Parameters:
    ///   - name: The name by which messages refer to the file.
    ///   - bytes: The file's content, at most 5 MiB.
    public init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}

extension Catalog {
    /// Reads files and merges them into one catalog.
    ///
    /// If two files describe the same product, the later file takes precedence. An explicit service level in any file
    /// takes precedence over the order of a list. Groups that share a product become one group. Questionable but
    /// readable content is reported in ``diagnostics``.
    ///
    /// - Parameter files: The files; a later file takes precedence over an earlier file. Without files, the catalog is
    ///   empty.
    /// - Throws: ``CatalogError`` for the first file that cannot be read as a catalog at all.
    public init(reading files: [CatalogFile]) throws(CatalogError) {
        var drafts: [CatalogDraft] = []
        for file in files {
            drafts.append(try CatalogDraft(reading: file, prefix: files.count > 1 ? "\(file.name): " : ""))
        }
        self = CatalogMerge.catalog(of: drafts)
    }
}
