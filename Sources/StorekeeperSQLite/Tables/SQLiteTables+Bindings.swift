import FoundationEssentials
package import Storekeeper
import StorekeeperDurable

extension SQLiteTables {
    private static let findChain = Statement(
        """
        SELECT chain.id, customer.name, chain.token, chain.token_signed
        FROM chain LEFT JOIN customer ON customer.id = chain.customer
        WHERE original = ? AND environment = ? AND bundle = ?
        """)
    private static let findToken = Statement(
        "SELECT name FROM token JOIN customer ON customer.id = token.customer WHERE token = ?")
    private static let addChain = Statement(
        """
        INSERT INTO chain(original, environment, bundle, customer, bound, sequence, previous, hash)
        VALUES(?, ?, ?, ?, ?, ?, ?, ?)
        """)
    private static let bindChain = Statement(
        "UPDATE chain SET customer = ?, bound = ?, sequence = ?, previous = ?, hash = ? WHERE id = ?")
    private static let addToken = Statement(
        "INSERT INTO token(token, customer, bound, sequence, previous, hash) VALUES(?, ?, ?, ?, ?, ?)")
    private static let holdersOfChain = Statement(
        """
        SELECT name FROM chain JOIN customer ON customer.id = chain.customer
        WHERE original = ? AND environment = ? ORDER BY chain.sequence
        """)
    private static let chainsOfOriginal = Statement(
        """
        SELECT bundle, environment FROM chain
        WHERE original = ? AND (customer IS NOT NULL OR EXISTS (SELECT 1 FROM fact WHERE fact.chain = chain.id)
          OR EXISTS (SELECT 1 FROM parked WHERE parked.chain = chain.id))
        ORDER BY bundle, environment
        """)
    private static let chainsOfCustomer = Statement(
        "SELECT bundle, environment, original, sequence, bound FROM chain WHERE customer = ?")
    private static let tokensOfCustomer = Statement("SELECT token, sequence, bound FROM token WHERE customer = ?")
    private static let countOnSubject = Statement(
        """
        INSERT INTO conflict(subject, attempts, at) VALUES(?, 1, ?)
        ON CONFLICT(subject) DO UPDATE SET attempts = attempts + 1, at = excluded.at RETURNING attempts
        """)
    private static let attemptsOnSubject = Statement("SELECT attempts FROM conflict WHERE subject = ?")

    /// Returns the owner of a chain or token; `nil` if the chain or token has no owner.
    package func holder(of subject: BindingSubject) throws(VaultError) -> CustomerID? {
        switch subject {
        case .chain(let chain): return try known(chain).holder
        case .token(let token):
            return try connection.first(Self.findToken) {
                $0.bytes(token.bytes)
            } _: { row in
                CustomerID(rawValue: row.text())
            }
        }
    }

    /// Binds an unowned chain or token to a customer.
    package mutating func bind(
        _ subject: BindingSubject, to customer: CustomerID, at instant: Instant
    ) throws(VaultError) {
        let owner = try knownToWrite(customer)
        let row = Binding(
            place: FeedPlace(try connection.nextSequence()), subject: subject, customer: customer, at: instant)
        let link = try connection.link(LinkContent(row, salt: owner.salt))
        switch subject {
        case .chain(let chain):
            let known = try known(chain)
            if let number = known.number {
                try connection.run(Self.bindChain) {
                    $0.int(owner.number)
                    $0.instant(instant)
                    $0.int(row.place.number)
                    $0.link(link)
                    $0.int(number)
                }
            } else {
                known.number = try add(
                    chain, owner: owner.number, bound: instant, sequence: row.place.number, link: link)
            }
            known.holder = customer
        case .token(let token):
            try connection.run(Self.addToken) {
                $0.bytes(token.bytes)
                $0.int(owner.number)
                $0.instant(instant)
                $0.int(row.place.number)
                $0.link(link)
            }
        }
        connection.endChain(at: row.place.number, with: link.hash)
    }

