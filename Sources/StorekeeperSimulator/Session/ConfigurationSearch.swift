import FoundationEssentials
import Storekeeper

/// Searches for a `.storekit` file by its name.
struct ConfigurationSearch {
    /// The name, with the extension.
    let fileName: String
    /// The maximum depth below a folder, and the maximum number of folders to open.
    private static let (maximumDepth, maximumFolders) = (8, 20_000)

    init(name: String) { fileName = name.hasSuffix(".storekit") ? name : name + ".storekit" }

    /// Returns the file with the name at the smallest depth.
    ///
    /// If several files have this depth, returns the first of them in the order of the given folders and of the names
    /// of their subfolders.
    ///
    /// - Throws: ``SimulatorError`` with `fileNotFound` if no such file exists.
    func find(in folders: [URL]) throws(SimulatorError) -> URL {
        let manager = FileManager.default
        var level = folders
        var opened = 0
        for _ in 0..<Self.maximumDepth where !level.isEmpty {
            var below: [URL] = []
            for folder in level where opened < Self.maximumFolders {
                opened += 1
                let names = (try? manager.contentsOfDirectory(atPath: folder.path)) ?? []
                if names.contains(fileName) { return folder.appending(path: fileName) }
                // Hidden folders contain build products and third-party files.
                for name in names.sorted() where !name.hasPrefix(".") {
                    let place = folder.appending(path: name)
                    var isFolder = false
                    if manager.fileExists(atPath: place.path, isDirectory: &isFolder), isFolder { below.append(place) }
                }
            }
            level = below
        }
        let places = folders.map(\.path).joined(separator: ", ")
        throw SimulatorError(.fileNotFound, "there is no '\(fileName)' in \(places) or below; give its location")
    }
}

extension CatalogFile {
    /// Reads a `.storekit` file.
    ///
    /// - Throws: ``SimulatorError`` with `invalidURL` or `fileNotFound` if the file cannot be read.
    init(configurationAt url: URL) throws(SimulatorError) {
        guard url.isFileURL, url.pathExtension.lowercased() == "storekit" else {
            throw SimulatorError(.invalidURL, "'\(url.absoluteString)' is not the location of a .storekit file")
        }
        guard let data = try? Data(contentsOf: url) else {
            throw SimulatorError(.fileNotFound, "the file '\(url.path)' does not exist or cannot be read")
        }
        self.init(name: url.lastPathComponent, bytes: Array(data))
    }
}
