import HTTPTypes
import Hummingbird
import NIOCore
import Storekeeper
import StorekeeperAppStore

/// An error response, as problem details.
///
/// - SeeAlso: RFC 9457, "Problem Details for HTTP APIs".
struct Problem: Error, Hashable, JSONShaped {
    /// The HTTP status.
    let status: Int
    /// The machine-readable code, which is also the last path component of the problem's type URI.
    let code: String
    /// A short description, which is the same for all problems with the same code.
    let title: String
    /// What failed in this request, and how to correct it.
    let detail: String
    /// Additional header fields of the response.
    var headers: HTTPFields = [:]
    /// Additional members of the JSON body.
    var members: [String: JSONText] = [:]
    /// The caller, for the log; `nil` if the request had no valid key.
    private(set) var caller: Caller?

    init(_ status: Int, _ code: String, _ title: String, _ detail: String) {
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
    }

    static func == (left: Problem, right: Problem) -> Bool {
        left.status == right.status && left.code == right.code && left.detail == right.detail
    }

    func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// The JSON body of the response.
    static let shape = JSONShape<Problem>(
        "Problem",
        [
            .member("type") { "tag:storekeeper,2026:\($0.code)" }, .member("title") { $0.title },
            .member("status") { $0.status }, .member("detail") { $0.detail },
            .member("balance", "For insufficient: the current balance.", as: .integer64) { $0.members["balance"] },
            .member("holder", "For claimed: the customer who owns it.", as: .string) { $0.members["holder"] },
            .member(
                "failures", "If the code is notBelieved: the error code of each item.", as: [String].jsonSchema
            ) { $0.members["failures"] },
            .member("cause", "For a notification: the error code, as in storekeeper verify.", as: .string) {
                $0.members["cause"]
            },
            .member("newest", as: FeedCursor.schema) { $0.members["newest"] },
        ])

    // MARK: Requests

    static func badRequest(_ what: String, _ remedy: String) -> Problem {
        Problem(400, "badRequest", "The request is malformed", "\(what); \(remedy)")
    }

    static func tooLarge(_ limit: Int) -> Problem {
        Problem(
            413, "tooLarge", "The request body is too large",
            "the body is larger than \(limit >> 10) KiB, or incomplete; send it in parts")
    }

    /// The problem of a request for whose body there is no memory while other bodies are processed.
    static let busy: Problem = {
        var problem = Problem(
            503, "busy", "The service is busy", "other requests have large bodies; nothing was changed, send it again")
        problem.headers[.retryAfter] = "1"
        return problem
    }()

    static let tooSlow = Problem(
        408, "tooSlow", "The request body timed out", "nothing was changed; send the body within 20 s")

    static func unsupportedType(_ wanted: String) -> Problem {
        Problem(415, "unsupportedType", "Unsupported content type", "send \(wanted)")
    }

    static let notFound = Problem(
        404, "notFound", "Unknown path", "/openapi.yaml lists all paths")

    static func wrongMethod(_ allowed: [String]) -> Problem {
        let list = allowed.joined(separator: ", ")
        var problem = Problem(405, "wrongMethod", "Method not allowed", "use \(list)")
        problem.headers[.allow] = list
        return problem
    }

    static let unknownCustomer = Problem(
        404, "unknownCustomer", "Unknown customer",
        "the vault has no data about this id; check its spelling; nothing was written")

    /// Creates the problem details for a cursor whose event the vault does not have.
    static func cursorGone(newest: String) -> Problem {
        var problem = Problem(
            410, "cursorGone", "The vault does not have this event",
            "the vault or its server was replaced or restored, or the customer was erased: read current answers again, "
                + "and continue after 'newest'")
        problem.members["newest"] = .string(newest)
        return problem
    }

    static func unknownName(_ kind: String, _ name: String, known: [String]) -> Problem {
        let near = NearestWord.near(name, among: known).map { "did you mean '\($0)'?" }
        return Problem(
            404, "unknown\(kind.prefix(1).uppercased())\(kind.dropFirst())", "Unknown \(kind)",
            "the catalog has no \(kind) '\(name)'; \(near ?? "check the spelling, or add it to the catalog")")
    }

    // MARK: Notifications

    init(_ refusal: NotificationRefusal, status: Int) {
        self.init(status, refusal.code.rawValue, "The notification was refused", refusal.message)
    }

    // MARK: Receipts

    static let noAppStore = Problem(
        422, "noAppStore", "Receipts are not exchanged",
        "the body contains a receipt of the original StoreKit, of which nothing was stored; signed transactions in the "
            + "body were stored; start the service with an In-App Purchase key (APP_STORE_PRIVATE_KEY_FILE, "
            + "APP_STORE_KEY_ID and APP_STORE_ISSUER_ID) and send the receipt again, or send the jwsRepresentation of "
            + "each transaction")

