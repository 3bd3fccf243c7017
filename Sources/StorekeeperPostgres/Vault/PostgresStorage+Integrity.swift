import FoundationEssentials
public import Storekeeper
import StorekeeperDurable

// The check that compares the rows of a vault with its hash chains.
extension PostgresStorage {
    fileprivate static let customerPage = Statement(
        "SELECT id, name, salt, links, head, entries FROM storekeeper.customer WHERE id > $1 ORDER BY id LIMIT $2")
    fileprivate static let factLinks = Statement(
        """
        SELECT customer, link, hash, learned, digest, signature, payload, transaction, chain FROM storekeeper.fact
        WHERE customer = ANY($1::bytea[])
        """)
    fileprivate static let bindingLinks = Statement(
        """
        SELECT s.customer, s.id, s.link, s.hash, s.bundle, s.environment, s.original, s.token, s.bound, s.holder,
          s.newest_token, s.newest_signed, s.purchase
        FROM unnest($1::bytea[]) AS k(id) JOIN storekeeper.subject s ON s.customer = k.id
        """)
    fileprivate static let entryLinks = Statement(
        """
        SELECT t.customer, t.link, t.hash, t.cause, \(PostgresLayout(LedgerEntry.table).named)
        FROM unnest($1::bytea[]) AS k(id)
        JOIN storekeeper.customer c ON c.id = k.id JOIN storekeeper.ledger t ON t.customer = k.id
        """)
    fileprivate static let releasedLinks = Statement(
        "SELECT customer, link, hash FROM storekeeper.released WHERE customer = ANY($1::bytea[])")
    fileprivate static let purchasePage = Statement(
        "SELECT id, links, head FROM storekeeper.purchase WHERE id > $1 ORDER BY id LIMIT $2")
    fileprivate static let infoLinks = Statement(
        """
        SELECT purchase, link, hash, learned, digest, signature, payload, NULL::bytea, purchase
        FROM storekeeper.renewal_info WHERE purchase = ANY($1::bytea[])
        """)
    fileprivate static let checkpointPage = Statement(
        "SELECT number, place, heads, hash FROM storekeeper.checkpoint WHERE number > $1 ORDER BY number LIMIT $2")
    fileprivate static let feedHead = Statement(
        "SELECT hash, next, number FROM storekeeper.head h, storekeeper.feed f WHERE h.id = 1 AND f.id = 1")
    private static let nextPlace = "(SELECT next FROM storekeeper.feed WHERE id = 1)"
    fileprivate static let strays = Statement(
        """
        SELECT 'fact', count(*) FROM storekeeper.fact f
          WHERE NOT EXISTS (SELECT 1 FROM storekeeper.customer c WHERE c.id = f.customer)
        UNION ALL SELECT 'entry', count(*) FROM storekeeper.ledger f
          WHERE NOT EXISTS (SELECT 1 FROM storekeeper.customer c WHERE c.id = f.customer)
        UNION ALL SELECT 'fact without a transaction', count(*) FROM storekeeper.fact f
          WHERE NOT EXISTS (
            SELECT 1 FROM storekeeper.transaction t WHERE t.id = f.transaction AND t.customer = f.customer)
        UNION ALL SELECT 'entry without a transaction', count(*) FROM storekeeper.ledger f WHERE f.cause IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM storekeeper.transaction t WHERE t.id = f.cause AND t.customer = f.customer)
        UNION ALL SELECT 'binding', count(*) FROM storekeeper.subject f WHERE f.customer IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM storekeeper.customer c WHERE c.id = f.customer)
        UNION ALL SELECT 'renewal info', count(*) FROM storekeeper.renewal_info f
          WHERE NOT EXISTS (SELECT 1 FROM storekeeper.purchase c WHERE c.id = f.purchase)
        UNION ALL SELECT 'subject', count(*) FROM storekeeper.subject s
          WHERE (s.customer IS NULL) <> (s.holder IS NULL) OR s.customer IS NULL
            AND coalesce(s.bound, s.place, s.link, s.newest_signed) IS NOT NULL
        UNION ALL SELECT 'balance', count(*) FROM storekeeper.balance f
          WHERE NOT EXISTS (SELECT 1 FROM storekeeper.customer c WHERE c.id = f.customer)
        UNION ALL SELECT 'fact after the last place', count(*) FROM storekeeper.fact f WHERE f.place >= \(nextPlace)
        UNION ALL SELECT 'entry after the last place', count(*) FROM storekeeper.ledger f WHERE f.place >= \(nextPlace)
        UNION ALL SELECT 'event after the last place', count(*) FROM storekeeper.event f WHERE f.place >= \(nextPlace)
        UNION ALL SELECT 'customer after the last place', count(*) FROM storekeeper.customer f
          WHERE f.last_place >= \(nextPlace)
        UNION ALL SELECT 'purchase after the last place', count(*) FROM storekeeper.purchase f
          WHERE f.last_place >= \(nextPlace)
        UNION ALL SELECT 'header', count(*) FROM storekeeper.jws_header WHERE digest <> sha256(segment)
        UNION ALL SELECT 'fact without a header', count(*) FROM storekeeper.fact f
          WHERE NOT EXISTS (SELECT 1 FROM storekeeper.jws_header h WHERE h.digest = f.header)
        """)
    fileprivate static let erasureRows = Statement(
        "SELECT at, reason, facts, entries, salt, digest, proof FROM storekeeper.erasure ORDER BY place")
    fileprivate static let markRows = Statement(
        """
        SELECT m.seal, m.digest, k.secret FROM storekeeper.erased_mark m
        LEFT JOIN storekeeper.mark_key k ON k.id = m.key
        """)
    fileprivate static let integrityPage: Int64 = 50

