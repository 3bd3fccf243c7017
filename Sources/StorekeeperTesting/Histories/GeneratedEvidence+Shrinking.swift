import Storekeeper

extension GeneratedEvidence {
    /// Simplified versions of the evidence.
    ///
    /// Each version differs from the evidence by one change, and the largest changes are first.
    public var smaller: [GeneratedEvidence] {
        withoutChains + withoutFacts + withoutCatalogParts + withSimplerFacts
    }

    private func changed(_ change: (inout GeneratedEvidence) -> Void) -> GeneratedEvidence {
        var copy = self
        change(&copy)
        return copy
    }

    private var withoutChains: [GeneratedEvidence] {
        let chains = Set(transactions.map(\.originalID.rawValue) + renewalInfos.map(\.originalID.rawValue)).sorted()
        guard chains.count > 1 else { return [] }
        return chains.map { chain in
            changed {
                $0.transactions.removeAll { $0.originalID.rawValue == chain }
                $0.renewalInfos.removeAll { $0.originalID.rawValue == chain }
                $0.notifications.removeAll { $0.transaction.originalID.rawValue == chain }
            }
        }
    }

    private var withoutFacts: [GeneratedEvidence] {
        transactions.indices.map { index in changed { $0.transactions.remove(at: index) } }
            + renewalInfos.indices.map { index in changed { $0.renewalInfos.remove(at: index) } }
            + notifications.indices.map { index in changed { $0.notifications.remove(at: index) } }
            + appTransactions.indices.map { index in changed { $0.appTransactions.remove(at: index) } }
    }

    private var withoutCatalogParts: [GeneratedEvidence] {
        let withoutFeatures = catalog.features.map { feature in
            changed {
                $0.catalog = Catalog(
                    products: catalog.products, groups: catalog.groups,
                    features: catalog.features.filter { $0.id != feature.id })
            }
        }
        return withoutFeatures + catalog.products.map { product in changed { $0.catalog = without(product.id) } }
            + withoutOffers
    }

    private var withoutOffers: [GeneratedEvidence] {
        catalog.products.indices.flatMap { index in
            let count = (catalog.products[index].subscription?.offers ?? catalog.products[index].codeOffers).count
            return (0..<count).map { offer in
                var products = catalog.products
                if products[index].subscription == nil {
                    products[index].codeOffers.remove(at: offer)
                } else {
                    products[index].subscription?.offers.remove(at: offer)
                }
                return changed {
                    $0.catalog = Catalog(products: products, groups: catalog.groups, features: catalog.features)
                }
            }
        }
    }

    private func without(_ productID: Product.ID) -> Catalog {
        Catalog(
            products: catalog.products.filter { $0.id != productID },
            groups: catalog.groups.map { group in
                var copy = group
                copy.productIDs.removeAll { $0 == productID }
                return copy
            }
            .filter { !$0.productIDs.isEmpty },
            features: catalog.features.map { feature in
                var copy = feature
                copy.productIDs.removeAll { $0 == productID }
                return copy
            })
    }

    private var withSimplerFacts: [GeneratedEvidence] {
        transactions.indices.flatMap { index in
            Self.simpler(transactions[index]).map { simpler in changed { $0.transactions[index] = simpler } }
        }
            + renewalInfos.indices.flatMap { index in
                Self.simpler(renewalInfos[index]).map { simpler in changed { $0.renewalInfos[index] = simpler } }
            }
    }

    private static func simpler(_ draft: TransactionDraft) -> [TransactionDraft] {
        let changes: [(inout TransactionDraft) -> Void] = [
            {
                $0.revokedAt = nil
                $0.revocationType = nil
                $0.revocationReason = nil
                $0.revocationPercentage = nil
            },
            { $0.revocationType = nil },
            { $0.revocationPercentage = nil },
            { $0.revocationReason = nil },
            { $0.isUpgraded = nil },
            { $0.additionalReason = nil },
            { $0.previousOriginalID = nil },
            { $0.otherMembers = [:] },
            { $0.quantity = 1 },
            { $0.ownership = .purchased },
            { $0.billingPlanType = nil },
            { $0.appTransactionID = nil },
            { $0.environment = .production },
            { $0.reason = .purchase },
            { $0.signedAt = max($0.purchasedAt, $0.revokedAt ?? $0.purchasedAt) },
            { $0.originallyPurchasedAt = nil },
            { $0.storefront = nil },
            { $0.storefrontID = nil },
            {
                $0.offerType = nil
                $0.offerID = nil
                $0.offerPaymentMode = nil
            },
            { $0.price = nil },
        ]
        return distinct(changes, of: draft)
    }

    private static func simpler(_ draft: RenewalInfoDraft) -> [RenewalInfoDraft] {
        let changes: [(inout RenewalInfoDraft) -> Void] = [
            { $0.gracePeriodExpiresAt = nil },
            { $0.isInBillingRetry = nil },
            { $0.expirationReason = nil },
            { $0.autoRenewStatus = .on },
            { $0.autoRenewProductID = $0.productID },
            { $0.appTransactionID = nil },
            { $0.environment = .production },
            { $0.renewsAt = nil },
            {
                $0.offerType = nil
                $0.offerID = nil
            },
            { $0.eligibleWinBackOfferIDs = nil },
        ]
        return distinct(changes, of: draft)
    }

    private static func distinct<Draft: Equatable>(_ changes: [(inout Draft) -> Void], of draft: Draft) -> [Draft] {
        changes.compactMap { change in
            var copy = draft
            change(&copy)
            return copy == draft ? nil : copy
        }
    }
}
