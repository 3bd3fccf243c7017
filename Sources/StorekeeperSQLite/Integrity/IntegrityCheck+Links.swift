import FoundationEssentials
import Storekeeper
import StorekeeperDurable

/// The state of the check while it follows the links of the hash chain.
struct ChainWalk {
    /// The hash that the caller requires in the chain; `nil` without such a requirement.
    let wanted: [UInt8]?
    /// Whether the required hash was found.
    var isFound: Bool
    /// The hash of the last link that was followed.
    var head = [UInt8](repeating: 0, count: 32)
    var headSequence: Int64 = 0
    /// The remaining hashes of emptied or deleted rows, by the sequence number of the erasure.
    var erased: [Int64: [ErasedLink]] = [:]
    var erasures: [ErasureRow] = []
    /// The seals over marks of erased customers.
    var markSeals: [Seal] = []
    /// The remaining hashes of rows whose chain or token has moved to another customer, by the sequence number of the
    /// seal.
    var released: [Int64: [ErasedLink]] = [:]
    /// The seals over these hashes.
    var releaseSeals: [Seal] = []

    init(wanted: [UInt8]?) {
        self.wanted = wanted
        // Before the first link, the hash of every chain is zero.
        isFound = wanted == nil || wanted == head
    }
}

extension IntegrityCheck {
    /// The maximum plausible gap between the last assigned sequence number and the last row.
    ///
    /// Rows with a sequence number may have been deleted, for example when parked evidence was adopted. The limit is
    /// far greater than the number of rows that any vault loses in this way, and is small compared with the range of
    /// `Int64`.
    private static let plausibleGap: Int64 = 1 << 32

    /// Selects all links in order.
    ///
    /// The columns are named after the values of an entry. For rows of other kinds, the same columns contain other
    /// values.
    private static let links: Statement = {
        let ledger = SQLiteTable.of(LedgerEntry.table)
        let values = ledger.shape.columns.dropFirst().map { "ledger.\($0.name)" }.joined(separator: ", ")
        return Statement(
            """
            SELECT \(ledger.columns), 0, previous, hash, erasure, salt, coalesce(\(values)) IS NULL, NULL, NULL
            FROM ledger LEFT JOIN customer ON customer.id = ledger.customer WHERE ledger.sequence > 0
            UNION ALL
            SELECT sequence, NULL, NULL, at, NULL, NULL, facts, entries, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
              NULL, reason, NULL, 1, previous, hash, NULL, salt, 0, digest, proof
            FROM erasure WHERE sequence > 0
            UNION ALL
            SELECT sequence, NULL, NULL, learned, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
              NULL, NULL, NULL, 2, previous, hash, NULL, NULL, 0, digest, signature
            FROM fact WHERE sequence > 0
            UNION ALL
            SELECT sequence, name, NULL, bound, NULL, NULL, NULL, NULL, bundle, environment, original, NULL, NULL,
              NULL, NULL, NULL, NULL, NULL, 3, previous, hash, NULL, salt, 0, NULL, NULL
            FROM chain LEFT JOIN customer ON customer.id = chain.customer
            WHERE chain.customer IS NOT NULL AND sequence > 0
            UNION ALL
            SELECT sequence, name, NULL, bound, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
              NULL, NULL, NULL, 4, previous, hash, NULL, salt, 0, token, NULL
            FROM token LEFT JOIN customer ON customer.id = token.customer WHERE sequence > 0
            UNION ALL
            SELECT sequence, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
              NULL, NULL, NULL, 5, previous, hash, erasure, NULL, 0, NULL, NULL
            FROM erased WHERE sequence > 0
            UNION ALL
            SELECT sequence, NULL, NULL, NULL, kind, NULL, first, second, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
              NULL, NULL, NULL, 6, previous, hash, NULL, NULL, 0, digest, NULL
            FROM seal WHERE sequence > 0
            UNION ALL
            SELECT sequence, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
              NULL, NULL, NULL, 7, previous, hash, seal, NULL, 0, NULL, NULL
            FROM released WHERE sequence > 0
            ORDER BY 1
            """)
    }()
    private static let strayBindings = Statement(
        """
        SELECT original FROM chain WHERE (customer IS NULL) <> (bound IS NULL) OR (customer IS NULL) <> (sequence IS NULL)
          OR (customer IS NULL) <> (previous IS NULL) OR (customer IS NULL) <> (hash IS NULL) OR sequence < 1
        """)
    private static let strayRows = Statement(
        """
        SELECT 'fact', sequence FROM fact WHERE sequence < 1 UNION ALL
        SELECT 'entry', sequence FROM ledger WHERE sequence < 1 UNION ALL
        SELECT 'erasure', sequence FROM erasure WHERE sequence < 1 UNION ALL
        SELECT 'erased', sequence FROM erased WHERE sequence < 1 UNION ALL
        SELECT 'seal', sequence FROM seal WHERE sequence < 1 UNION ALL
        SELECT 'released', sequence FROM released WHERE sequence < 1 UNION ALL
        SELECT 'token', sequence FROM token WHERE sequence < 1
        """)
    private static let lastSequence = Statement(
        """
        SELECT max(coalesce((SELECT max(sequence) FROM fact), 0), coalesce((SELECT max(sequence) FROM ledger), 0),
          coalesce((SELECT max(sequence) FROM event), 0), coalesce((SELECT max(sequence) FROM erasure), 0),
          coalesce((SELECT max(sequence) FROM erased), 0), coalesce((SELECT max(sequence) FROM parked), 0),
          coalesce((SELECT max(sequence) FROM seal), 0), coalesce((SELECT max(sequence) FROM released), 0),
          coalesce((SELECT max(sequence) FROM chain), 0), coalesce((SELECT max(sequence) FROM token), 0),
          coalesce((SELECT max(sequence) FROM finish), 0))
        """)

