import Storekeeper

/// Compares transactions with the filters of a ``TransactionQuery``, without creating the displayed texts of each
/// transaction.
struct TransactionMatcher {
    /// A word of the search text, with the products, accounts, states and dates that it may match.
    private struct Word {
        /// The UTF-8 bytes of the word, with ASCII letters in lower case.
        let bytes: [UInt8]
        /// The products with the word in their id or name, by app.
        let products: [Set<RowIndex<ProductTerms>>]
        let states: Set<TransactionSummary.State>
        /// The accounts with the word in their name; `nil` if too many accounts match.
        let accounts: Set<RowIndex<Account>>?
        /// Whether the word consists of digits, and may therefore be a part of an id.
        let isNumber: Bool
        /// Whether the word begins with `msim`, as the simulator's order ids do.
        let isOrder: Bool
        /// The range of instants whose dates begin with the word; `nil` if the word is not the beginning of a date.
        let days: Range<Instant>?
        /// The month that the word names, such as 3 for `mar`.
        let month: Int64?
        /// The results of comparing account names with the word, if `accounts` is `nil`.
        var known: [RowIndex<Account>: Bool] = [:]

        /// Whether the word can match only the names of customers.
        var isName: Bool {
            !isNumber && !isOrder && days == nil && month == nil && states.isEmpty && products.allSatisfy(\.isEmpty)
        }
    }

    private let world: World
    private let query: TransactionQuery
    private var words: [Word]
    /// The accounts to which all matching transactions belong; `nil` if every account may have matching transactions.
    private(set) var onlyAccounts: [RowIndex<Account>]?

    /// The maximum number of accounts in ``Word/accounts``, and the maximum number of account names that are compared
    /// with a word.
    private static let (accountLimit, nameLimit) = (200, 20_000)

    init(_ query: TransactionQuery, in world: World) {
        self.world = world
        self.query = query
        words = query.words.map { Self.word($0, in: world) }
        for word in words where onlyAccounts == nil {
            if let owner = Self.owner(of: word, in: world) {
                onlyAccounts = [owner]
            } else if word.isName {
                onlyAccounts = word.accounts.map(Array.init)
            }
        }
    }

    // MARK: Matching

    /// Returns whether a transaction passes all filters.
    mutating func matches(_ place: RowIndex<TransactionState>) -> Bool {
        guard query.isFiltered else { return true }
        let state = world.transactions[place]
        let record = state.latest.map { world.records[$0] }
        if query.from != nil || query.until != nil {
            // A transaction without a purchase date passes no date filter.
            guard let at = record?.purchasedAt, query.from.map({ at >= $0 }) ?? true,
                query.until.map({ at < $0 }) ?? true
            else { return false }
        }
        if let wanted = query.state, world.listedState(of: place) != wanted { return false }
        let download = world.downloads[state.download]
        let product = record?.product ?? state.product
        if let prefix = query.product, !world.apps[download.app].product(product).id.rawValue.hasPrefix(prefix) {
            return false
        }
        for index in words.indices {
            guard matches(index, place, record, download, product) else { return false }
        }
        return true
    }

    private mutating func matches(
        _ index: Int, _ place: RowIndex<TransactionState>, _ record: TransactionRecord?, _ download: Download,
        _ product: RowIndex<ProductTerms>
    ) -> Bool {
        let word = words[index]
        if word.products[download.app.index].contains(product) { return true }
        if !word.states.isEmpty, word.states.contains(world.listedState(of: place)) { return true }
        if let accounts = word.accounts {
            if accounts.contains(download.account) { return true }
        } else if contains(index, download.account) {
            return true
        }
        if word.isNumber {
            if world.id(of: place).rawValue.contains(bytes: word.bytes) { return true }
            if let record, world.id(of: record.original).rawValue.contains(bytes: word.bytes) { return true }
        }
        if word.isOrder, record.map({ !$0.flags.contains(.isFamilyShared) }) == true,
            World.orderID(of: place).contains(bytes: word.bytes)
        {
            return true
        }
        return [record?.purchasedAt, record?.expiresAt].contains { date in
            guard let date else { return false }
            if let days = word.days { return days.contains(date) }
            if let month = word.month { return CivilDate(of: date).month == month }
            return false
        }
    }

