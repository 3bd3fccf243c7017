import FoundationEssentials
import Storekeeper
import StorekeeperDurable

/// Converts the changes of a group of steps into statements, which then run in one transaction and need one round trip.
///
/// Rows of the same kind are written by one statement. Several changes of the same customer, chain, token, purchase or
/// transaction are merged into a draft. ``flush()`` writes the drafts before rows are deleted.
struct ChangeWriter {
    /// The state of a customer after the changes that were added so far.
    struct CustomerDraft {
        var row: CustomerRow
        var entries: Int64
        /// The place of the customer's last entry in this group, counted from the group's first place.
        var entryOffset: Int64?
        let salt: [UInt8]
        var chainHead: ChainHead
        /// Whether the database has no row of the customer.
        var isNew: Bool
        var isChanged = false
    }

    /// The changes of a chain or token that are not written yet.
    struct SubjectDraft {
        var binding: (row: Binding, link: Int64, hash: [UInt8])?
        var attempts: (count: Int, at: Instant)?
        var isChanged = false
    }

    /// The changes of a transaction that are not written yet.
    struct TransactionDraft {
        let key: TransactionKey
        let customer: CustomerID
        var place: Int64?
        var state: OutboxItem.State?
        var isOwed = false
    }

    /// The statements of the transaction, except the statements that begin and end the transaction.
    private(set) var calls: [Call] = []
    /// The proofs of erasures, by the places of the erasures in the step.
    private(set) var proofs: [Int64: String] = [:]
    /// The headers that this group writes.
    ///
    /// After the commit, these headers are certainly in the database.
    private(set) var newHeaders: [[UInt8]: CompactJWS.HeaderSegment] = [:]
    /// The first place in the feed for the rows of this group.
    let base: Int64
    /// The number of places that the rows of this group need.
    private let placeCount: Int64
    /// The last place in the feed for the rows of this group.
    private var last: Int64 { base + max(placeCount, 1) - 1 }
    /// The customers whose data is written; the notifications to other nodes contain the row keys of these customers.
    private(set) var changed: Set<CustomerID> = []

    private(set) var found: Loading.Found
    private let headers: HeaderCache
    private let erasureKey: ErasureKey?
    /// The secret for hashing marks of erased customers; `nil` if the group writes no marks.
    let markKey: MarkKey?
    private var customers: [CustomerID: CustomerDraft] = [:]
    var subjects: [BindingSubject: SubjectDraft] = [:]
    private var purchases: [[UInt8]: (chainHead: ChainHead, known: Int64)] = [:]
    private var transactions: [[UInt8]: TransactionDraft] = [:]
    private var tokens: [ChainID: NewestToken] = [:]
    /// The keys of the chains and tokens whose rows are written.
    var touched: Set<[UInt8]> = []
    /// The ends of the changed hash chains, which the checkpoint records.
    private var heads = Checkpoint()

    /// Converts changes into statements.
    ///
    /// - Parameters:
    ///   - runs: The changes; each run contains consecutive changes of the same kind.
    ///   - base: The first place of the rows. As many places as ``placeCount(of:)`` returns must be reserved, beginning
    ///     with this place.
    ///   - found: The rows that were loaded for the steps.
    ///   - erasureKey: The secret for hashing the ids of erased customers, which is required if a customer is erased.
    ///   - markKey: The secret for hashing marks of erased customers, which is required if marks are written.
    init(
        _ runs: [[RowChange]], from base: Int64, found: Loading.Found, headers: HeaderCache, erasureKey: ErasureKey?,
        markKey: MarkKey? = nil
    ) throws(VaultError) {
        self.found = found
        self.headers = headers
        self.erasureKey = erasureKey
        self.markKey = markKey
        self.base = base
        placeCount = Self.placeCount(of: runs)
        let stamps = stampsRelied(onBy: runs)
        var removesNow = false
        for run in runs {
            guard let kind = run.first?.kind else { continue }
            // Rows are deleted after the pending changes are written.
            if kind.isRemoval, !removesNow { try flush() }
            removesNow = kind.isRemoval
            try add(run, of: kind)
        }
        try flush()
        // The statements that may wait for other sessions run before all others.
        var first = guardCall(stamps).map { [$0] } ?? []
        if !newHeaders.isEmpty {
            let sorted = newHeaders.map { ($0.key, $0.value.bytes) }
            first.append(Call(WriteStatements.headers, [.bytes(sorted.map(\.0)), .bytes(sorted.map(\.1))]))
        }
        calls.insert(contentsOf: first, at: 0)
    }

