/// One piece of evidence as it stands in a file, before anybody believes it.
package enum EvidenceItem: Sendable {
    /// What should be a compact JWS: the text in UTF-8. Whether it is one is for the verifier to say.
    case jws([UInt8], line: Int)
    /// A decoded payload that bears no signature: a JSON object of a kind that ``EvidenceKind`` knows.
    case unsigned(JSONValue, line: Int)
    /// Neither; the message says what is wrong and quotes no value.
    case malformed(String, line: Int)

    /// The line of the file it stands on, from 1.
    package var line: Int {
        switch self {
        case .jws(_, let line), .unsigned(_, let line), .malformed(_, let line): line
        }
    }
}
