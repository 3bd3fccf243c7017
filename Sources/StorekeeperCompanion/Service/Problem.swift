import HTTPTypes
import Hummingbird
import NIOCore
import Storekeeper
import StorekeeperAppStore

/// An error response, as problem details.
///
/// - SeeAlso: RFC 9457, "Problem Details for HTTP APIs".
struct Problem: Error, Hashable, Sendable {
    /// What the problem has in common with others.
    let kind: Kind
    /// The HTTP status.
    let status: Int
    /// A short description.
    let title: String
    /// What failed in this request, and how to correct it.
    let detail: String
    /// Additional header fields of the response.
    var headers: HTTPFields = [:]
    /// Additional members of the JSON body.
    var members: [String: JSONText] = [:]
    /// The caller, for the log; `nil` if the request had no valid key.
    private(set) var caller: Caller?

    init(_ kind: Kind, status: Int? = nil, title: String? = nil, _ detail: String) {
        self.kind = kind
        self.status = status ?? kind.status ?? 500
        self.title = title ?? kind.title
        self.detail = detail
    }

    /// The machine-readable code.
    var code: String { kind.code }

    static func == (left: Problem, right: Problem) -> Bool {
        left.status == right.status && left.code == right.code && left.detail == right.detail
    }

    func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// The JSON body of the response.
    var json: JSONText {
        .object(
            [
                "type": .string("tag:storekeeper,2026:\(code)"), "title": .string(title), "status": .whole(status),
                "detail": .string(detail),
            ].merging(members) { own, _ in own })
    }

    // MARK: Requests

    static func badRequest(_ what: String, _ remedy: String) -> Problem {
        Problem(.badRequest, "\(what); \(remedy)")
    }

    static func tooLarge(_ limit: Int) -> Problem {
        Problem(.tooLarge, "the body is larger than \(limit >> 10) KiB, or incomplete; send it in parts")
    }

    /// The problem of a request for whose body there is no memory while other bodies are processed.
    static let busy: Problem = {
        var problem = Problem(.busy, "other requests have large bodies; nothing was changed, send it again")
        problem.headers[.retryAfter] = "1"
        return problem
    }()

    static let tooSlow = Problem(.tooSlow, "nothing was changed; send the body within 20 s")

    static func unsupportedType(_ wanted: String) -> Problem {
        Problem(.unsupportedType, "send \(wanted)")
    }

    static let notFound = Problem(.notFound, "/openapi.yaml lists all paths")

    static func wrongMethod(_ allowed: [String]) -> Problem {
        let list = allowed.joined(separator: ", ")
        var problem = Problem(.wrongMethod, "use \(list)")
        problem.headers[.allow] = list
        return problem
    }

    static let unknownCustomer = Problem(
        .unknownCustomer, "the vault has no data about this id; check its spelling; nothing was written")

    /// Creates the problem details for a cursor whose event the vault does not have.
    static func cursorGone(newest: String) -> Problem {
        var problem = Problem(
            .cursorGone,
            "the vault or its server was replaced or restored, or the customer was erased: read current answers again, "
                + "and continue after 'newest'")
        problem.members["newest"] = .string(newest)
        return problem
    }

    static func unknownName(_ kind: Kind, _ name: String, known: [String]) -> Problem {
        let word = kind.code.dropFirst("unknown".count).lowercased()
        let near = NearestWord.near(name, among: known).map { "did you mean '\($0)'?" }
        return Problem(
            kind,
            "the catalog has no \(word) '\(name)'; \(near ?? "check the spelling, or add it to the catalog")")
    }

    // MARK: Notifications

    init(_ refusal: NotificationRefusal, status: Int) {
        self.init(Kind(status, refusal.code.rawValue, "The notification was refused"), refusal.message)
    }

    // MARK: Receipts

