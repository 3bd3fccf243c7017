import Storekeeper

extension ScenarioRunner {
    /// Checks an expectation against the signed text that an app would receive.
    mutating func check(_ signed: ScenarioExpectation.Signed, step: ScenarioStep) throws {
        var found = "no signed \(signed.subject)"
        var isMet = false
        var text: String?
        do {
            text = try self.text(of: signed, app: step.app)
        } catch let error as SimulatorError {
            found = error.description
        }
        if let payload = text.flatMap(Self.payload) {
            let expected = signed.members.map { member in
                (name: member.name, value: named(member), found: Self.member(member.name, of: payload))
            }
            isMet = expected.allSatisfy { $0.value.isMet(by: $0.found) }
            let members = expected.map { "\($0.name) \($0.value.words(for: $0.found))" }
            found = "signed \(signed.subject) \(members.joined(separator: ", "))"
        }
        addEntry(
            .expectation(isMet: isMet, expected: signed.text, found: found), step: step,
            person: signed.person ?? owner(of: signed))
    }

    /// Returns the expected value of a member, in which an id replaces the name of a purchase.
    private func named(_ member: ScenarioExpectation.Signed.Member) -> ScenarioExpectation.Signed.Value {
        guard ["transactionId", "originalTransactionId"].contains(member.name), case .text(let name) = member.value,
            let id = names[name]
        else { return member.value }
        return .text(id.rawValue)
    }

    private func owner(of signed: ScenarioExpectation.Signed) -> CustomerID? {
        guard let reference = signed.reference else { return nil }
        return store.read { world in
            guard case .id(let id) = resolved(reference), let transaction = world.existingTransaction(id) else {
                return nil
            }
            return world.accounts[world.downloads[world.transactions[transaction].download].account].name
        }
    }

    /// Returns the newest signed copy of the document that the expectation is about; `nil` if no copy exists.
    private func text(of signed: ScenarioExpectation.Signed, app: String?) throws -> String? {
        try store.read { world -> String? in
            let transaction = try world.transaction(
                signed.reference.map(resolved), of: signed.person, app: app)
            guard let transaction, let latest = world.transactions[transaction].latest else { return nil }
            switch signed.document {
            case .transaction: return try store.issuer.transaction(latest, in: world, for: nil)
            case .renewal:
                guard let subscription = world.records[latest].subscription,
                    let info = world.subscriptions[subscription].renewalRecord
                else { return nil }
                return try store.issuer.renewalInfo(info, in: world, for: nil)
            case .notification:
                let original = world.records[latest].original
                let place = world.journal.lastIndex { entry in
                    guard entry.kind.notification != nil else { return false }
                    let record = entry.record.map { world.records[$0] }
                    return record.map { $0.original == original } ?? (entry.transaction == transaction)
                }
                return try place.flatMap { try store.issuer.notification($0, in: world) }
            }
        }
    }

    // MARK: The payload

    private static func payload(of jws: String) -> JSONObject? {
        let parts = jws.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64URL.decode(parts[1]) else { return nil }
        return (try? JSONReader().read(bytes))?.root.object
    }

    /// Returns the value of the member with a name.
    ///
    /// In the name of a nested member, a dot separates the outer name from the inner name.
    private static func member(_ name: String, of object: JSONObject) -> JSONValue? {
        let names = name.split(separator: ".", maxSplits: 1).map(String.init)
        guard let first = names.first, let value = object[first], !value.isNull else { return nil }
        guard names.count == 2 else { return value }
        return value.object.flatMap { member(names[1], of: $0) }
    }
}

extension ScenarioExpectation.Signed.Value {
    /// Returns whether a member of a payload has the expected value and type.
    fileprivate func isMet(by found: JSONValue?) -> Bool {
        guard let found else { return self == .absent }
        switch self {
        case .absent: return false
        case .present: return true
        case .whole(let number): return found.int64 == number
        case .text(let text): return found.string == text
        case .flag(let flag): return found.bool == flag
        case .time(let instant): return found.int64 == instant.millisecondsSince1970
        case .list(let items): return found.array.map { $0.map { $0.string ?? "" } == items } ?? false
        }
    }

    /// Returns the found value as text, in the notation of the expected value.
    fileprivate func words(for found: JSONValue?) -> String {
        guard let found else { return "none" }
        if case .time = self, let milliseconds = found.int64 { return Instant(clamped: milliseconds).scenarioText }
        if let array = found.array { return array.map { $0.string ?? "?" }.joined(separator: ",") }
        let text = found.string ?? String(decoding: found.sourceText, as: UTF8.self)
        // A text is shown in quotation marks if another type was expected, because the text "0" is not the number 0.
        switch self {
        case .whole, .time, .flag: return found.string == nil ? text : "\"\(text)\""
        default: return text
        }
    }
}

extension World {
    /// Returns the referenced transaction; without a reference, the person's most recent purchase.
    fileprivate func transaction(
        _ reference: TransactionReference?, of person: CustomerID?, app: String?
    ) throws -> RowIndex<TransactionState>? {
        let app = try self.app(app)
        if let reference { return try transaction(reference, in: app) }
        guard let person, let download = existingDownload(of: try account(person), app: app) else { return nil }
        return transactions(of: download).first { !transactions[$0].isDeleted && transactions[$0].latest != nil }
    }
}
