import Storekeeper

extension World {
    /// Returns a journal entry as a happening, in which names replace the indexes.
    func happening(_ place: RowIndex<JournalEntry>) -> Happening {
        let entry = journal[place]
        let record = entry.record.map { records[$0] }
        var app = entry.download.map { downloads[$0].app } ?? entry.app
        var product = record?.product
        var transaction = record?.transaction
        if let extensions = entry.extensions {
            app = extensionSummaries[extensions].app
            product = extensionSummaries[extensions].product
        } else if record == nil, let subject = entry.transaction {
            transaction = subject
            product = transactions[subject].product
        }
        let price = record.flatMap { $0.flags.contains(.isFamilyShared) ? nil : $0.price }
        let revocation = record?.revocation
        return Happening(
            id: place.index, at: entry.at, kind: entry.kind, customer: entry.account.map { accounts[$0].name },
            app: app.map { apps[$0].bundleID },
            productID: product.flatMap { product in app.map { apps[$0].product(product).id } },
            transactionID: transaction.map(id(of:)), originalTransactionID: record.map { id(of: $0.original) },
            expiresAt: record?.expiresAt, price: Milliunits.decimal(price),
            currency: price == nil ? nil : record.map { storefronts[$0.storefront].currency },
            offer: record?.offer.flatMap { offer in app.map { apps[$0].happeningOffer(offer) } },
            revocationReason: revocation.map { RevocationReason(rawValue: $0.reason).scenarioText },
            revocationPercentage: revocation?.percentage.map(Int.init), note: entry.note.map { notes[$0] },
            status: entry.status == 0 ? nil : Int(entry.status))
    }
}

extension App {
    /// Returns the description of an offer for a happening.
    func happeningOffer(_ place: RowIndex<OfferTerms>) -> Happening.Offer {
        let offer = catalogOffer(place)
        return Happening.Offer(
            kind: offer.kind, id: offer.kind == .introductory ? nil : offer.id, paymentMode: offer.paymentMode,
            isRetention: offers[place].isRetention)
    }
}
