/// Carries questions about certificates to those who answer them.
///
/// An implementation is transport and nothing else: what it brings back is not believed before its signature was
/// checked. The one over HTTP is `HTTPOCSPTransport` in `StorekeeperAppStore`.
///
/// - SeeAlso: RFC 6960, appendix A, "OCSP over HTTP".
public protocol OCSPTransport: Sendable {
    /// Sends a request and returns the response.
    ///
    /// A call ends when its task is cancelled.
    ///
    /// - Parameters:
    ///   - request: The request, as DER.
    ///   - url: Where the responder is, as the certificate says.
    ///   - sizeLimit: How many bytes the response may have; a longer one is not read to its end.
    /// - Returns: The response, as DER.
    /// - Throws: ``OCSPError`` with `tooLarge`; anything else where no response came.
    func response(to request: [UInt8], at url: String, sizeLimit: Int) async throws -> [UInt8]
}
