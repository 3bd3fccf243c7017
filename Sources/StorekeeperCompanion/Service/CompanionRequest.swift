import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Storekeeper
import StorekeeperPages

/// A parsed request to the companion service.
struct CompanionRequest {
    /// The maximum size of a body, in bytes.
    static let longestBody = 1 << 20
    /// The time limit for receiving the body.
    private static let bodyTime = Duration.seconds(20)

    let http: Request
    private let route: CompanionRoute
    /// The caller; `nil` if the route requires no key.
    let caller: Caller?
    private let client: Client
    private let memory: BodyReservation
    /// The id of the request.
    let id: String
    /// The time of the request, in UTC.
    let now: Instant
    /// The parameters of the path, percent-encoded.
    private let path: Parameters
    private let parameters: [(name: String, value: String)]

    /// Parses a request.
    ///
    /// - Throws: ``Problem`` if a query parameter is not valid UTF-8, not correctly percent-encoded, or not one of the
    ///   route's parameters, since its name is probably misspelled.
    init(
        _ request: Request, to route: CompanionRoute, _ caller: Caller?, _ client: Client, _ path: Parameters,
        _ id: String, _ memory: BodyReservation, at now: Instant
    ) throws(Problem) {
        http = request
        self.route = route
        self.caller = caller
        self.client = client
        self.memory = memory
        self.id = id
        self.now = now
        self.path = path
        guard let parameters = (request.uri.query ?? "").strictFormFields, !request.uri.string.hasReplacement else {
            throw .badRequest(
                "the URL is not valid UTF-8, or has a '%' without two hexadecimal digits",
                "write each byte that is not ASCII, and each '%', percent-encoded")
        }
        self.parameters = parameters
        guard route.path.hasPrefix("/v1/") else { return }
        let names = route.parameters.compactMap(\.queryName)
        for (name, _) in parameters where !names.contains(name) {
            let known = names.isEmpty ? "this request has no parameters" : "use \(names.joined(separator: ", "))"
            throw .badRequest("the parameter '\(name.prefix(64))' is unknown", known)
        }
    }

    /// The client's IP address, as limits see it; `nil` if the address is unknown.
    var address: String? { client.address }
    /// The logger for lines about the request.
    var logger: Logger { client.logger(of: id) }

    // MARK: The path and the query

    func name(_ name: String) throws(Problem) -> String {
        // The host may mount the routes under a path that has a parameter of the same name, so the last value is used.
        guard let value = path[values: name[...]].last?.removingPercentEncoding, !value.isEmpty else {
            throw .badRequest("the \(name) in the path is empty or not valid text", "give it in UTF-8, percent-encoded")
        }
        try Self.check(value, name)
        return value
    }

    /// Throws a ``Problem`` if an id contains a zero byte, which some vaults cannot store.
    static func check(_ id: String, _ name: String) throws(Problem) {
        if id.utf8.contains(0) { throw .badRequest("the \(name) contains a zero byte", "remove it") }
    }

    func customer() throws(Problem) -> CustomerID { CustomerID(rawValue: try name("customer")) }

    /// Returns the value of a query parameter, which may occur at most once; `nil` if the parameter is absent.
    func parameter(_ name: String) throws(Problem) -> String? {
        let values = parameters.filter { $0.name == name }.map(\.value)
        guard values.count <= 1 else {
            throw .badRequest("the parameter '\(name)' occurs \(values.count) times", "give it once")
        }
        return values.first
    }

    /// Parses a time; returns `nil` if the text is not a valid time.
    ///
    /// An instant outside of the years 0 to 9999 is refused, because a response could not represent it as a
    /// `date-time`.
    static func instant(_ text: String) -> Instant? {
        Instant(text).flatMap {
            (-62_167_219_200_000...253_402_300_799_999).contains($0.millisecondsSince1970) ? $0 : nil
        }
    }

    /// Parses a time that a person types into a field of a page; returns `nil` if the text is not a valid time.
    static func typedInstant(_ text: String) -> Instant? { instant(PageTime.written(text)) }