    /// Checks all hash chains in one snapshot of the database, and checks that a given head is among the checkpoints.
    fileprivate func integrity(containing head: [UInt8]?) async throws(VaultError) -> IntegrityReport {
        let limit = limit
        return try await asVault { () async throws(PostgresFailure) in
            try await pool.run { connection throws(PostgresFailure) in
                do throws(PostgresFailure) {
                    _ = try connection.run(.beginReading, within: limit)
                    let report = try Self.integrity(connection, limit, containing: head)
                    _ = try connection.run(.rollback, within: limit)
                    return report
                } catch {
                    if connection.isOpen { _ = try? connection.run(.rollback, within: limit) }
                    throw error
                }
            }
        }
    }

    /// Checks all hash chains in the snapshot of an open transaction.
    static func integrity(
        _ connection: Connection, _ limit: Duration, containing head: [UInt8]? = nil
    ) throws(PostgresFailure) -> IntegrityReport {
        var check = LinkCheck(connection: connection, limit: limit, wanted: head)
        return try check.run()
    }

    /// Follows the hash chains of customers and purchases, and the checkpoints that record the ends of these chains.
    private struct LinkCheck {
        let connection: Connection
        let limit: Duration
        let wanted: [UInt8]?
        var report = IntegrityReport(links: 0)
        /// The newest end of each hash chain in the checkpoints, by the name of the chain.
        var ends: [[UInt8]: [UInt8]] = [:]
        var hasMetWanted = false

        init(connection: Connection, limit: Duration, wanted: [UInt8]?) {
            self.connection = connection
            self.limit = limit
            self.wanted = wanted
        }

        mutating func run() throws(PostgresFailure) -> IntegrityReport {
            report.faults += try SchemaCheck.faults(connection, limit)
            try readable { check throws(PostgresFailure) in try check.followCheckpoints() }
            try readable { check throws(PostgresFailure) in try check.checkCustomers() }
            try readable { check throws(PostgresFailure) in try check.checkPurchases() }
            try readable { check throws(PostgresFailure) in try check.checkErasures() }
            try readable { check throws(PostgresFailure) in try check.checkMarks() }
            for (name, chainHead) in ends where chainHead != Self.nothing {
                fault(.link, "chain \(name.hexadecimal.prefix(12))", "its customer, purchase or erasure is missing")
            }
            let strays = try connection.run(PostgresStorage.strays, within: limit)
                .map { row throws(PostgresFailure) in (try row.text(), try row.int()) }
            for (what, count) in strays where count > 0 {
                fault(.storage, what, "\(count) are stored in a wrong place")
            }
            if wanted != nil, !hasMetWanted { fault(.link, "head", "is not among the checkpoints") }
            return report
        }

        /// Runs a function that checks some of the data.
        ///
        /// Unreadable data becomes a fault in the report; any other error makes the check fail.
        private mutating func readable(
            _ work: (inout LinkCheck) throws(PostgresFailure) -> Void
        ) throws(PostgresFailure) {
            do throws(PostgresFailure) {
                try work(&self)
            } catch {
                guard error.kind == .unexpectedAnswer else { throw error }
                fault(.storage, "row", error.message)
            }
        }

        /// The end that a checkpoint records for a deleted hash chain.
        private static let nothing = [UInt8](repeating: 0, count: 40)

        private mutating func fault(_ kind: VaultFault.Kind, _ subject: some StringProtocol, _ message: String) {
            report.faults.append(VaultFault(kind, String(subject), message))
        }

