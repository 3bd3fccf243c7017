/// One item of unverified evidence in a file.
package enum EvidenceItem: Sendable {
    /// Text in UTF-8 that should be a compact JWS; only the verifier decides whether the text is valid.
    case jws([UInt8], line: Int)
    /// A decoded payload without a signature: a JSON object of one of the kinds in ``EvidenceKind``.
    case unsigned(JSONValue, line: Int)
    /// A receipt of the original StoreKit in any form, such as a response of `verifyReceipt`.
    case receipt([UInt8], line: Int)
    /// Any other content; the message describes why it cannot be read, and contains no evidence.
    case malformed(String, line: Int)

    /// The line number of the item in the file, from 1.
    package var line: Int {
        switch self {
        case .jws(_, let line), .unsigned(_, let line), .receipt(_, let line), .malformed(_, let line): line
        }
    }
}

/// Functions that read evidence in encodings and envelopes.
extension EvidenceItem {
    /// Returns the items of a file that is encoded as a whole.
    ///
    /// - Parameter bytes: The whole file.
    /// - Returns: The items; `nil` if the file is evidence as it is, or is of an unknown kind.
    package static func items(ofEncoded bytes: [UInt8]) -> [EvidenceItem]? {
        let pasted = PastedContent(bytes)
        if pasted.kind == .unknown || pasted.kind.isEvidence && !pasted.isUnwrapped && !pasted.kind.isReceipt {
            return nil
        }
        // Each line is a receipt of its own.
        if pasted.kind == .receipt, pasted.items > 1 { return nil }
        return items(of: pasted, line: 1)
    }

    /// Returns the items of a line or a string that is not a compact JWS, such as a receipt in base64.
    static func items(ofText text: [UInt8], line: Int) -> [EvidenceItem] {
        // A file may contain millions of signed items, so they are not examined.
        if ContentRecognizer.beginsCompactJWS(text[...]) { return [.jws(text, line: line)] }
        let pasted = PastedContent(text)
        guard pasted.kind != .unknown, pasted.isUnwrapped || !pasted.kind.isEvidence else {
            return [.jws(text, line: line)]
        }
        return items(of: pasted, line: line)
    }

    /// Returns the items of Unity's receipt.
    static func items(ofUnity bytes: [UInt8], line: Int) -> [EvidenceItem] {
        items(of: PastedContent(bytes), line: line)
    }

    private static func items(of pasted: PastedContent, line: Int) -> [EvidenceItem] {
        var kind = pasted.kind
        if kind == .unity {
            // The content is the payload, if the payload is evidence.
            guard pasted.items > 0 else { return [refusal(of: pasted, line: line)] }
            kind = PastedContent(pasted.content).kind
        }
        guard kind.isEvidence else { return [refusal(of: pasted, line: line)] }
        guard !kind.isReceipt else { return [.receipt(pasted.content, line: line)] }
        var scanner = EvidenceScanner()
        return (scanner.feed(pasted.content) + scanner.finish()).map { $0.moved(by: line - 1) }
    }

    private static func refusal(of pasted: PastedContent, line: Int) -> EvidenceItem {
        .malformed("\(pasted.what), not evidence: \(pasted.next)", line: line)
    }

    private func moved(by lines: Int) -> EvidenceItem {
        switch self {
        case .jws(let text, let line): .jws(text, line: line + lines)
        case .unsigned(let value, let line): .unsigned(value, line: line + lines)
        case .receipt(let bytes, let line): .receipt(bytes, line: line + lines)
        case .malformed(let message, let line): .malformed(message, line: line + lines)
        }
    }
}

extension PastedContent.Kind {
    /// Whether the content is read as evidence.
    fileprivate var isEvidence: Bool {
        [.jws, .serverAPIAnswer, .notification, .unity].contains(self) || isReceipt
    }

    /// Whether the content is a receipt of the original StoreKit in any form.
    package var isReceipt: Bool { [.receipt, .transactionReceipt, .verifyReceiptAnswer].contains(self) }
}
