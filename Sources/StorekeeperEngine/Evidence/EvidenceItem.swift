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
