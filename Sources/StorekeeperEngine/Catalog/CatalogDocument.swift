/// The content of a catalog file as a value, and the format of the file.
struct CatalogDocument: Sendable {
    /// The formats of a file.
    enum Format: Sendable { case json, xmlPropertyList, binaryPropertyList }

    let format: Format
    let root: DocumentValue

    /// Detects the format of a file from its content, and reads the file.
    init(reading file: CatalogFile) throws(CatalogError) {
        var bytes = file.bytes
        guard bytes.count <= CatalogFile.maximumSize else {
            throw CatalogError(
                .tooLarge, file: file.name, message: "the file has more than 5 MiB",
                remedy: "name a product list or a StoreKit configuration file")
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        format = try Self.format(of: bytes, file: file.name)
        do throws(CatalogError) {
            switch format {
            case .json: root = try Self.json(bytes, file: file.name)
            case .xmlPropertyList: root = try XMLPropertyListReader.read(bytes, file: file.name)
            case .binaryPropertyList: root = try BinaryPropertyListReader.read(bytes, file: file.name)
            }
        } catch {
            // If the file has merge conflict markers, only the markers are reported, because they cause the syntax
            // error.
            if format != .binaryPropertyList, let line = Self.conflictMarker(in: bytes) {
                throw CatalogError(
                    .conflictMarkers, file: file.name, message: "the file has unresolved merge conflict markers",
                    location: "line \(line)", remedy: "resolve the conflict and save the file")
            }
            throw error
        }
    }

    private static func format(of bytes: [UInt8], file: String) throws(CatalogError) -> Format {
        guard let first = bytes.first(where: { !JSONReader.isSpace($0) }) else {
            throw CatalogError(
                .empty, file: file, message: "the file is empty",
                remedy: "restore the file, or leave it out of the catalog")
        }
        if bytes.starts(with: [0x00, 0x05, 0x16, 0x07]) || bytes.starts(with: [0x00, 0x05, 0x16, 0x00]) {
            throw CatalogError(
                .appleDouble, file: file,
                message: "the file is an AppleDouble companion of another file, not that file",
                remedy: "name the file without the leading \"._\"")
        }
        if bytes.starts(with: "book".utf8) {
            throw CatalogError(
                .alias, file: file, message: "the file is a macOS alias of another file",
                remedy: "name the file that the alias points to")
        }
        if bytes.drop(while: { JSONReader.isSpace($0) }).starts(with: "-----BEGIN".utf8) {
            throw CatalogError(
                .noProductList, file: file, message: "the file is a certificate or a key, not a list of products",
                remedy: "name a list of products (property list or JSON) or a .storekit file")
        }
        if bytes.starts(with: "bplist".utf8) { return .binaryPropertyList }
        if let offset = firstByteOutsideUTF8(of: bytes) ?? (first == 0 ? 0 : nil) {
            let place = JSONError(.invalidString, "", at: offset, in: bytes)
            throw CatalogError(
                .notUTF8, file: file, message: "the file is neither UTF-8 text nor a binary property list",
                location: "line \(place.line), column \(place.column)", remedy: "save it as UTF-8")
        }
        return first == UInt8(ascii: "<") ? .xmlPropertyList : .json
    }

    /// Returns the position of the first invalid UTF-8 sequence, or `nil` if the text is valid.
    private static func firstByteOutsideUTF8(of bytes: [UInt8]) -> Int? {
        guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var offset = 0
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let scalar): offset += scalar.count
            case .emptyInput, .error: return offset
            }
        }
    }

    private static func json(_ bytes: [UInt8], file: String) throws(CatalogError) -> DocumentValue {
        do throws(JSONError) {
            let reader = JSONReader(maximumDepth: CatalogFile.maximumDepth, maximumSize: CatalogFile.maximumSize)
            return DocumentValue(try reader.read(bytes).root)
        } catch {
            let code: CatalogError.Code
            let remedy: String
            switch error.code {
            case .unexpectedEnd: (code, remedy) = (.truncated, "restore the rest of the file")
            case .tooDeep: (code, remedy) = (.tooDeep, "name a product list or a StoreKit configuration file")
            case .tooLarge: (code, remedy) = (.tooLarge, "name a product list or a StoreKit configuration file")
            case .duplicateMember: (code, remedy) = (.duplicateKey, "remove or rename one of the two")
            default: (code, remedy) = (.notJSON, "correct the JSON there")
            }
            throw CatalogError(
                code, file: file, message: code == .notJSON ? "not JSON: \(error.message)" : error.message,
                location: "line \(error.line), column \(error.column)", remedy: remedy)
        }
    }

    /// Returns the line number of the first marker that begins a merge conflict; `nil` if no marker that ends a
    /// conflict follows.
    private static func conflictMarker(in bytes: [UInt8]) -> Int? {
        var begin: Int?
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            if begin == nil, line.starts(with: "<<<<<<<".utf8) { begin = index + 1 }
            if let begin, line.starts(with: ">>>>>>>".utf8) { return begin }
        }
        return nil
    }
}
