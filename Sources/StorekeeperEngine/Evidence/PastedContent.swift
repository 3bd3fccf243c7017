/// The kind of content in a file or a pasted text, found out from its bytes, and what to do with it.
///
/// All commands that read evidence, receipts, keys and catalogs use this one value. It removes encodings and envelopes
/// in which content often arrives, such as base64 twice or Unity's receipt.
///
/// Recognition is not verification: nothing about the content can be trusted.
package struct PastedContent: Sendable {
    /// The kinds of content.
    package enum Kind: String, Sendable, CaseIterable {
        /// Transactions, renewal infos or app transactions, signed or as decoded payloads.
        case jws
        /// A receipt of the original StoreKit, which is PKCS #7.
        case receipt
        /// A receipt of one transaction, from before iOS 7.
        case transactionReceipt
        /// A response of `verifyReceipt`, or a request to it.
        case verifyReceiptAnswer
        /// A response of the App Store Server API.
        case serverAPIAnswer
        /// An App Store server notification of version 2.
        case notification
        /// An App Store server notification of version 1, which has no signature.
        case notificationV1
        /// A list of products or a StoreKit configuration.
        case catalog
        /// A private key.
        case privateKey
        /// An X.509 certificate.
        case certificate
        /// A token that authorizes a request to the App Store Server API.
        case apiToken
        /// The receipt of Unity's in-app purchasing, which contains a receipt or signed transactions.
        case unity
        /// Any other content.
        case unknown
    }

    /// The kind.
    package let kind: Kind
    /// The number of items, such as transactions, purchases or products.
    package let items: Int
    /// What the content is, as a noun phrase, such as `an app receipt (in base64 twice)`.
    package let what: String
    /// What to do with the content; the word `FILE` stands for the file.
    package let next: String
    /// The content without the encodings around it, in a form that the readers of its kind accept.
    package let content: [UInt8]
    /// Whether ``content`` differs from the bytes that were recognized.
    package let isUnwrapped: Bool

    /// Recognizes content.
    ///
    /// - Parameter bytes: All bytes of a file or a pasted text, in at most six layers of encodings.
    package init(_ bytes: [UInt8]) {
        var recognizer = ContentRecognizer()
        let finding = recognizer.finding(of: bytes)
        kind = finding.kind
        items = finding.items
        let layers = recognizer.layers.isEmpty ? "" : " (\(recognizer.layers))"
        what = finding.what + (finding.kind == .unknown ? "" : layers)
        next = finding.next
        content = finding.content
        isUnwrapped = finding.kind != .unknown && finding.content != bytes
    }

    /// Returns what the content of a file is and what to do with it, as one line.
    package func line(for file: String) -> String {
        let count = items > 1 ? " (\(items) items)" : ""
        return "\(what)\(count): \(next(for: file))"
    }

    /// Returns what to do with the content of a file.
    package func next(for file: String) -> String { next.replacing("FILE", with: file) }

    /// Returns whether a file may have an encoding that has to be removed before its evidence is read.
    ///
    /// JSON, compact JWS and single lines in base64 are read one after another, while the file is still open. Only a
    /// text in several lines and DER have to be decoded as a whole.
    ///
    /// - Parameter start: The first bytes of the file.
    package static func mayBeEncoded(beginning start: [UInt8]) -> Bool {
        let text = ContentRecognizer.trimmed(start[...])
        switch text.first {
        case nil, UInt8(ascii: "["), UInt8(ascii: "\""): return false
        case UInt8(ascii: "{"): return ContentRecognizer.beginsOldPropertyList(text)
        case 0x30 where (text.dropFirst().first ?? 0) >= 0x80: return true
        default:
            let line = text.prefix { $0 != 0x0A && $0 != 0x0D }
            return line.count < text.count && !ContentRecognizer.beginsCompactJWS(line)
        }
    }
}
