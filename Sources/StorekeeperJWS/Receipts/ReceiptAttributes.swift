import StorekeeperEngine
import SwiftASN1

/// The numbered attributes of an app receipt or of a purchase in it, read but not yet verified.
struct ReceiptAttributes {
    /// The attributes that this version reads, by the numbers that Apple gave them.
    enum Number: Int64 {
        case type = 0
        case bundleID = 2
        case appVersion = 3
        case opaqueValue = 4
        case deviceHash = 5
        case createdAt = 12
        case purchase = 17
        case originallyPurchasedAt = 18
        case originalAppVersion = 19
        case expiresAt = 21

        case quantity = 1701
        case productID = 1702
        case transactionID = 1703
        case purchaseDate = 1704
        case originalTransactionID = 1705
        case originalPurchaseDate = 1706
        case productType = 1707
        case periodEnd = 1708
        case webOrderLineItemID = 1711
        case cancellationDate = 1712
        case isInTrialPeriod = 1713
        case isInIntroductoryPeriod = 1719
        case promotionalOfferID = 1721
    }

    /// The values of the attributes that may occur only once.
    private var values: [Number: ArraySlice<UInt8>] = [:]
    /// The purchases; each purchase is the DER of a set of attributes.
    private(set) var purchases: [ArraySlice<UInt8>] = []

    /// Reads a set of attributes.
    ///
    /// - Throws: ``VerificationError`` with `malformed`.
    init(_ bytes: ArraySlice<UInt8>) throws(VerificationError) {
        guard var root = try? DER.parse(bytes) else { throw .malformedReceipt("its content is not DER") }
        // In some receipts of Xcode, the content is an octet string that contains the set of attributes.
        if let inner = root.bytes(.octetString), let node = try? DER.parse(inner) { root = node }
        guard let attributes = root.parts(.set) else {
            throw .malformedReceipt("its content is not a set of attributes")
        }
        for attribute in attributes {
            guard let parts = attribute.parts(.sequence), parts.count == 3, let type = parts[0].integer,
                parts[1].integer != nil, let value = parts[2].bytes(.octetString)
            else { throw .malformedReceipt("an attribute is not a number, a version and a value") }
            guard let number = Number(rawValue: type) else { continue }
            if number == .purchase {
                purchases.append(value)
            } else {
                // If an attribute occurs twice, two readers could use different values.
                guard values.updateValue(value, forKey: number) == nil else {
                    throw .malformedReceipt("attribute \(type) occurs twice")
                }
            }
        }
    }

    /// The types of products by their numbers, which Apple does not document.
    static let productTypes: [Int64: Product.ProductType] = [
        0: .nonConsumable, 1: .consumable, 2: .nonRenewable, 3: .autoRenewable,
    ]

    /// Returns the product type with a number.
    static func productType(_ number: Int64) -> Product.ProductType? { productTypes[number] }

    /// Returns the bytes of an attribute's value; `nil` if the attribute is absent.
    func bytes(_ number: Number) -> ArraySlice<UInt8>? { values[number] }

    /// Returns an attribute's text; `nil` if the attribute is absent or its text is empty.
    func text(_ number: Number) throws(VerificationError) -> String? {
        guard let value = values[number] else { return nil }
        guard let node = try? DER.parse(value), let bytes = node.bytes(.utf8String) ?? node.bytes(.ia5String),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw .malformedReceipt("attribute \(number.rawValue) is not a text") }
        return text.isEmpty ? nil : text
    }

    /// Returns an attribute's text; throws if the attribute is absent or its text is empty.
    func requiredText(_ number: Number) throws(VerificationError) -> String {
        guard let text = try text(number) else {
            throw .malformedReceipt("attribute \(number.rawValue) (\(number)) is missing")
        }
        return text
    }

    /// Returns an attribute's time; `nil` if the attribute is absent or its text is empty.
    func time(_ number: Number) throws(VerificationError) -> Instant? {
        guard let text = try text(number) else { return nil }
        guard let instant = Instant(text) else {
            throw .malformedReceipt("attribute \(number.rawValue) is not a time")
        }
        return instant
    }

    /// Returns an attribute's integer; `nil` if the attribute is absent.
    func integer(_ number: Number) throws(VerificationError) -> Int64? {
        guard let value = values[number] else { return nil }
        guard let integer = (try? DER.parse(value))?.integer else {
            throw .malformedReceipt("attribute \(number.rawValue) is not an integer of at most eight bytes")
        }
        return integer
    }
}

extension VerificationError {
    /// Returns the error for a receipt that cannot be read.
    static func malformedReceipt(_ problem: String) -> VerificationError {
        VerificationError(.malformed, "the receipt cannot be read: \(problem)")
    }
}

extension AppReceipt {
    /// Decodes the attributes of an app receipt.
    ///
    /// - Throws: ``VerificationError`` with `malformed` if the receipt or one of its purchases lacks a required
    ///   attribute, or has an attribute that cannot be read.
    init(_ attributes: ReceiptAttributes) throws(VerificationError) {
        var purchases: [Purchase] = []
        for value in attributes.purchases { purchases.append(try Purchase(ReceiptAttributes(value))) }
        self.init(
            type: try attributes.requiredText(.type), bundleID: try attributes.requiredText(.bundleID),
            appVersion: try attributes.text(.appVersion),
            originalAppVersion: try attributes.text(.originalAppVersion),
            createdAt: try attributes.time(.createdAt),
            originallyPurchasedAt: try attributes.time(.originallyPurchasedAt),
            expiresAt: try attributes.time(.expiresAt), purchases: purchases)
    }
}

extension AppReceipt.Purchase {
    /// Decodes the attributes of a purchase.
    ///
    /// The attributes that determine access must be readable: the ids, and the times of the purchase, its expiration
    /// and its cancellation. Any other attribute that cannot be read is treated as absent, as in a transaction.
    init(_ attributes: ReceiptAttributes) throws(VerificationError) {
        func text(_ number: ReceiptAttributes.Number) -> String? { (try? attributes.text(number)) ?? nil }
        func integer(_ number: ReceiptAttributes.Number) -> Int64? { (try? attributes.integer(number)) ?? nil }
        let quantity = integer(.quantity).flatMap { $0 > 0 ? $0 : nil } ?? 1
        self.init(
            productID: Product.ID(try attributes.requiredText(.productID)),
            transactionID: Transaction.ID(try attributes.requiredText(.transactionID)),
            originalTransactionID: try attributes.text(.originalTransactionID).map { Transaction.ID($0) },
            quantity: quantity, purchasedAt: try attributes.time(.purchaseDate),
            originallyPurchasedAt: (try? attributes.time(.originalPurchaseDate)) ?? nil,
            expiresAt: try attributes.time(.periodEnd), cancelledAt: try attributes.time(.cancellationDate),
            // In a one-time purchase, the web order line item id is 0.
            webOrderLineItemID: integer(.webOrderLineItemID).flatMap { $0 == 0 ? nil : String($0) },
            isInIntroductoryPeriod: integer(.isInIntroductoryPeriod).map { $0 != 0 },
            isInTrialPeriod: integer(.isInTrialPeriod).map { $0 != 0 },
            promotionalOfferID: text(.promotionalOfferID),
            productType: integer(.productType).flatMap(ReceiptAttributes.productType))
    }
}