    /// Returns the number of places that the rows need.
    static func placeCount(of runs: [[RowChange]]) -> Int64 {
        runs.lazy.joined().compactMap(\.offset).max().map { $0 + 1 } ?? 0
    }

    /// Returns the last statement of the transaction, which deletes the tickets, records the group, and adds a
    /// checkpoint with the ends of the changed hash chains.
    func close(_ tickets: [Int64], as id: StepID, at instant: Instant) -> Call {
        let arguments: [Argument] = [
            .ints(tickets), .bytes(id.bytes), .instant(instant), .int(base),
        ]
        if heads.isEmpty, placeCount == 0 { return Call(WriteStatements.close, arguments) }
        return Call(WriteStatements.closeLinked, arguments + [.bytes(heads.bytes)])
    }

    mutating func call(_ statement: Statement, _ arguments: [Argument]) { calls.append(Call(statement, arguments)) }

    // MARK: ChainHeads

    /// Changes the state of a customer.
    mutating func changeCustomer<Outcome>(
        _ id: CustomerID, _ body: (inout CustomerDraft) throws(VaultError) -> Outcome
    ) throws(VaultError) -> Outcome {
        var draft = if let known = customers[id] { known } else { try draftOfCustomer(id) }
        defer { customers[id] = draft }
        draft.isChanged = true
        changed.insert(id)
        return try body(&draft)
    }

    private func draftOfCustomer(_ id: CustomerID) throws(VaultError) -> CustomerDraft {
        guard let noted = found.rows.customers[id] else {
            throw VaultError(.corrupt, "a step writes about a customer that it has not loaded; report it")
        }
        guard let home = found.chainHeads.customers[id] else {
            return CustomerDraft(
                row: CustomerRow(id: id), entries: 0, salt: Digests.salt(), chainHead: .none, isNew: true)
        }
        return CustomerDraft(
            row: noted.row ?? CustomerRow(id: id), entries: noted.lastEntry.number, salt: home.salt,
            chainHead: home.chainHead, isNew: false)
    }

    /// Adds a link to a customer's hash chain, and returns the number and the hash of the link.
    mutating func link(
        _ customer: CustomerID, _ content: (_ link: Int64, _ salt: [UInt8]) -> LinkContent
    ) throws(VaultError) -> (link: Int64, hash: [UInt8]) {
        try changeCustomer(customer) { draft throws(VaultError) in
            try draft.chainHead.add { content($0, draft.salt) }
        }
    }

    /// Adds a link to a purchase's hash chain, and returns the number and the hash of the link.
    mutating func link(
        purchase id: [UInt8], _ content: (Int64) -> LinkContent
    ) throws(VaultError) -> (link: Int64, hash: [UInt8]) {
        let known = found.chainHeads.purchases[id]
        var draft = purchases[id] ?? (known ?? .none, known?.count ?? 0)
        defer { purchases[id] = draft }
        return try draft.chainHead.add(content)
    }

    // MARK: Drafts

    mutating func changeSubject(_ subject: BindingSubject, _ body: (inout SubjectDraft) -> Void) {
        registerWrite(subject)
        var draft = subjects[subject] ?? SubjectDraft()
        draft.isChanged = true
        body(&draft)
        subjects[subject] = draft
    }

    mutating func changeTransaction(
        _ key: TransactionKey, of customer: CustomerID, _ body: (inout TransactionDraft) -> Void
    ) {
        let id = RowID.of(key) + RowID.of(customer)
        var draft = transactions[id] ?? TransactionDraft(key: key, customer: customer)
        body(&draft)
        transactions[id] = draft
    }

    mutating func record(_ token: NewestToken, of chain: ChainID) {
        registerWrite(.chain(chain))
        if let known = tokens[chain], known.supersedes(token) { return }
        tokens[chain] = token
    }

    /// Returns the digest of a header, and registers the header to be written if it is not certainly in the database.
    mutating func digest(of header: CompactJWS.HeaderSegment) -> [UInt8] {
        let digest = headers.digest(of: header)
        if !headers.isWritten(digest) { newHeaders[digest] = header }
        return digest
    }

    mutating func addProof(_ draft: ErasureDraft, _ proof: [UInt8]) { proofs[draft.place] = proof.hexadecimal }

    /// Returns the current end of a customer's hash chain, which is needed for the proof of an erasure.
    func chainHead(of customer: CustomerID) -> ChainHead {
        customers[customer]?.chainHead ?? found.chainHeads.customers[customer]?.chainHead ?? .none
    }

