public import FoundationEssentials
import Storekeeper

extension Transaction {
    /// The way in which a customer acquired a transaction.
    public struct OwnershipType: RawRepresentable, Hashable, Sendable {
        /// The App Store's name for the type, such as `PURCHASED`.
        public let rawValue: String
        /// Creates a value from any name, including a name without a constant.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The customer made the purchase.
        public static let purchased = OwnershipType(rawValue: "PURCHASED")
        /// A family member made the purchase and shares it.
        public static let familyShared = OwnershipType(rawValue: "FAMILY_SHARED")
        /// An organization or a group assigned the purchase to the customer.
        public static let assigned = OwnershipType(rawValue: "ASSIGNED")

        /// The type in English.
        public var localizedDescription: String {
            switch self {
            case .purchased: "Purchased"
            case .familyShared: "Family Shared"
            case .assigned: "Assigned"
            default: rawValue
            }
        }
    }

    /// The cause of a transaction.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        /// The App Store's name for the reason, such as `RENEWAL`.
        public let rawValue: String
        /// Creates a value from any name, including a name without a constant.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The customer bought the product.
        public static let purchase = Reason(rawValue: "PURCHASE")
        /// The App Store renewed the subscription.
        public static let renewal = Reason(rawValue: "RENEWAL")
    }

    /// The reason for the refund of a transaction.
    public struct RevocationReason: RawRepresentable, Hashable, Sendable {
        /// The App Store's number for the reason.
        public let rawValue: Int
        /// Creates a value from any number, including a number without a constant.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// A problem with the app.
        public static let developerIssue = RevocationReason(rawValue: 1)
        /// Any other reason.
        public static let other = RevocationReason(rawValue: 0)

        /// The reason in English.
        public var localizedDescription: String {
            switch self {
            case .developerIssue: "Developer Issue"
            case .other: "Other"
            default: "Unknown"
            }
        }
    }

    /// The way in which a transaction was revoked.
    public struct RevocationType: RawRepresentable, Hashable, Sendable {
        /// The App Store's name for the type, such as `REFUND_FULL`.
        public let rawValue: String
        /// Creates a value from any name, including a name without a constant.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The whole price was refunded.
        public static let fullRefund = RevocationType(rawValue: "REFUND_FULL")
        /// The price of the unused part of the period was refunded.
        public static let proratedRefund = RevocationType(rawValue: "REFUND_PRORATED")
        /// A family member no longer shares the purchase.
        public static let familyRevocation = RevocationType(rawValue: "FAMILY_REVOKE")
        /// The organization or the group revoked the assignment of the purchase.
        public static let assignmentRevocation = RevocationType(rawValue: "ASSIGNMENT_REVOKE")
    }

    /// The type of an offer that applies to a transaction.
    public struct OfferType: RawRepresentable, Hashable, Sendable {
        /// The App Store's number for the type.
        public let rawValue: Int
        /// Creates a value from any number, including a number without a constant.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// An offer for customers who are new to the subscription group.
        public static let introductory = OfferType(rawValue: 1)
        /// An offer that the app makes and signs with its key.
        public static let promotional = OfferType(rawValue: 2)
        /// An offer that the customer redeems with a code.
        public static let code = OfferType(rawValue: 3)
        /// An offer for customers whose subscription has lapsed.
        public static let winBack = OfferType(rawValue: 4)

        /// The type in English.
        public var localizedDescription: String {
            switch self {
            case .introductory: "Introductory"
            case .promotional: "Promotional"
            case .code: "Code"
            case .winBack: "Win-Back"
            default: "Unknown"
            }
        }
    }

    /// An offer that applied to a transaction, or will apply to the next renewal.
    public struct Offer: Hashable, Sendable {
        /// The id; for an offer code, its reference name.
        public let id: String?
        /// The type.
        public let type: OfferType
        /// The payment mode.
        public let paymentMode: PaymentMode?
        /// The duration.
        public let period: Product.SubscriptionPeriod?

        init(_ offer: Storekeeper.Transaction.Offer) {
            id = offer.id?.rawValue
            type = OfferType(rawValue: Int(offer.type.rawValue))
            paymentMode = offer.paymentMode.map { PaymentMode(rawValue: $0.rawValue) }
            period = offer.period.flatMap { Product.SubscriptionPeriod(Storekeeper.SubscriptionPeriod($0)) }
        }

        /// The way in which the price of an offer is paid.
        public struct PaymentMode: RawRepresentable, Hashable, Sendable {
            /// The App Store's name for the payment mode, such as `FREE_TRIAL`.
            public let rawValue: String
            /// Creates a value from any name, including a name without a constant.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// Nothing is paid.
            public static let freeTrial = PaymentMode(rawValue: "FREE_TRIAL")
            /// A lower price is paid for each of several periods.
            public static let payAsYouGo = PaymentMode(rawValue: "PAY_AS_YOU_GO")
            /// A lower price is paid once for the whole duration of the offer.
            public static let payUpFront = PaymentMode(rawValue: "PAY_UP_FRONT")
            /// A lower price is paid for a purchase that does not renew.
            public static let oneTime = PaymentMode(rawValue: "ONE_TIME")
        }
    }

    /// The position of a transaction in a commitment of twelve monthly payments.
    public struct CommitmentInfo: Hashable, Sendable {
        /// The number of the payment, from 1.
        public let billingPeriodNumber: Int
        /// The total number of payments.
        public let totalBillingPeriods: Int
        /// The end of the whole commitment.
        public let expirationDate: Date
        /// The total price of the commitment, in units of the currency.
        public let price: Decimal

        init?(_ info: Storekeeper.Transaction.CommitmentInfo) {
            guard let number = info.billingPeriodNumber, let total = info.totalBillingPeriods,
                let end = info.commitmentExpiresAt, let price = info.commitmentPriceInMilliunits
            else { return nil }
            billingPeriodNumber = Int(clamping: number)
            totalBillingPeriods = Int(clamping: total)
            expirationDate = end.date
            self.price = Decimal(thousandths: price)
        }
    }

    /// The result of submitting a refund request, which does not include the decision about the refund.
    public enum RefundRequestStatus: Hashable, Sendable {
        /// The request was submitted.
        case success
        /// The customer cancelled the request.
        case userCancelled
    }

    /// The error of a failed refund request.
    public enum RefundRequestError: Error, Hashable, Sendable {
        /// A refund has been requested already.
        case duplicateRequest
        /// The request could not be submitted.
        case failed
        /// The transaction cannot be refunded.
        case ineligible
    }
}
