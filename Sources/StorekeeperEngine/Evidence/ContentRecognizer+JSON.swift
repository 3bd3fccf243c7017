/// Functions that recognize JSON.
extension ContentRecognizer {
    /// Returns what a text contains that begins like JSON.
    func json(_ text: [UInt8], _ bytes: [UInt8]) -> Finding {
        let document: JSONDocument
        let end: Int
        do {
            (document, end) = try JSONReader(maximumSize: EvidenceScanner.maximumDocumentSize).readPrefix(text)
        } catch {
            if Self.isTransactionReceipt(text) {
                return Self.receipt("a receipt of one transaction, from before iOS 7", .transactionReceipt, bytes)
            }
            return unknown(
                "a text that begins like JSON but is not (line \(error.line), column \(error.column): \(error.message))",
                "correct it there", bytes)
        }
        let isAlone = text[end...].allSatisfy(\.isBlank)
        if let object = document.root.object {
            if let finding = self.object(object, document.root, bytes) { return finding }
        } else if let elements = document.root.array, let first = elements.first(where: { _ in true }) {
            if let text = first.string.map({ Array($0.utf8) }), Self.beginsCompactJWS(text[...]) {
                return Self.evidence(.jws, "signed data (JWS)", bytes)
            }
            if let object = first.object, let finding = self.object(object, first, bytes) {
                return finding
            }
        }
        guard isAlone else {
            return unknown("several JSON documents of unknown content", "check that it is the right file", bytes)
        }
        return catalog(bytes)
    }

    /// Returns what a JSON object is; `nil` if it may be a list of products.
    private func object(_ object: JSONObject, _ value: JSONValue, _ bytes: [UInt8]) -> Finding? {
        if Self.isUnity(object), let payload = object["Payload"]?.string {
            return unity(payload, store: object["Store"]?.string, bytes)
        }
        if object["notification_type"] != nil {
            return Finding(
                kind: .notificationV1, what: "an App Store server notification of version 1, which has no signature",
                next: "choose version 2 in App Store Connect; 'storekeeper receipt FILE' reads the receipt in it",
                content: Self.unifiedReceipt(of: object) ?? bytes)
        }
        if object["signedPayload"] != nil { return Self.evidence(.notification, "a server notification", bytes) }
        if Self.isVerifyReceipt(object) { return verifyReceipt(object, bytes) }
        if let code = object["errorCode"]?.int64 {
            let message = object["errorMessage"]?.string.map { ", " + $0.prefix(200) } ?? ""
            return Finding(
                kind: .serverAPIAnswer, items: 0,
                what: "an error of the App Store Server API (errorCode \(code)\(message))",
                next: "it has no evidence; correct the request, and ask again", content: bytes)
        }
        if Self.serverMembers.contains(where: { object[$0] != nil }) || Self.isStatusList(object)
            || EvidenceDocument.isEmptyAnswer(object)
        {
            return Self.evidence(.serverAPIAnswer, "a response of the App Store Server API", bytes)
        }
        guard Self.payloadMembers.contains(where: { object[$0] != nil }), EvidenceKind(payload: value) != nil else {
            return nil
        }
        if object["notificationType"] != nil {
            var finding = Self.evidence(.notification, "a decoded notification, without its signature", bytes)
            finding.next = "give its signedPayload, or ask with --unsigned"
            return finding
        }
        var finding = Self.evidence(.jws, "decoded payloads, without their signatures", bytes)
        finding.next = "give the JWS, or ask with --unsigned: 'storekeeper entitlements FILE --unsigned'"
        return finding
    }

    private static let serverMembers = [
        "signedTransactions", "signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo",
        "lastTransactions", "notificationHistory", "hasMore",
    ]
    /// Members that only payloads of evidence have; products in a list have a `type`, too.
    private static let payloadMembers = [
        "transactionId", "originalTransactionId", "receiptType", "originalApplicationVersion", "notificationType",
        "notificationUUID",
    ]

    private static func isStatusList(_ object: JSONObject) -> Bool {
        object["data"]?.array?.contains { $0.object?["lastTransactions"] != nil } ?? false
            || object["subscriptionGroupIdentifier"] != nil
    }

