import Storekeeper
import StorekeeperSimulator

extension Endpoint {
    /// The place of faults at this endpoint.
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
    /// Returns the response to a request that the fault rejects; `nil` if the request is carried out.
    ///
    /// - Parameter retryAt: When to retry after too many requests.
    func refusal(of endpoint: Endpoint, retryAt: Instant) -> APIResponse? {
        switch self {
        case .status(401): .unauthenticated("a simulated fault")
        case .status(404): .error(endpoint.retryableAbsence)
        case .status(429): .tooManyRequests(retryAt: retryAt)
        case .status(500): .error(.internalRetryable)
        case .status(let status): .text("A simulated fault.\n", status: status)
        case .code(let code): .error(APIError(code, "A simulated fault."))
        default: nil
        }
    }

    /// Returns the response to a request that was carried out, changed by the fault.
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
    /// The error for an id that may exist soon.
    fileprivate var retryableAbsence: APIError {
        switch self {
        case .extend, .setToken: .originalTransactionIDNotFoundRetryable
        default: .accountNotFoundRetryable
        }
    }
}
