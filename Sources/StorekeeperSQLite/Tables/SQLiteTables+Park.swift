import FoundationEssentials
package import Storekeeper
import StorekeeperDurable

extension SQLiteTables {
    private static let addParked = Statement(
        """
        INSERT INTO parked(sequence, since, reason, chain, original, environment, token, digest, header, payload,
          signature, predecessor, claimant)
        VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(digest) DO NOTHING
        """)
    private static let columns = "SELECT sequence, since, reason, claimant, header, payload, signature FROM parked"
    private static let pageOfParked = Statement("\(columns) WHERE sequence > ? ORDER BY sequence LIMIT ?")
    private static let oneParked = Statement("\(columns) WHERE sequence = ?")
    private static let parkedOfChain = Statement(
        "\(columns) WHERE chain = ? AND sequence > ? ORDER BY sequence LIMIT ?")
    private static let parkedOfClaimant = Statement("\(columns) WHERE claimant = ? ORDER BY sequence LIMIT ?")
    private static let removeClaimant = Statement("UPDATE parked SET claimant = NULL WHERE claimant = ?")
    private static let anyParked = Statement("SELECT 1 FROM parked LIMIT 1")
    private static let removeParked = Statement("DELETE FROM parked WHERE digest = ?")
    private static let parkedPlaces = Statement(
        """
        SELECT parked.sequence FROM chain JOIN parked ON parked.chain = chain.id
          WHERE customer = ?1 AND parked.sequence > ?2
        UNION SELECT parked.sequence FROM chain
          JOIN parked ON parked.original = chain.original AND parked.environment = chain.environment
          WHERE customer = ?1 AND parked.sequence > ?2
        UNION SELECT parked.sequence FROM token JOIN parked ON parked.token = token.token
          WHERE customer = ?1 AND parked.sequence > ?2
        UNION SELECT parked.sequence FROM chain JOIN parked ON parked.predecessor = chain.original
          JOIN chain AS successor ON successor.id = parked.chain AND successor.environment = chain.environment
            AND successor.bundle = chain.bundle
          WHERE chain.customer = ?1 AND parked.sequence > ?2
        ORDER BY 1 LIMIT ?3
        """)
    private static let parkedUnderChain = Statement(
        """
        SELECT parked.sequence FROM chain JOIN parked ON parked.chain = chain.id WHERE chain.id = ?1
        UNION SELECT parked.sequence FROM chain
          JOIN parked ON parked.original = chain.original AND parked.environment = chain.environment
          WHERE chain.id = ?1
        UNION SELECT parked.sequence FROM chain JOIN parked ON parked.predecessor = chain.original
          JOIN chain AS successor ON successor.id = parked.chain AND successor.environment = chain.environment
            AND successor.bundle = chain.bundle
          WHERE chain.id = ?1
        ORDER BY 1 LIMIT ?2
        """)
    private static let parkedUnderToken = Statement(
        "SELECT sequence FROM parked WHERE token = ? AND sequence > ? ORDER BY sequence LIMIT ?")

    /// Parks a fact, unless a fact with the same payload is already parked.
    package mutating func park(_ fact: ParkedFact, claimant: CustomerID?) throws(VaultError) -> Bool {
        let content = try StoredContent(fact.fact)
        let header = try number(of: fact.fact.jws.header)
        var chain: Int64?
        if let id = fact.fact.chain { chain = try numberToWrite(of: id) }
        let purchase = chain == nil ? fact.fact.purchase : nil
        let sequence = try connection.nextSequence()
        let added = try connection.run(Self.addParked) {
            $0.int(sequence)
            $0.instant(fact.since)
            $0.int(fact.reason.code)
            $0.int(chain)
            $0.text(purchase?.originalID.rawValue)
            $0.text(purchase?.environment.rawValue)
            $0.bytes(fact.fact.appAccountToken?.bytes)
            $0.bytes(content.digest)
            $0.int(header)
            $0.bytes(content.payload)
            $0.signature(content.signature)
            $0.text(fact.fact.predecessor?.originalID.rawValue)
            $0.text(fact.claimant?.rawValue)
        }
        connection.hasParked = nil
        return added > 0
    }

    /// Returns a page of the parked facts.
    package func parked(after place: FeedPlace, limit: Int) throws(VaultError) -> VaultPage<ParkedFact> {
        let rows = try connection.all(Self.pageOfParked) {
            $0.int(place.number)
            $0.int(limit)
        } _: { row throws(VaultError) in
            try parked(&row)
        }
        return VaultPage(rows, limit: limit)
    }

    /// Returns a page of the parked facts whose chain, token or predecessor belongs to a customer.
    package func parked(
        heldBy customer: CustomerID, after place: FeedPlace, limit: Int
    ) throws(VaultError) -> VaultPage<ParkedFact> {
        guard try isAnythingParked() else { return VaultPage() }
        return try parked(at: try placesOfParked(heldBy: customer, after: place, limit: limit), limit: limit)
    }

