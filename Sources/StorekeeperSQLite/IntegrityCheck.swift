import Storekeeper

/// Goes through a vault and compares what it holds with what it says of it.
struct IntegrityCheck {
    private static let checkPages = Query("PRAGMA integrity_check(100)")
    private static let checkReferences = Query("PRAGMA foreign_key_check")
    private static let links = Query(
        """
        SELECT \(SQLiteTables.entryColumns), erasure, previous, hash,
          coalesce(ledger.customer, at, kind, balance, change, after, bundle, environment, transaction_id, product,
            target, key, reason) IS NULL
        FROM ledger LEFT JOIN customer ON customer.id = ledger.customer ORDER BY ledger.sequence
        """)
    private static let erasureLinks = Query("SELECT sequence, previous, hash FROM erasure ORDER BY sequence")
    private static let facts = Query(
        """
        SELECT fact.sequence, digest, subject, fact.original, fact.environment, chain.bundle, chain.environment,
          chain.original, header, payload, signature
        FROM fact LEFT JOIN chain ON chain.id = fact.chain ORDER BY fact.sequence
        """)
    private static let lastSequence = Query(
        """
        SELECT max(coalesce((SELECT max(sequence) FROM fact), 0), coalesce((SELECT max(sequence) FROM ledger), 0),
          coalesce((SELECT max(sequence) FROM event), 0), coalesce((SELECT max(sequence) FROM erasure), 0))
        """)

    private let tables: SQLiteTables
    private let session: Session
    private var report = IntegrityReport(links: 0)
    /// The hash of the link before.
    private var head = [UInt8](repeating: 0, count: 32)
    private var headSequence: Int64 = 0
    /// What was emptied, by the erasure that it names.
    private var emptied: [Int64: [ErasedLink]] = [:]

    init(tables: borrowing SQLiteTables) {
        self.tables = copy tables
        session = tables.session
    }

    mutating func run() throws(VaultError) -> IntegrityReport {
        do throws(VaultError) {
            for answer in try session.all(Self.checkPages, { _ in }, { $0.text() }) where answer != "ok" {
                note(.storage, session.file.path, answer)
            }
            let strays = try session.all(Self.checkReferences, { _ in }, { ($0.text(), $0.optionalInt() ?? 0) })
            for (table, row) in strays { note(.storage, "\(table) \(row)", "refers to a row that is not there") }
            try checkLinks()
            try checkFacts()
        } catch {
            // Damage is what was looked for; anything else is a failure to look.
            guard error.code == .corrupt || error.code == .notAVault else { throw error }
            note(.storage, session.file.path, error.message)
        }
        return report
    }

    private mutating func note(_ kind: VaultFault.Kind, _ subject: String, _ message: String) {
        report.faults.append(VaultFault(kind, subject, message))
    }

    // MARK: Links

    /// A link as it stands in the file.
    private struct StoredLink {
        let sequence: Int64
        let previous: [UInt8]
        let hash: [UInt8]
    }

    private mutating func checkLinks() throws(VaultError) {
        let erasures = try tables.erasureRows()
        let erasureLinks = try session.all(Self.erasureLinks, { _ in }) { row in
            StoredLink(sequence: row.int(), previous: row.blob(), hash: row.blob())
        }
        var waiting = Array(zip(erasures, erasureLinks))[...]
        try session.forEach(Self.links, { _ in }) { row throws(VaultError) in
            let sequence = row.firstInt
            while let (erasure, link) = waiting.first, link.sequence < sequence {
                waiting = waiting.dropFirst()
                check(link, content: LinkContent(erasure), named: "erasure \(link.sequence)")
            }
            checkEntry(&row, at: sequence)
        }
        for (erasure, link) in waiting {
            check(link, content: LinkContent(erasure), named: "erasure \(link.sequence)")
        }
        let books = try session.openBooks()
        if books.headSequence != headSequence || books.headHash != head {
            note(
                .link, "entry \(books.headSequence)",
                "the chain ends at \(headSequence) instead: entries were cut off, or added by other hands")
        }
        let last = try session.first(Self.lastSequence, { _ in }, { $0.int() }) ?? 0
        if last > books.sequence { note(.storage, "row \(last)", "has a number that was never given") }
        for erasure in erasures { checkProof(of: erasure) }
        for sequence in emptied.keys.sorted() {
            note(.link, "entry \(emptied[sequence]?.first?.sequence ?? 0)", "was emptied without an erasure")
        }
    }

    private mutating func checkEntry(_ row: inout Row, at sequence: Int64) {
        var rest = row.skipping(14)
        let (erasure, previous, hash) = (rest.optionalInt(), rest.blob(), rest.blob())
        let isEmpty = rest.bool()
        let link = StoredLink(sequence: sequence, previous: previous, hash: hash)
        if let erasure {
            emptied[erasure, default: []].append(ErasedLink(sequence: sequence, hash: hash))
            if !isEmpty { note(.link, "entry \(sequence)", "was erased and is not empty") }
            return check(link, content: nil, named: "entry \(sequence)")
        }
        guard let entry = try? session.entry(&row) else {
            note(.link, "entry \(sequence)", "was changed: it cannot be read")
            return check(link, content: nil, named: "entry \(sequence)")
        }
        check(link, content: LinkContent(entry), named: "entry \(sequence)")
    }

    /// Compares a link with the one before it, and with its content, if it still has one.
    private mutating func check(_ link: StoredLink, content: LinkContent?, named name: String) {
        report.links += 1
        if link.previous != head {
            note(.link, name, "does not follow \(headSequence): an entry between them was changed, removed or put in")
        }
        if let content, content.hash(after: link.previous) != link.hash {
            note(.link, name, "was changed: its hash is not that of its content")
        }
        head = link.hash
        headSequence = link.sequence
    }

    private mutating func checkProof(of erasure: ErasureRow) {
        let links = emptied.removeValue(forKey: erasure.sequence) ?? []
        if links.count != erasure.entries || ErasedLink.proof(of: links) != erasure.proof {
            note(.link, "erasure \(erasure.sequence)", "its proof is not that of the entries that were emptied")
        }
    }

    // MARK: Facts

    private mutating func checkFacts() throws(VaultError) {
        try session.forEach(Self.facts, { _ in }) { row throws(VaultError) in
            let (sequence, digest) = (row.int(), row.blob())
            let columns = (subject: row.optionalText(), original: row.optionalText(), environment: row.optionalText())
            let (bundle, environment, original) = (row.optionalText(), row.optionalText(), row.optionalText())
            let content = try StoredContent(&row, in: session)
            guard content.digest == digest, let fact = try? content.restored() else {
                return note(.storage, "fact \(sequence)", "its payload is not what was written")
            }
            let isRight =
                switch fact.content {
                case .transaction(let transaction):
                    transaction.appBundleID == bundle && transaction.environment.rawValue == environment
                        && transaction.originalID.rawValue == original
                        && transaction.id.rawValue == columns.subject ?? original
                case .renewalInfo(let info):
                    info.originalTransactionID.rawValue == columns.original
                        && info.environment.rawValue == columns.environment
                }
            if !isRight { note(.binding, "fact \(sequence)", "stands under a chain that is not its own") }
        }
    }
}
