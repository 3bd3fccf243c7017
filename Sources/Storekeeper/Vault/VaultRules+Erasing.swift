extension VaultRules {
    /// Deletes all data of a customer; see ``Vault/erase(_:reason:at:)``.
    ///
    /// Facts, parked evidence, events, deliveries, bindings, pending purchases and balances are deleted, and entries
    /// are emptied. A fact other than a transaction stays if another customer has a chain with its environment and
    /// original transaction.
    /// Parked evidence of another customer's chain also stays.
    package static func erase(
        _ customer: CustomerID, reason: String, at instant: Instant, in tables: inout some VaultTables
    ) throws(VaultError) -> Erasure {
        let wasClaimant = try !tables.parked(broughtBy: customer, limit: 1).isEmpty
        let isKnown = try containsCustomer(customer, in: tables)
        guard wasClaimant || isKnown else {
            throw VaultError(.unknownCustomer, "the vault has no data about this customer; nothing was written")
        }
        try LengthLimit.reason.check(reason, "the reason")
        try recordMarks(of: customer, in: &tables)
        try removeParked(of: customer, in: &tables)
        if wasClaimant { try tables.forgetClaimant(customer) }
        try tables.removeDeliveries(of: customer)
        let subjects = try tables.bindings(of: customer).map(\.subject)
        var facts = 0
        var purchases: Set<RenewalInfoKey> = []
        for case .chain(let chain) in subjects {
            facts += try tables.removeFacts(of: chain)
            let purchase = RenewalInfoKey(chain)
            guard purchases.insert(purchase).inserted,
                try tables.holders(environment: purchase.environment, originalID: purchase.originalID) == [customer]
            else { continue }
            facts += try tables.removeRenewalInfos(
                environment: purchase.environment, originalID: purchase.originalID)
        }
        try removeAttempts(on: subjects, of: customer, in: &tables)
        for subject in subjects.reversed() { try tables.unbind(subject) }
        try tables.removeRows(of: customer)
        return try tables.closeErasure(of: customer, facts: facts, reason: reason, at: instant)
    }

    /// Returns whether the vault has data of a customer, including parked evidence.
    package static func containsCustomer(
        _ customer: CustomerID, in tables: borrowing some VaultTables
    ) throws(VaultError) -> Bool {
        if try tables.customer(customer) != nil { return true }
        return try !tables.parked(heldBy: customer, after: .start, limit: 1).rows.isEmpty
    }

    /// Records the credited transactions and the used request keys, so that no transaction is credited again and no key
    /// is accepted again.
    ///
    /// A transaction that has moved to another customer is not recorded, because it counts there.
    private static func recordMarks(of customer: CustomerID, in tables: inout some VaultTables) throws(VaultError) {
        let entries = try tables.entries(after: .start, of: customer, limit: .max)
        let hasGivenAway = entries.contains { entry in
            if case .transfer(_, from: customer, _, _) = entry.cause { true } else { false }
        }
        var marks: Set<ErasedMark> = []
        for mark in Set(entries.compactMap { ErasedMark($0) }) where try !tables.isMarked(mark) {
            if hasGivenAway, case .transaction(let key) = mark,
                let copy = try tables.copies(of: key).first,
                let holder = try tables.holder(of: .chain(ChainID(copy))), holder != customer
            {
                continue
            }
            marks.insert(mark)
        }
        if !marks.isEmpty { try tables.insertMarks(ErasedMarks(plain: Array(marks))) }
    }

    /// Deletes the parked evidence of a customer, except for evidence of another customer's chain.
    private static func removeParked(of customer: CustomerID, in tables: inout some VaultTables) throws(VaultError) {
        var place: FeedPlace? = .start
        while let start = place {
            let page = try tables.parked(heldBy: customer, after: start, limit: parkPage)
            for parked in page.rows where try !belongsToAnother(parked.fact, than: customer, in: tables) {
                try tables.removeParked(parked.fact)
            }
            place = page.next
        }
    }

    /// Returns whether a fact belongs to another customer's chain.
    private static func belongsToAnother(
        _ fact: VerifiedFact, than customer: CustomerID, in tables: borrowing some VaultTables
    ) throws(VaultError) -> Bool {
        guard let purchase = fact.purchase else {
            if let chain = fact.chain, let holder = try tables.holder(of: .chain(chain)) { return holder != customer }
            // Evidence of a chain that replaces one of the customer's chains may contain another customer's token.
            guard fact.predecessor != nil else { return false }
            return try owners(of: [fact], in: tables).contains { $0 != nil && $0 != customer }
        }
        return try tables.holders(environment: purchase.environment, originalID: purchase.originalID)
            .contains { $0 != customer }
    }

    /// Deletes the attempt counts of the customer's chains and tokens, and of an unbound token that is the customer's
    /// id.
    private static func removeAttempts(
        on subjects: [BindingSubject], of customer: CustomerID, in tables: inout some VaultTables
    ) throws(VaultError) {
        for subject in subjects { try tables.removeAttempts(on: subject) }
        guard let uuid = customer.uuid, try tables.holder(of: .token(uuid)) == nil else { return }
        try tables.removeAttempts(on: .token(uuid))
    }
}
