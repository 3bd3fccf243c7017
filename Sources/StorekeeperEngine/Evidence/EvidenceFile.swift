/// The unverified evidence in a file or in the body of a request.
///
/// The bytes are any mix of lines that are compact JWS and of JSON documents, on one line or many: answers of the App
/// Store Server API, notifications, notification histories, arrays of JWS strings.
///
/// ```swift
/// for jws in EvidenceFile(bytes).signed { history.merge(verifier.verify(jws)) }
/// ```
public struct EvidenceFile: Sendable {
    /// The items that should be compact JWS, in the order of the file; only a verifier decides whether they are.
    public private(set) var signed: [String] = []
    /// The items without a signature or without evidence: a phrase for each, with its line, that quotes no value.
    public private(set) var rejected: [String] = []

    /// Finds the evidence in bytes.
    ///
    /// - Parameter bytes: UTF-8 text; a line or a document may have 64 MiB. Unreadable parts are in ``rejected`` and do
    ///   not stop the reading of what follows.
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
