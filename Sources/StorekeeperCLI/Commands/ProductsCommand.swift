import ArgumentParser
import Storekeeper

/// `storekeeper products FILE…`.
struct ProductsCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "products",
        abstract: "Reads product lists and prints the catalog.",
        discussion: """
            Several files make one catalog: ids from a property list, levels from a .storekit file, features \
            from a JSON file. Where two files contradict each other the later one wins, and a warning on \
            standard error names both places.

            Our own JSON list, each part optional:
              { "products": [
                  "coins.100",
                  { "id": "gold.monthly", "type": "autoRenewable",
                    "group": "membership", "level": 1, "period": "P1M" },
                  { "id": "season.pass", "type": "nonRenewable",
                    "accessDuration": "P90D" },
                  { "id": "coins.500", "type": "consumable",
                    "grants": { "coins": 500 } } ],
                "subscriptions": [
                  { "group": "membership",
                    "products": ["gold.monthly", "silver.monthly"] } ],
                "features": { "pro": ["gold.monthly"] } }
            A group lists its products highest service first; an entry that is itself a list holds products of \
            one level.

            EXIT STATUS
              0   done                           65  a file is malformed
              64  wrong usage                    66  a file cannot be read

            EXAMPLES
              What does the app sell?
                storekeeper products Products.plist Store.storekit

              All ids, for another program:
                storekeeper products Store.storekit --format json | jq -r '.products[].id'

              Does the list from the server name a product twice?
                curl -s https://example.com/ids.json | storekeeper products -
            """)

    @Argument(
        help: ArgumentHelp("Property lists, JSON lists or .storekit files; '-' is standard input.", valueName: "file"),
        completion: .file(extensions: ["plist", "json", "storekit"]))
    var files: [String]

    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let catalog = try Catalog(atPaths: files)
        for diagnostic in catalog.diagnostics { console.report(diagnostic) }
        switch output.format {
        case .json: console.output.json(CatalogReport.json(catalog), .pretty)
        case .text: for line in CatalogReport.lines(catalog, console.style) { console.output.line(line) }
        }
        return .success
    }
}

extension Catalog {
    /// Reads files into one catalog.
    ///
    /// - Throws: ``CommandError`` with 66 for a file that cannot be read, 65 for one that is malformed.
    init(atPaths paths: [String]) throws(CommandError) {
        try InputFile.check(paths)
        var files: [CatalogFile] = []
        for path in paths {
            let bytes = try InputFile.contents(of: path, limit: CatalogFile.maximumSize)
            files.append(CatalogFile(name: InputFile.name(of: path), bytes: bytes))
        }
        do {
            try self.init(reading: files)
        } catch {
            let place = error.file + (error.location.map { ", \($0)" } ?? "")
            throw CommandError(.malformedInput, error.message, at: place, error.remedy)
        }
    }
}
