import Storekeeper
import StorekeeperSimulator

/// The texts that the page shows in several places.
enum PageTexts {
    /// Returns a count with its noun: `1 period`, `14 periods`.
    static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// The labels of the inspector's rows, if they differ from the labels in the command line's output.
    static let factNames = ["person": "customer"]

    /// The sentences that tell the user how to correct a refused form or an unknown name.
    static let confirmFirst = "it deletes what is here: tick the box next to the button first"
    static let chooseCustomer = "choose a customer in the list 'Customers', or press 'All customers'"
    static let chooseTransaction =
        "it may have been deleted, or be part of another branch of the story: choose a transaction in the table"
    static let noReceiver = "there is no such notification, or no receiver: start with --webhook URL"
    static let noSubject = "the form does not name a subject: fill in its first field"
}

extension ScheduledEvent {
    /// The event in words: `Renewal of Gold for anna`.
    func words(_ names: ProductNames) -> String {
        let product = names[productID]
        let words =
            switch kind {
            case .renewal: "Renewal of \(product)"
            case .planChange: "Change to \(product)"
            case .end: "End of \(product)"
            case .failedPayment: "Failed payment of \(product)"
            case .payment: "Payment attempt of \(product)"
            case .gracePeriodEnd: "End of the grace period of \(product)"
            case .billingRetryEnd: "End of billing retry of \(product)"
            case .requestEnd: "End of the request of \(product)"
            }
        return "\(words) for \(customer)"
    }
}

extension TransactionSummary.State {
    /// A sentence that explains the state.
    var sentence: String {
        switch self {
        case .purchased: "It was bought; the period of a subscription is running."
        case .grace: "The payment has failed; service continues until the grace period ends."
        case .retry: "The payment has failed and is retried; there is no service until it succeeds."
        case .expired: "Its period is over."
        case .refunded: "It was refunded, wholly or in part."
        case .revoked: "Access by a family or an assignment has ended."
        case .upgraded: "The customer has moved to a higher product."
        case .pending: "It waits for a guardian's approval."
        case .interrupted: "It waits until the customer has resolved an issue."
        case .failed: "The App Store refused it."
        case .declined: "A guardian declined it, or did not answer in time."
        }
    }
}

extension Happening.Offer {
    /// The short text for the offer in the table of transactions.
    var tableWords: String {
        let isFree = paymentMode == .freeTrial
        let name = id.map { " \($0)" } ?? ""
        switch kind {
        case .introductory: return isFree ? "Free trial" : "Introductory price"
        case .promotional: return "\(isRetention ? "Retention offer" : "Offer")\(name)\(isFree ? ", free" : "")"
        case .winBack: return "Win-back offer\(name)\(isFree ? ", free" : "")"
        case .code: return "Offer code\(name)\(isFree ? ", free" : "")"
        }
    }
}
