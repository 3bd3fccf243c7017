package import Storekeeper

extension SQLiteTables {
    private static let randomSalt = Query("SELECT randomblob(32)")
    private static let hashesOfCustomer = Query(
        "SELECT sequence, previous, hash FROM ledger WHERE customer = ? ORDER BY sequence")
    private static let addErasure = Query(
        """
        INSERT INTO erasure(sequence, at, reason, facts, entries, salt, digest, proof, previous, hash)
        VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    private static let emptyEntries = Query(
        """
        UPDATE ledger SET customer = NULL, at = NULL, kind = NULL, balance = NULL, change = NULL, after = NULL,
          bundle = NULL, environment = NULL, transaction_id = NULL, product = NULL, target = NULL, key = NULL,
          reason = NULL, number = NULL, erasure = ?
        WHERE customer = ?
        """)
    private static let allErasures = Query(
        "SELECT sequence, at, reason, facts, entries, salt, digest, proof FROM erasure ORDER BY sequence")
    private static let removeDeliveries = Query(
        """
        DELETE FROM finish WHERE (transaction_id, environment, bundle) IN (
          SELECT coalesce(fact.subject, chain.original), chain.environment, chain.bundle
          FROM chain JOIN fact ON fact.chain = chain.id WHERE chain.customer = ?)
        """)
    private static let removeOpenDeliveries = Query("DELETE FROM finish WHERE customer = ? AND state < 2")
    private static let linksOfFacts = Query(
        """
        SELECT fact.sequence, fact.previous, fact.hash FROM chain JOIN fact ON fact.chain = chain.id
          WHERE customer = ?1
        UNION SELECT fact.sequence, fact.previous, fact.hash FROM chain
          JOIN fact ON fact.original = chain.original AND fact.environment = chain.environment
          WHERE chain.customer = ?1 AND NOT EXISTS (SELECT 1 FROM chain AS other
            WHERE other.original = chain.original AND other.environment = chain.environment
              AND other.customer <> ?1)
        """)
    private static let linksOfBindings = Query(
        """
        SELECT sequence, previous, hash FROM chain WHERE customer = ?1
        UNION ALL SELECT sequence, previous, hash FROM token WHERE customer = ?1
        """)
    private static let removeFact = Query("DELETE FROM fact WHERE sequence = ?")
    private static let addErased = Query("INSERT INTO erased(sequence, erasure, previous, hash) VALUES(?, ?, ?, ?)")
    private static let chainOfParked = Query("SELECT chain, original, environment FROM parked WHERE sequence = ?")
    private static let otherHolder = Query("SELECT 1 FROM chain WHERE id = ? AND customer <> ?")
    private static let otherSharer = Query(
        "SELECT 1 FROM chain WHERE original = ? AND environment = ? AND customer <> ?")
    private static let removeOneParked = Query("DELETE FROM parked WHERE sequence = ?")
    private static let removeAttempts = Query("DELETE FROM conflict WHERE subject = ?")
    private static let removeIdleChain = Query(
        """
        DELETE FROM chain WHERE id = ? AND customer IS NULL AND NOT EXISTS (SELECT 1 FROM fact WHERE chain = chain.id)
          AND NOT EXISTS (SELECT 1 FROM parked WHERE chain = chain.id)
        """)
    /// What else is kept under a customer's number, the customer last.
    private static let removeRest = [
        "DELETE FROM chain WHERE customer = ?", "DELETE FROM token WHERE customer = ?",
        "DELETE FROM balance WHERE customer = ?", "DELETE FROM event WHERE customer = ?",
        "DELETE FROM pending WHERE customer = ?", "DELETE FROM customer WHERE id = ?",
    ].map(Query.init)

    /// Takes out all of a customer.
    ///
    /// The entries are emptied and keep their places and hashes, and so do the places of facts and bindings, so that
    /// the chain still holds. The erasure is a link of that chain. It names the customer only by a digest that is made
    /// with a secret beside the vault, and what was taken out by the digest of its hashes, which is the proof.
    package mutating func erase(
        _ customer: CustomerID, reason: String, at instant: Instant
    ) throws(VaultError) -> Erasure {
        let number = try number(of: customer)
        let entries = try links(Self.hashesOfCustomer, of: number)
        let idleChains = try removeParked(of: customer, number: number)
        let facts = try links(Self.linksOfFacts, of: number)
        let evidence = facts + (try links(Self.linksOfBindings, of: number))
        try removeNotes(of: customer, number: number)
        guard let salt = try session.first(Self.randomSalt, { _ in }, { $0.blob() }) else {
            throw session.file.corrupt("no random numbers")
        }
        // On disk before the step is: what it hashes could not be found otherwise.
        let secret = try ErasureSecret.make(for: session.file)
        let sequence = try session.nextSequence()
        let row = ErasureRow(
            sequence: sequence, at: instant, reason: reason, facts: facts.count, entries: entries.count, salt: salt,
            digest: secret.digest(of: customer, salt: salt), proof: ErasedLink.proof(of: entries + evidence))
        let link = try session.link(LinkContent(row))
        try session.run(Self.addErasure) {
            $0.int(row.sequence)
            $0.instant(row.at)
            $0.text(row.reason)
            $0.int(row.facts)
            $0.int(row.entries)
            $0.blob(row.salt)
            $0.blob(row.digest)
            $0.blob(row.proof)
            $0.link(link)
        }
        session.endChain(at: sequence, with: link.hash)
        for fact in facts { try session.run(Self.removeFact) { $0.int(fact.sequence) } }
        for link in evidence {
            try session.run(Self.addErased) {
                $0.int(link.sequence)
                $0.int(sequence)
                $0.link(link.link)
            }
        }
        if let number {
            try session.run(Self.emptyEntries) {
                $0.int(sequence)
                $0.int(number)
            }
            for query in Self.removeRest { try session.run(query) { $0.int(number) } }
        }
        for chain in idleChains { try session.run(Self.removeIdleChain) { $0.int(chain) } }
        session.forget()
        return row.erasure
    }

    /// The erasures of a customer.
    ///
    /// Without the secret beside the vault, those that an older release has written, whose digests need none.
    package func erasures(of customer: CustomerID) throws(VaultError) -> [Erasure] {
        let rows = try erasureRows()
        guard !rows.isEmpty else { return [] }
        let secret = try ErasureSecret.read(of: session.file)
        return rows.filter { row in
            row.digest == secret?.digest(of: customer, salt: row.salt)
                || row.digest == ErasureRow.openDigest(of: customer, salt: row.salt)
        }.map(\.erasure)
    }

    /// Whether there are erasures, and the secret is not there that tells whose they are.
    func lacksErasureSecret() throws(VaultError) -> Bool {
        guard try !erasureRows().isEmpty else { return false }
        return try ErasureSecret.read(of: session.file) == nil
    }

    func erasureRows() throws(VaultError) -> [ErasureRow] {
        try session.all(Self.allErasures) { _ in
        } _: { row in
            ErasureRow(
                sequence: row.int(), at: row.instant(), reason: row.text(), facts: Int(row.int()),
                entries: Int(row.int()), salt: row.blob(), digest: row.blob(), proof: row.blob())
        }
    }

    /// Takes out what is parked for a customer, unless it is of another's chain.
    ///
    /// - Returns: The chains that it named.
    private func removeParked(of customer: CustomerID, number: Int64?) throws(VaultError) -> [Int64] {
        var chains: [Int64] = []
        for place in try placesOfParked(heldBy: customer) {
            let found = try session.first(Self.chainOfParked) {
                $0.int(place)
            } _: { row in
                (chain: row.optionalInt(), original: row.optionalText(), environment: row.optionalText())
            }
            guard let found else { continue }
            let isOfOther: Bool? =
                if let chain = found.chain {
                    try session.first(Self.otherHolder) {
                        $0.int(chain)
                        $0.int(number ?? 0)
                    } _: { _ in
                        true
                    }
                } else {
                    try session.first(Self.otherSharer) {
                        $0.text(found.original)
                        $0.text(found.environment)
                        $0.int(number ?? 0)
                    } _: { _ in
                        true
                    }
                }
            if isOfOther == true { continue }
            try session.run(Self.removeOneParked) { $0.int(place) }
            if let chain = found.chain { chains.append(chain) }
        }
        return chains
    }

    /// The links of rows about a customer.
    private func links(_ query: Query, of number: Int64?) throws(VaultError) -> [ErasedLink] {
        guard let number else { return [] }
        return try session.all(query) {
            $0.int(number)
        } _: {
            ErasedLink(sequence: $0.int(), link: Link(previous: $0.blob(), hash: $0.blob()))
        }
    }

    /// Takes out deliveries and the count of quarrels, which are found by facts and bindings.
    private func removeNotes(of customer: CustomerID, number: Int64?) throws(VaultError) {
        var subjects = try bindings(of: customer).map(\.subject)
        if let token = customer.uuid { subjects.append(.token(token)) }
        for subject in subjects { try session.run(Self.removeAttempts) { $0.blob(subject.bytes) } }
        guard let number else { return }
        try session.run(Self.removeDeliveries) { $0.int(number) }
        try session.run(Self.removeOpenDeliveries) { $0.int(number) }
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

    /// By what a customer's erasures were found before there was a secret: whoever has the file can try names.
    static func openDigest(of customer: CustomerID, salt: [UInt8]) -> [UInt8] {
        Digests.sha256(salt + Array(customer.rawValue.utf8))
    }
}

/// What is left of an entry that was emptied, and of a fact or binding that was taken out.
struct ErasedLink: Sendable {
    let sequence: Int64
    let link: Link

    /// The digest of what was taken out, in order of its places.
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
    /// What an erasure says.
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

extension [UInt8] {
    /// Two digits for each byte.
    var hexadecimal: String {
        let digits = Array<UInt8>("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
