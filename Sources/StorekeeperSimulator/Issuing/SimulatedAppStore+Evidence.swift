import Storekeeper

/// Which copies of what was signed are meant.
public enum SignedCopies: Sendable {
    /// Of each transaction, renewal info and app transaction the newest.
    case newest
    /// All that were ever signed, of what was deleted too.
    case all
}

extension SimulatedAppStore {
    /// What was signed about all customers, app by app and customer by customer, as compact JWS: transactions and
    /// renewal infos in the order in which they were signed, then the app transaction.
    ///
    /// - Parameter copies: Which copies.
    /// - Throws: What the cryptographic library throws.
    public func evidence(_ copies: SignedCopies) throws -> [String] {
        try read { world in
            var texts: [String] = []
            for (download, states) in world.signedStates(copies).enumerated() {
                for state in states {
                    texts.append(
                        state.isRenewal
                            ? try issuer.renewalInfo(state.place, in: world, for: nil)
                            : try issuer.transaction(state.place, in: world, for: nil))
                }
                texts.append(try issuer.appTransaction(Int32(download), in: world, for: nil))
            }
            return texts
        }
    }

    /// The notifications that were sent, in their order, as compact JWS.
    ///
    /// - Throws: What the cryptographic library throws.
    public func notifications() throws -> [String] {
        try read { world in try world.journal.indices.compactMap { try issuer.notification($0, in: world) } }
    }
}

extension World {
    /// A signed state of a transaction or of a renewal info.
    fileprivate struct SignedState {
        var at: Instant
        var isRenewal: Bool
        var place: Int32
    }

    /// What was signed about each download, in the order in which it was signed; of two things signed at one instant
    /// the transaction comes first.
    fileprivate func signedStates(_ copies: SignedCopies) -> [[SignedState]] {
        var states = [[SignedState]](repeating: [], count: downloads.count)
        for (place, record) in records.enumerated() {
            let state = transactions[Int(record.number)]
            guard copies == .all || !state.isDeleted && state.latest == Int32(place) else { continue }
            states[Int(record.download)].append(
                SignedState(at: record.signedAt, isRenewal: false, place: Int32(place)))
        }
        for (place, record) in renewalRecords.enumerated() {
            let line = lines[Int(record.line)]
            // What `evidence(of:)` hands out: the lines that the download has still.
            let isNewest =
                line.renewalRecord == Int32(place) && downloads[Int(line.download)].lines.contains(record.line)
            guard copies == .all || isNewest else { continue }
            states[Int(line.download)].append(SignedState(at: record.signedAt, isRenewal: true, place: Int32(place)))
        }
        for index in states.indices {
            states[index].sort { ($0.at, $0.isRenewal ? 1 : 0, $0.place) < ($1.at, $1.isRenewal ? 1 : 0, $1.place) }
        }
        return states
    }
}
