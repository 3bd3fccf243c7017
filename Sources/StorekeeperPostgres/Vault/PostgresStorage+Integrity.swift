import FoundationEssentials
import Storekeeper
import StorekeeperDurable

// Goes through a vault and compares what it holds with what it says of it.
extension PostgresStorage {
    fileprivate static let customerPage = Statement(
        "SELECT id, name, salt, links, head, entries FROM storekeeper.customer WHERE id > $1 ORDER BY id LIMIT $2")
    fileprivate static let factLinks = Statement(
        """
        SELECT customer, link, hash, learned, digest, sha256(payload), signature FROM storekeeper.fact
        WHERE customer = ANY($1::bytea[])
        """)
    fileprivate static let bindingLinks = Statement(
        """
        SELECT s.customer, s.link, s.hash, s.bundle, s.environment, s.original, s.token, s.bound
        FROM unnest($1::bytea[]) AS k(id) JOIN storekeeper.subject s ON s.customer = k.id
        """)
    fileprivate static let entryLinks = Statement(
        """
        SELECT e.customer, e.link, e.hash, \(LoadStatements.entry)
        FROM unnest($1::bytea[]) AS k(id) JOIN storekeeper.customer c ON c.id = k.id
        JOIN storekeeper.ledger e ON e.customer = k.id
        """)
    fileprivate static let purchasePage = Statement(
        "SELECT id, links, head FROM storekeeper.purchase WHERE id > $1 ORDER BY id LIMIT $2")
    fileprivate static let infoLinks = Statement(
        """
        SELECT purchase, link, hash, learned, digest, sha256(payload), signature FROM storekeeper.renewal_info
        WHERE purchase = ANY($1::bytea[])
        """)
    fileprivate static let checkpointPage = Statement(
        "SELECT place, heads, hash FROM storekeeper.checkpoint WHERE place > $1 ORDER BY place LIMIT $2")
    fileprivate static let feedHead = Statement("SELECT head FROM storekeeper.feed WHERE id = 1")
    fileprivate static let strays = Statement(
        """
        SELECT 'fact', count(*) FROM storekeeper.fact f
          WHERE NOT EXISTS (SELECT 1 FROM storekeeper.customer c WHERE c.id = f.customer)
        UNION ALL SELECT 'entry', count(*) FROM storekeeper.ledger f
          WHERE NOT EXISTS (SELECT 1 FROM storekeeper.customer c WHERE c.id = f.customer)
        UNION ALL SELECT 'binding', count(*) FROM storekeeper.subject f WHERE f.customer IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM storekeeper.customer c WHERE c.id = f.customer)
        UNION ALL SELECT 'renewal info', count(*) FROM storekeeper.renewal_info f
          WHERE NOT EXISTS (SELECT 1 FROM storekeeper.purchase c WHERE c.id = f.purchase)
        """)
    fileprivate static let erasureRows = Statement(
        "SELECT at, reason, facts, entries, salt, digest, proof FROM storekeeper.erasure ORDER BY place")
    fileprivate static let integrityPage: Int64 = 200

    func checkIntegrity() async throws(VaultError) -> IntegrityReport {
        try await checkIntegrity(containing: nil)
    }

    /// Checks all chains, in one state of the database, and that a head is among the checkpoints.
    func checkIntegrity(containing head: [UInt8]?) async throws(VaultError) -> IntegrityReport {
        let limit = limit
        return try await asVault { () async throws(PostgresFailure) in
            try await pool.run { connection throws(PostgresFailure) in
                do throws(PostgresFailure) {
                    _ = try connection.run(.beginReading, within: limit)
                    var check = LinkCheck(connection: connection, limit: limit, wanted: head)
                    let report = try check.run()
                    _ = try connection.run(.rollback, within: limit)
                    return report
                } catch {
                    if connection.isOpen { _ = try? connection.run(.rollback, within: limit) }
                    throw error
                }
            }
        }
    }

    /// Follows the chains of customers and purchases, and the checkpoints that hold their ends.
    private struct LinkCheck {
        let connection: Connection
        let limit: Duration
        let wanted: [UInt8]?
        var report = IntegrityReport(links: 0)
        /// The newest ends that checkpoints tell of, by their names.
        var ends: [[UInt8]: [UInt8]] = [:]
        var hasMetWanted = false

