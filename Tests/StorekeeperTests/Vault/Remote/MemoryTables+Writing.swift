import FoundationEssentials

@testable import Storekeeper

// These methods write the changes of a remote vault's step to tables in memory, row by row.
extension MemoryTables {
    /// Writes changes and returns the places that they received.
    mutating func write(_ runs: [[RowChange]]) throws(VaultError) -> WrittenRows {
        let places = runs.joined().compactMap(\.place).map { $0 - MemoryTables.firstPlace }
        guard Set(places) == Set(0..<Int64(places.count)) else {
            throw VaultError(.invalidRequest, "the places of a group have gaps: \(places)")
        }
        var answer = WrittenRows(first: places.isEmpty ? 0 : nextSequence())
        for _ in places.dropFirst() { _ = nextSequence() }
        for run in runs {
            guard Set(run.map(\.kind)).count == 1 else { throw VaultError(.invalidRequest, "a run of several kinds") }
            for change in run { try write(change, &answer) }
        }
        commitStep()
        return answer
    }

    private mutating func write(_ change: RowChange, _ answer: inout WrittenRows) throws(VaultError) {
        switch change {
        case .customer(let row): try setCustomer(row)
        case .binding(let row):
            guard binding(of: row.subject) == nil else { throw VaultError(.corrupt, "a subject is bound twice") }
            store(
                Binding(
                    place: answer.place(row.place), subject: row.subject, customer: row.customer, at: row.at))
        case .attempts(let subject, let count, _): set(count, at: subject, in: \.attempts)
        case .fact(let row):
            guard rows.factPlaces[PayloadKey(row.fact)] == nil else {
                throw VaultError(.corrupt, "a fact is there twice")
            }
            store(
                MemoryRows.Fact(sequence: answer.place(row.place).number, learnedAt: row.learnedAt, fact: row.fact),
                payload: PayloadKey(row.fact))
        case .parked(let row, let place, _):
            guard rows.parkPlaces[PayloadKey(row.fact)] == nil else {
                throw VaultError(.corrupt, "a fact is parked twice")
            }
            store(row, at: answer.place(place))
        case .entry(let row): store(row.placed(by: answer))
        case .balance(let balance, let customer): try setBalance(balance, of: customer)
        case .event(let event): store(event.placed(by: answer))
        case .delivery(let row, let place):
            guard rows.deliveryPlaces[row.key] == nil else { throw VaultError(.corrupt, "a delivery is owed twice") }
            store(
                DeliveryRow(key: row.key, customer: row.customer, state: row.state), at: answer.place(place))
        case .deliveryState(let row): try markDelivery(of: row.key, as: row.state)
        case .pending(let purchases, let customer): try setPending(purchases, of: customer)
        case .notification(let uuid, let at): _ = try insert(notification: uuid, at: at)
        case .step(let step, let at, let limit): try insert(step: step, at: at, forgettingBefore: limit)
        case .cursor(let cursor, let backend): try setCursor(cursor, of: backend)
        case .marks(let marks): try insertMarks(marks)
        case .unparked(let fact): try removeParked(fact)
        case .removedFacts(let chain): _ = try removeFacts(of: chain)
        case .removedRenewalInfos(let purchase):
            _ = try removeRenewalInfos(environment: purchase.environment, originalID: purchase.originalID)
        case .unbound(let subject): try unbind(subject)
        case .removedAttempts(let subject): try removeAttempts(on: subject)
        case .removedDeliveries(let customer): try removeDeliveries(of: customer)
        case .removedEvents(let customer): try removeEvents(of: customer)
        case .removedBalances(let customer): try removeBalances(of: customer)
        case .erasure(let draft):
            let erasure = eraseAccount(
                of: draft.customer, facts: draft.facts, reason: draft.reason, at: draft.at,
                place: answer.place(draft.place))
            guard erasure.entries == draft.entries else {
                throw VaultError(.corrupt, "\(draft.entries) entries were counted, \(erasure.entries) are there")
            }
            answer.proofs[draft.place] = erasure.proof
        }
    }
}
