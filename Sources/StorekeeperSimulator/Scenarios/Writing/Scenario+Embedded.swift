import Storekeeper

extension Scenario {
    /// The part of the text with the contents of catalog files; empty if the scenario only names its catalog files.
    var embeddedFiles: String {
        let files = embeddedCatalogs.sorted().compactMap { name in catalogFiles[name].map { (name, $0.bytes) } }
        guard !files.isEmpty else { return "" }
        return "catalog files:\n" + files.map { "  \(Self.scalar($0)):\(Self.block($1))\n" }.joined()
    }

    /// Returns the content of a file as text if reading the text returns the same bytes, or else as base64.
    private static func block(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) {
            let block = literal(text)
            let root = try? ScenarioNode.root(of: "f:\n  x:\(block)\n  y: z\n", file: "")
            let values = try? root?.pairs("").first?.value.pairs("").map(\.value)
            if values?.count == 2, values?.first?.scalarText?.utf8.elementsEqual(bytes) == true { return block }
        }
        var base64 = StandardBase64.encode(bytes)[...]
        var block = " !!binary |"
        while !base64.isEmpty {
            block += "\n    " + base64.prefix(76)
            base64 = base64.dropFirst(76)
        }
        return block
    }

    /// Returns a text as a YAML literal block; the block does not end with a line feed.
    private static func literal(_ text: String) -> String {
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            Substring($0)
        }
        var mark = " |"
        if lines.first?.utf8.first.map({ $0 <= UInt8(ascii: " ") }) ?? true { mark += "2" }
        if lines.last?.isEmpty == true {
            lines.removeLast()
            if lines.last?.isEmpty == true { mark += "+" }
        } else {
            mark += "-"
        }
        return mark + lines.map { $0.isEmpty ? "\n" : "\n    \($0)" }.joined()
    }
}
