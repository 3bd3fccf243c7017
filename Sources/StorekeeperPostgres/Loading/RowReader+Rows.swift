import FoundationEssentials
import Storekeeper
import StorekeeperDurable

extension ResultTable {
    func forEach(_ read: (inout RowReader) throws(PostgresFailure) -> Void) throws(PostgresFailure) {
        _ = try map { row throws(PostgresFailure) in try read(&row) }
    }
}

extension PostgresFailure {
    /// Returns the error for stored data that this vault cannot have written.
    static func damaged(_ message: String) -> PostgresFailure { PostgresFailure(.unexpectedAnswer, message) }
}

// Each function reads one or more columns of a row as a value, in the order in which the statements select the columns.
extension RowReader {
    mutating func instant() throws(PostgresFailure) -> Instant { try Self.instant(try int()) }

    mutating func optionalInstant() throws(PostgresFailure) -> Instant? {
        guard let number = try optionalInt() else { return nil }
        return try Self.instant(number)
    }

    private static func instant(_ number: Int64) throws(PostgresFailure) -> Instant {
        guard let instant = Instant(millisecondsSince1970: number) else {
            throw .damaged("a time that is out of range (\(number))")
        }
        return instant
    }

    /// Reads the columns `header`, `payload`, `signature` and `verbatim`; returns `nil` if the header is not loaded
    /// yet.
    mutating func evidence(_ headers: HeaderLookup) throws(PostgresFailure) -> VerifiedFact? {
        let header = headers.segment(try bytes())
        let (payload, signature, isVerbatim) = (try bytes(), try bytes(), try bool())
        guard let header else { return nil }
        do throws(VaultError) {
            return try StoredContent(
                header: header, payload: payload, signature: isVerbatim ? .verbatim(signature) : .content(signature)
            ).restored()
        } catch {
            throw .damaged(error.message)
        }
    }

    /// Reads a parked fact and its place in the feed; returns `nil` if the header is not loaded yet.
    mutating func parked(_ headers: HeaderLookup) throws(PostgresFailure) -> (Int64, ParkedFact)? {
        let (place, since, code, claimant) = (try int(), try instant(), try int(), try optionalText())
        guard let reason = ParkedFact.Reason(code: code) else {
            throw .damaged("a parked fact with the unknown reason \(code)")
        }
        guard let fact = try evidence(headers) else { return nil }
        return (
            place,
            ParkedFact(
                since: since, reason: reason, fact: fact, claimant: claimant.map { CustomerID(rawValue: $0) })
        )
    }

    /// Reads the columns that identify a chain or token.
    mutating func subject() throws(PostgresFailure) -> BindingSubject {
        let (bundle, environment, original) = (try optionalText(), try optionalText(), try optionalText())
        let token = try optionalBytes()
        if let bundle, let environment, let original {
            return .chain(
                ChainID(
                    bundleID: bundle, environment: AppStore.Environment(rawValue: environment),
                    originalID: Transaction.ID(rawValue: original)))
        }
        guard let token, let uuid = UUID(bytes: token) else {
            throw .damaged("a subject that is neither a chain nor a token")
        }
        return .token(uuid)
    }

    /// Reads the columns `newest_token` and `newest_signed`; returns `nil` if the chain has no token.
    mutating func newestToken() throws(PostgresFailure) -> NewestToken? {
        let (bytes, signedAt) = (try optionalBytes(), try optionalInstant())
        guard let bytes, let signedAt else { return nil }
        guard let token = UUID(bytes: bytes) else { throw .damaged("a token that is not a UUID") }
        return NewestToken(token: token, signedAt: signedAt)
    }

    mutating func delivery() throws(PostgresFailure) -> (Int64, DeliveryRow) {
        let place = try int()
        let key = TransactionKey(
            bundleID: try text(), environment: AppStore.Environment(rawValue: try text()),
            transactionID: Transaction.ID(rawValue: try text()))
        let customer = CustomerID(rawValue: try text())
        let state: OutboxItem.State? =
            switch try int() {
            case 0: .owed
            case 1: .delivered
            default: nil
            }
        return (place, DeliveryRow(key: key, customer: customer, state: state))
    }
}

extension Loading.Found {
    /// Reads the row of a chain or token.
    @discardableResult
    mutating func add(_ row: inout RowReader) throws(PostgresFailure) -> BindingSubject {
        let subject = try row.subject()
        let (stamp, holder) = (try row.int(), try row.optionalText().map(CustomerID.init(rawValue:)))
        let (place, bound, attempts) = (try row.optionalInt(), try row.optionalInstant(), try row.int())
        if let known = subjects[subject], known.stamp != stamp { isTruncated = true }
        subjects[subject] = SubjectRow(stamp: stamp, holder: holder)
        if let holder, let place, let bound {
            rows.bindings[place] = Binding(
                place: FeedPlace(place), subject: subject, customer: holder, at: bound)
        }
        if attempts > 0 { rows.attempts[subject] = Int(clamping: attempts) }
        return subject
    }

    /// Adds rows that the same step has loaded later; the step still has the same locks or reads the same snapshot.
    mutating func merge(_ other: Loading.Found) {
        rows.merge(other.rows)
        chainHeads.merge(other.chainHeads)
        subjects.merge(other.subjects) { _, new in new }
        claims.merge(other.claims) { _, new in new }
    }
}
