/// Finds the evidence in a JSON document, such as a response of the App Store Server API, a notification or an array.
struct EvidenceDocument {
    private var lines: LineCounter
    /// The unsigned states of subscriptions that were found.
    private(set) var statuses: [ReportedStatus] = []

    /// Creates a value that finds the evidence in one document.
    ///
    /// - Parameter line: The line of the file on which the document starts, from 1.
    init(startingAt line: Int) { lines = LineCounter(line: line) }

    /// The names of the members that contain signed data, in the order in which the members are read.
    ///
    /// A transaction is read before its renewal info.
    private enum Member: String, CaseIterable {
        case signedTransactions, signedTransactionInfo, signedRenewalInfo, signedAppTransactionInfo
        case data, lastTransactions, signedPayload, notificationHistory
    }

    /// Appends the items of a value, in an order that does not depend on the order of an object's members.
    mutating func append(_ value: JSONValue, to items: inout [EvidenceItem]) {
        // The JSON reader limits the depth of a document, and thereby the depth of this recursion.
        switch value.kind {
        case .string:
            items += EvidenceItem.items(ofText: Array((value.string ?? "").utf8), line: lines.line(of: value))
        case .array: for element in value.array.map(Array.init) ?? [] { append(element, to: &items) }
        case .object:
            if let object = value.object { append(object, of: value, to: &items) }
        case .number, .boolean, .null:
            items.append(.malformed("a \(value.kind.rawValue) is not evidence", line: lines.line(of: value)))
        }
    }

    private mutating func append(_ object: JSONObject, of value: JSONValue, to items: inout [EvidenceItem]) {
        if let number = object["status"]?.int64, let transaction = object["signedTransactionInfo"]?.string,
            let status = ReportedStatus(
                unsigned: number, transaction: transaction, renewalInfo: object["signedRenewalInfo"]?.string)
        {
            statuses.append(status)
        }
        let found = signedMembers(of: object)
        if !found.isEmpty {
            for (member, content) in found { append(content, of: member, to: &items) }
        } else if EvidenceKind(payload: value) != nil {
            items.append(.unsigned(value, line: lines.line(of: value)))
        } else if ContentRecognizer.isVerifyReceipt(object) {
            items.append(.receipt(Array(value.sourceText), line: lines.line(of: value)))
        } else if ContentRecognizer.isUnity(object) {
            items += EvidenceItem.items(ofUnity: Array(value.sourceText), line: lines.line(of: value))
        } else if let receipt = ContentRecognizer.unifiedReceipt(of: object) {
            items.append(.receipt(receipt, line: lines.line(of: value)))
        } else if !Self.isEmptyAnswer(object) {
            items.append(.malformed(Self.complaint(about: object), line: lines.line(of: value)))
        }
    }

    private func signedMembers(of object: JSONObject) -> [(member: Member, content: JSONValue)] {
        var found: [(member: Member, content: JSONValue)] = []
        for entry in object {
            guard let member = Member.allCases.first(where: { entry.hasName($0.rawValue) }) else { continue }
            // In a list of statuses, `data` is an array. In the payload of a notification, `data` is an object, which
            // is not searched, so that the whole payload becomes one unsigned item.
            if member == .data, entry.value.kind == .object { continue }
            found.append((member, entry.value))
        }
        let order = Member.allCases
        return found.sorted { left, right in
            (order.firstIndex(of: left.member) ?? 0) < (order.firstIndex(of: right.member) ?? 0)
        }
    }

    private mutating func append(_ content: JSONValue, of member: Member, to items: inout [EvidenceItem]) {
        guard !content.isNull else { return }
        switch member {
        case .signedTransactionInfo, .signedRenewalInfo, .signedAppTransactionInfo, .signedPayload:
            guard content.kind == .string else {
                items.append(.malformed("\(member.rawValue) is not a string", line: lines.line(of: content)))
                return
            }
        case .signedTransactions, .data, .lastTransactions, .notificationHistory:
            guard content.kind == .array else {
                items.append(.malformed("\(member.rawValue) is not an array", line: lines.line(of: content)))
                return
            }
        }
        append(content, to: &items)
    }

    /// Returns whether an object is an App Store response without results, which has no list of signed data.
    ///
    /// Examples are a history page without transactions and the lookup of an unknown order.
    static func isEmptyAnswer(_ object: JSONObject) -> Bool {
        let names = object.map(\.name)
        return object["hasMore"]?.bool == false || names == ["status"] && object["status"]?.int64 != nil
            || object["subscriptionGroupIdentifier"] != nil && names.count == 1
    }

    private static func complaint(about object: JSONObject) -> String {
        if let code = object["errorCode"]?.int64 {
            return "an error of the App Store Server API, not evidence: errorCode \(code)"
                + (object["errorMessage"]?.string.map { ", " + $0.prefix(200) } ?? "")
        }
        let names = object.prefix(8).map { "\"\($0.name.prefix(40))\"" }
        guard !names.isEmpty else { return "a JSON object without members is not evidence" }
        let more = object.dropFirst(8).contains { _ in true } ? " and others" : ""
        return "a JSON object that is not known evidence; its members are \(names.joined(separator: ", "))\(more)"
    }
}

/// Finds the line numbers of values in one document, by counting line feeds from the previous value.
private struct LineCounter {
    private var line: Int
    private var offset = 0

    init(line: Int) { self.line = line }

    mutating func line(of value: JSONValue) -> Int {
        let bytes = value.document.bytes
        let target = Int(value.token.start)
        let feeds = bytes[min(offset, target)..<max(offset, target)].reduce(0) {
            $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0)
        }
        line += target >= offset ? feeds : -feeds
        offset = target
        return line
    }
}
