import Storekeeper

@testable import StorekeeperSimulator

extension World {
    /// All observable data of a world as text: the journal and every signed payload.
    var picture: [String] {
        ["\(now), \(environment.rawValue)"] + story + payloads
    }

    /// The events so far.
    var story: [String] { journal.indices.map { Self.line(of: happening($0)) } }

    /// Every signed payload, as it would be signed now.
    var payloads: [String] { transactionPayloads + renewalPayloads }

    var transactionPayloads: [String] { records.map { JSONText.object(payload(of: $0)).text() } }

    var renewalPayloads: [String] { renewalRecords.map { JSONText.object(payload(of: $0)).text() } }

    static func line(of happening: Happening) -> String {
        var words = ["\(happening.at) \(happening.kind)"]
        words += [happening.customer?.rawValue, happening.app, happening.productID?.rawValue].compactMap(\.self)
        words += [happening.transactionID, happening.originalTransactionID].compactMap { $0?.rawValue }
        words += [happening.expiresAt.map { "until \($0)" }, happening.note].compactMap(\.self)
        words += [happening.status.map { "status \($0)" }].compactMap(\.self)
        return words.joined(separator: " ")
    }

    /// The whole state as text, including internal state, which is slow to make.
    var wholeText: String { "\(self)" }

    /// Returns whether the world equals an older copy.
    func isUnchanged(since old: World) -> Bool {
        // A table without changes still shares its storage with the older copy.
        let isUntouched =
            Self.isSame(subscriptions, old.subscriptions) && Self.isSame(records, old.records)
            && Self.isSame(accounts, old.accounts)
            && Self.isSame(renewalRecords, old.renewalRecords) && Self.isSame(transactions, old.transactions)
            && Self.isSame(journal, old.journal) && Self.isSame(downloads, old.downloads) && now == old.now
            && waiting.count == old.waiting.count && families.count == old.families.count
            && zip(families, old.families).allSatisfy {
                $0.members == $1.members && $0.organizer == $1.organizer && $0.sharesPurchases == $1.sharesPurchases
            }
            && zip(apps, old.apps).allSatisfy { $0.settings == $1.settings && Self.isSame($0.terms, $1.terms) }
        return isUntouched || wholeText == old.wholeText
    }

    private static func isSame<Row>(_ left: Table<Row>, _ right: Table<Row>) -> Bool {
        left.count == right.count && left.addresses == right.addresses
    }
}

/// A hash that almost certainly differs for different texts.
///
/// - SeeAlso: Fowler, Noll and Vo, FNV-1a.
struct TextDigest: Hashable, Sendable {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ text: String) {
        for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
        value = (value ^ 0x0A) &* 0x100_0000_01B3
    }

    init(_ texts: some Sequence<String>) {
        for text in texts { add(text) }
    }
}