    /// Returns the first page of the facts that are parked until one of the given chains or tokens has an owner.
    package func parked(under subjects: [BindingSubject], limit: Int) throws(VaultError) -> VaultPage<ParkedFact> {
        guard try isAnythingParked() else { return VaultPage() }
        var places: Set<Int64> = []
        for subject in subjects {
            switch subject {
            case .chain(let chain):
                guard let number = try known(chain).number else { continue }
                places.formUnion(
                    try connection.all(Self.parkedUnderChain) {
                        $0.int(number)
                        $0.int(limit)
                    } _: {
                        $0.int()
                    })
            case .token(let token): places.formUnion(try placesOfParked(under: token, after: .start, limit: limit))
            }
        }
        return try parked(at: Array(places.sorted().prefix(limit)), limit: limit)
    }

    private func parked(at places: [Int64], limit: Int) throws(VaultError) -> VaultPage<ParkedFact> {
        var rows: [(place: FeedPlace, row: ParkedFact)] = []
        for place in places {
            let found = try connection.first(Self.oneParked) {
                $0.int(place)
            } _: { row throws(VaultError) in
                try parked(&row)
            }
            guard let found else { throw connection.file.corrupt("an index of missing parked facts") }
            rows.append(found)
        }
        return VaultPage(rows, limit: limit)
    }

    /// Returns a page of the parked transactions and app transactions of a chain.
    package func parked(
        of chain: ChainID, after place: FeedPlace, limit: Int
    ) throws(VaultError) -> VaultPage<ParkedFact> {
        guard try isAnythingParked(), let number = try known(chain).number else { return VaultPage() }
        let rows = try connection.all(Self.parkedOfChain) {
            $0.int(number)
            $0.int(place.number)
            $0.int(limit)
        } _: { row throws(VaultError) in
            try parked(&row)
        }
        return VaultPage(rows, limit: limit)
    }

    /// Returns the first parked facts that were presented for a customer and belong to another customer.
    package func parked(broughtBy claimant: CustomerID, limit: Int) throws(VaultError) -> [ParkedFact] {
        guard try isAnythingParked() else { return [] }
        return try connection.all(Self.parkedOfClaimant) {
            $0.text(claimant.rawValue)
            $0.int(limit)
        } _: { row throws(VaultError) in
            try parked(&row).row
        }
    }

    /// Removes the name of a customer from the parked facts that were presented for the customer.
    package mutating func forgetClaimant(_ claimant: CustomerID) throws(VaultError) {
        try connection.run(Self.removeClaimant) { $0.text(claimant.rawValue) }
    }

    /// Deletes the parked fact with the same payload, if one exists.
    package mutating func unpark(_ fact: VerifiedFact) throws(VaultError) {
        guard try isAnythingParked() else { return }
        let digest = try columns(of: fact).digest
        if try connection.run(Self.removeParked, { $0.bytes(digest) }) > 0 { connection.hasParked = nil }
    }

    private func isAnythingParked() throws(VaultError) -> Bool {
        if let known = connection.hasParked { return known }
        let found =
            try connection.first(Self.anyParked) { _ in
            } _: { _ in
                true
            } ?? false
        connection.hasParked = found
        return found
    }

    /// Returns the sequence numbers, in order, of the parked facts whose chain or token belongs to a customer.
    private func placesOfParked(
        heldBy customer: CustomerID, after start: FeedPlace, limit: Int
    ) throws(VaultError) -> [Int64] {
        var places: Set<Int64> = []
        if let number = try number(of: customer) {
            places.formUnion(
                try connection.all(Self.parkedPlaces) {
                    $0.int(number)
                    $0.int(start.number)
                    $0.int(limit)
                } _: {
                    $0.int()
                })
        }
        // If account tokens are customer ids, a token without an owner belongs to the customer with this id.
        if let token = accountTokens.token(naming: customer), try holder(of: .token(token)) == nil {
            places.formUnion(try placesOfParked(under: token, after: start, limit: limit))
        }
        return Array(places.sorted().prefix(limit))
    }

    private func placesOfParked(
        under token: UUID, after start: FeedPlace, limit: Int
    ) throws(VaultError) -> [Int64] {
        try connection.all(Self.parkedUnderToken) {
            $0.bytes(token.bytes)
            $0.int(start.number)
            $0.int(limit)
        } _: {
            $0.int()
        }
    }

    private func parked(_ row: inout RowReader) throws(VaultError) -> (place: FeedPlace, row: ParkedFact) {
        let (place, since, code, claimant) = (row.int(), row.instant(), row.int(), row.optionalText())
        guard let reason = ParkedFact.Reason(code: code) else {
            throw connection.file.corrupt("a parked fact with the unknown reason \(code)")
        }
        let content = try StoredContent(&row, in: connection)
        return (
            FeedPlace(place),
            ParkedFact(
                since: since, reason: reason, fact: try content.restored(),
                claimant: claimant.map { CustomerID(rawValue: $0) })
        )
    }
}
