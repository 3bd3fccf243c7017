/// The seats of a purchase for a group of people; ``Transaction/purchasedQuantity`` is the number of seats.
///
/// - SeeAlso: Apple, "App Store Server API: TransactionMultiSeatInfo".
public struct MultiSeatInfo: Hashable, Sendable {
    /// The party that invites the members of the group.
    ///
    /// - SeeAlso: Apple, "App Store Server API: invitationManagement".
    public struct InvitationManagement: RawRepresentable, Hashable, Sendable {
        /// The raw string in the App Store's payloads.
        public let rawValue: String
        /// Creates a value from a raw string, which may be unknown to this version of the package.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The App Store invites the members; each member gets a transaction with the ownership
        /// ``OwnershipType/assigned``.
        public static let apple = Self(rawValue: "APPLE")
        /// The app invites the members.
        ///
        /// The members get no transactions, and the app's server decides who has access.
        public static let developer = Self(rawValue: "DEVELOPER")
    }

    /// A price per seat, and the number of seats at that price.
    ///
    /// - SeeAlso: Apple, "App Store Server API: MultiSeatPriceTier".
    public struct PriceTier: Hashable, Sendable {
        /// The price of one seat, in milliunits.
        public let price: Int64?
        /// The number of seats.
        public let quantity: Int64?

        init(_ object: JSONObject) {
            price = object["price"]?.int64
            quantity = object["quantity"]?.int64
        }
    }

    /// The party that invites the members of the group.
    public let invitationManagement: InvitationManagement?
    /// The prices; their order has no meaning.
    public let priceTiers: [PriceTier]
    /// The number of seats that were revoked by refunds; the transaction remains valid for the other seats.
    public let revokedSeatQuantity: Int64?

    init(_ object: JSONObject) {
        invitationManagement = object["invitationManagement"]?.string.map(InvitationManagement.init)
        priceTiers = object.objects("priceTiers").map(PriceTier.init)
        revokedSeatQuantity = object["revokedSeatQuantity"]?.int64
    }
}

extension Transaction {
    /// The seats of a purchase for a group; `nil` for any other purchase.
    ///
    /// In a purchase for a group, ``purchasedQuantity`` is the number of seats, and ``priceInMilliunits`` is the
    /// average price of a seat. The value is decoded from ``SignedFact/jsonRepresentation`` on each use.
    public var multiSeatInfo: MultiSeatInfo? { source.member("multiSeatInfo").map(MultiSeatInfo.init) }
}

extension RenewalInfo {
    /// The number of seats in the next renewal; `nil` if the renewal info does not contain the number.
    ///
    /// The value is decoded from ``SignedFact/jsonRepresentation`` on each use.
    public var renewalQuantity: Int64? { source.object?["renewalQuantity"]?.int64 }

    /// The prices of the seats in the next renewal; empty if the subscription is not for a group.
    ///
    /// The order of the prices has no meaning. The value is decoded from ``SignedFact/jsonRepresentation`` on each use.
    public var renewalPriceTiers: [MultiSeatInfo.PriceTier] {
        source.member("multiSeatInfo")?.objects("renewalPriceTiers").map(MultiSeatInfo.PriceTier.init) ?? []
    }
}
