import Crypto
import Foundation

/// A verifier as a server might have one: it has checked the chain before, and Foundation decodes.
struct PlainVerifier {
    /// The members that a server needs.
    struct Payload: Decodable {
        let transactionId, originalTransactionId, bundleId, productId, environment: String
        let purchaseDate: Double
        let expiresDate, revocationDate: Double?
    }

    private struct Header: Decodable {
        let alg: String
        let x5c: [String]
    }

    let key: P256.Signing.PublicKey
    private let decoder = JSONDecoder()

    init(key: P256.Signing.PublicKey) { self.key = key }

    func verify(_ text: String) throws -> Payload {
        let parts = text.split(separator: ".")
        guard parts.count == 3, let header = Data(base64URL: parts[0]), let payload = Data(base64URL: parts[1]),
            let signature = Data(base64URL: parts[2]), try decoder.decode(Header.self, from: header).alg == "ES256",
            key.isValidSignature(
                try P256.Signing.ECDSASignature(rawRepresentation: signature),
                for: Data("\(parts[0]).\(parts[1])".utf8))
        else { throw BenchmarkError("a good transaction was refused") }
        return try decoder.decode(Payload.self, from: payload)
    }
}

extension Data {
    fileprivate init?(base64URL text: Substring) {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        self.init(
            base64Encoded: text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
                + padding)
    }

    var base64URL: String {
        base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}