    /// Returns the time in a query parameter; `nil` if the parameter is absent.
    func instant(_ name: String) throws(Problem) -> Instant? {
        guard let text = try parameter(name) else { return nil }
        guard let instant = Self.instant(text) else {
            let advice = "write it like 2026-03-01T09:30:00Z, or in milliseconds since 1970"
            // In a query, a plus sign stands for a space, so the error message explains how to write a plus sign.
            throw .badRequest(
                "'\(name)' is not a valid time", advice + (text.contains(" ") ? "; write + as %2B in a URL" : ""))
        }
        return instant
    }

    // MARK: The header

    /// Returns a header field, which must occur once and consist of visible ASCII characters; `nil` if it is absent.
    ///
    /// Other characters are refused, because all bytes that are not UTF-8 arrive as U+FFFD, so that two different
    /// values could seem equal.
    func field(_ name: HTTPField.Name, limit: Int = 256) throws(Problem) -> String? {
        let values = http.headers[values: name]
        guard let value = values.first else { return nil }
        guard values.count == 1, value.isVisibleASCII, value.utf8.count <= limit else {
            throw .badRequest(
                "the header \(name) must be given once and consist of 1 to \(limit) visible ASCII characters",
                "remove blanks and other characters")
        }
        return value
    }

    /// Returns the value of the header `Idempotency-Key`, which the request must have.
    func idempotencyKey() throws(Problem) -> String {
        guard let key = try field(.idempotencyKey) else {
            throw .badRequest(
                "the header Idempotency-Key is missing",
                "give each request a unique key, and repeat the request with the same key")
        }
        return key
    }

    // MARK: The body

    private func type() -> String {
        (http.headers[.contentType] ?? "").split(separator: ";").first.map {
            $0.lowercased().filter { $0 != " " }
        } ?? ""
    }

    /// Returns the body.
    ///
    /// - Throws: ``Problem`` if the body is longer than the limit or incomplete, does not arrive in time, or if the
    ///   bodies in progress leave no room for it.
    func bytes(upTo limit: Int = Self.longestBody) async throws(Problem) -> [UInt8] {
        if let length = http.headers[.contentLength], Int(length).map({ $0 > limit }) ?? true {
            throw .tooLarge(limit)
        }
        let (body, memory) = (http.body, memory)
        let collected = await withTaskGroup(of: Result<[UInt8], Problem>?.self) { group in
            group.addTask { await Self.collect(body, upTo: limit, memory) }
            group.addTask {
                try? await Task.sleep(for: Self.bodyTime)
                return nil
            }
            let first = await group.next()
            group.cancelAll()
            return first ?? nil
        }
        guard let collected else { throw .tooSlow }
        return try collected.get()
    }

    private static func collect(
        _ body: RequestBody, upTo limit: Int, _ memory: BodyReservation
    ) async -> Result<[UInt8], Problem> {
        var bytes: [UInt8] = []
        do {
            for try await part in body {
                guard part.readableBytes <= limit - bytes.count else { return .failure(.tooLarge(limit)) }
                guard memory.grow(by: part.readableBytes) else { return .failure(.busy) }
                bytes.append(contentsOf: part.readableBytesView)
            }
        } catch {
            return .failure(.tooLarge(limit))
        }
        return .success(bytes)
    }