    /// Returns the number in the last claim on a step; `nil` if no caller has asked whether the step was written.
    ///
    /// See ``PostgresStorage/wasWritten(_:)``.
    func claim(of step: StepID) -> Int64? { found.claims[step] }

    /// Returns whether the database has a row of a customer that this transaction has locked or created.
    func exists(_ customer: CustomerID) -> Bool {
        customers[customer] != nil || found.chainHeads.customers[customer] != nil
    }

    func erasureDigest(of customer: CustomerID, salt: [UInt8]) -> [UInt8] {
        erasureKey?.digest(of: customer.rawValue, salt: salt) ?? []
    }

    mutating func addMarksSeal(_ seal: [UInt8]) { heads.addMarks(seal) }

    mutating func addErasureHash(_ hash: [UInt8], of customer: CustomerID) {
        heads.addErasure(hash)
        let salt = customers[customer]?.salt ?? found.chainHeads.customers[customer]?.salt ?? Digests.salt()
        heads.addCustomer(customer, salt: salt, chainHead: .none)
        customers[customer] = nil
        found.chainHeads.customers[customer] = nil
        found.rows.customers[customer] = LoadedRows.Customer(row: nil, lastEntry: .none)
        changed.insert(customer)
    }

    mutating func forget(_ subject: BindingSubject) {
        subjects[subject] = nil
        found.subjects[subject] = SubjectRow()
    }

    mutating func forget(purchase id: [UInt8]) {
        purchases[id] = nil
        found.chainHeads.purchases[id] = nil
        heads.addPurchase(id, chainHead: .none)
    }

    // MARK: Writing drafts

    /// Adds the statements for the merged changes of all drafts.
    mutating func flush() throws(VaultError) {
        changeTokensOfNewCustomers()
        try flushSubjects()
        flushTransactions()
        flushPurchases()
        flushCustomers()
    }

    /// Changes the rows of those account tokens that are the ids of new customers and that this group has read.
    ///
    /// If account tokens are customer ids, such a token now belongs to the new customer. The change makes another step
    /// start again that has read the token as unowned. It makes this group start again if evidence was parked under the
    /// token since the token was read.
    private mutating func changeTokensOfNewCustomers() {
        for draft in customers.values where draft.isNew && draft.isChanged {
            guard let token = draft.row.id.uuid, found.subjects[.token(token)] != nil else { continue }
            changeSubject(.token(token)) { _ in }
        }
    }

    private mutating func flushCustomers() {
        let drafts = customers.values.filter(\.isChanged).sorted {
            $0.row.id < $1.row.id
        }
        for isNew in [true, false] {
            let rows = drafts.filter { $0.isNew == isNew }
            guard !rows.isEmpty else { continue }
            var arguments: [Argument] = [
                .int(base), .bytes(rows.map { RowID.of($0.row.id) }), .ints(rows.map(\.row.version)),
                .ints(rows.map { $0.row.evaluatedThrough?.millisecondsSince1970 }),
                .ints(rows.map { $0.row.syncedAt?.millisecondsSince1970 }),
                .ints(rows.map { $0.row.wakeAt?.millisecondsSince1970 }), .ints(rows.map(\.entries)),
                .ints(rows.map(\.entryOffset)), .ints(rows.map(\.chainHead.count)), .bytes(rows.map(\.chainHead.hash)),
            ]
            if isNew { arguments += [.texts(rows.map(\.row.id.rawValue)), .bytes(rows.map(\.salt))] }
            arguments.append(.int(last))
            if isNew {
                let tokens = rows.compactMap(\.row.id.uuid).filter { found.subjects[.token($0)] == nil }
                for token in tokens { registerWrite(.token(token)) }
                if !tokens.isEmpty {
                    call(
                        WriteStatements.touchTokens,
                        [.int(base), .bytes(tokens.map { RowID.of(.token($0)) }), .bytes(tokens.map(\.bytes))])
                }
            }
            call(isNew ? WriteStatements.addCustomers : WriteStatements.changeCustomers, arguments)
        }
        for draft in drafts {
            let id = draft.row.id
            heads.addCustomer(id, salt: draft.salt, chainHead: draft.chainHead)
            customers[id]?.isNew = false
            customers[id]?.isChanged = false
        }
    }