    private mutating func contains(_ index: Int, _ account: RowIndex<Account>) -> Bool {
        if let known = words[index].known[account] { return known }
        let result = world.accounts[account].name.rawValue.contains(bytes: words[index].bytes)
        words[index].known[account] = result
        return result
    }

    // MARK: Words

    private static func word(_ text: String, in world: World) -> Word {
        let bytes = text.utf8.map(\.lowerCaseASCII)
        let accounts = accounts(named: bytes, in: world)
        let isNumber = bytes.allSatisfy { (48...57).contains($0) }
        return Word(
            bytes: bytes,
            products: world.apps.map { app in
                Set(app.terms.indices.filter { app.product($0).isNamed(bytes) })
            },
            states: Set(TransactionSummary.State.allCases.filter { $0.rawValue.contains(bytes: bytes) }),
            accounts: accounts, isNumber: isNumber, isOrder: bytes.starts(with: Array("msim".utf8)), days: days(text),
            month: bytes.count < 3 ? nil : months.firstIndex { $0.utf8.starts(with: bytes) }.map { Int64($0 + 1) })
    }

    /// Returns the accounts whose name contains a word; `nil` if too many accounts match or must be compared.
    private static func accounts(named word: [UInt8], in world: World) -> Set<RowIndex<Account>>? {
        func listed(_ candidates: some Collection<RowIndex<Account>>) -> Set<RowIndex<Account>>? {
            var accounts: Set<RowIndex<Account>> = []
            for place in candidates.prefix(nameLimit) where world.accounts[place].name.rawValue.contains(bytes: word) {
                guard accounts.count < accountLimit else { return nil }
                accounts.insert(place)
            }
            return candidates.count > nameLimit ? nil : accounts
        }
        return world.accountNames.candidates(for: word).map { listed($0) } ?? listed(world.accounts.indices)
    }

    /// Returns the account of the transaction whose id or order id is the word.
    private static func owner(of word: Word, in world: World) -> RowIndex<Account>? {
        let text = String(decoding: word.bytes, as: UTF8.self)
        // A number of at most six digits is treated as a part of an id, because it is rarely a whole id.
        let place =
            word.isNumber && word.bytes.count > 6
            ? world.existingTransaction(Transaction.ID(rawValue: text)) : world.transaction(ofOrder: text)
        return place.map { world.downloads[world.transactions[$0].download].account }
    }

    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]

    /// Returns the range of instants whose dates begin with a text such as `2026`, `2026-03` or `2026-03-01`.
    private static func days(_ text: String) -> Range<Instant>? {
        let rest = "-01-01"
        guard [4, 7, 10].contains(text.utf8.count), let start = Instant(text + rest.dropFirst(text.utf8.count - 4)),
            text.contains("-") || (1900...2999).contains(Int(text) ?? 0)
        else { return nil }
        switch text.utf8.count {
        case 4: return start..<start.adding(months: 12)
        case 7: return start..<start.adding(months: 1)
        default: return start..<start.adding(days: 1)
        }
    }
}

extension Product {
    /// Returns whether the product's id, or its name in any language, contains a word.
    fileprivate func isNamed(_ word: [UInt8]) -> Bool {
        id.rawValue.contains(bytes: word) || displayName?.contains(bytes: word) == true
            || localizations.contains { $0.displayName?.contains(bytes: word) == true }
    }
}

extension CivilDate {
    /// Creates the calendar date of an instant, in UTC.
    fileprivate init(of instant: Instant) {
        self.init(daysSince1970: CivilDate.floor(instant.millisecondsSince1970, by: 86_400_000))
    }
}

extension String {
    /// Returns whether the text contains a word; the ASCII letters of the word must be in lower case.
    ///
    /// The comparison ignores the case of ASCII letters in the text.
    func contains(bytes word: [UInt8]) -> Bool {
        guard let first = word.first else { return true }
        func isFound(in text: UnsafeBufferPointer<UInt8>) -> Bool {
            guard text.count >= word.count else { return false }
            for start in 0...(text.count - word.count) where text[start].lowerCaseASCII == first {
                var offset = 1
                while offset < word.count, text[start + offset].lowerCaseASCII == word[offset] { offset += 1 }
                if offset == word.count { return true }
            }
            return false
        }
        return utf8.withContiguousStorageIfAvailable(isFound)
            ?? Array(utf8).withUnsafeBufferPointer(isFound)
    }
}
