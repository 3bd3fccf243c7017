import Storekeeper

/// A selection of copies of signed items.
public enum SignedCopies: Sendable {
    /// The newest copy of each transaction, renewal info and app transaction.
    case newest
    /// Every copy that was ever signed, including the copies of deleted items.
    case all
}

extension SimulatedAppStore {
    /// Returns the evidence of all customers as compact JWS, grouped by customer and app.
    ///
    /// Each group contains the transactions and renewal infos in signing order, and then the app transaction.
    ///
    /// - Parameter copies: The selection of copies.
    /// - Throws: Errors of the cryptographic library.
    public func evidence(_ copies: SignedCopies) throws -> [String] {
        try read { world in
            var texts: [String] = []
            for (download, documents) in zip(world.downloads.indices, world.signedDocuments(copies)) {
                for document in documents {
                    switch document {
                    case .transaction(let place): texts.append(try issuer.transaction(place, in: world, for: nil))
                    case .renewalInfo(let place): texts.append(try issuer.renewalInfo(place, in: world, for: nil))
                    }
                }
                texts.append(try issuer.appTransaction(download, in: world, for: nil))
            }
            return texts
        }
    }

    /// Returns the notifications that were sent, in order, as compact JWS.
    ///
    /// - Throws: Errors of the cryptographic library.
    public func notifications() throws -> [String] {
        try read { world in try world.journal.indices.compactMap { try issuer.notification($0, in: world) } }
    }
}

extension World {
    /// A signed state of a transaction or of a renewal info.
    fileprivate enum SignedDocument {
        case transaction(RowIndex<TransactionRecord>)
        case renewalInfo(RowIndex<RenewalRecord>)
    }

    /// Returns the signed items of each download (a customer's use of an app), in the order of signing.
    ///
    /// If a transaction and a renewal info were signed at the same instant, the transaction is first.
    fileprivate func signedDocuments(_ copies: SignedCopies) -> [[SignedDocument]] {
        var signed = [[(at: Instant, document: SignedDocument)]](repeating: [], count: downloads.count)
        for place in records.indices {
            let record = records[place]
            let state = transactions[record.transaction]
            guard copies == .all || !state.isDeleted && state.latest == place else { continue }
            signed[record.download.index].append((record.signedAt, .transaction(place)))
        }
        for place in renewalRecords.indices {
            let record = renewalRecords[place]
            let subscription = subscriptions[record.subscription]
            // Include only the subscriptions that the download still has, as in `evidence(of:app:)`.
            let isKept = downloads[subscription.download].subscriptions.contains(record.subscription)
            guard copies == .all || isKept && subscription.renewalRecord == place else { continue }
            signed[subscription.download.index].append((record.signedAt, .renewalInfo(place)))
        }
        // The sort is stable, so that items signed at the same instant keep their order.
        return signed.map { documents in documents.sorted { $0.at < $1.at }.map(\.document) }
    }
}
