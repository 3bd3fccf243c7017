public import FoundationEssentials

extension Catalog {
    /// Reads a file, or all catalog files of a folder, as one catalog.
    ///
    /// In a folder, the files with the extension `.plist`, `.json` or `.storekit` are read, in the order of the bytes
    /// of their names. A later file overrides an earlier one, as in `init(reading:)`. Hidden files, and files that are
    /// not about products, such as the `Info.plist` of an app, are ignored. Files in subfolders are not read.
    ///
    /// - Parameter url: The URL of the file or folder.
    /// - Throws: ``CatalogError`` for a file that cannot be read as a catalog, and for a folder without a catalog file.
    public init(contentsOf url: URL) throws(CatalogError) { try self.init(contentsOf: [url]) }

    /// Reads files and folders as one catalog.
    ///
    /// - Parameter urls: The URLs, in order; a later file overrides an earlier one.
    /// - Throws: ``CatalogError`` for a file that cannot be read as a catalog, and for a folder without a catalog file.
    public init(contentsOf urls: [URL]) throws(CatalogError) {
        var files: [CatalogFile] = []
        for url in urls {
            guard url.isFileURL else {
                throw CatalogError(
                    .unreadable, file: url.absoluteString, message: "the URL is not that of a file",
                    remedy: "use RemoteProductList for a list on a server")
            }
            let path = url.path(percentEncoded: false)
            if let names = try? FileManager.default.contentsOfDirectory(atPath: path) {
                files += try Self.files(named: names, inFolder: url, path)
            } else {
                files.append(try Self.file(path))
            }
        }
        try self.init(reading: files)
    }

    private static let endings = [".plist", ".json", ".storekit"]

    private static func files(
        named names: [String], inFolder url: URL, _ path: String
    ) throws(CatalogError) -> [CatalogFile] {
        let named = names.filter { name in !name.hasPrefix(".") && endings.contains { name.lowercased().hasSuffix($0) }
        }
        var files: [CatalogFile] = []
        for name in named.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            let path = url.appending(path: name).path(percentEncoded: false)
            // A subfolder may have the name of a catalog file, and is not read.
            var isFolder = false
            guard !FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) || !isFolder else { continue }
            let file = try file(path)
            do throws(CatalogError) {
                _ = try Catalog(reading: [file])
                files.append(file)
            } catch {
                guard error.code == .noProductList else { throw error }
            }
        }
        guard !files.isEmpty else {
            throw CatalogError(
                .noProductList, file: path, message: "the folder has no product list or StoreKit configuration",
                remedy: "add one that ends in .plist, .json or .storekit, or name another folder")
        }
        return files
    }

    private static func file(_ path: String) throws(CatalogError) -> CatalogFile {
        guard let content = FileManager.default.contents(atPath: path) else {
            throw CatalogError(
                .unreadable, file: path, message: "the file cannot be read",
                remedy: "check the path and its permissions")
        }
        return CatalogFile(name: path, bytes: Array(content))
    }
}
