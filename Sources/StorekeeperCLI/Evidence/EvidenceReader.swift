import FoundationEssentials
import Storekeeper
import StorekeeperJWS

/// An item of evidence and its file.
struct SourcedItem: Sendable {
    let item: EvidenceItem
    let file: String
}

/// Items that one core processes together.
struct EvidenceBatch: Sendable {
    var items: [SourcedItem] = []
    /// The number of items before the first item of the batch, in all files.
    let start: Int
}

/// Reads evidence files one after another, a batch of items at a time.
final class EvidenceReader {
    /// The maximum numbers of items and bytes of a batch, which one core verifies in a few milliseconds.
    private static let batchItems = 256
    private static let batchBytes = 1 << 18

    private var remaining: ArraySlice<String>
    private var file: InputFile?
    private var scanner = EvidenceScanner()
    /// Items of a document that did not fit into the last batch.
    private var surplus: ArraySlice<EvidenceItem> = []
    private var surplusFile = ""

    /// The unsigned states of subscriptions that were found so far.
    var statuses: [ReportedStatus] { scanner.statuses }

    /// The number of bytes read.
    private(set) var bytesRead = 0
    /// The number of items that were returned in batches.
    private var itemsRead = 0

    /// Files that were opened earlier to examine their beginning.
    private var opened: [String: InputFile]

    /// - Parameters:
    ///   - paths: The files.
    ///   - opened: The files that are already open, by path.
    /// - Throws: ``CommandError`` with status 66 if a file cannot be read.
    init(_ paths: [String], opened: [String: InputFile] = [:]) throws(CommandError) {
        try InputFile.check(paths.filter { opened[$0] == nil })
        remaining = paths[...]
        self.opened = opened
    }

    /// Returns the next items in order, or an empty batch at the end of the last file.
    ///
    /// A batch may contain fewer items than the maximum if further reading would wait for a slow pipe.
    func next() throws(CommandError) -> EvidenceBatch {
        var batch = EvidenceBatch(start: itemsRead)
        defer { itemsRead += batch.items.count }
        var size = 0
        // An empty batch means the end of the input, so reading continues until the batch has at least one item.
        while batch.items.isEmpty || (batch.items.count < Self.batchItems && size < Self.batchBytes) {
            if !surplus.isEmpty {
                batch.items += removeSurplus(upTo: Self.batchItems - batch.items.count)
            } else if let file {
                if !batch.items.isEmpty, !file.isReady { return batch }
                let bytes = try file.read()
                size += bytes.count
                bytesRead += bytes.count
                let items = bytes.isEmpty ? scanner.finish() : scanner.feed(bytes)
                (surplus, surplusFile) = (items[...], file.path)
                if bytes.isEmpty { self.file = nil }
            } else if let path = remaining.popFirst() {
                // A path that is given twice is read twice.
                let next: InputFile
                if let open = opened.removeValue(forKey: path) { next = open } else { next = try InputFile(path) }
                if try Self.isOneReceipt(next) {
                    (surplus, surplusFile) = ([try receipt(in: next)], path)
                } else if PastedContent.mayBeEncoded(beginning: try next.beginning()) {
                    try decode(next, at: path)
                } else if let form = try UnsupportedFormat.form(of: next) {
                    (surplus, surplusFile) = ([.malformed(form.message, line: 1)], path)
                } else {
                    file = next
                }
            } else {
                break
            }
        }
        return batch
    }

    /// Reads a file that may be encoded as a whole, such as signed data in base64.
    ///
    /// A larger file than the largest receipt, and a file of unknown content, is read as it is.
    private func decode(_ next: InputFile, at path: String) throws(CommandError) {
        var whole: [UInt8] = []
        var isComplete = false
        while whole.count <= ReceiptVerifier.maximumSize, !isComplete {
            let bytes = try next.read()
            bytesRead += bytes.count
            isComplete = bytes.isEmpty
            whole += bytes
        }
        if isComplete, let items = EvidenceItem.items(ofEncoded: whole) {
            (surplus, surplusFile) = (items[...], path)
        } else if let form = UnsupportedFormat.form(ofBytes: whole) {
            (surplus, surplusFile) = ([.malformed(form.message, line: 1)], path)
        } else {
            (surplus, surplusFile) = ((scanner.feed(whole) + (isComplete ? scanner.finish() : []))[...], path)
            if !isComplete { file = next }
        }
    }

    /// Returns whether the whole file is one receipt, either in DER or in base64 with short lines.
    ///
    /// If the lines of base64 are longer, each line is a receipt of its own.
    private static func isOneReceipt(_ file: InputFile) throws(CommandError) -> Bool {
        let start = try file.beginning()
        guard ReceiptVerifier.isReceipt(beginning: start) else { return false }
        return start.first == 0x30 || start.prefix(Self.shortLine).contains(UInt8(ascii: "\n"))
    }

