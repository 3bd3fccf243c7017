package import FoundationEssentials
package import Storekeeper
import StorekeeperDurable

extension SQLiteTables {
    private static let addFact = Statement(
        """
        INSERT INTO fact(sequence, chain, subject, original, environment, learned, digest, header, payload, signature,
          previous, hash)
        VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(digest) DO NOTHING
        """)
    private static let setToken = Statement("UPDATE chain SET token = ?, token_signed = ? WHERE id = ?")
    private static let allFacts = Statement(
        """
        SELECT fact.sequence, learned, header, payload, signature, CASE WHEN fact.chain IS NULL
          THEN (SELECT name FROM chain JOIN customer ON customer.id = chain.customer
            WHERE chain.original = fact.original AND chain.environment = fact.environment
            ORDER BY chain.sequence LIMIT 1)
          ELSE (SELECT name FROM chain JOIN customer ON customer.id = chain.customer WHERE chain.id = fact.chain)
        END
        FROM fact WHERE fact.sequence > ? ORDER BY fact.sequence LIMIT ?
        """)
    private static let placesOfChains = Statement(
        "SELECT fact.sequence FROM chain JOIN fact ON fact.chain = chain.id WHERE customer = ? AND fact.sequence > ?")
    private static let factsOfChains = Statement(
        """
        SELECT fact.sequence, learned, header, payload, signature FROM chain JOIN fact ON fact.chain = chain.id
        WHERE customer = ?
        """)
    private static let placesOfRenewalInfos = Statement(
        """
        SELECT DISTINCT fact.sequence FROM chain
        JOIN fact ON fact.original = chain.original AND fact.environment = chain.environment
        WHERE customer = ? AND fact.sequence > ?
        """)
    private static let oneFact = Statement(
        "SELECT sequence, learned, header, payload, signature FROM fact WHERE sequence = ?")
    private static let copiesOfFirst = Statement(
        """
        SELECT header, payload, signature FROM fact WHERE subject IS NULL AND chain =
          (SELECT id FROM chain WHERE original = ? AND environment = ? AND bundle = ?) ORDER BY sequence
        """)
    private static let copiesOfOther = Statement(
        """
        SELECT header, payload, signature FROM fact JOIN chain ON chain.id = fact.chain
        WHERE subject = ? AND chain.environment = ? AND bundle = ? ORDER BY fact.sequence
        """)

    /// Inserts a fact and returns its place in the feed; returns `nil` if a fact with the same payload is already
    /// stored.
    package mutating func insert(_ fact: VerifiedFact, learnedAt: Instant) throws(VaultError) -> FeedPlace? {
        let row = try columns(of: fact)
        _ = prepared.popFirst()
        let header = try number(of: row.content.header)
        var chain: Int64?
        if let id = row.chain { chain = try numberToWrite(of: id) }
        let sequence = try connection.nextSequence()
        let link = try connection.link(
            LinkContent(
                factAt: sequence, learnedAt: learnedAt, digest: row.digest, signature: row.content.signature.bytes))
        let added = try connection.run(Self.addFact) {
            $0.int(sequence)
            $0.int(chain)
            $0.text(row.subjectBesideChain)
            $0.text(row.original?.id)
            $0.text(row.original?.environment)
            $0.instant(learnedAt)
            $0.bytes(row.digest)
            $0.int(header)
            $0.bytes(row.content.payload)
            $0.signature(row.content.signature)
            $0.link(link)
        }
        guard added > 0 else { return nil }
        connection.endChain(at: sequence, with: link.hash)
        if let chain = row.chain, let token = row.token {
            try recordToken(token, signedAt: fact.signedAt, on: chain)
        }
        return FeedPlace(sequence)
    }

    /// Stores an account token for a chain, if the token supersedes the stored token.
    private func recordToken(_ token: UUID, signedAt: Instant, on chain: ChainID) throws(VaultError) {
        let known = try known(chain)
        if let noted = try self.token(of: chain), !CopyOrder.supersedes((token, signedAt), noted) { return }
        try connection.run(Self.setToken) {
            $0.bytes(token.bytes)
            $0.instant(signedAt)
            $0.int(known.number)
        }
        known.token = (token.bytes, signedAt)
    }

