import FoundationEssentials
import Storekeeper
import StorekeeperJWS

/// An item and the file it stands in.
struct SourcedItem: Sendable {
    let item: EvidenceItem
    let file: String
}

/// Items that are looked at together, by one core.
struct EvidenceBatch: Sendable {
    var items: [SourcedItem] = []
    /// How many items stand before the first, in all files.
    let start: Int
}

/// Reads evidence files one after another, a batch of items at a time.
final class EvidenceReader {
    /// How many items make a batch, and how many bytes end one earlier: some milliseconds of a core.
    private static let batchItems = 256
    private static let batchBytes = 1 << 18

    private var remaining: ArraySlice<String>
    private var file: InputFile?
    private var scanner = EvidenceScanner()
    /// Items of one document that did not find room in the last batch.
    private var surplus: ArraySlice<EvidenceItem> = []
    private var surplusFile = ""

    /// How many bytes were read.
    private(set) var bytesRead = 0
    /// How many items were handed out.
    private var itemsRead = 0

    /// Files that somebody has opened to look at.
    private var opened: [String: InputFile]

    /// - Parameters:
    ///   - paths: The files.
    ///   - opened: Those of them that are open already, by path.
    /// - Throws: ``CommandError`` with 66 where one of the files cannot be read.
    init(_ paths: [String], opened: [String: InputFile] = [:]) throws(CommandError) {
        try InputFile.check(paths.filter { opened[$0] == nil })
        remaining = paths[...]
        self.opened = opened
    }

    /// The next items in order; none at the end of the last file.
    ///
    /// A batch is full, or all there is for now: items of a slow pipe are not held back.
    func next() throws(CommandError) -> EvidenceBatch {
        var batch = EvidenceBatch(start: itemsRead)
        defer { itemsRead += batch.items.count }
        var size = 0
        // An empty batch means the end, so a document larger than a batch is read on for.
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
                // A path that is named twice is read twice.
                let next: InputFile
                if let open = opened.removeValue(forKey: path) { next = open } else { next = try InputFile(path) }
                if let form = try ForeignForm.form(of: next) {
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

    /// Whether reading on would wait for somebody to write.
    private var wouldWait: Bool { surplus.isEmpty && file.map { !$0.isReady } ?? false }

    /// One document may hold millions of items, and a verified item takes a kilobyte.
    private func removeSurplus(upTo count: Int) -> [SourcedItem] {
        let items = surplus.prefix(count).map { SourcedItem(item: $0, file: surplusFile) }
        surplus = surplus.dropFirst(count)
        if surplus.isEmpty { surplus = [] }
        return items
    }
}

// MARK: - On all cores

extension EvidenceReader {
    /// How many batches are read ahead of the last one that was handed on.
    private static let maximumAhead = 4 * max(1, ProcessInfo.processInfo.activeProcessorCount)

    /// Reads all files and works on their batches, one on each core, while the next are read.
    ///
    /// - Parameters:
    ///   - bar: Is told how many bytes were read.
    ///   - work: What is done with a batch.
    ///   - body: Gets what came of each batch, in order, before reading has to wait for more; also of what was read
    ///     before a file failed.
    func forEachBatch<Outcome: Sendable>(
        _ bar: ProgressBar, _ work: @escaping @Sendable (EvidenceBatch) -> Outcome, _ body: (Outcome) -> Void
    ) async throws(CommandError) {
        defer { bar.end() }
        let failure = await withTaskGroup(of: (Int, Outcome).self) { group -> CommandError? in
            var failure: CommandError?
            var (started, handedOn) = (0, 0)
            var done: [Int: Outcome] = [:]
            func handOn(until count: Int) async {
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
                    if wouldWait { await handOn(until: started) }
                    let batch = try next()
                    bar.advance(to: bytesRead)
                    guard !batch.items.isEmpty else { break }
                    let number = started
                    group.addTask { (number, work(batch)) }
                    started += 1
                    await handOn(until: started - Self.maximumAhead)
                }
            } catch {
                failure = error
            }
            await handOn(until: started)
            return failure
        }
        if let failure { throw failure }
    }
}

/// Forms of files that evidence is taken for and never has.
enum ForeignForm: CaseIterable {
    case pdf, gzip, zip, sqlite, littleEndianUTF16, bigEndianUTF16, receipt, binary

    /// The form that a file begins like; `nil` for all that may be evidence.
    static func form(of file: InputFile) throws(CommandError) -> ForeignForm? {
        for form in allCases {
            if let beginning = form.beginning, try file.begins(with: beginning) { return form }
        }
        let start = try file.beginning().prefix(256)
        if isReceipt(start) || isReceipt(StandardBase64.decode(encodedStart(start)) ?? []) { return .receipt }
        // No text has a byte 0.
        return start.contains(0) ? .binary : nil
    }

    /// Whether bytes begin as an app receipt does: DER of signed data, PKCS #7.
    private static func isReceipt(_ start: some Collection<UInt8>) -> Bool {
        let signedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
        let head = Array(start.prefix(24))
        return head.first == 0x30 && head.indices.contains { head[$0...].starts(with: signedData) }
    }

    /// The first 32 characters of base64, if a text begins with as many.
    private static func encodedStart(_ start: ArraySlice<UInt8>) -> [UInt8] {
        let text = start.drop { $0 == UInt8(ascii: "\"") }.prefix(32)
        return text.first == UInt8(ascii: "M") && text.count == 32 ? Array(text) : []
    }

    private var beginning: [UInt8]? {
        switch self {
        case .pdf: Array("%PDF".utf8)
        case .gzip: [0x1F, 0x8B]
        case .zip: Array("PK\u{3}\u{4}".utf8)
        case .sqlite: Array("SQLite format 3\u{0}".utf8)
        case .littleEndianUTF16: [0xFF, 0xFE]
        case .bigEndianUTF16: [0xFE, 0xFF]
        case .receipt, .binary: nil
        }
    }

    /// What it is and what to do.
    var message: String {
        switch self {
        case .pdf: "the file is a PDF, not evidence: give what the App Store returned"
        case .gzip: "the file is packed with gzip: unpack it first"
        case .zip: "the file is packed as ZIP: unpack it first"
        case .sqlite: "the file is a database: ask a vault with --vault FILE --customer ID"
        case .littleEndianUTF16, .bigEndianUTF16: "the file is UTF-16: save it as UTF-8"
        case .receipt:
            "the file is an app receipt, which holds no transactions that are signed singly: ask for them with "
                + "'storekeeper fetch --transaction ID', with the id of any transaction in the receipt"
        case .binary: "the file is binary, not evidence: give signed texts (JWS) or JSON, in UTF-8"
        }
    }
}
