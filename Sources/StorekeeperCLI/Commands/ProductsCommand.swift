import ArgumentParser
import Storekeeper

/// `storekeeper products FILE…`.
struct ProductsCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "products",
        abstract: "Reads product lists and prints the catalog.",
        usage: """
            storekeeper products <file> ... [--output <file> ...] [<options>]
            storekeeper products --schema
            """,
        discussion: """
            Several files make one catalog: ids from a property list, levels from a .storekit file, features \
            from a JSON file. If two files contradict each other, the later file wins, and a warning on \
            standard error names both places.

            Storekeeper's own JSON list, each part optional:
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
            A group lists its products highest service first; an entry that is itself a list contains products of \
            one level. The types are consumable, nonConsumable, nonRenewable, autoRenewable, subscriptionBundle and \
            subscriptionSuite; bundles and suites name their members, and unlock the features of their members.

            These lists are read as well: .storekit files, StoreHelper's and MKStoreKit's property lists, Unity's \
            catalog, products that an app saved (Product.jsonRepresentation of StoreKit 2, react-native-iap), and \
            responses of the App Store Connect API about in-app purchases, subscriptions and their groups.

            --output writes the catalog to a file, in the format of the file name: .json and .plist as above, \
            .storekit as Xcode's version 4. Reading it back gives the same catalog. Parts that a format cannot \
            represent, such as features and bundles in a .storekit file, are reported on standard error (notWritten). Unknown \
            keys are written again into a file of the same kind, unless they name a secret; the settings of a \
            .storekit file are not written.

            --localizations prints names and descriptions in all languages, and the version of the list, its \
            member "version". --locale prints them in one language, with displayPrice and periodText as customers \
            read them: prices and periods are in the formats of the Unicode CLDR.

            EXIT STATUS
              0   done                           66  a file cannot be read
              64  wrong usage                    73  a file cannot be written
              65  a file is malformed

            EXAMPLES
              What does the app sell?
                storekeeper products Products.plist Store.storekit

              All ids, for another program:
                storekeeper products Store.storekit --format json | jq -r '.products[].id'

              Does the list of the server contain a product twice?
                curl -s https://example.com/ids.json | storekeeper products -

              What do customers in Switzerland see?
                storekeeper products Store.storekit --locale de_CH

              Which keys may a list have?
                storekeeper products --schema > products.schema.json

              Merge two files into one list, to ship with the app:
                storekeeper products Products.plist Store.storekit --output All.json
            """)

    @Argument(
        help: ArgumentHelp("Property lists, JSON lists or .storekit files; '-' is standard input.", valueName: "file"),
        completion: .file(extensions: ["plist", "json", "storekit"]))
    var files: [String] = []

    @Flag(name: .long, help: "Prints the JSON schema of a list of products, for editors, and reads no file.")
    var schema = false

    @Option(
        name: .customLong("output"),
        help: ArgumentHelp("Writes the catalog to a .json, .plist or .storekit file (repeatable).", valueName: "file"),
        completion: .file(extensions: ["json", "plist", "storekit"]))
    var outputs: [String] = []

    @Flag(name: .long, help: "Replaces an existing file of --output.")
    var force = false

    @Option(
        name: .long,
        help: ArgumentHelp("Prints names, prices and periods for a language, such as de_CH.", valueName: "locale"))
    var locale: String?

    @Flag(name: .long, help: "Prints names and descriptions in all languages.")
    var localizations = false

    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        guard !schema else {
            guard files.isEmpty, outputs.isEmpty else {
                throw .usage("--schema reads and writes no file", at: "--schema", "leave out the files")
            }
            console.output.json(ProductListSchema.json, .pretty)
            return .success
        }
        guard !files.isEmpty else {
            throw .usage("no list of products is given", at: "products", "name a file, or - for standard input")
        }
        let texts = try texts()
        let formats = try outputFormats()
        let catalog = try Catalog(atPaths: files)
        for diagnostic in catalog.diagnostics { console.report(diagnostic) }
        var losses: [Diagnostic] = []
        for (path, format) in zip(outputs, formats) {
            let written = catalog.written(as: format)
            try OutputFile.write(written.bytes, to: path, replaces: force, hasForce: true)
            for var loss in written.diagnostics {
                loss.location = path
                console.report(loss)
                losses.append(loss)
            }
        }
        console.print(
            output.format, json: CatalogReport.json(catalog, texts, diagnostics: losses),
            lines: CatalogReport.lines(catalog, texts, console.style, width: console.columns))
        return .success
    }

    /// Returns the texts to print.
    private func texts() throws(CommandError) -> Catalog.Texts {
        guard let locale else { return localizations ? .all : .names }
        guard !localizations else {
            throw .usage(
                "--locale prints one language, --localizations all of them", at: "--locale", "leave out one of them")
        }
        guard let known = LocaleID(checking: locale) else {
            throw .usage("'\(locale)' is not a language", at: "--locale", "write it like de or de_CH")
        }
        return .localized(known)
    }

    /// Returns the formats of the files to write.
    ///
    /// Throws an error if a file is named twice. Without `--force`, throws an error if a file exists.
    private func outputFormats() throws(CommandError) -> [WrittenCatalog.Format] {
        var formats: [WrittenCatalog.Format] = []
        for (position, path) in outputs.enumerated() {
            guard let format = WrittenCatalog.Format(fileName: path) else {
                throw .usage(
                    "the file name does not end in a catalog format", at: "--output \(path)",
                    "end it in .json, .plist or .storekit")
            }
            guard !outputs[..<position].contains(path) else {
                throw .usage("the file is named twice", at: "--output \(path)", "name it once")
            }
            if !force { try OutputFile.checkIsNew(path) }
            formats.append(format)
        }
        guard !force || !outputs.isEmpty else {
            throw .usage("no file would be replaced", at: "--force", "name a file with --output, or leave it out")
        }
        return formats
    }
}

extension Catalog {
    /// Reads files into one catalog.
    ///
    /// - Throws: ``CommandError`` with status 66 for an unreadable file, 65 for a malformed file.
    init(atPaths paths: [String]) throws(CommandError) {
        try InputFile.check(paths)
        var files: [CatalogFile] = []
        for path in paths {
            let bytes = try InputFile.contents(of: path, limit: CatalogFile.maximumSize)
            files.append(CatalogFile(name: InputFile.name(of: path), bytes: bytes))
        }
        self = try Self.catalog(of: files)
    }

    /// Reads files into one catalog, and removes the encodings of files that cannot be read as they are.
    private static func catalog(of files: [CatalogFile]) throws(CommandError) -> Catalog {
        do {
            return try Catalog(reading: files)
        } catch {
            let place = error.file + (error.location.map { ", \($0)" } ?? "")
            if let index = files.firstIndex(where: { $0.name == error.file }) {
                let pasted = PastedContent(files[index].bytes)
                if pasted.kind == .catalog, pasted.isUnwrapped {
                    var decoded = files
                    decoded[index].bytes = pasted.content
                    return try catalog(of: decoded)
                }
                if ![.catalog, .unknown].contains(pasted.kind) {
                    throw CommandError(
                        .malformedInput, "the file is \(pasted.what), not a list of products", at: files[index].name,
                        pasted.next(for: files[index].name))
                }
            }
            throw CommandError(.malformedInput, error.message, at: place, error.remedy)
        }
    }
}
