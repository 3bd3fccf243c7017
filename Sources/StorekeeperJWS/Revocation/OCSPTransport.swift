/// Carries OCSP requests to responders.
///
/// An implementation does not check responses; the checker trusts a response only after it has checked the signature.
/// The HTTP implementation is `HTTPOCSPTransport` in `StorekeeperAppStore`.
///
/// - SeeAlso: RFC 6960, appendix A, "OCSP over HTTP".
public protocol OCSPTransport: Sendable {
    /// Sends a request and returns the response.
    ///
    /// A call ends when its task is cancelled.
    ///
    /// - Parameters:
    ///   - request: The request, as DER.
    ///   - url: The responder's URL, from the certificate.
    ///   - sizeLimit: The maximum size of the response in bytes; a longer response is not read to its end.
    /// - Returns: The response, as DER.
    /// - Throws: ``OCSPError`` with `tooLarge` if the response is too long; any other error if no response was
    ///   received.
    func response(to request: [UInt8], at url: String, sizeLimit: Int) async throws -> [UInt8]
}
