/// Splits a file of evidence into its items while the file is being read.
///
/// A file may mix lines that are compact JWS with JSON documents of one or more lines. A document may be a response of
/// the App Store Server API, a notification, an array of JWS strings, or a decoded payload. Each item is recognized by
/// its form. Any other content becomes an ``EvidenceItem/malformed(_:line:)``, and reading continues after the
/// malformed item.
///
/// The bytes can be passed to ``feed(_:)`` in blocks of any size, and the items do not depend on the sizes. The scanner
/// stores at most one line or document and the last block. The time is linear in the size of the file.
package struct EvidenceScanner: Sendable {
    /// The maximum number of bytes of a line or a JSON document.
    package static let maximumDocumentSize = 64 << 20

    private enum State {
        case fileStart
        /// The scanner is between values, before the first byte that is not blank.
        case between
        /// The scanner is on a line that is a compact JWS or unknown text.
        case text
        /// The scanner is on a line that starts with a quotation mark.
        case string
        case document(DocumentAttempt)
        /// The scanner ignores the rest of the current line.
        case skippingLine
    }

    private struct DocumentAttempt {
        /// The number of bytes in which the end of the document is searched; 0 means the rest of the line.
        var extent: Int
        /// The error about a duplicate member; `nil` if no duplicate was found.
        ///
        /// A document with a duplicate member is ignored, and is read again only to find its end.
        var duplicate: JSONError?
    }

    /// The unsigned states of subscriptions that were found so far, such as those in a response of Get All Subscription
    /// Statuses.
    package private(set) var statuses: [ReportedStatus] = []

    private let maximumSize: Int
    private var state = State.fileStart
    /// The bytes that were passed to the scanner and may still be needed.
    private var buffer: [UInt8] = []
    /// The position of the first unprocessed byte of the buffer.
    private var start = 0
    /// The position from which the search for the end of the current line continues.
    private var searched = 0
    /// The number of the line that contains the byte at ``start``, from 1.
    private var line = 1
    /// Whether a value precedes the byte at ``start`` on the same line.
    private var isAfterValue = false

    /// Creates a scanner for one file.
    package init() { self.init(maximumDocumentSize: Self.maximumDocumentSize) }

    init(maximumDocumentSize: Int) { maximumSize = maximumDocumentSize }

    /// Reads the next bytes of the file.
    ///
    /// - Returns: The items that are complete so far, in the order of the file.
    package mutating func feed(_ bytes: some Collection<UInt8>) -> [EvidenceItem] {
        buffer.append(contentsOf: bytes)
        return drain(isAtEnd: false)
    }

    /// Ends the file and returns its last items.
    ///
    /// - Returns: The remaining items; the scanner is then ready for another file, and keeps ``statuses``.
    package mutating func finish() -> [EvidenceItem] {
        let items = drain(isAtEnd: true)
        let statuses = statuses
        self = EvidenceScanner(maximumDocumentSize: maximumSize)
        self.statuses = statuses
        return items
    }

    private mutating func drain(isAtEnd: Bool) -> [EvidenceItem] {
        var items: [EvidenceItem] = []
        while step(isAtEnd: isAtEnd, &items) {}
        // The unprocessed bytes are moved to the front only if they are at most half of the buffer, so that moving
        // bytes takes linear time in total.
        if start > 0, buffer.count - start <= start {
            buffer.removeSubrange(..<start)
            searched = max(0, searched - start)
            start = 0
        }
        return items
    }

    /// Continues reading in the current state, and returns `false` if more bytes are needed.
    private mutating func step(isAtEnd: Bool, _ items: inout [EvidenceItem]) -> Bool {
        switch state {
        case .fileStart: return skipByteOrderMark(isAtEnd: isAtEnd)
        case .between: return enterValue()
        case .text, .string: return readLine(isAtEnd: isAtEnd, &items)
        case .document(let attempt): return readDocument(attempt, isAtEnd: isAtEnd, &items)
        case .skippingLine:
            let end = endOfLine()
            consume(to: end ?? buffer.count)
            if end != nil { state = .between }
            return end != nil
        }
    }

    private mutating func skipByteOrderMark(isAtEnd: Bool) -> Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        guard buffer.count >= mark.count || isAtEnd || !mark.starts(with: buffer) else { return false }
        if buffer.starts(with: mark) { consume(to: mark.count) }
        state = .between
        return true
    }

    private mutating func enterValue() -> Bool {
        while start < buffer.count {
            switch buffer[start] {
            case Self.lineFeed:
                line += 1
                isAfterValue = false
            case 0x20, 0x09, 0x0D: break
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                // Most documents are one line, so the first attempt to read a document examines the whole line. If
                // the line has an earlier document, only a few bytes are examined at first, so that the rest of the
                // line is not scanned again for each document.
                state = .document(DocumentAttempt(extent: isAfterValue ? Self.smallestExtent : 0))
                return true
            case UInt8(ascii: "\""):
                state = .string
                return true
            default:
                state = .text
                return true
            }
            start += 1
        }
        return false
    }
}

// MARK: - Lines

extension EvidenceScanner {
    private static let lineFeed = UInt8(ascii: "\n")
    private static let smallestExtent = 256

    /// Returns the position of the line feed at the end of the current line; `nil` if the buffer does not contain it
    /// yet.
    private mutating func endOfLine() -> Int? {
        let found = ByteScan.firstIndex(of: Self.lineFeed, in: buffer.span, from: max(searched, start))
        searched = found ?? buffer.count
        return found
    }

