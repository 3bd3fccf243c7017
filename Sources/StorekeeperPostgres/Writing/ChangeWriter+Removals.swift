import Storekeeper
import StorekeeperDurable

// The statements that delete rows, in the order in which an erasure requires them.
extension ChangeWriter {
    mutating func deleteRows(_ run: [RowChange], of kind: RowChange.Kind) throws(VaultError) {
        switch kind {
        case .unparked: try unpark(run)
        case .erasure: for case .erasure(let draft) in run { try close(draft) }
        default: deleteRows(run)
        }
    }

    private mutating func unpark(_ run: [RowChange]) throws(VaultError) {
        var digests: [[UInt8]] = []
        var subjects: Set<BindingSubject> = []
        for case .unparked(let fact) in run {
            digests.append(try StoredContent(fact).digest)
            guard let chain = fact.chain else { continue }
            subjects.insert(.chain(chain))
            if let token = fact.appAccountToken { subjects.insert(.token(token)) }
            if let predecessor = fact.predecessor { subjects.insert(.chain(predecessor)) }
        }
        subjects = subjects.filter { registerWrite($0) }
        call(WriteStatements.unpark, [.bytes(digests)])
        if !subjects.isEmpty { call(WriteStatements.removeIdleSubjects, [.bytes(subjects.map { RowID.of($0) })]) }
    }

    private mutating func deleteRows(_ run: [RowChange]) {
        for change in run {
            switch change {
            case .removedFacts(let chain): call(WriteStatements.removeFacts, [.bytes([RowID.of(chain)])])
            case .removedRenewalInfos(let purchase):
                let id = RowID.of(purchase)
                call(WriteStatements.removeInfos, [.bytes([id])])
                call(WriteStatements.removePurchases, [.bytes([id])])
                forget(purchase: id)
            case .unbound(let subject):
                registerWrite(subject)
                call(WriteStatements.removeSubjects, [.bytes([RowID.of(subject)])])
                forget(subject)
            case .released(let subject, let customer):
                registerWrite(subject)
                let ids: [Argument] = [.bytes(RowID.of(customer)), .bytes(RowID.of(subject))]
                call(WriteStatements.keepLinks, ids)
                call(WriteStatements.removeReleasedFacts, ids)
                call(WriteStatements.clearSubject, ids)
            case .forgottenClaimant(let customer):
                call(WriteStatements.forgetClaimant, [.text(customer.rawValue)])
            case .removedAttempts(let subject):
                if registerWrite(subject) { call(WriteStatements.removeAttempts, [.bytes([RowID.of(subject)])]) }
            case .removedDeliveries(let customer): deleteRows(of: customer, WriteStatements.removeTransactions)
            case .removedRows(let question):
                let (table, cells) = (PostgresTable.of(question.table), question.cells)
                guard cells.owner.map(exists) ?? true else { continue }
                call(
                    table.questions[question.index.number].remove,
                    table.arguments(of: question.index, [cells]))
            default: break
            }
        }
    }

    /// Deletes rows of a customer, if the customer existed when the step locked its customers.
    ///
    /// A customer who was created later is not locked, so nothing is deleted.
    private mutating func deleteRows(of customer: CustomerID, _ statement: Statement) {
        if exists(customer) { call(statement, [.bytes([RowID.of(customer)])]) }
    }

    /// Deletes the remaining rows of a customer and records the erasure.
    ///
    /// The proof is a hash of the end of the customer's hash chain, and thus depends on each row in this chain. The
    /// proof does not reveal the content of the rows.
    private mutating func close(_ draft: ErasureDraft) throws(VaultError) {
        let chainHead = chainHead(of: draft.customer)
        var content = LinkContent()
        content.add("erased")
        content.add(chainHead.count)
        content.add(chainHead.hash)
        let proof = content.hash(after: [])
        let salt = Digests.salt() + Digests.salt()
        let digest = erasureDigest(of: draft.customer, salt: salt)
        if exists(draft.customer) {
            let id = RowID.of(draft.customer)
            call(WriteStatements.removeEntries, [.bytes(id), .int(Int64(draft.entries))])
            call(WriteStatements.removeReleased, [.bytes(id)])
            call(WriteStatements.removeCustomer, [.bytes(id)])
        }
        // The row of the token that is the customer's id was created with the customer.
        if let uuid = draft.customer.uuid, registerWrite(.token(uuid)) {
            call(WriteStatements.removeIdleSubjects, [.bytes([RowID.of(.token(uuid))])])
        }
        call(
            WriteStatements.erasure,
            [
                .int(base), .int(FeedPlace(draft.place).offset), .instant(draft.at),
                .text(draft.reason), .int(Int64(draft.facts)), .int(Int64(draft.entries)), .bytes(salt),
                .bytes(digest), .bytes(proof),
            ])
        let hash = Self.erasureHash(
            at: draft.at, reason: draft.reason, facts: Int64(draft.facts), entries: Int64(draft.entries), salt: salt,
            digest: digest, proof: proof)
        addErasureHash(hash, of: draft.customer)
        addProof(draft, proof)
    }
}

extension ChangeWriter {
    /// Returns the hash of an erasure's content.
    static func erasureHash(
        at instant: Instant, reason: String, facts: Int64, entries: Int64, salt: [UInt8], digest: [UInt8],
        proof: [UInt8]
    ) -> [UInt8] {
        var link = LinkContent()
        link.add("erasure")
        link.add(instant.millisecondsSince1970)
        link.add(reason)
        link.add(facts)
        link.add(entries)
        link.add(salt)
        link.add(digest)
        link.add(proof)
        return link.hash(after: [])
    }
}