        init(connection: Connection, limit: Duration, wanted: [UInt8]?) {
            self.connection = connection
            self.limit = limit
            self.wanted = wanted
        }

        mutating func run() throws(PostgresFailure) -> IntegrityReport {
            try followCheckpoints()
            try checkCustomers()
            try checkPurchases()
            try checkErasures()
            for (name, course) in ends where course != Self.nothing {
                fault(.link, "chain \(name.hexadecimal.prefix(12))", "its customer, purchase or erasure is not there")
            }
            let strays = try connection.run(PostgresStorage.strays, within: limit)
                .map { row throws(PostgresFailure) in (try row.text(), try row.int()) }
            for (what, count) in strays where count > 0 { fault(.storage, what, "\(count) of nobody's") }
            if wanted != nil, !hasMetWanted { fault(.link, "head", "is not among the checkpoints") }
            return report
        }

        /// The end of a chain that was taken out, as a checkpoint tells it.
        private static let nothing = [UInt8](repeating: 0, count: 40)

        private mutating func fault(_ kind: VaultFault.Kind, _ subject: some StringProtocol, _ message: String) {
            report.faults.append(VaultFault(kind, String(subject), message))
        }

        // MARK: Checkpoints

        private mutating func followCheckpoints() throws(PostgresFailure) {
            var head = [UInt8](repeating: 0, count: 32)
            hasMetWanted = wanted == head
            var place: Int64 = 0
            while true {
                let page = try connection.run(
                    PostgresStorage.checkpointPage, [.int(place), .int(10_000)], within: limit
                ).map { row throws(PostgresFailure) in (try row.int(), try row.bytes(), try row.bytes()) }
                for (number, heads, hash) in page {
                    head = Digests.sha256(head + Digests.sha256(heads))
                    if hash != head {
                        fault(.link, "checkpoint \(number)", "does not follow from the one before")
                        head = hash
                    }
                    if hash == wanted { hasMetWanted = true }
                    read(heads, at: number)
                    place = number
                }
                report.links += page.count
                if page.count < 10_000 { break }
            }
            let written = try connection.run(PostgresStorage.feedHead, within: limit)
                .first { row throws(PostgresFailure) in try row.bytes() }
            if written != head { fault(.link, "checkpoints", "the last ones are not there") }
            report.head = (written ?? head).hexadecimal
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

        private mutating func meet(_ kind: Checkpoint.Kind, _ name: [UInt8], _ course: LinkCourse, _ subject: String) {
            let end = withUnsafeBytes(of: course.count.bigEndian) { Array($0) } + course.head
            let told = ends.removeValue(forKey: [kind.rawValue] + name)
            if told == nil, course == .none { return }
            if told != end { fault(.link, subject, "ends otherwise than the checkpoints say") }
        }

        // MARK: Chains

        private typealias Link = (number: Int64, hash: [UInt8], content: LinkContent)

        private mutating func checkCustomers() throws(PostgresFailure) {
            var last: [UInt8] = []
            while true {
                let page = try connection.run(
                    PostgresStorage.customerPage, [.bytes(last), .int(PostgresStorage.integrityPage)], within: limit
                ).map { row throws(PostgresFailure) in
                    (
                        id: try row.bytes(), name: CustomerID(rawValue: try row.text()), salt: try row.bytes(),
                        course: LinkCourse(count: try row.int(), head: try row.bytes()), entries: try row.int()
                    )
                }
                let salts = Dictionary(page.map { ($0.id, $0.salt) }) { first, _ in first }
                let names = Dictionary(page.map { ($0.id, $0.name) }) { first, _ in first }
                let ids = Argument.bytes(page.map(\.id))
                var links = try facts(PostgresStorage.factLinks, ids)
                try add(bindings: ids, salts, names, to: &links)
                let counts = try add(entries: ids, salts, to: &links)
                for row in page {
                    if row.id != RowID.of(row.name) {
                        fault(.storage, "customer \(row.id.hexadecimal)", "stands under a key that is not its own")
                    }
                    if counts[row.id, default: 0] != row.entries {
                        fault(.link, "account \(row.id.hexadecimal)", "has lost entries")
                    }
                    follow(links[row.id] ?? [], to: row.course, "customer \(row.id.hexadecimal)")
                    meet(
                        .customer, Checkpoint.name(of: row.name, salt: row.salt), row.course,
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
                    (id: try row.bytes(), course: LinkCourse(count: try row.int(), head: try row.bytes()))
                }
                let links = try facts(PostgresStorage.infoLinks, .bytes(page.map(\.id)))
                for row in page {
                    follow(links[row.id] ?? [], to: row.course, "purchase \(row.id.hexadecimal)")
                    meet(.purchase, row.id, row.course, "purchase \(row.id.hexadecimal)")
                }
                guard page.count == PostgresStorage.integrityPage, let end = page.last else { return }
                last = end.id
            }
        }

        /// Facts of homes as links of their chains; a payload that is not what its digest says is a fault.
        private mutating func facts(
            _ statement: Statement, _ homes: Argument
        ) throws(PostgresFailure) -> [[UInt8]: [Link]] {
            var links: [[UInt8]: [Link]] = [:]
            let rows = try connection.run(statement, [homes], within: limit).map { row throws(PostgresFailure) in
                (
                    home: try row.bytes(), link: try row.int(), hash: try row.bytes(), at: try row.instant(),
                    digest: try row.bytes(), found: try row.bytes(), signature: try row.bytes()
                )
            }
            for row in rows {
                if row.digest != row.found {
                    fault(.storage, "fact \(row.digest.hexadecimal.prefix(12))", "its payload is not what was written")
                }
                let content = LinkContent(
                    factAt: row.link, learnedAt: row.at, digest: row.digest, signature: row.signature)
                links[row.home, default: []].append((row.link, row.hash, content))
            }
            return links
        }

        private func add(
            bindings homes: Argument, _ salts: [[UInt8]: [UInt8]], _ names: [[UInt8]: CustomerID],
            to links: inout [[UInt8]: [Link]]
        ) throws(PostgresFailure) {
            let table = try connection.run(PostgresStorage.bindingLinks, [homes], within: limit)
            let rows = try table.map { row throws(PostgresFailure) in
                let (home, link, hash) = (try row.bytes(), try row.int(), try row.bytes())
                let (subject, bound) = (try row.subject(), try row.instant())
                let binding = Binding(
                    place: FeedPlace(link), subject: subject, customer: names[home] ?? CustomerID(rawValue: ""),
                    at: bound)
                return (home, (link, hash, LinkContent(binding, salt: salts[home] ?? [])))
            }
            for (home, link) in rows { links[home, default: []].append(link) }
        }

        private func add(
            entries homes: Argument, _ salts: [[UInt8]: [UInt8]], to links: inout [[UInt8]: [Link]]
        ) throws(PostgresFailure) -> [[UInt8]: Int64] {
            let table = try connection.run(PostgresStorage.entryLinks, [homes], within: limit)
            var counts: [[UInt8]: Int64] = [:]
            let rows = try table.map { row throws(PostgresFailure) in
                let (home, link, hash) = (try row.bytes(), try row.int(), try row.bytes())
                let entry = try row.entry()
                return (home, (link, hash, LinkContent(entry.at(FeedPlace(link)), salt: salts[home] ?? [])))
            }
            for (home, link) in rows {
                links[home, default: []].append(link)
                counts[home, default: 0] += 1
            }
            return counts
        }

        /// Follows a chain from its first link to the end that is noted.
        private mutating func follow(_ links: [Link], to end: LinkCourse, _ subject: String) {
            var course = LinkCourse.none
            for link in links.sorted(by: { $0.number < $1.number }) {
                let made = course.add { _ in link.content }
                if link.number != made.link || link.hash != made.hash {
                    return fault(.link, subject, "link \(link.number) does not follow from the one before")
                }
            }
            report.links += links.count
            if course != end { fault(.link, subject, "has another end than is noted") }
        }

        private mutating func checkErasures() throws(PostgresFailure) {
            let hashes = try connection.run(PostgresStorage.erasureRows, within: limit).map {
                row throws(PostgresFailure) in
                Difference.erasureHash(
                    at: try row.instant(), reason: try row.text(), facts: try row.int(), entries: try row.int(),
                    salt: try row.bytes(), digest: try row.bytes(), proof: try row.bytes())
            }
            for hash in hashes {
                meet(.erasure, Array(hash.prefix(RowID.length)), LinkCourse(count: 0, head: hash), "erasure")
            }
        }
    }
}