    private mutating func consume(to position: Int) {
        let range = start..<position
        line += buffer.withUnsafeBufferPointer { bytes in
            bytes[range].reduce(0) { $0 + ($1 == Self.lineFeed ? 1 : 0) }
        }
        start = position
    }

    private mutating func readLine(isAtEnd: Bool, _ items: inout [EvidenceItem]) -> Bool {
        let found = endOfLine()
        guard let end = found ?? (isAtEnd ? buffer.count : nil), end - start <= maximumSize else {
            guard buffer.count - start > maximumSize else { return false }
            items.append(.malformed("the line is longer than \(maximumSize >> 20) MiB", line: line))
            state = .skippingLine
            return true
        }
        if case .string = state {
            // Unlike in the last case below, blanks at the end of the line are not removed. A line may contain many
            // strings, and the blanks would be examined once for each string.
            readStrings(buffer[start..<end], endOfLine: end, &items)
        } else if isAfterValue {
            items.append(.malformed("there is extra content after the JSON value on its line", line: line))
            consume(to: end)
        } else {
            var last = end
            while last > start, Self.isBlank(buffer[last - 1]) { last -= 1 }
            items += EvidenceItem.items(ofText: Array(buffer[start..<last]), line: line)
            // The text contains no line feed, so the line number stays the same.
            start = end
        }
        state = .between
        return true
    }

    /// Reads the strings that follow one another on a line, separated only by blanks.
    private mutating func readStrings(_ text: ArraySlice<UInt8>, endOfLine: Int, _ items: inout [EvidenceItem]) {
        var scan = text
        while scan.first == UInt8(ascii: "\"") {
            guard let end = Self.endOfString(scan),
                let document = try? JSONReader().read(Array(scan[..<end])),
                let string = document.root.string
            else {
                items.append(.malformed("the line starts with a quotation mark but is not a JSON string", line: line))
                consume(to: endOfLine)
                return
            }
            items += EvidenceItem.items(ofText: Array(string.utf8), line: line)
            isAfterValue = true
            scan = scan[end...].drop(while: Self.isBlank)
        }
        consume(to: scan.startIndex)
    }

    /// Returns the position after the closing quotation mark of a string.
    private static func endOfString(_ text: ArraySlice<UInt8>) -> Int? {
        var isEscaped = false
        for position in text.indices.dropFirst() {
            if isEscaped {
                isEscaped = false
            } else if text[position] == UInt8(ascii: "\\") {
                isEscaped = true
            } else if text[position] == UInt8(ascii: "\"") {
                return position + 1
            }
        }
        return nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}

// MARK: - Documents

extension EvidenceScanner {
    private mutating func readDocument(
        _ attempt: DocumentAttempt, isAtEnd: Bool, _ items: inout [EvidenceItem]
    ) -> Bool {
        var attempt = attempt
        let available = buffer.count - start
        if attempt.extent == 0 {
            let end = endOfLine()
            guard end != nil || isAtEnd || available >= maximumSize else { return false }
            attempt.extent = (end ?? buffer.count) - start
        }
        attempt.extent = min(attempt.extent, maximumSize)
        guard available >= attempt.extent || isAtEnd else {
            state = .document(attempt)
            return false
        }
        let isWhole = isAtEnd && available <= attempt.extent
        let text = Array(buffer[start..<start + min(attempt.extent, available)])
        var reader = JSONReader(maximumSize: maximumSize)
        reader.refusesDuplicateMembers = attempt.duplicate == nil
        do {
            let (document, end) = try reader.readPrefix(text)
            if let duplicate = attempt.duplicate {
                items.append(malformed(duplicate))
            } else {
                var content = EvidenceDocument(startingAt: line)
                content.append(document.root, to: &items)
                statuses += content.statuses
            }
            consume(to: start + end)
            isAfterValue = true
            state = .between
        } catch let error where error.code == .unexpectedEnd {
            if isWhole {
                items.append(malformed(attempt.duplicate ?? error))
                consume(to: buffer.count)
                state = .between
            } else if attempt.extent >= maximumSize {
                let limit = "the JSON document is larger than \(maximumSize >> 20) MiB"
                items.append(.malformed(limit, line: line))
                consume(to: start + text.count)
                state = .skippingLine
            } else {
                attempt.extent = max(Self.smallestExtent, attempt.extent * 2)
                state = .document(attempt)
            }
        } catch let error where error.code == .duplicateMember && attempt.duplicate == nil {
            attempt.duplicate = error
            state = .document(attempt)
        } catch {
            items.append(malformed(attempt.duplicate ?? error))
            skip(behind: error, in: text)
        }
        return true
    }

    /// After an error in a document, moves to the position where the next item may begin.
    ///
    /// If only blanks precede the error on its line, another item may begin on this line, so the line is read again,
    /// unless it is the first line of the document. In all other cases, reading continues on the line after the error.
    private mutating func skip(behind error: JSONError, in text: [UInt8]) {
        let before = text[..<min(error.offset, text.count)]
        let lineStart = (before.lastIndex(of: Self.lineFeed) ?? -1) + 1
        if lineStart > 0, before[lineStart...].allSatisfy(Self.isBlank) {
            consume(to: start + lineStart)
            isAfterValue = false
            state = .between
        } else {
            consume(to: start + before.count)
            state = .skippingLine
        }
    }

    private func malformed(_ error: JSONError) -> EvidenceItem {
        error.code == .unexpectedEnd
            ? .malformed("the JSON document that begins here does not end", line: line)
            : .malformed("not JSON: \(error.message)", line: line + error.line - 1)
    }
}