    /// Returns the facts that follow a place in the feed, for the chains of one customer or for all chains.
    package func facts(
        after place: FeedPlace, of customer: CustomerID?, limit: Int
    ) throws(VaultError) -> [StoredFact] {
        try FactRow.restored(factRows(after: place.number, of: customer, limit: limit)[...])
    }

    /// Returns the rows of the facts that follow a place in the feed, without decoding their payloads.
    func factRows(
        after sequence: Int64, of customer: CustomerID?, limit: Int
    ) throws(VaultError) -> [FactRow] {
        guard let customer else {
            return try connection.all(Self.allFacts) {
                $0.int(sequence)
                $0.int(limit)
            } _: { row throws(VaultError) in
                FactRow(
                    sequence: row.int(), learnedAt: row.instant(), content: try StoredContent(&row, in: connection),
                    customer: row.optionalText().map(CustomerID.init(rawValue:)))
            }
        }
        guard let number = try number(of: customer) else { return [] }
        func fact(_ row: inout RowReader) throws(VaultError) -> FactRow {
            FactRow(
                sequence: row.int(), learnedAt: row.instant(), content: try StoredContent(&row, in: connection),
                customer: customer)
        }
        // If all facts are requested, one query reads the facts of the customer's chains. For a page, the sequence
        // numbers are read first, and then each row is looked up separately, so that no other row is read.
        let isWhole = sequence == 0 && limit == .max
        var rows =
            isWhole
            ? try connection.all(Self.factsOfChains) {
                $0.int(number)
            } _: { row throws(VaultError) in
                try fact(&row)
            } : []
        var places: [Int64] = []
        for statement in isWhole ? [Self.placesOfRenewalInfos] : [Self.placesOfChains, Self.placesOfRenewalInfos] {
            places += try connection.all(statement) {
                $0.int(number)
                $0.int(sequence)
            } _: {
                $0.int()
            }
        }
        places.sort()
        rows.reserveCapacity(rows.count + min(limit, places.count))
        for place in places.prefix(limit) {
            let row = try connection.first(Self.oneFact) {
                $0.int(place)
            } _: { row throws(VaultError) in
                try fact(&row)
            }
            guard let row else { throw connection.file.corrupt("an index of missing facts") }
            rows.append(row)
        }
        if isWhole { rows.sort { $0.sequence < $1.sequence } }
        return rows
    }

    /// Returns all signed versions of a transaction.
    package func copies(of key: TransactionKey) throws(VaultError) -> [Transaction] {
        var copies: [Transaction] = []
        for statement in [Self.copiesOfFirst, Self.copiesOfOther] {
            let found = try connection.all(statement) {
                $0.text(key.transactionID.rawValue)
                $0.text(key.environment.rawValue)
                $0.text(key.bundleID)
            } _: { row throws(VaultError) in
                try StoredContent(&row, in: connection)
            }
            for content in found {
                if let transaction = try content.restored().transaction { copies.append(transaction) }
            }
        }
        return copies
    }

    /// Returns the newest account token in the facts of a chain.
    package func token(of chain: ChainID) throws(VaultError) -> (token: UUID, signedAt: Instant)? {
        guard let known = try known(chain).token else { return nil }
        guard let token = UUID(bytes: known.token) else { throw connection.file.corrupt("a token that is not a UUID") }
        return (token, known.signedAt)
    }
}

/// The row of a fact with a payload that is not yet decoded.
struct FactRow: Sendable {
    let sequence: Int64
    let learnedAt: Instant
    let content: StoredContent
    let customer: CustomerID?

    /// Restores facts from their rows.
    static func restored(_ rows: ArraySlice<FactRow>) throws(VaultError) -> [StoredFact] {
        var facts: [StoredFact] = []
        facts.reserveCapacity(rows.count)
        for row in rows { facts.append(try row.restored()) }
        return facts
    }

    private func restored() throws(VaultError) -> StoredFact {
        StoredFact(
            place: FeedPlace(sequence), customer: customer, learnedAt: learnedAt, fact: try content.restored())
    }
}