        // MARK: Checkpoints

        private mutating func followCheckpoints() throws(PostgresFailure) {
            var head = [UInt8](repeating: 0, count: 32)
            hasMetWanted = wanted == head
            var (last, lastPlace) = (Int64(0), Int64(0))
            while true {
                let page = try connection.run(
                    PostgresStorage.checkpointPage, [.int(last), .int(10_000)], within: limit
                ).map { row throws(PostgresFailure) in
                    (try row.int(), try row.int(), try row.bytes(), try row.bytes())
                }
                for (number, place, heads, hash) in page {
                    head = Digests.sha256(head + Digests.sha256(heads))
                    if hash != head {
                        fault(.link, "checkpoint \(number)", "does not follow from the previous one")
                        head = hash
                    }
                    if hash == wanted { hasMetWanted = true }
                    read(heads, at: number)
                    (last, lastPlace) = (number, max(lastPlace, place))
                }
                report.links += page.count
                if page.count < 10_000 { break }
            }
            let feed = try connection.run(PostgresStorage.feedHead, within: limit)
                .first { row throws(PostgresFailure) in
                    (head: try row.bytes(), next: try row.int(), number: try row.int())
                }
            if feed?.head != head { fault(.link, "checkpoints", "the last ones are missing") }
            // If the next place of the feed is too small, places would be assigned twice. If it is too great, no places
            // would be left.
            if let next = feed?.next, next <= lastPlace || next > Int64.max / 2 {
                fault(.storage, "feed", "the next place is not after the last")
            }
            if let number = feed?.number, number != last {
                fault(.storage, "checkpoints", "their stored count is wrong")
            }
            report.head = (feed?.head ?? head).hexadecimal
        }

        private mutating func read(_ heads: [UInt8], at number: Int64) {
            guard heads.count.isMultiple(of: Checkpoint.recordLength) else {
                return fault(.link, "checkpoint \(number)", "is damaged")
            }
            for start in stride(from: 0, to: heads.count, by: Checkpoint.recordLength) {
                ends[Array(heads[start..<(start + 17)])] = Array(
                    heads[(start + 17)..<(start + Checkpoint.recordLength)])
            }
        }

        private mutating func checkEnd(
            _ kind: Checkpoint.Kind, _ name: [UInt8], _ chainHead: ChainHead, _ subject: String
        ) {
            let end = withUnsafeBytes(of: chainHead.count.bigEndian) { Array($0) } + chainHead.hash
            let told = ends.removeValue(forKey: [kind.rawValue] + name)
            if told == nil, chainHead == .none { return }
            if told != end { fault(.link, subject, "its end differs from the checkpoints") }
        }

        // MARK: Chains

        /// A link; the content is `nil` if its row was deleted because a purchase has moved to another customer.
        private typealias Link = (number: Int64, hash: [UInt8], content: LinkContent?)

        private mutating func checkCustomers() throws(PostgresFailure) {
            var last: [UInt8] = []
            while true {
                let page = try connection.run(
                    PostgresStorage.customerPage, [.bytes(last), .int(PostgresStorage.integrityPage)], within: limit
                ).map { row throws(PostgresFailure) in
                    (
                        id: try row.bytes(), name: CustomerID(rawValue: try row.text()), salt: try row.bytes(),
                        chainHead: ChainHead(count: try row.int(), hash: try row.bytes()), entries: try row.int()
                    )
                }
                let salts = Dictionary(page.map { ($0.id, $0.salt) }) { first, _ in first }
                let names = Dictionary(page.map { ($0.id, $0.name) }) { first, _ in first }
                let ids = Argument.bytes(page.map(\.id))
                var tokens: [[UInt8]: NewestToken] = [:]
                var links = try facts(PostgresStorage.factLinks, ids, &tokens)
                try add(bindings: ids, salts, names, tokens, to: &links)
                let counts = try add(entries: ids, salts, to: &links)
                try add(released: ids, to: &links)
                for row in page {
                    if row.id != RowID.of(row.name) {
                        fault(.storage, "customer \(row.id.hexadecimal)", "is stored under another key")
                    }
                    if counts[row.id, default: 0] != row.entries {
                        fault(.link, "account \(row.id.hexadecimal)", "has lost entries")
                    }
                    follow(links[row.id] ?? [], to: row.chainHead, "customer \(row.id.hexadecimal)")
                    checkEnd(
                        .customer, Checkpoint.name(of: row.name, salt: row.salt), row.chainHead,
                        "customer \(row.id.hexadecimal)")
                }
                guard page.count == PostgresStorage.integrityPage, let end = page.last else { return }
                last = end.id
            }
        }