    /// Creates the problem details for a request to the App Store that failed.
    init(asking error: AppStoreServerError) {
        self.init(
            503, "appStoreUnavailable", "The App Store did not answer",
            "\(error.message); nothing of the receipt was stored: send it again later")
        headers[.retryAfter] = "10"
    }

    /// Creates the problem details for a notification that the App Store should send again.
    init(_ failure: NotificationFailure, status: Int) {
        switch failure.code {
        case .revocationUnknown: self = .revocationUnknown("send the notification again")
        case .vault: self.init(status, "notWritten", "The vault could not write", "send it again")
        case .handler: self.init(status, "handlerFailed", "The app's handler failed", "send the notification again")
        default: self.init(status, "notProcessed", "The notification was not processed", "send it again")
        }
    }

    /// Creates the problem details for evidence whose certificates could not be checked for revocation now.
    ///
    /// The checker waits at least this long before it asks a responder again that failed.
    static func revocationUnknown(_ remedy: String) -> Problem {
        var problem = Problem(
            503, "revocationUnknown", "The certificates could not be checked",
            "it is not known whether a signing certificate was revoked; \(remedy)")
        problem.headers[.retryAfter] = "60"
        return problem
    }

    // MARK: Authorisation

    init(_ refusal: AccessRefusal) {
        switch refusal {
        case .missing:
            self.init(401, "keyMissing", "No API key", "add 'Authorization: Bearer KEY'")
            headers[.wwwAuthenticate] = "Bearer realm=\"storekeeper\""
        case .unknown:
            self.init(
                401, "keyUnknown", "Unknown API key",
                "check the key, or create one with 'storekeeper serve --new-key'")
            headers[.wwwAuthenticate] = "Bearer realm=\"storekeeper\", error=\"invalid_token\""
        case .expired:
            self.init(
                401, "keyExpired", "The API key has expired", "create a new one with 'storekeeper serve --new-key'")
            headers[.wwwAuthenticate] = "Bearer realm=\"storekeeper\", error=\"invalid_token\""
        case .forbidden(_, let needed):
            self.init(
                403, "keyForbidden", "The API key lacks the required scope",
                "use a key with the scope '\(needed.rawValue)'")
        case .tooMany(_, let seconds):
            self.init(429, "tooManyRequests", "Too many requests", "wait \(seconds) s, or raise the rate of the key")
            headers[.retryAfter] = String(seconds)
        case .tooManyFromAddress(let seconds):
            self.init(
                429, "tooManyRequests", "Too many requests",
                "wait \(seconds) s: this address has sent too many requests without a valid key")
            headers[.retryAfter] = String(seconds)
        }
        caller = refusal.caller
    }

    // MARK: Internal failures

    /// Creates the problem details of the response to a vault's error.
    init(_ error: VaultError) {
        switch error.code {
        case .invalidRequest, .overflow, .unknownBalance:
            self.init(400, "badRequest", "The request cannot be carried out", error.message)
        case .unknownCustomer: self = .unknownCustomer
        case .consumable: self.init(400, "consumable", "A consumable is not owned", error.message)
        case .unknownProduct, .unknownFeature:
            self.init(404, error.code.rawValue, "Unknown product or feature", error.message)
        default:
            // The vault's own message is for operators, so it is written to the log and left out of the response.
            self.init(503, "vaultUnavailable", "The vault is unavailable", "try again; nothing was changed twice")
            headers[.retryAfter] = "1"
        }
    }

    init(_ refusal: LedgerRefusal) {
        switch refusal {
        case .keyReused:
            self.init(
                422, "keyReused", "The Idempotency-Key was used for another request",
                "nothing was changed; use a separate key for each request")
        case .unknownGrant:
            self.init(404, "unknownGrant", "Unknown grant", "no access was granted with this key; nothing was changed")
        case .insufficient(let balance):
            self.init(
                409, "insufficient", "The balance is too small",
                "it is \(balance); nothing was changed, and nothing will be with this key: to try again, use another")
            members["balance"] = .integer(balance)
        case .frozen(let debt):
            self.init(
                409, "frozen", "The balance is frozen",
                "'\(debt)' is below zero after a refund; nothing was changed")
        }
    }

    /// The header fields of the response.
    var fields: HTTPFields {
        var fields: HTTPFields = [.contentType: "application/problem+json", .cacheControl: "no-store"]
        fields.append(contentsOf: headers)
        return fields
    }

    /// The response.
    var response: Response {
        Response(
            status: HTTPResponse.Status(code: status), headers: fields,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.bytes())))
    }
}

extension VaultError.Code {
    /// The code of a vault's error if a write finds that the vault has no data about the customer.
    fileprivate static let unknownCustomer = Self(rawValue: "unknownCustomer")
}
