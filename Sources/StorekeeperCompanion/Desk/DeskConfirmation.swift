import Storekeeper

/// The message that a form has changed something, with a form that undoes the change.
struct DeskConfirmation {
    /// A form that undoes the change.
    struct Undo {
        let address: String
        let fields: [Field]
    }

    /// A hidden field of a form.
    struct Field {
        let name: String
        let value: String
    }

    /// The changes of a customer that the URL of a page can name, each as a parameter.
    ///
    /// The parameter contains the key of a grant, or the id of a purchase or token.
    enum Change: String, CaseIterable {
        case granted, revoked, assigned, moved, fetched
    }

    let message: String
    var undo: Undo?
}

extension DeskConfirmation {
    /// Makes the message about the change that the URL of a page names; `nil` if it names none.
    ///
    /// The message is made from the customer's record, so that a link cannot make the page report a change that was not
    /// made.
    ///
    /// - Parameters:
    ///   - form: The parameters of the URL.
    ///   - key: A new idempotency key for a grant.
    init?(
        _ form: [String: String], _ record: DeskRecord, at now: Instant, caller: Caller?, key: String,
        _ place: DeskPlace, _ format: DeskFormat
    ) {
        let texts = format.texts
        func namedGrant(_ change: Change) -> AccessGrant? {
            form[change.rawValue].flatMap { id in record.grants.first { $0.id.rawValue.hasSameBytes(as: id) } }
        }
        func field(_ name: String, _ value: String) -> Field { Field(name: name, value: value) }
        let mayGrant = caller?.has(.grant) ?? false
        if let grant = namedGrant(.granted), grant.revocation == nil {
            message = texts(
                .grantDone, ["subject": texts.subject(grant.subject), "time": format.time(grant.until)])
            guard mayGrant, grant.isActive(at: now) else { return }
            undo = Undo(
                address: DeskPlace.posting(to: "/desk/revocations", place),
                fields: [
                    field("customer", place.customer), field("key", grant.id.rawValue),
                    field("reason", texts(.undoReason)),
                ])
        } else if let grant = namedGrant(.revoked), let revocation = grant.revocation {
            message = texts(
                .revokeDone, ["subject": texts.subject(grant.subject), "time": format.time(revocation.at)])
            guard mayGrant, grant.until > now else { return }
            undo = Undo(
                address: DeskPlace.posting(to: "/desk/grants", place),
                fields: [
                    field("customer", place.customer), field("subject", grant.subject.formValue),
                    field("until", grant.until.description), field("reason", grant.reason), field("key", key),
                ])
        } else if let name = form[Change.assigned.rawValue],
            record.bindings.contains(where: { $0.subject.name.hasSameBytes(as: name) })
        {
            message = texts(.claimDone, ["purchase": name, "customer": place.customer])
        } else if let name = form[Change.moved.rawValue], let holder = record.formerHolder(of: name) {
            message = texts(.transferDone, ["purchase": name, "holder": holder.rawValue])
        } else if form[Change.fetched.rawValue] != nil {
            // The instant is recorded only if everything was verified.
            guard let syncedAt = record.syncedAt else {
                message = texts(.fetchPartial)
                return
            }
            let new = record.facts.count(where: { $0.learnedAt >= syncedAt })
            message = texts(
                .fetchDone,
                ["new": format.number(Int64(new)), "known": format.number(Int64(record.facts.count - new))])
        } else {
            return nil
        }
    }

    /// Makes the message that a customer was erased.
    init(_ erasure: Erasure, _ format: DeskFormat) {
        message = format.texts(
            .eraseDone,
            [
                "facts": format.number(Int64(erasure.facts)), "entries": format.number(Int64(erasure.entries)),
                "time": format.time(erasure.at), "proof": erasure.proof,
            ])
    }
}

extension DeskRecord {
    /// Returns the customer from whom a chain or token was last moved to this customer.
    fileprivate func formerHolder(of name: String) -> CustomerID? {
        for entry in entries.reversed() {
            if case .transfer(let subject, let from, customer, _) = entry.cause, subject.name.hasSameBytes(as: name) {
                return from
            }
        }
        return nil
    }
}