    static let noAppStore = Problem(
        .noAppStore,
        "the body contains a receipt of the original StoreKit, of which nothing was stored; signed transactions in the "
            + "body were stored; start the service with an In-App Purchase key (APP_STORE_PRIVATE_KEY_FILE, "
            + "APP_STORE_KEY_ID and APP_STORE_ISSUER_ID) and send the receipt again, or send the jwsRepresentation of "
            + "each transaction")

    /// Creates the problem details for a request to the App Store that failed.
    init(asking error: AppStoreServerError) {
        self.init(.appStoreUnavailable, "\(error.message); nothing of the receipt was stored: send it again later")
        headers[.retryAfter] = "10"
    }

    /// Creates the problem details for a notification that the App Store should send again.
    init(_ failure: NotificationFailure) {
        switch failure.code {
        case .revocationUnknown: self = .revocationUnknown("send the notification again")
        case .vault: self.init(.notWritten, "send it again")
        case .handler: self.init(.handlerFailed, "send the notification again")
        default: self.init(.notProcessed, "send it again")
        }
    }

    /// Creates the problem details for evidence whose certificates could not be checked for revocation now.
    ///
    /// The checker waits at least this long before it asks a responder again that failed.
    static func revocationUnknown(_ remedy: String) -> Problem {
        var problem = Problem(
            .revocationUnknown, "it is not known whether a signing certificate was revoked; \(remedy)")
        problem.headers[.retryAfter] = "60"
        return problem
    }

    // MARK: Authorisation

    init(_ refusal: AccessRefusal) {
        switch refusal {
        case .missing:
            self.init(.keyMissing, "add 'Authorization: Bearer KEY'")
            headers[.wwwAuthenticate] = "Bearer realm=\"storekeeper\""
        case .unknown:
            self.init(.keyUnknown, "check the key, or create one with 'storekeeper serve --new-key'")
            headers[.wwwAuthenticate] = "Bearer realm=\"storekeeper\", error=\"invalid_token\""
        case .expired:
            self.init(.keyExpired, "create a new one with 'storekeeper serve --new-key'")
            headers[.wwwAuthenticate] = "Bearer realm=\"storekeeper\", error=\"invalid_token\""
        case .forbidden(_, let needed):
            self.init(.keyForbidden, "use a key with the scope '\(needed.rawValue)'")
        case .tooMany(_, let seconds):
            self.init(.tooManyRequests, "wait \(seconds) s, or raise the rate of the key")
            headers[.retryAfter] = String(seconds)
        case .tooManyFromAddress(let seconds):
            self.init(
                .tooManyRequests, "wait \(seconds) s: this address has sent too many requests without a valid key")
            headers[.retryAfter] = String(seconds)
        }
        caller = refusal.caller
    }

    // MARK: Internal failures

    /// Creates the problem details of the response to a vault's error.
    init(_ error: VaultError) {
        switch error.code {
        case .invalidRequest, .overflow, .unknownBalance:
            self.init(.badRequest, title: "The request cannot be carried out", error.message)
        case .unknownCustomer: self = .unknownCustomer
        case .consumable: self.init(.consumable, error.message)
        case .unknownProduct, .unknownFeature:
            self.init(
                error.code == .unknownProduct ? .unknownProduct : .unknownFeature, title: "Unknown product or feature",
                error.message)
        default:
            // The vault's own message is for operators, so it is written to the log and left out of the response.
            self.init(.vaultUnavailable, "try again; nothing was changed twice")
            headers[.retryAfter] = "1"
        }
    }

    init(_ refusal: LedgerRefusal) {
        switch refusal {
        case .keyReused:
            self.init(.keyReused, "nothing was changed; use a separate key for each request")
        case .unknownGrant:
            self.init(.unknownGrant, "no access was granted with this key; nothing was changed")
        case .insufficient(let balance):
            self.init(
                .insufficient,
                "it is \(balance); nothing was changed, and nothing will be with this key: to try again, use another")
            members["balance"] = .integer(balance)
        case .frozen(let debt):
            self.init(.frozen, "'\(debt)' is below zero after a refund; nothing was changed")
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