        private mutating func checkPurchases() throws(PostgresFailure) {
            var last: [UInt8] = []
            while true {
                let page = try connection.run(
                    PostgresStorage.purchasePage, [.bytes(last), .int(PostgresStorage.integrityPage)], within: limit
                ).map { row throws(PostgresFailure) in
                    (id: try row.bytes(), chainHead: ChainHead(count: try row.int(), hash: try row.bytes()))
                }
                var tokens: [[UInt8]: NewestToken] = [:]
                let links = try facts(PostgresStorage.infoLinks, .bytes(page.map(\.id)), &tokens)
                for row in page {
                    follow(links[row.id] ?? [], to: row.chainHead, "purchase \(row.id.hexadecimal)")
                    checkEnd(.purchase, row.id, row.chainHead, "purchase \(row.id.hexadecimal)")
                }
                guard page.count == PostgresStorage.integrityPage, let end = page.last else { return }
                last = end.id
            }
        }

        /// Returns the facts as links of hash chains, by the key of the customer or purchase that owns the hash chain,
        /// and checks that the columns of each fact match its payload.
        ///
        /// - Parameter tokens: Receives the newest token of each chain.
        private mutating func facts(
            _ statement: Statement, _ homes: Argument, _ tokens: inout [[UInt8]: NewestToken]
        ) throws(PostgresFailure) -> [[UInt8]: [Link]] {
            var links: [[UInt8]: [Link]] = [:]
            try connection.run(statement, [homes], within: limit).forEach { row throws(PostgresFailure) in
                let (home, link, hash, at) = (try row.bytes(), try row.int(), try row.bytes(), try row.instant())
                let (digest, signature, payload) = (try row.bytes(), try row.bytes(), try row.bytes())
                let (transaction, place) = (try row.optionalBytes(), try row.bytes())
                let content = LinkContent(factAt: link, learnedAt: at, digest: digest, signature: signature)
                links[home, default: []].append((link, hash, content))
                let name = "fact \(digest.hexadecimal.prefix(12))"
                guard digest == Digests.sha256(payload), let fact = Self.fact(payload) else {
                    return fault(.storage, name, "its payload was changed")
                }
                let own: (transaction: [UInt8]?, place: [UInt8]) =
                    switch fact.content {
                    case .transaction(let value): (RowID.of(TransactionKey(value)), RowID.of(ChainID(value)))
                    case .renewalInfo, .notification, .appTransaction: (nil, fact.purchase.map { RowID.of($0) } ?? [])
                    }
                if own != (transaction, place) { fault(.binding, name, "is stored under another chain") }
                guard let token = fact.transaction?.appAccountToken else { return }
                let (noted, found) = (tokens[place], NewestToken(token: token, signedAt: fact.signedAt))
                if noted.map(found.supersedes) ?? true { tokens[place] = found }
            }
            return links
        }

        private static let header = CompactJWS.HeaderSegment(bytes: Array(Base64URL.encode(Array("{}".utf8)).utf8))

        /// Parses a payload without verifying its signature; returns `nil` if the payload cannot be parsed.
        private static func fact(_ payload: [UInt8]) -> VerifiedFact? {
            try? StoredContent(header: header, payload: payload, signature: .content([])).restored()
        }

        private mutating func add(
            bindings homes: Argument, _ salts: [[UInt8]: [UInt8]], _ names: [[UInt8]: CustomerID],
            _ tokens: [[UInt8]: NewestToken], to links: inout [[UInt8]: [Link]]
        ) throws(PostgresFailure) {
            var tokens = tokens
            try connection.run(PostgresStorage.bindingLinks, [homes], within: limit).forEach {
                row throws(PostgresFailure) in
                let (home, id, link, hash) = (try row.bytes(), try row.bytes(), try row.int(), try row.bytes())
                let (subject, bound, holder) = (try row.subject(), try row.instant(), try row.text())
                let (token, signedAt) = (try row.optionalBytes(), try row.optionalInstant())
                let purchase = try row.optionalBytes()
                let customer = names[home] ?? CustomerID(rawValue: "")
                let binding = Binding(place: FeedPlace(link), subject: subject, customer: customer, at: bound)
                links[home, default: []].append((link, hash, LinkContent(binding, salt: salts[home] ?? [])))
                let name = "subject \(id.hexadecimal)"
                if id != RowID.of(subject) || !holder.hasSameBytes(as: customer.rawValue)
                    || purchase != subject.chain.map({ RowID.of(RenewalInfoKey($0)) })
                {
                    fault(.binding, name, "differs from its binding")
                }
                let own = tokens.removeValue(forKey: id)
                if own?.token.bytes != token || own?.signedAt != signedAt {
                    fault(.binding, name, "is stored with a token that is not that of its newest fact")
                }
            }
            for chain in tokens.keys {
                fault(.binding, "subject \(chain.hexadecimal)", "belongs to another customer than its facts")
            }
        }

