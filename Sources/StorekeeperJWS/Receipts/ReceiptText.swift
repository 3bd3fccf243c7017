import StorekeeperEngine

/// A receipt in one of several forms, which are distinguished by their first bytes.
enum ReceiptText {
    /// An app receipt, as DER.
    case app([UInt8])
    /// A response of `verifyReceipt`, or a request to it.
    case answer(ReceiptAnswer)
    /// A receipt of one transaction.
    case transaction(AppReceipt)
    /// Bytes that are not a receipt; the associated value describes the problem.
    case malformed(String)

    /// Recognizes a receipt, also in an encoding or an envelope such as Unity's.
    init(recognizing bytes: [UInt8]) {
        let pasted = PastedContent(bytes)
        switch pasted.kind {
        case .unknown: self.init(bytes)
        case .receipt, .transactionReceipt, .verifyReceiptAnswer: self.init(pasted.content)
        case .unity where pasted.isUnwrapped, .notificationV1 where pasted.isUnwrapped: self.init(pasted.content)
        default: self = .malformed("it is \(pasted.what)")
        }
    }

    private init(_ bytes: [UInt8]) {
        // 0x30 is the tag of a sequence, with which DER begins. Base64 of DER begins with the letter M.
        if bytes.first == 0x30 {
            self = .app(bytes)
            return
        }
        let text = Self.trimmed(bytes)
        if text.first == UInt8(ascii: "{") {
            self = Self.braced(text)
            return
        }
        let characters = text.filter { !$0.isBlank && $0 != UInt8(ascii: "\"") }
        guard !characters.isEmpty else {
            self = .malformed("it is empty")
            return
        }
        guard let decoded = StandardBase64.decode(characters) else {
            self = .malformed("it is neither DER nor base64 nor JSON")
            return
        }
        self =
            switch decoded.first {
            case 0x30: .app(decoded)
            case UInt8(ascii: "{"): Self.braced(decoded[...])
            default: .malformed("its base64 contains neither DER nor a transaction receipt")
            }
    }

    /// Reads a text that begins with a brace: a JSON document or a transaction receipt.
    private static func braced(_ text: ArraySlice<UInt8>) -> ReceiptText {
        let reader = JSONReader(maximumDepth: 32, maximumSize: ReceiptVerifier.maximumSize)
        if let object = (try? reader.read(Array(text)))?.root.object { return .answer(ReceiptAnswer(object)) }
        guard let outer = OldPropertyList.read(text) else {
            return .malformed("it begins like JSON or a transaction receipt, but is neither")
        }
        guard let info = outer["purchase-info"].flatMap({ StandardBase64.decode($0.utf8) }),
            let members = OldPropertyList.read(info[...]), let receipt = AppReceipt(purchaseInfo: members, outer)
        else { return .malformed("the transaction receipt has no purchase-info with a transaction") }
        return .transaction(receipt)
    }

    private static func trimmed(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        var text = bytes.drop(while: \.isBlank)
        while let last = text.last, last.isBlank { text.removeLast() }
        return text
    }
}

/// The form of property lists in transaction receipts: `{ "name" = "value"; … }`.
private enum OldPropertyList {
    /// Reads a property list of texts without escapes; `nil` if the bytes are anything else.
    static func read(_ bytes: ArraySlice<UInt8>) -> [String: String]? {
        var rest = bytes
        var members: [String: String] = [:]
        guard take("{", &rest) else { return nil }
        while !take("}", &rest) {
            guard let name = text(&rest), take("=", &rest), let value = text(&rest), take(";", &rest),
                members.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return members
    }

    private static func take(_ character: Character, _ rest: inout ArraySlice<UInt8>) -> Bool {
        rest = rest.drop(while: \.isBlank)
        guard rest.first == character.asciiValue else { return false }
        rest.removeFirst()
        return true
    }

    private static func text(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard take("\"", &rest), let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        let bytes = rest[..<end]
        rest = rest[(end + 1)...]
        return bytes.contains(UInt8(ascii: "\\")) ? nil : String(validating: bytes, as: UTF8.self)
    }
}

extension AppReceipt {
    /// Reads the content of a transaction receipt; `nil` if the receipt lacks a product or a transaction.
    fileprivate init?(purchaseInfo members: [String: String], _ outer: [String: String]) {
        guard let product = members["product-id"], let transaction = members["transaction-id"], !transaction.isEmpty
        else { return nil }
        func time(_ name: String) -> Instant? {
            members[name].flatMap { Int64($0) }.flatMap(Instant.init(millisecondsSince1970:))
        }
        self.init(
            type: outer["environment"] ?? "Production", bundleID: members["bid"], appVersion: members["bvrs"],
            originalAppVersion: nil, createdAt: time("purchase-date-ms"), originallyPurchasedAt: nil, expiresAt: nil,
            purchases: [
                Purchase(
                    productID: Product.ID(product), transactionID: Transaction.ID(transaction),
                    originalTransactionID: members["original-transaction-id"].map { Transaction.ID($0) },
                    quantity: members["quantity"].flatMap { Int64($0) } ?? 1, purchasedAt: time("purchase-date-ms"),
                    originallyPurchasedAt: time("original-purchase-date-ms"), expiresAt: time("expires-date"),
                    cancelledAt: nil, webOrderLineItemID: members["web-order-line-item-id"],
                    isInIntroductoryPeriod: nil)
            ])
    }
}