    /// A link of the hash chain, as it is stored in the file.
    private struct StoredLink {
        let sequence: Int64
        let link: Link
        let name: String
    }

    mutating func checkLinks() throws(VaultError) {
        let chain = try connection.openChainHead()
        try connection.forEach(Self.links, { _ in }) { row in check(&row) }
        if chain.headSequence != walk.headSequence || chain.headHash != walk.head {
            addFault(
                .link, "link \(chain.headSequence)",
                "the chain ends at \(walk.headSequence) instead: links were removed, or added by another program")
        }
        report.head = walk.head.hexadecimal
        if !walk.isFound {
            addFault(
                .link, "head",
                "the chain has no such link: the vault was truncated or replaced since that head was reported")
        }
        try checkNumbers(chain)
        try checkEntryNumbers()
        for erasure in walk.erasures { checkProof(of: erasure) }
        try checkSeals()
        for sequence in walk.erased.keys.sorted() {
            addFault(.link, "link \(walk.erased[sequence]?.first?.sequence ?? 0)", "was erased without an erasure")
        }
    }

    private mutating func check(_ row: inout RowReader) {
        let sequence = row.firstInt
        var rest = row.skipping(18)
        let (kind, link) = (rest.int(), Link(previous: rest.bytes(), hash: rest.bytes()))
        let (erasure, salt, isEmpty) = (rest.optionalInt(), rest.bytes(), rest.bool())
        func stored(_ word: String) -> StoredLink {
            StoredLink(sequence: sequence, link: link, name: "\(word) \(sequence)")
        }
        switch kind {
        case 0:
            let stored = stored("entry")
            if let erasure {
                if !isEmpty { addFault(.link, stored.name, "was erased but is not empty") }
                return checkErased(stored, by: erasure)
            }
            do throws(VaultError) {
                try connection.read(LedgerEntry.table, &row) { row throws(VaultError) in
                    _ = try LedgerEntry(from: &row)
                }
            } catch {
                addFault(.link, stored.name, "was changed: it cannot be read")
                return check(stored, content: nil)
            }
            check(stored, content: LinkContent(connection.row, of: LedgerEntry.table, salt: salt))
        case 1:
            var first = row.skipping(3)
            let at = first.instant()
            var counts = row.skipping(6)
            let (facts, entries) = (Int(clamping: counts.int()), Int(clamping: counts.int()))
            var reason = row.skipping(16)
            let erasure = ErasureRow(
                sequence: sequence, at: at, reason: reason.text(), facts: facts, entries: entries, salt: salt,
                digest: rest.bytes(), proof: rest.bytes())
            walk.erasures.append(erasure)
            check(stored("erasure"), content: LinkContent(erasure))
        case 2:
            var first = row.skipping(3)
            let at = first.instant()
            let digest = rest.bytes()
            let signature = rest.nextIsText ? Array(rest.text().utf8) : rest.bytes()
            check(
                stored("fact"),
                content: LinkContent(factAt: sequence, learnedAt: at, digest: digest, signature: signature))
        case 3, 4: checkBinding(&row, stored("binding"), salt: salt, token: kind == 4 ? rest.bytes() : nil)
        case 6:
            var (kind, numbers) = (row.skipping(4), row.skipping(6))
            checkSeal(
                stored("seal"),
                Seal(
                    sequence: sequence, kind: kind.int(), first: numbers.int(), second: numbers.int(),
                    digest: rest.bytes()))
        case 7:
            let stored = stored("released")
            walk.released[erasure ?? 0, default: []].append(ErasedLink(sequence: sequence, link: link))
            check(stored, content: nil)
        default: checkErased(stored("erased"), by: erasure ?? 0)
        }
    }

