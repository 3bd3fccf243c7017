import Storekeeper
import StorekeeperDurable

// The lock of a customer does not protect the rows of chains and tokens. Therefore a step that writes such a row or
// relies on it locks the row with these functions.
extension ChangeWriter {
    /// Returns the stamps of the chains and tokens on which the changes rely.
    ///
    /// A step relies on chains and tokens if it adds or removes a binding or a parked fact, or erases a customer.
    ///
    /// The stamps are compared again under a lock. A different stamp shows that another step has since bound the chain
    /// or token, or has parked evidence under it.
    ///
    /// - Returns: The stamps, by the key of the row.
    mutating func stampsRelied(onBy runs: [[RowChange]]) -> [[UInt8]: Int64] {
        let reliesOnSubjects = runs.joined().contains { change in
            switch change {
            case .parked, .binding, .attempts, .unparked, .unbound, .released, .erasure: true
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

    /// Registers the row of a chain or token as a row to be locked, if the row exists.
    ///
    /// - Returns: Whether the row may exist.
    @discardableResult
    mutating func registerWrite(_ subject: BindingSubject) -> Bool {
        guard found.subjects[subject]?.stamp != 0 else { return false }
        touched.insert(RowID.of(subject))
        return true
    }

    /// Returns the statement that compares stamps and locks all written rows of chains and tokens, in the order of
    /// their keys.
    func guardCall(_ stamps: [[UInt8]: Int64]) -> Call? {
        let ids = Array(touched.union(stamps.keys))
        guard !ids.isEmpty else { return nil }
        return Call(
            WriteStatements.guardSubjects, [.bytes(ids), .ints(ids.map { stamps[$0] }), .int(Int64(stamps.count))])
    }
}
