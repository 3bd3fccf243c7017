/// The unverified evidence in a file or in the body of a request.
///
/// The bytes may mix lines that are compact JWS with JSON documents of one or more lines. A document may be a response
/// of the App Store Server API, a notification, a notification history, or an array of JWS strings.
///
/// ```swift
/// for jws in EvidenceFile(bytes).signed { history.merge(verifier.verify(jws)) }
/// ```
public struct EvidenceFile: Sendable {
    /// The texts that should be compact JWS, in the order of the file; only a verifier decides whether a text is valid.
    public private(set) var signed: [String] = []
    /// Descriptions of the items that have no signature or are not evidence; each description contains the line number,
    /// but no evidence.
    public private(set) var rejected: [String] = []

    /// Finds the evidence in the bytes of a file or a request.
    ///
    /// - Parameter bytes: UTF-8 text with at most 64 MiB in each line or document. Unreadable content is described in
    ///   ``rejected``, and the content after it is still read.
    public init(_ bytes: some Collection<UInt8>) {
        var scanner = EvidenceScanner()
        for item in scanner.feed(bytes) + scanner.finish() {
            switch item {
            case .jws(let text, _): signed.append(String(decoding: text, as: UTF8.self))
            case .unsigned(_, let line): rejected.append("line \(line): a decoded payload has no signature")
            case .receipt(_, let line):
                rejected.append(
                    "line \(line): an app receipt, or a response of verifyReceipt, which contains no individually signed "
                        + "transactions: fetch the history of one of its transactions from the App Store Server API")
            case .malformed(let message, let line): rejected.append("line \(line): \(message)")
            }
        }
    }
}
