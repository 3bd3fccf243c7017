import Storekeeper
import StorekeeperDurable

// Rows of chains and tokens are no customer's: whoever writes one, or relies on one, locks it here.
extension ChangeWriter {
    /// The stamps of the chains and tokens that something is bound or put aside because of, or that are nobody's from now on:
    /// they are looked at again, under a lock, so that nobody has bound one, or put something aside under it, in between.
    ///
    /// - Returns: The stamps by the keys of the rows.
    mutating func stampsRelied(onBy runs: [[RowChange]]) -> [[UInt8]: Int64] {
        let reliesOnSubjects = runs.joined().contains { change in
            switch change {
            case .parked, .binding, .attempts, .unparked, .unbound: true
            default: false
            }
        }
        guard reliesOnSubjects else { return [:] }
        let parks = runs.joined().contains { $0.kind == .parked }
        var stamps: [[UInt8]: Int64] = [:]
        for (subject, row) in found.subjects {
            if row.stamp > 0 {
                stamps[RowID.of(subject)] = row.stamp
            } else if parks {
                subjects[subject] = SubjectDraft(isChanged: true)
            }
        }
        return stamps
    }

    /// Notes that the row of a chain or token is written, unless there is none.
    ///
    /// - Returns: Whether there may be one.
    @discardableResult
    mutating func touch(_ subject: BindingSubject) -> Bool {
        guard found.subjects[subject]?.stamp != 0 else { return false }
        touched.insert(RowID.of(subject))
        return true
    }

    /// Looks at stamps again and locks all rows of chains and tokens that are written, in the order of their keys.
    func guardCall(_ stamps: [[UInt8]: Int64]) -> Call? {
        let ids = Array(touched.union(stamps.keys))
        guard !ids.isEmpty else { return nil }
        return Call(
            WriteStatements.guardSubjects, [.bytes(ids), .ints(ids.map { stamps[$0] }), .int(Int64(stamps.count))])
    }
}