    /// Returns the response of `verifyReceipt` in a notification of version 1.
    static func unifiedReceipt(of object: JSONObject) -> [UInt8]? {
        object["unified_receipt"].flatMap { $0.object == nil ? nil : Array($0.sourceText) }
    }

    // MARK: Unity

    /// Returns whether an object is a receipt of Unity's in-app purchasing.
    static func isUnity(_ object: JSONObject) -> Bool {
        object["Payload"]?.string != nil && (object["Store"] != nil || object["TransactionID"] != nil)
    }

    private func unity(_ payload: String, store: String?, _ bytes: [UInt8]) -> Finding {
        let stores = ["AppleAppStore", "MacAppStore"]
        if let store, !stores.contains(store), !store.lowercased().contains("apple") {
            return Finding(
                kind: .unity, items: 0, what: "Unity's receipt of a purchase in another store (\(store.prefix(40)))",
                next: "only purchases in Apple's App Store can be read", content: bytes)
        }
        let payload = PastedContent(Array(payload.utf8))
        let isEvidence = [.receipt, .transactionReceipt, .verifyReceiptAnswer, .jws].contains(payload.kind)
        return Finding(
            kind: .unity, items: isEvidence ? payload.items : 0,
            what: "Unity's receipt, whose Payload is \(payload.what)", next: payload.next,
            content: isEvidence ? payload.content : bytes)
    }

    // MARK: verifyReceipt

    /// Returns whether an object is a request to `verifyReceipt` or its response.
    static func isVerifyReceipt(_ object: JSONObject) -> Bool {
        ["receipt-data", "receipt", "latest_receipt", "latest_receipt_info"].contains { object[$0] != nil }
            || object["status"]?.int64.map(VerifyReceiptStatus.failures.contains) ?? false
    }

    private func verifyReceipt(_ object: JSONObject, _ bytes: [UInt8]) -> Finding {
        let lists = [
            object["latest_receipt_info"], object["latest_expired_receipt_info"], object["receipt"]?.object?["in_app"],
        ]
        var transactions: Set<String> = []
        for list in lists {
            for value in list?.array.map(Array.init) ?? list.map({ [$0] }) ?? [] {
                if let id = value.object?["transaction_id"]?.string { transactions.insert(id) }
            }
        }
        if let id = object["receipt"]?.object?["transaction_id"]?.string { transactions.insert(id) }
        let status = object["status"]?.int64
        guard transactions.isEmpty, object["latest_receipt"] == nil, object["receipt-data"] == nil,
            let status, VerifyReceiptStatus.failures.contains(status)
        else {
            let what = object["receipt-data"] == nil ? "a response of verifyReceipt" : "a request to verifyReceipt"
            return Self.receipt(what, .verifyReceiptAnswer, items: transactions.count, bytes)
        }
        let meaning = VerifyReceiptStatus.meaning(of: status)
        return Finding(
            kind: .verifyReceiptAnswer, items: 0,
            what: "a response of verifyReceipt without a receipt (status \(status): "
                + "\(meaning?.what ?? "not documented"))",
            next: (meaning?.next ?? "try again") + "; or read the receipt itself with 'storekeeper receipt FILE'",
            content: bytes)
    }

    // MARK: Transaction receipts

    /// Returns whether a text begins like a property list of a transaction receipt: `{ "name" = "value"; … }`.
    static func beginsOldPropertyList(_ text: ArraySlice<UInt8>) -> Bool {
        var rest = text.dropFirst().drop(while: \.isBlank)
        guard text.first == UInt8(ascii: "{"), rest.first == UInt8(ascii: "\"") else { return false }
        rest = rest.dropFirst()
        guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return false }
        return rest[(end + 1)...].drop(while: \.isBlank).first == UInt8(ascii: "=")
    }

    private static func isTransactionReceipt(_ text: [UInt8]) -> Bool {
        beginsOldPropertyList(text[...])
            && String(decoding: text.prefix(1 << 16), as: UTF8.self).contains("purchase-info")
    }
}
