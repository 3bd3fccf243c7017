/// The maximum length of a text that a vault stores permanently, in bytes.
package enum LengthLimit: Int, Sendable {
    /// An id of a customer, a balance or a request, or the name of a caller.
    case id = 256
    /// The reason of a request, such as a grant.
    case reason = 1_024

    /// Throws if a text is longer than the limit.
    ///
    /// - Throws: ``VaultError`` with `invalidRequest`.
    package func check(_ text: String, _ what: String) throws(VaultError) {
        let count = text.utf8.count
        guard count > rawValue else { return }
        throw VaultError(.invalidRequest, "\(what) has \(count) bytes; the limit is \(rawValue)")
    }
}