    /// The maximum number of bytes of a line of base64 in MIME, including the line break.
    private static let shortLine = 78

    /// Reads a file that is one receipt.
    private func receipt(in file: InputFile) throws(CommandError) -> EvidenceItem {
        var whole: [UInt8] = []
        while whole.count <= ReceiptVerifier.maximumSize {
            let bytes = try file.read()
            bytesRead += bytes.count
            if bytes.isEmpty { break }
            whole += bytes
        }
        return .receipt(whole, line: 1)
    }

    /// Whether reading more items would wait for input, such as from a slow pipe.
    private var wouldWait: Bool { surplus.isEmpty && file.map { !$0.isReady } ?? false }

    /// Removes and returns at most as many items as a batch may contain.
    ///
    /// This limits the memory for verified items: a document may contain millions of items, and each verified item uses
    /// a kilobyte.
    private func removeSurplus(upTo count: Int) -> [SourcedItem] {
        let items = surplus.prefix(count).map { SourcedItem(item: $0, file: surplusFile) }
        surplus = surplus.dropFirst(count)
        if surplus.isEmpty { surplus = [] }
        return items
    }
}

// MARK: - On all cores

extension EvidenceReader {
    /// The maximum number of batches that are read ahead of the last delivered batch.
    private static let maximumAhead = 4 * max(1, ProcessInfo.processInfo.activeProcessorCount)

    /// Reads all files, and processes batches on all cores while further batches are read.
    ///
    /// - Parameters:
    ///   - bar: Shows the number of bytes read.
    ///   - work: Processes a batch.
    ///   - body: Receives the result of each batch, in order, before reading waits for more input. If a file cannot be
    ///     read, the closure still receives the results of the batches before the error.
    func forEachBatch<Outcome: Sendable>(
        _ bar: ProgressBar, _ work: @escaping @Sendable (EvidenceBatch) -> Outcome, _ body: (Outcome) -> Void
    ) async throws(CommandError) {
        defer { bar.end() }
        let failure = await withTaskGroup(of: (Int, Outcome).self) { group -> CommandError? in
            var failure: CommandError?
            var (started, handedOn) = (0, 0)
            var done: [Int: Outcome] = [:]
            func emit(until count: Int) async {
                while handedOn < count {
                    while let outcome = done.removeValue(forKey: handedOn) {
                        body(outcome)
                        handedOn += 1
                    }
                    guard handedOn < count, let (number, outcome) = await group.next() else { return }
                    done[number] = outcome
                }
            }
            do throws(CommandError) {
                while true {
                    if wouldWait { await emit(until: started) }
                    let batch = try next()
                    bar.advance(to: bytesRead)
                    guard !batch.items.isEmpty else { break }
                    let number = started
                    group.addTask { (number, work(batch)) }
                    started += 1
                    await emit(until: started - Self.maximumAhead)
                }
            } catch {
                failure = error
            }
            await emit(until: started)
            return failure
        }
        if let failure { throw failure }
    }
}

/// File formats that are often mistaken for evidence.
enum UnsupportedFormat: CaseIterable {
    case pdf, gzip, zip, sqlite, littleEndianUTF16, bigEndianUTF16, binary

    /// Returns the format of a file, determined from its beginning; `nil` if the file may be evidence.
    static func form(of file: InputFile) throws(CommandError) -> UnsupportedFormat? {
        for form in allCases {
            if let beginning = form.beginning, try file.begins(with: beginning) { return form }
        }
        return Self.form(ofBytes: try file.beginning())
    }

    /// Returns the format of bytes, determined from their beginning; `nil` if they may be evidence.
    static func form(ofBytes bytes: [UInt8]) -> UnsupportedFormat? {
        let form = allCases.first { form in form.beginning.map { bytes.starts(with: $0) } ?? false }
        // Text contains no zero byte.
        return form ?? (bytes.prefix(256).contains(0) ? .binary : nil)
    }

    private var beginning: [UInt8]? {
        switch self {
        case .pdf: Array("%PDF".utf8)
        case .gzip: [0x1F, 0x8B]
        case .zip: Array("PK\u{3}\u{4}".utf8)
        case .sqlite: Array("SQLite format 3\u{0}".utf8)
        case .littleEndianUTF16: [0xFF, 0xFE]
        case .bigEndianUTF16: [0xFE, 0xFF]
        case .binary: nil
        }
    }

    /// The message, which names the format and the remedy.
    var message: String {
        switch self {
        case .pdf: "the file is a PDF, not evidence: give what the App Store returned"
        case .gzip: "the file is packed with gzip: unpack it first"
        case .zip: "the file is packed as ZIP: unpack it first"
        case .sqlite: "the file is a database: ask a vault with --vault FILE --customer ID"
        case .littleEndianUTF16, .bigEndianUTF16: "the file is UTF-16: save it as UTF-8"
        case .binary: "the file is binary, not evidence: give signed texts (JWS) or JSON, in UTF-8"
        }
    }
}
