import Crypto
import FoundationEssentials
import StorekeeperJWS

/// Three certificates that are assembled byte by byte, so that they may have any form.
struct HandmadeChain {
    /// The form of one certificate.
    ///
    /// The default is the form of the App Store's certificates.
    struct Form {
        /// The version field: 2 means version 3; `nil` omits it, which means version 1.
        var version: UInt8? = 2
        /// The algorithm inside the signed part.
        var inner = DER.ecdsaWithSHA384
        /// The algorithm outside of the signed part, next to the signature.
        ///
        /// A parser uses this algorithm to verify the signature.
        var outer = DER.ecdsaWithSHA384
        /// Whether the signature is made over a SHA-256 digest.
        var signsWithSHA256 = false
        /// Whether the last bit of the signature is marked as unused, which a parser accepts if the bit is zero.
        var hasUnusedBit = false
        /// The extensions; `nil` stands for the extensions that the certificate's position in the chain requires, and
        /// an empty array for an empty field.
        var extensions: [[UInt8]]?
    }

    let certificates: [[UInt8]]
    private let leafKey = P256.Signing.PrivateKey()

    init(leaf: Form = Form(), intermediate: Form = Form(), root: Form = Form()) throws {
        let (rootKey, intermediateKey) = (P384.Signing.PrivateKey(), P384.Signing.PrivateKey())
        let authority = [
            DER.extensionField([0x55, 0x1D, 0x13], critical: true, [0x30, 0x03, 0x01, 0x01, 0xFF]),
            DER.extensionField([0x55, 0x1D, 0x0F], critical: true, [0x03, 0x02, 0x01, 0x06]),
        ]
        // 1.2.840.113635.100.6.2.1 and …11.1, the App Store's markers.
        let marks: [[UInt8]] = [
            [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x06, 0x02, 0x01],
            [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x06, 0x0B, 0x01],
        ]
        certificates = [
            try Self.certificate(
                leaf, subject: "Leaf", issuer: "Intermediate", key: leafKey.publicKey.derRepresentation,
                issuerKey: intermediateKey,
                extensions: [
                    DER.extensionField([0x55, 0x1D, 0x0F], critical: true, [0x03, 0x02, 0x07, 0x80]),
                    DER.extensionField(marks[1], critical: false, [0x05, 0x00]),
                ]),
            try Self.certificate(
                intermediate, subject: "Intermediate", issuer: "Root", key: intermediateKey.publicKey.derRepresentation,
                issuerKey: rootKey,
                extensions: authority + [DER.extensionField(marks[0], critical: false, [0x05, 0x00])]),
            try Self.certificate(
                root, subject: "Root", issuer: "Root", key: rootKey.publicKey.derRepresentation, issuerKey: rootKey,
                extensions: authority),
        ]
    }

    /// Returns a compact JWS under these certificates.
    func sign(_ payload: [UInt8]) throws -> String {
        let header = JWSSigner.header(certificates: certificates)
        let input = "\(Self.base64URL(Array(header.utf8))).\(Self.base64URL(payload))"
        let signature = try leafKey.signature(for: Array(input.utf8)).rawRepresentation
        return "\(input).\(Self.base64URL(Array(signature)))"
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func certificate(
        _ form: Form, subject: String, issuer: String, key: Data, issuerKey: P384.Signing.PrivateKey,
        extensions: [[UInt8]]
    ) throws -> [UInt8] {
        var parts: [[UInt8]] = []
        if let version = form.version { parts.append(DER.tagged(0xA0, [0x02, 0x01, version])) }
        parts += [
            [0x02, 0x01, 0x07], form.inner, DER.name(issuer),
            DER.sequence(
                DER.tagged(0x17, Array("200101000000Z".utf8)), DER.tagged(0x17, Array("491231235959Z".utf8))),
            DER.name(subject), Array(key),
        ]
        let fields = form.extensions ?? extensions
        parts.append(DER.tagged(0xA3, DER.tagged(0x30, fields.flatMap { $0 })))
        let signed = DER.tagged(0x30, parts.flatMap { $0 })
        func sign() throws -> [UInt8] {
            let signature =
                form.signsWithSHA256
                ? try issuerKey.signature(for: SHA256.hash(data: signed)) : try issuerKey.signature(for: signed)
            return Array(signature.derRepresentation)
        }
        var signature = try sign()
        if form.hasUnusedBit {
            // About every second signature ends in a zero bit, so the loop soon finds such a signature.
            for _ in 0..<256 where signature[signature.count - 1] & 1 == 1 { signature = try sign() }
        }
        return DER.sequence(signed, form.outer, DER.tagged(0x03, [form.hasUnusedBit ? 0x01 : 0x00] + signature))
    }
}

/// The part of ASN.1's distinguished encoding that certificates need.
enum DER {
    static let ecdsaWithSHA256 = sequence([0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02])
    static let ecdsaWithSHA384 = sequence([0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x03])
    /// ECDSA with SHA-384 and a null parameter, which this algorithm must not have.
    static let ecdsaWithSHA384AndNull = sequence(
        [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x03], [0x05, 0x00])

    static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        switch content.count {
        case 0..<128: [tag, UInt8(content.count)] + content
        case 128..<256: [tag, 0x81, UInt8(content.count)] + content
        default: [tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
        }
    }

    static func sequence(_ parts: [UInt8]...) -> [UInt8] { tagged(0x30, parts.flatMap { $0 }) }

    static func name(_ commonName: String) -> [UInt8] {
        let attribute = sequence([0x06, 0x03, 0x55, 0x04, 0x03], tagged(0x0C, Array(commonName.utf8)))
        return sequence(tagged(0x31, attribute))
    }

    static func extensionField(_ oid: [UInt8], critical: Bool, _ value: [UInt8]) -> [UInt8] {
        sequence(tagged(0x06, oid), critical ? [0x01, 0x01, 0xFF] : [], tagged(0x04, value))
    }
}