        /// Adds the entries as links of hash chains, checks that each entry is found by its transaction, and returns the
        /// number of entries of each customer.
        private mutating func add(
            entries homes: Argument, _ salts: [[UInt8]: [UInt8]], to links: inout [[UInt8]: [Link]]
        ) throws(PostgresFailure) -> [[UInt8]: Int64] {
            let cells = RowBuffer(capacity: 1_024)
            var counts: [[UInt8]: Int64] = [:]
            try connection.run(PostgresStorage.entryLinks, [homes], within: limit).forEach {
                row throws(PostgresFailure) in
                let (home, link, hash) = (try row.bytes(), try row.int(), try row.bytes())
                let cause = try row.optionalBytes()
                let entry = try row.row(LedgerEntry.self, in: cells)
                var own: [UInt8]?
                if case .transaction(let key, _, _) = entry.cause { own = RowID.of(key) }
                if cause != own {
                    fault(.binding, "entry \(entry.place.number)", "is stored under another transaction")
                }
                cells.cells[0].number = link
                links[home, default: []].append(
                    (link, hash, LinkContent(cells, of: LedgerEntry.table, salt: salts[home] ?? [])))
                counts[home, default: 0] += 1
            }
            return counts
        }

        private func add(released homes: Argument, to links: inout [[UInt8]: [Link]]) throws(PostgresFailure) {
            try connection.run(PostgresStorage.releasedLinks, [homes], within: limit).forEach {
                row throws(PostgresFailure) in
                let (home, link, hash) = (try row.bytes(), try row.int(), try row.bytes())
                links[home, default: []].append((link, hash, nil))
            }
        }

        /// Checks each link of a hash chain, and compares the last link with the recorded end of the chain.
        private mutating func follow(_ links: [Link], to end: ChainHead, _ subject: String) {
            var chainHead = ChainHead.none
            for link in links.sorted(by: { $0.number < $1.number }) {
                chainHead = ChainHead(
                    count: chainHead.count + 1, hash: link.content?.hash(after: chainHead.hash) ?? link.hash)
                if ChainHead(count: link.number, hash: link.hash) != chainHead {
                    return fault(.link, subject, "link \(link.number) does not follow from the previous one")
                }
            }
            report.links += links.count
            if chainHead != end { fault(.link, subject, "its last link differs from the stored one") }
        }

        /// Checks the marks of erased customers, which prevent repeated credits.
        ///
        /// Each seal is the hash of all marks that were written together.
        private mutating func checkMarks() throws(PostgresFailure) {
            let rows = try connection.run(PostgresStorage.markRows, within: limit).map { row throws(PostgresFailure) in
                (seal: try row.bytes(), digest: try row.bytes(), secret: try row.optionalBytes())
            }
            for (name, marks) in Dictionary(grouping: rows, by: \.seal) {
                let seal = MarkKey(secret: marks.first?.secret ?? []).seal(of: marks.map(\.digest))
                checkEnd(.marks, name, ChainHead(count: 0, hash: seal), "marks of the erased")
            }
        }

        private mutating func checkErasures() throws(PostgresFailure) {
            let hashes = try connection.run(PostgresStorage.erasureRows, within: limit).map {
                row throws(PostgresFailure) in
                ChangeWriter.erasureHash(
                    at: try row.instant(), reason: try row.text(), facts: try row.int(), entries: try row.int(),
                    salt: try row.bytes(), digest: try row.bytes(), proof: try row.bytes())
            }
            for hash in hashes {
                checkEnd(.erasure, Array(hash.prefix(RowID.length)), ChainHead(count: 0, hash: hash), "erasure")
            }
        }
    }
}

extension PostgresVault {
    /// Checks that the stored data was not changed after the vault wrote it.
    ///
    /// The check uses the hash chains, and other columns that are not part of the public interface.
    ///
    /// - Parameter head: An earlier value of ``/Storekeeper/IntegrityReport/head``, which must still be among the
    ///   checkpoints; `nil` omits this check.
    /// - Throws: ``/Storekeeper/VaultError`` with `invalidRequest` if the text is not a head.
    public func checkIntegrity(containing head: String?) async throws(VaultError) -> IntegrityReport {
        try await storage.integrity(containing: try IntegrityReport.bytes(ofHead: head))
    }
}
