extension OfferType {
    fileprivate var words: String {
        switch word {
        case "introductory": "introductory offer"
        case "promotional": "promotional offer"
        case "code": "offer code"
        case "winBack": "win-back offer"
        case "retention": "retention offer"
        default: "offer of the unknown type \(rawValue)"
        }
    }
}

extension Transaction.Offer {
    /// The offer in words, such as `a free trial (introductory offer)` or `the promotional offer loyal (pay as you go)`.
    package var words: String {
        let name = type.words + (id.map { " \($0)" } ?? "")
        switch paymentMode {
        case .freeTrial?: return "a free trial (\(name))"
        case .payAsYouGo?: return "the \(name) (pay as you go)"
        case .payUpFront?: return "the \(name) (paid up front)"
        case .oneTime?: return "the \(name) (one-time price)"
        default: return "the \(name)"
        }
    }

    /// Whether the customer pays nothing.
    package var isFreeTrial: Bool { paymentMode == .freeTrial }
}
