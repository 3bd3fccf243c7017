import Storekeeper

/// An item and the file it stands in.
struct SourcedItem {
    let item: EvidenceItem
    let file: String
}

/// Reads evidence files one after another, a batch of items at a time.
final class EvidenceReader {
    /// How many items make a batch, and how many bytes end one earlier.
    private static let batchItems = 4096
    private static let batchBytes = 16 << 20

    private var remaining: ArraySlice<String>
    private var file: InputFile?
    private var scanner = EvidenceScanner()

    /// - Throws: ``CommandError`` with 66 where one of the files cannot be read.
    init(_ paths: [String]) throws(CommandError) {
        try InputFile.check(paths)
        remaining = paths[...]
    }

    /// The next items in order; none at the end of the last file.
    ///
    /// A batch is full, or all there is for now: items of a slow pipe are not held back.
    func next() throws(CommandError) -> [SourcedItem] {
        var batch: [SourcedItem] = []
        var size = 0
        while batch.count < Self.batchItems, size < Self.batchBytes {
            if let file {
                if !batch.isEmpty, !file.isReady { return batch }
                let bytes = try file.read()
                size += bytes.count
                let items = bytes.isEmpty ? scanner.finish() : scanner.feed(bytes)
                batch += items.map { SourcedItem(item: $0, file: file.path) }
                if bytes.isEmpty { self.file = nil }
            } else if let path = remaining.popFirst() {
                file = try InputFile(path)
            } else {
                break
            }
        }
        return batch
    }
}