    private mutating func flushPurchases() {
        let added = purchases.filter { $0.value.known == 0 }
        let changed = purchases.filter { $0.value.known > 0 }
        if !added.isEmpty {
            call(
                WriteStatements.addPurchases,
                [
                    .bytes(added.map(\.key)), .ints(added.map(\.value.chainHead.count)),
                    .bytes(added.map(\.value.chainHead.hash)), .int(last),
                ])
        }
        if !changed.isEmpty {
            call(
                WriteStatements.changePurchases,
                [
                    .bytes(changed.map(\.key)), .ints(changed.map(\.value.chainHead.count)),
                    .bytes(changed.map(\.value.chainHead.hash)), .int(last), .ints(changed.map(\.value.known)),
                ])
        }
        for (id, draft) in purchases {
            heads.addPurchase(id, chainHead: draft.chainHead)
            found.chainHeads.purchases[id] = draft.chainHead
        }
        purchases = [:]
    }

    private mutating func flushSubjects() throws(VaultError) {
        let drafts = subjects.filter(\.value.isChanged).map { ($0.key, $0.value, found.subjects[$0.key]?.stamp ?? 0) }
        let added = drafts.filter { $0.2 == 0 }
        let changed = drafts.filter { $0.2 > 0 }
        func common(_ rows: [(BindingSubject, SubjectDraft, Int64)]) -> [Argument] {
            [
                .int(base), .bytes(rows.map { RowID.of($0.0) }),
                .bytes(rows.map { $0.1.binding.map { RowID.of($0.row.customer) } }),
                .texts(rows.map { $0.1.binding?.row.customer.rawValue }),
                .ints(rows.map { $0.1.binding?.row.at.millisecondsSince1970 }),
                .ints(rows.map { $0.1.binding?.row.place.offset }), .ints(rows.map { $0.1.binding?.link }),
                .bytes(rows.map { $0.1.binding?.hash }),
            ]
        }
        func attempts(_ rows: [(BindingSubject, SubjectDraft, Int64)]) -> [Argument] {
            [
                .ints(rows.map { $0.1.attempts.map { Int64($0.count) } }),
                .ints(rows.map { $0.1.attempts?.at.millisecondsSince1970 }),
            ]
        }
        if !added.isEmpty {
            let chains = added.map(\.0.chain)
            call(
                WriteStatements.addSubjects,
                common(added) + [
                    .texts(chains.map { $0?.bundleID }), .texts(chains.map { $0?.environment.rawValue }),
                    .texts(chains.map { $0?.originalID.rawValue }),
                    .bytes(chains.map { $0.map { RowID.of(RenewalInfoKey($0)) } }),
                    .bytes(added.map { $0.0.token?.bytes }),
                ] + attempts(added))
        }
        if !changed.isEmpty {
            call(WriteStatements.changeSubjects, common(changed) + attempts(changed) + [.ints(changed.map(\.2))])
        }
        for (subject, draft, stamp) in drafts {
            found.subjects[subject] = SubjectRow(
                stamp: try stamp == 0 ? base : stamp.incremented(as: "the stamp of a chain or token"),
                holder: draft.binding?.row.customer ?? found.subjects[subject]?.holder)
        }
        subjects = [:]
        guard !tokens.isEmpty else { return }
        let newest = Array(tokens)
        call(
            WriteStatements.newestTokens,
            [
                .bytes(newest.map { RowID.of($0.key) }), .bytes(newest.map(\.value.token.bytes)),
                .ints(newest.map(\.value.signedAt.millisecondsSince1970)),
            ])
        tokens = [:]
    }

    mutating func flushTransactions() {
        guard !transactions.isEmpty else { return }
        let rows = transactions.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
        call(
            WriteStatements.transactions,
            [
                .int(base), .bytes(rows.map { RowID.of($0.key) }), .bytes(rows.map { RowID.of($0.customer) }),
                .texts(rows.map(\.key.bundleID)), .texts(rows.map(\.key.environment.rawValue)),
                .texts(rows.map(\.key.transactionID.rawValue)), .ints(rows.map(\.place)),
                .ints(rows.map { $0.isOwed ? OutboxItem.code($0.state) : nil }),
            ])
        transactions = [:]
    }
}

extension ChainHead {
    /// Adds a link to the hash chain, and returns the number and the hash of the link.
    mutating func add(_ content: (Int64) -> LinkContent) throws(VaultError) -> (link: Int64, hash: [UInt8]) {
        count = try count.incremented(as: "the number of links of a hash chain")
        hash = content(count).hash(after: hash)
        return (count, hash)
    }
}

extension BindingSubject {
    var chain: ChainID? { if case .chain(let chain) = self { chain } else { nil } }
    var token: UUID? { if case .token(let token) = self { token } else { nil } }
}

extension FeedPlace {
    /// The number of places between the first place of a step and this place.
    var offset: Int64 { number - MemoryTables.firstPlace }
}
