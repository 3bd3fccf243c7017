import Storekeeper
import StorekeeperSimulator

extension Endpoint {
    /// Where faults of it are.
    var place: SimulatedFault.Place {
        switch self {
        case .transaction: .transaction
        case .history: .history
        case .subscriptions: .statuses
        case .refunds: .refunds
        case .order: .order
        case .consumption: .consumption
        case .extend: .extension
        case .extendAll: .massExtension
        case .extensionStatus: .massExtensionStatus
        case .requestTest: .test
        case .testStatus: .testStatus
        case .notificationHistory: .notificationHistory
        case .setToken: .accountToken
        case .appTransaction: .appTransaction
        case .finish: .finish
        }
    }
}

extension SimulatedFault.Manner {
    /// The answer to a request that is not carried out; `nil` where it is.
    ///
    /// - Parameter retryAt: When to ask again after too many requests.
    func refusal(of endpoint: Endpoint, retryAt: Instant) -> APIResponse? {
        switch self {
        case .status(401): .unauthenticated("a fault was asked for")
        case .status(404): .error(endpoint.retryableAbsence)
        case .status(429): .tooManyRequests(retryAt: retryAt)
        case .status(500): .error(.internalRetryable)
        case .status(let status): .text("A fault was asked for.\n", status: status)
        case .code(let code): .error(APIError(code, "A fault was asked for."))
        default: nil
        }
    }

    /// What becomes of the answer to a request that was carried out.
    func spoiled(_ answer: APIResponse, to endpoint: Endpoint) -> APIResponse {
        var answer = answer
        switch self {
        case .halfBody: answer.body = Array(answer.body.prefix(answer.body.count / 2))
        case .cutBody: answer.delivery = .cut
        case .slowBody(let span): answer.delivery = .slow(milliseconds: span)
        case .incomplete:
            guard case .extensionStatus(_, let request) = endpoint, answer.status == 200 else { break }
            return .json(.object(["requestIdentifier": .string(request), "complete": .bool(false)]))
        default: break
        }
        return answer
    }
}

extension Endpoint {
    /// What is said of an id that may be there shortly.
    fileprivate var retryableAbsence: APIError {
        switch self {
        case .extend, .setToken: .originalTransactionIDNotFoundRetryable
        default: .accountNotFoundRetryable
        }
    }
}