    private mutating func checkSeal(_ stored: StoredLink, _ seal: Seal) {
        switch Seal.Kind(rawValue: seal.kind) {
        case .marks: walk.markSeals.append(seal)
        case .released: walk.releaseSeals.append(seal)
        case nil: addFault(.link, stored.name, "is of an unknown kind")
        }
        check(stored, content: seal.content)
    }

    private mutating func checkBinding(_ row: inout RowReader, _ stored: StoredLink, salt: [UInt8], token: [UInt8]?) {
        var (first, second) = (row.skipping(1), row.skipping(3))
        let (customer, at) = (CustomerID(rawValue: first.text()), second.instant())
        var names = row.skipping(8)
        let subject: BindingSubject
        if let token {
            guard let token = UUID(bytes: token) else {
                addFault(.link, stored.name, "was changed: it cannot be read")
                return check(stored, content: nil)
            }
            subject = .token(token)
        } else {
            subject = .chain(
                ChainID(
                    bundleID: names.text(), environment: AppStore.Environment(rawValue: names.text()),
                    originalID: Transaction.ID(rawValue: names.text())))
        }
        let binding = Binding(place: FeedPlace(stored.sequence), subject: subject, customer: customer, at: at)
        check(stored, content: LinkContent(binding, salt: salt))
    }

    private mutating func checkErased(_ stored: StoredLink, by erasure: Int64) {
        walk.erased[erasure, default: []].append(ErasedLink(sequence: stored.sequence, link: stored.link))
        check(stored, content: nil)
    }

    /// Checks that a link contains the hash of the previous link, and that its own hash matches its content if the
    /// content still exists.
    private mutating func check(_ stored: StoredLink, content: LinkContent?) {
        report.links += 1
        if stored.link.previous != walk.head {
            addFault(
                .link, stored.name,
                "does not follow \(walk.headSequence): a link between them was changed, removed or inserted")
        }
        if let content, content.hash(after: stored.link.previous) != stored.link.hash {
            addFault(.link, stored.name, "was changed: its hash does not match its content")
        }
        if stored.link.hash == walk.wanted { walk.isFound = true }
        walk.head = stored.link.hash
        walk.headSequence = stored.sequence
    }

    private mutating func checkNumbers(_ chain: ChainHead) throws(VaultError) {
        for original in try connection.all(Self.strayBindings, { _ in }, { $0.text() }) {
            addFault(.link, original, "its binding is incomplete: a link or a row is missing")
        }
        for (kind, row) in try connection.all(Self.strayRows, { _ in }, { ($0.text(), $0.int()) }) {
            addFault(.link, "\(kind) \(row)", "has a number that is never assigned")
        }
        let last = try connection.first(Self.lastSequence, { _ in }, { $0.int() }) ?? 0
        if last > chain.sequence { addFault(.storage, "row \(last)", "has a number that was never assigned") }
        if chain.sequence < 0 || chain.sequence &- last > Self.plausibleGap {
            addFault(
                .storage, "row \(chain.sequence)",
                "the count of rows is far ahead of the last row, \(last): another program changed it")
        }
    }

    private mutating func checkProof(of erasure: ErasureRow) {
        let links = walk.erased.removeValue(forKey: erasure.sequence) ?? []
        if ErasedLink.proof(of: links) != erasure.proof {
            addFault(.link, "erasure \(erasure.sequence)", "its proof does not match the erased data")
        }
    }
}
