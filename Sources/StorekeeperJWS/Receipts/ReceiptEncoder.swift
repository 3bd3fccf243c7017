import StorekeeperEngine
import SwiftASN1

/// Writes the DER of receipts.
enum ReceiptEncoder {
    /// Returns the DER that a closure writes.
    static func der(_ write: (inout DER.Serializer) throws -> Void) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try write(&serializer)
        return serializer.serializedBytes
    }

    // MARK: Content

    /// Returns the attributes of a receipt as a DER set.
    static func content(of receipt: AppReceipt) throws -> [UInt8] {
        var attributes: [(ReceiptAttributes.Number, [UInt8])] = []
        func add(_ number: ReceiptAttributes.Number, text: String?) throws {
            guard let text else { return }
            attributes.append((number, try der { $0.text(text, .utf8String) }))
        }
        func add(_ number: ReceiptAttributes.Number, time: Instant?) throws {
            guard let time else { return }
            attributes.append((number, try der { $0.text(time.toSeconds, .ia5String) }))
        }
        try add(.type, text: receipt.type)
        try add(.bundleID, text: receipt.bundleID)
        try add(.appVersion, text: receipt.appVersion)
        try add(.createdAt, time: receipt.createdAt)
        for purchase in receipt.purchases { attributes.append((.purchase, try content(of: purchase))) }
        try add(.originallyPurchasedAt, time: receipt.originallyPurchasedAt)
        try add(.originalAppVersion, text: receipt.originalAppVersion)
        try add(.expiresAt, time: receipt.expiresAt)
        return try set(attributes)
    }

    private static func content(of purchase: AppReceipt.Purchase) throws -> [UInt8] {
        var attributes: [(ReceiptAttributes.Number, [UInt8])] = []
        func add(_ number: ReceiptAttributes.Number, text: String) throws {
            attributes.append((number, try der { $0.text(text, .utf8String) }))
        }
        // An absent time is written as an empty text, as in Apple's receipts.
        func add(_ number: ReceiptAttributes.Number, time: Instant?) throws {
            attributes.append((number, try der { $0.text(time?.toSeconds ?? "", .ia5String) }))
        }
        func add(_ number: ReceiptAttributes.Number, integer: Int64) throws {
            attributes.append((number, try der { try $0.serialize(integer) }))
        }
        try add(.quantity, integer: purchase.quantity)
        try add(.productID, text: purchase.productID.rawValue)
        try add(.transactionID, text: purchase.transactionID.rawValue)
        try add(.purchaseDate, time: purchase.purchasedAt)
        if let original = purchase.originalTransactionID {
            try add(.originalTransactionID, text: original.rawValue)
        }
        try add(.originalPurchaseDate, time: purchase.originallyPurchasedAt)
        try add(.periodEnd, time: purchase.expiresAt)
        if let item = purchase.webOrderLineItemID.flatMap({ Int64($0) }) {
            try add(.webOrderLineItemID, integer: item)
        }
        if let type = ReceiptAttributes.productTypes.first(where: { $0.value == purchase.productType }) {
            try add(.productType, integer: type.key)
        }
        try add(.cancellationDate, time: purchase.cancelledAt)
        if let isTrial = purchase.isInTrialPeriod { try add(.isInTrialPeriod, integer: isTrial ? 1 : 0) }
        if let offer = purchase.promotionalOfferID { try add(.promotionalOfferID, text: offer) }
        if let isInOffer = purchase.isInIntroductoryPeriod {
            try add(.isInIntroductoryPeriod, integer: isInOffer ? 1 : 0)
        }
        return try set(attributes)
    }

    private static func set(_ attributes: [(number: ReceiptAttributes.Number, value: [UInt8])]) throws -> [UInt8] {
        try der { coder in
            try coder.appendConstructedNode(identifier: .set) { coder in
                for attribute in attributes {
                    try coder.appendConstructedNode(identifier: .sequence) { coder in
                        try coder.serialize(attribute.number.rawValue)
                        try coder.serialize(Int64(1))
                        coder.octets(attribute.value)
                    }
                }
            }
        }
    }

    // MARK: Container

    /// Returns the DER set of attributes that the signer signs.
    static func signedAttributes(digests: [[UInt8]]) throws -> [UInt8] {
        try der { coder in
            try coder.appendConstructedNode(identifier: .set) { coder in
                try coder.attribute(ReceiptEnvelope.Identifier.contentType) {
                    try $0.serialize(ReceiptEnvelope.Identifier.data)
                }
                for digest in digests {
                    try coder.attribute(ReceiptEnvelope.Identifier.messageDigest) { $0.octets(digest) }
                }
            }
        }
    }

    /// Returns the PKCS #7 container of signed content.
    ///
    /// - Parameter signerName: The certificate from which the issuer and the serial number of the signer are copied.
    static func envelope(
        content: [UInt8], certificates: [[UInt8]], signerName: [UInt8], usesSHA256: Bool, signedAttributes: [UInt8]?,
        signature: [UInt8], signers: Int
    ) throws -> [UInt8] {
        let digest = usesSHA256 ? ReceiptEnvelope.Identifier.sha256 : ReceiptEnvelope.Identifier.sha1
        let name = CertificateForm(der: signerName)
        return try der { coder in
            try coder.appendConstructedNode(identifier: .sequence) { coder in
                try coder.serialize(ReceiptEnvelope.Identifier.signedData)
                try coder.appendConstructedNode(identifier: .numbered(0)) { coder in
                    try coder.appendConstructedNode(identifier: .sequence) { coder in
                        try coder.serialize(Int64(1))
                        try coder.appendConstructedNode(identifier: .set) { try $0.algorithm(digest) }
                        try coder.appendConstructedNode(identifier: .sequence) { coder in
                            try coder.serialize(ReceiptEnvelope.Identifier.data)
                            coder.appendConstructedNode(identifier: .numbered(0)) { $0.octets(content) }
                        }
                        coder.appendConstructedNode(identifier: .numbered(0)) { coder in
                            for certificate in certificates { coder.serializeRawBytes(certificate) }
                        }
                        try coder.appendConstructedNode(identifier: .set) { coder in
                            for _ in 0..<signers {
                                try coder.appendConstructedNode(identifier: .sequence) { coder in
                                    try coder.serialize(Int64(1))
                                    coder.appendConstructedNode(identifier: .sequence) { coder in
                                        coder.serializeRawBytes(name?.issuer ?? [])
                                        coder.serializeRawBytes(name?.serialNumber ?? [])
                                    }
                                    try coder.algorithm(digest)
                                    if let signedAttributes {
                                        coder.serializeRawBytes([0xA0] + signedAttributes.dropFirst())
                                    }
                                    try coder.algorithm(ReceiptEnvelope.Identifier.rsa)
                                    coder.octets(signature)
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

extension DER.Serializer {
    /// Appends an octet string.
    mutating func octets(_ bytes: [UInt8]) {
        appendPrimitiveNode(identifier: .octetString) { $0.append(contentsOf: bytes) }
    }

    fileprivate mutating func text(_ text: String, _ identifier: ASN1Identifier) {
        appendPrimitiveNode(identifier: identifier) { $0.append(contentsOf: text.utf8) }
    }

    fileprivate mutating func algorithm(_ identifier: ASN1ObjectIdentifier) throws {
        try appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(identifier)
            coder.appendPrimitiveNode(identifier: .null) { _ in }
        }
    }

    fileprivate mutating func attribute(
        _ identifier: ASN1ObjectIdentifier, _ write: (inout DER.Serializer) throws -> Void
    ) throws {
        try appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(identifier)
            try coder.appendConstructedNode(identifier: .set, write)
        }
    }
}