    /// Returns the body as a JSON object.
    ///
    /// Throws a ``Problem`` if the object has a member that the route's schema does not have, or that is `null`: no
    /// schema permits `null`.
    func object() async throws(Problem) -> JSONObject {
        guard type() == "application/json" else { throw .unsupportedType("application/json") }
        let bytes = try await bytes()
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONReader(maximumDepth: 8, maximumSize: Self.longestBody).read(bytes)
        } catch {
            throw .badRequest("the body is not JSON: \(error)", "send a JSON object")
        }
        let members = fields(of: "application/json")
        guard let object = document.root.object else { throw .badRequest("the body is not a JSON object", "send one") }
        for member in object {
            guard members.contains(where: { member.hasName($0) }) else {
                throw .badRequest(
                    "the member '\(member.name.prefix(64))' is unknown", "use \(members.joined(separator: ", "))")
            }
            guard !member.value.isNull else {
                throw .badRequest("the member '\(member.name)' is null", "leave it out, or give it a value")
            }
        }
        return object
    }

    /// Returns the names of the members of a body.
    private func fields(of type: String) -> [String] { route.body.first { $0.type == type }?.schema.members ?? [] }

    /// Returns the fields of a form, which must contain each field of the route's schema once and no other fields.
    func form() async throws(Problem) -> [String: String] {
        guard type() == "application/x-www-form-urlencoded" else {
            throw .unsupportedType("application/x-www-form-urlencoded")
        }
        let names = fields(of: "application/x-www-form-urlencoded")
        let text = String(validating: try await bytes(), as: UTF8.self)
        guard let fields = text.flatMap(\.strictFormFields), fields.count == names.count,
            names.allSatisfy({ name in fields.contains { $0.name == name && !$0.value.isEmpty } })
        else {
            throw .badRequest("the form is incomplete", "give each of \(names.joined(separator: ", ")) once")
        }
        for (name, value) in fields { try Self.check(value, name) }
        return Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// Returns the name and the text of the one member that is present; exactly one of the named members must be
    /// present.
    static func choice(_ names: String..., in object: JSONObject) throws(Problem) -> (name: String, text: String) {
        let given = names.filter { object[$0] != nil }
        let list = names.map { "'\($0)'" }.joined(separator: " or ")
        guard given.count == 1, let name = given.first, let text = try text(name, in: object) else {
            throw .badRequest("exactly one of \(list) is required, not \(given.count)", "give one of them")
        }
        return (name, text)
    }

    /// Returns the text of a member, which must not be empty; `nil` if the member is absent.
    static func text(_ name: String, in object: JSONObject) throws(Problem) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.string, !text.isEmpty else {
            throw .badRequest("'\(name)' is empty or not a string", "give a string that is not empty")
        }
        try check(text, name)
        return text
    }

    /// Returns the caller's reason for a change, which is shown in the customer's account.
    static func reason(in object: JSONObject) throws(Problem) -> String {
        guard let reason = try text("reason", in: object) else {
            throw .badRequest("'reason' is missing", "give the reason; the account shows it")
        }
        return reason
    }

    /// Returns the items of evidence in the body, which is either JSON or text.
    ///
    /// An item is a compact JWS or a receipt, in any of the encodings and envelopes that ``PastedContent`` removes.
    func evidence() async throws(Problem) -> [EvidenceItem] {
        switch type() {
        case "application/json":
            let object = try await object()
            guard let list = object["transactions"]?.array else {
                throw .badRequest("'transactions' is not an array", "give an array of compact JWS or receipts")
            }
            var items: [EvidenceItem] = []
            for item in list {
                guard let text = item.string else {
                    throw .badRequest("an item of 'transactions' is not a string", "send compact JWS or receipts")
                }
                let found = Self.items(of: Array(text.utf8))
                items += found.isEmpty ? [.malformed("an item is empty; send compact JWS or receipts", line: 1)] : found
            }
            return items
        case "text/plain", "application/jose":
            let bytes = try await bytes()
            guard String(validating: bytes, as: UTF8.self) != nil else {
                throw .badRequest("the body is not UTF-8", "send compact JWS or receipts in base64, one per line")
            }
            return Self.items(of: bytes)
        default: throw .unsupportedType("application/json, or text/plain with one compact JWS or receipt per line")
        }
    }

    /// Returns the items of a text.
    ///
    /// Only a text that may be encoded as a whole is decoded before it is split.
    private static func items(of text: [UInt8]) -> [EvidenceItem] {
        if PastedContent.mayBeEncoded(beginning: text), let items = EvidenceItem.items(ofEncoded: text) {
            return items
        }
        var scanner = EvidenceScanner()
        return scanner.feed(text) + scanner.finish()
    }
}