    /// Returns the owners of the chains with an environment and original transaction id, in the order in which the
    /// chains were bound.
    package func holders(
        environment: AppStore.Environment, originalID: Transaction.ID
    ) throws(VaultError) -> [CustomerID] {
        let found = try connection.all(Self.holdersOfChain) {
            $0.text(originalID.rawValue)
            $0.text(environment.rawValue)
        } _: { row in
            CustomerID(rawValue: row.text())
        }
        var holders: [CustomerID] = []
        for customer in found where !holders.contains(customer) { holders.append(customer) }
        return holders
    }

    /// Returns the chains with an original transaction id, sorted by app and environment.
    package func chains(originalID: Transaction.ID) throws(VaultError) -> [ChainID] {
        try connection.all(Self.chainsOfOriginal) {
            $0.text(originalID.rawValue)
        } _: { row in
            ChainID(
                bundleID: row.text(), environment: AppStore.Environment(rawValue: row.text()), originalID: originalID)
        }
    }

    /// Returns the bindings of a customer.
    package func bindings(of customer: CustomerID) throws(VaultError) -> [Binding] {
        guard let number = try number(of: customer) else { return [] }
        var bindings = try connection.all(Self.chainsOfCustomer) {
            $0.int(number)
        } _: { row in
            let chain = ChainID(
                bundleID: row.text(), environment: AppStore.Environment(rawValue: row.text()),
                originalID: Transaction.ID(rawValue: row.text()))
            return Binding(place: FeedPlace(row.int()), subject: .chain(chain), customer: customer, at: row.instant())
        }
        bindings += try connection.all(Self.tokensOfCustomer) {
            $0.int(number)
        } _: { row throws(VaultError) in
            guard let token = UUID(bytes: row.bytes()) else {
                throw connection.file.corrupt("a token that is not a UUID")
            }
            return Binding(place: FeedPlace(row.int()), subject: .token(token), customer: customer, at: row.instant())
        }
        return bindings.sorted { $1.place.isAfter($0.place) }
    }

    /// Counts an attempt to present the chain or token of another customer, and returns the number of attempts so far.
    ///
    /// The customer who made the attempt is not stored, because only the number of attempts is needed.
    package mutating func countAttempt(
        on subject: BindingSubject, by claimant: CustomerID, at instant: Instant
    ) throws(VaultError) -> Int {
        let attempts = try connection.first(Self.countOnSubject) {
            $0.bytes(subject.bytes)
            $0.instant(instant)
        } _: { row in
            Int(row.int())
        }
        return attempts ?? 0
    }

    /// Returns how often customers have presented a chain or token that belongs to another customer.
    package func attempts(on subject: BindingSubject) throws(VaultError) -> Int {
        try connection.first(Self.attemptsOnSubject) {
            $0.bytes(subject.bytes)
        } _: { row in
            Int(row.int())
        } ?? 0
    }

    /// Returns the cached row of a chain; the number in the row is `nil` if the chain is not stored.
    func known(_ chain: ChainID) throws(VaultError) -> KnownChain {
        if let known = connection.chains[chain] { return known }
        let known = KnownChain(chain)
        _ = try connection.first(Self.findChain) {
            $0.text(chain.originalID.rawValue)
            $0.text(chain.environment.rawValue)
            $0.text(chain.bundleID)
        } _: { row in
            known.number = row.int()
            known.holder = row.optionalText().map(CustomerID.init(rawValue:))
            let (token, signed) = (row.optionalBytes(), row.optionalInstant())
            if let token, let signed { known.token = (token, signed) }
        }
        connection.chains.add(known)
        return known
    }

    /// Returns the number of a chain; inserts the chain if necessary.
    func numberToWrite(of chain: ChainID) throws(VaultError) -> Int64 {
        let known = try known(chain)
        if let number = known.number { return number }
        let number = try add(chain, owner: nil, bound: nil, sequence: nil, link: nil)
        known.number = number
        return number
    }

    private func add(
        _ chain: ChainID, owner: Int64?, bound: Instant?, sequence: Int64?, link: Link?
    ) throws(VaultError) -> Int64 {
        try connection.run(Self.addChain) {
            $0.text(chain.originalID.rawValue)
            $0.text(chain.environment.rawValue)
            $0.text(chain.bundleID)
            $0.int(owner)
            $0.instant(bound)
            $0.int(sequence)
            $0.link(link)
        }
        return connection.lastInsertedRow
    }
}
