package import Storekeeper
import StorekeeperDurable

extension SQLiteTables {
    private static let randomSalt = Statement("SELECT randomblob(32)")
    private static let hashesOfCustomer = Statement(
        "SELECT sequence, previous, hash FROM ledger WHERE customer = ? ORDER BY sequence")
    private static let addErasure = Statement(
        """
        INSERT INTO erasure(sequence, at, reason, facts, entries, salt, digest, proof, previous, hash)
        VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    private static let allErasures = Statement(
        "SELECT sequence, at, reason, facts, entries, salt, digest, proof FROM erasure ORDER BY sequence")
    private static let removeDoneDeliveries = Statement(
        """
        DELETE FROM finish WHERE (transaction_id, environment, bundle) IN (
          SELECT coalesce(fact.subject, chain.original), chain.environment, chain.bundle
          FROM chain JOIN fact ON fact.chain = chain.id WHERE chain.customer = ?)
        """)
    private static let removeOpenDeliveries = Statement("DELETE FROM finish WHERE customer = ? AND state < 2")
    private static let linksOfChainFacts = Statement("SELECT sequence, previous, hash FROM fact WHERE chain = ?")
    private static let removeChainFacts = Statement("DELETE FROM fact WHERE chain = ?")
    private static let linksOfInfos = Statement(
        "SELECT sequence, previous, hash FROM fact WHERE original = ? AND environment = ?")
    private static let removeInfos = Statement("DELETE FROM fact WHERE original = ? AND environment = ?")
    private static let linkOfChain = Statement(
        "SELECT sequence, previous, hash FROM chain WHERE id = ? AND customer IS NOT NULL")
    private static let removeChain = Statement("DELETE FROM chain WHERE id = ?")
    private static let linkOfToken = Statement("SELECT sequence, previous, hash FROM token WHERE token = ?")
    private static let removeToken = Statement("DELETE FROM token WHERE token = ?")
    private static let clearChain = Statement(
        """
        UPDATE chain SET customer = NULL, bound = NULL, sequence = NULL, previous = NULL, hash = NULL, token = NULL,
          token_signed = NULL WHERE id = ?
        """)
    private static let addReleased = Statement(
        "INSERT INTO released(sequence, seal, previous, hash) VALUES(?, ?, ?, ?)")
    private static let addErased = Statement("INSERT INTO erased(sequence, erasure, previous, hash) VALUES(?, ?, ?, ?)")
    private static let removeOneAttempts = Statement("DELETE FROM conflict WHERE subject = ?")
    private static let removeIdleChain = Statement(
        """
        DELETE FROM chain WHERE id = ? AND customer IS NULL AND NOT EXISTS (SELECT 1 FROM fact WHERE chain = chain.id)
          AND NOT EXISTS (SELECT 1 FROM parked WHERE chain = chain.id)
        """)
    private static let removeCustomer = Statement("DELETE FROM customer WHERE id = ?")

    /// Removes a parked fact with the same payload, and the row of its chain if nothing else refers to this row.
    package mutating func removeParked(_ fact: VerifiedFact) throws(VaultError) {
        try unpark(fact)
        guard let id = fact.chain, let chain = try known(id).number else { return }
        try connection.run(Self.removeIdleChain) { $0.int(chain) }
        connection.forget()
    }

    /// Deletes the facts of a chain.
    package mutating func removeFacts(of chain: ChainID) throws(VaultError) -> Int {
        guard let number = try known(chain).number else { return 0 }
        let links = try links(Self.linksOfChainFacts) { $0.int(number) }
        try connection.run(Self.removeChainFacts) { $0.int(number) }
        erasedLinks += links
        return links.count
    }

    /// Deletes the evidence other than transactions of an environment and original transaction.
    package mutating func removeRenewalInfos(
        environment: AppStore.Environment, originalID: Transaction.ID
    ) throws(VaultError) -> Int {
        let links = try links(Self.linksOfInfos) {
            $0.text(originalID.rawValue)
            $0.text(environment.rawValue)
        }
        try connection.run(Self.removeInfos) {
            $0.text(originalID.rawValue)
            $0.text(environment.rawValue)
        }
        erasedLinks += links
        return links.count
    }

    /// Deletes the binding of a chain or token.
    package mutating func unbind(_ subject: BindingSubject) throws(VaultError) {
        switch subject {
        case .chain(let chain):
            guard let number = try known(chain).number else { return }
            erasedLinks += try links(Self.linkOfChain) { $0.int(number) }
            try connection.run(Self.removeChain) { $0.int(number) }
            connection.forget()
        case .token(let token):
            erasedLinks += try links(Self.linkOfToken) { $0.bytes(token.bytes) }
            try connection.run(Self.removeToken) { $0.bytes(token.bytes) }
        }
    }

    /// Deletes the binding of a chain or token, and the chain's facts; their links stay, covered by a seal.
    package mutating func release(_ subject: BindingSubject, of customer: CustomerID) throws(VaultError) {
        var links: [ErasedLink] = []
        switch subject {
        case .chain(let chain):
            guard let number = try known(chain).number else { return }
            links = try self.links(Self.linksOfChainFacts) { $0.int(number) }
            links += try self.links(Self.linkOfChain) { $0.int(number) }
            try connection.run(Self.removeChainFacts) { $0.int(number) }
            // Parked facts may refer to the row of the chain, so the row stays.
            try connection.run(Self.clearChain) { $0.int(number) }
        case .token(let token):
            links = try self.links(Self.linkOfToken) { $0.bytes(token.bytes) }
            try connection.run(Self.removeToken) { $0.bytes(token.bytes) }
        }
        connection.forget()
        guard !links.isEmpty else { return }
        let seal = try connection.seal(.released, Int64(links.count), 0, ErasedLink.proof(of: links))
        for link in links {
            try connection.run(Self.addReleased) {
                $0.int(link.sequence)
                $0.int(seal)
                $0.link(link.link)
            }
        }
    }

    /// Deletes the number of counted attempts to claim a chain or token.
    package mutating func removeAttempts(on subject: BindingSubject) throws(VaultError) {
        try connection.run(Self.removeOneAttempts) { $0.bytes(subject.bytes) }
    }

    /// Deletes the finished and unfinished deliveries of a customer's transactions.
    package mutating func removeDeliveries(of customer: CustomerID) throws(VaultError) {
        guard let number = try number(of: customer) else { return }
        try connection.run(Self.removeDoneDeliveries) { $0.int(number) }
        try connection.run(Self.removeOpenDeliveries) { $0.int(number) }
    }

    /// Empties the entries of a customer, deletes the customer, and records the erasure.
    ///
    /// The sequence numbers and hashes of emptied entries, deleted facts and deleted bindings remain, so that the hash
    /// chain can still be verified. The record of the erasure is a further link of the hash chain. The record
    /// identifies the customer only by a digest that is made with a secret from a file next to the vault. The proof of
    /// the erasure is the digest of the hashes of all deleted and emptied rows.
    package mutating func closeErasure(
        of customer: CustomerID, facts: Int, reason: String, at instant: Instant
    ) throws(VaultError) -> Erasure {
        let number = try number(of: customer)
        let entries =
            try number.map { number throws(VaultError) in
                try links(Self.hashesOfCustomer) { $0.int(number) }
            } ?? []
        let evidence = erasedLinks
        erasedLinks = []
        guard let salt = try connection.first(Self.randomSalt, { _ in }, { $0.bytes() }) else {
            throw connection.file.corrupt("no random numbers")
        }
        // The secret must be on disk before the step is committed, because without the secret the erasure could never
        // be found by the customer's name.
        let secret = try ErasureSecret.make(for: connection.file)
        let row = ErasureRow(
            sequence: try connection.nextSequence(), at: instant, reason: reason, facts: facts, entries: entries.count,
            salt: salt, digest: secret.digest(of: customer, salt: salt), proof: ErasedLink.proof(of: entries + evidence)
        )
        try add(row)
        for link in evidence {
            try connection.run(Self.addErased) {
                $0.int(link.sequence)
                $0.int(row.sequence)
                $0.link(link.link)
            }
        }
        if let number {
            try connection.run(SQLiteTable.of(LedgerEntry.table).empty) {
                $0.int(row.sequence)
                $0.int(number)
            }
            try connection.run(Self.removeCustomer) { $0.int(number) }
        }
        connection.forget()
        return row.erasure
    }

    private func add(_ row: ErasureRow) throws(VaultError) {
        let link = try connection.link(LinkContent(row))
        try connection.run(Self.addErasure) {
            $0.int(row.sequence)
            $0.instant(row.at)
            $0.text(row.reason)
            $0.int(row.facts)
            $0.int(row.entries)
            $0.bytes(row.salt)
            $0.bytes(row.digest)
            $0.bytes(row.proof)
            $0.link(link)
        }
        connection.endChain(at: row.sequence, with: link.hash)
    }

    /// Returns the erasures of a customer; none without the secret next to the vault.
    package func erasures(of customer: CustomerID) throws(VaultError) -> [Erasure] {
        let rows = try erasureRows()
        guard !rows.isEmpty, let secret = try ErasureSecret.read(of: connection.file) else { return [] }
        return rows.filter { $0.digest == secret.digest(of: customer, salt: $0.salt) }.map(\.erasure)
    }

    /// Returns whether customers were erased, but the secret for finding their erasures is missing.
    func lacksErasureSecret() throws(VaultError) -> Bool {
        guard try !erasureRows().isEmpty else { return false }
        return try ErasureSecret.read(of: connection.file) == nil
    }

    func erasureRows() throws(VaultError) -> [ErasureRow] {
        try connection.all(Self.allErasures) { _ in
        } _: { row in
            ErasureRow(
                sequence: row.int(), at: row.instant(), reason: row.text(), facts: Int(row.int()),
                entries: Int(row.int()), salt: row.bytes(), digest: row.bytes(), proof: row.bytes())
        }
    }

    /// Returns the sequence numbers and hashes of the rows that a statement selects, before these rows are deleted or
    /// emptied.
    private func links(
        _ statement: Statement, _ bind: (inout ArgumentBinder) -> Void
    ) throws(VaultError) -> [ErasedLink] {
        try connection.all(statement, bind) {
            ErasedLink(sequence: $0.int(), link: Link(previous: $0.bytes(), hash: $0.bytes()))
        }
    }
}

/// A row of the table `erasure`.
struct ErasureRow: Sendable {
    let sequence: Int64
    let at: Instant
    let reason: String
    let facts: Int
    let entries: Int
    let salt: [UInt8]
    let digest: [UInt8]
    let proof: [UInt8]

    var erasure: Erasure {
        Erasure(
            place: FeedPlace(sequence), at: at, reason: reason, facts: facts, entries: entries,
            proof: proof.hexadecimal)
    }
}

/// The hashes that remain of an emptied entry, a deleted fact or a deleted binding.
struct ErasedLink: Sendable {
    let sequence: Int64
    let link: Link

    /// Returns the digest of the hashes of deleted or emptied rows, in order of sequence.
    static func proof(of links: [ErasedLink]) -> [UInt8] {
        let links = links.sorted { $0.sequence < $1.sequence }
        var content = LinkContent(reserving: 64 + links.count * 48)
        content.add("erased")
        content.add(Int64(links.count))
        for link in links {
            content.add(link.sequence)
            content.add(link.link.hash)
        }
        return content.hash(after: [])
    }
}

extension LinkContent {
    /// Creates the content of an erasure.
    init(_ row: ErasureRow) {
        self.init()
        add("erasure")
        add(row.sequence)
        add(row.at.millisecondsSince1970)
        add(row.reason)
        add(Int64(row.facts))
        add(Int64(row.entries))
        add(row.salt)
        add(row.digest)
        add(row.proof)
    }
}
