package import StorekeeperEngine

extension TimelineChart {
    /// An event that is marked on a bar.
    package struct Event: Hashable, Sendable {
        /// The kinds of event, each with a different shape.
        package enum Kind: String, Sendable, CaseIterable {
            case gracePeriod, billingRetry, refund, partialRefund, revocation, priceIncrease, priceAgreed, upgrade
            case freeTrial, offer

            /// The event in words.
            package var words: String {
                switch self {
                case .gracePeriod: "grace period begins"
                case .billingRetry: "billing retry begins"
                case .refund: "refund"
                case .partialRefund: "refund of a part of the price"
                case .revocation: "revoked"
                case .priceIncrease: "asked to agree to a higher price"
                case .priceAgreed: "agreed to a higher price"
                case .upgrade: "moved to a higher product"
                case .freeTrial: "free trial begins"
                case .offer: "offer begins"
                }
            }
        }

        /// The instant of the event.
        package let at: Instant
        /// The kind of the event.
        package let kind: Kind

        package init(_ kind: Kind, at instant: Instant) {
            at = instant
            self.kind = kind
        }

        /// Creates the event that marks the beginning of an answer; `nil` if charts do not mark the beginning of this
        /// answer.
        init?(beginning answer: EntitlementAnswer, at instant: Instant) {
            switch answer {
            case .entitled(.gracePeriod, _): self.init(.gracePeriod, at: instant)
            case .lapsed(.billingRetry, _): self.init(.billingRetry, at: instant)
            case .lapsed(.refunded, let basis):
                self.init(basis.transaction.isPartlyRefunded ? .partialRefund : .refund, at: instant)
            case .lapsed(.familySharingEnded, _), .lapsed(.assignmentEnded, _): self.init(.revocation, at: instant)
            case .lapsed(.upgraded, _), .lapsed(.movedToBundle, _): self.init(.upgrade, at: instant)
            case .entitled, .granted, .paidApp, .pending, .lapsed(.expired, _), .never, .unknown: return nil
            }
        }

        /// Returns the beginnings of free trials and of other offers, in order.
        static func offers(in product: ProductTimeline) -> [Event] {
            product.offerRuns.compactMap { run in
                guard let from = run.from, let offer = run.value.basis?.transaction.offer, run.value.isEntitled else {
                    return nil
                }
                return Event(offer.isFreeTrial ? .freeTrial : .offer, at: from)
            }
        }

        /// Returns the refunds and revocations of transactions, by product.
        static func revocations(in transactions: [Transaction]) -> [Product.ID: [Event]] {
            var events: [Product.ID: [Event]] = [:]
            for transaction in transactions {
                guard let revokedAt = transaction.revokedAt else { continue }
                if transaction.revocationReason == .upgradedToBundle { continue }
                let isRefund =
                    transaction.ownershipType == .purchased && transaction.revocationType != .familyRevocation
                events[transaction.productID, default: []].append(
                    Event(
                        !isRefund ? .revocation : transaction.isPartlyRefunded ? .partialRefund : .refund,
                        at: revokedAt))
            }
            return events
        }

        /// Returns the price increases in the subscription statuses at an instant, by product; an event has the time at
        /// which the renewal info was signed.
        static func priceIncreases(in resolution: Resolution, at instant: Instant) -> [Product.ID: [Event]] {
            var events: [Product.ID: [Event]] = [:]
            for status in resolution.groups.flatMap({ $0.statuses(at: instant) }) {
                guard let info = status.renewalInfo, let answer = info.priceIncreaseStatus else { continue }
                events[status.transaction.productID, default: []].append(
                    Event(answer == .agreed ? .priceAgreed : .priceIncrease, at: info.signedAt))
            }
            return events
        }
    }

    /// The kinds of event that occur between the edges of the axis, for a legend.
    package var eventKinds: [Event.Kind] {
        let visible = Set(rows.flatMap(\.events).filter { isVisible($0.at) }.map(\.kind))
        return Event.Kind.allCases.filter(visible.contains)
    }
}

extension Transaction {
    /// Whether only a part of the price was refunded.
    fileprivate var isPartlyRefunded: Bool {
        revocationPercentage.map { $0 < 100_000 } ?? (revocationType == .proratedRefund)
    }
}

extension EntitlementAnswer {
    /// The reason of the answer as a sentence.
    package var sentence: String {
        if case .lapsed(.refunded, let basis) = self, basis.transaction.isPartlyRefunded {
            let share = basis.transaction.revocationPercentage.map(Percentage.text) ?? "A part"
            return "\(share) of the price was refunded, and the access ended."
        }
        switch reasonKey {
        case "active.shared": return "A period is running that the family shares."
        case "active.assigned": return "A period is running that an organisation has assigned."
        case "active.trial": return "A free trial is running."
        case "owned.shared": return "The family shares the product."
        case "owned.assigned": return "An organisation has assigned the product."
        default: break
        }
        return switch reason {
        case .active: "A period is running."
        case .owned: "The product is owned permanently."
        case .gracePeriod: "The payment failed; service continues during the grace period."
        case .renewalLeeway: "A period has just ended; its renewal may still arrive."
        case .granted: "Access was granted without a purchase."
        case .paidApp: "The customer got the app while it was paid."
        case .askToBuy: "The purchase waits for a guardian's approval."
        case .bankApproval: "The purchase waits for the customer's bank."
        case .expired: "The last period is over."
        case .billingRetry: "The payment failed and is tried again, without service."
        case .refunded: "The purchase was refunded."
        case .familySharingEnded: "The family no longer shares the purchase."
        case .assignmentEnded: "The seat is no longer assigned to the customer."
        case .upgraded: "The customer has moved to a higher product."
        case .movedToBundle: "The subscription continues as part of a bundle, or outside the bundle that contained it."
        case .noPurchase: "Nothing was bought."
        case .neverSynced: "The whole history was not read yet."
        case .unverified: "The evidence could not be verified."
        case .backendFailed: "The App Store has not answered for too long."
        case .conflictingType: "The evidence and the catalog name different types."
        case .unknownLevel: "The catalog has no level of service for the product."
        case .notInCatalog: "No catalog knows the product."
        }
    }
}
