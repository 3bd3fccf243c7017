import HTTPTypes
import Hummingbird
import NIOCore
import Storekeeper
import StorekeeperCharts
import StorekeeperPages

/// The desk: the service's answers as a web page, on which keys of the scope `grant` can give access and revoke it.
extension CompanionService {
    /// The challenge with which a browser prompts for a key.
    static let deskChallenge = "Basic realm=\"any name, and a desk or admin key as the password\", charset=\"UTF-8\""

    /// Responds with the page about a customer.
    func desk(_ request: CompanionRequest) async throws -> Response {
        guard hasDesk else { throw Problem.notFound }
        var form: [String: String] = [:]
        for name in ["subject", "until", "reason", "revoke"] { form[name] = try request.parameter(name) }
        return try await desk(
            about: try request.parameter("customer") ?? "", why: try request.parameter("why"), form, request)
    }

    /// Grants access as a form of the page asks, and responds with the page.
    func deskGrant(_ request: CompanionRequest) async throws -> Response {
        let form = try await deskForm(request, "customer", "subject", "until", "reason", "key")
        guard let subject = AccessGrant.Subject(formValue: form["subject"] ?? "") else {
            throw Problem.badRequest("'subject' is not a product or feature", "send the form of the page")
        }
        guard let until = CompanionRequest.instant(form["until"] ?? "") else {
            throw Problem.badRequest("'until' is not a valid time", "write it like 2026-04-01")
        }
        let customer = CustomerID(rawValue: form["customer"] ?? "")
        _ = try await grant(
            subject, to: customer, until: until, because: form["reason"] ?? "",
            key: AccessGrant.ID(form["key"] ?? ""), request)
        return try await desk(about: customer.rawValue, [:], request)
    }

    /// Revokes access as a form of the page asks, and responds with the page.
    func deskRevocation(_ request: CompanionRequest) async throws -> Response {
        let form = try await deskForm(request, "customer", "key", "reason")
        let customer = CustomerID(rawValue: form["customer"] ?? "")
        _ = try await revoke(AccessGrant.ID(form["key"] ?? ""), of: customer, because: form["reason"] ?? "", request)
        return try await desk(about: customer.rawValue, [:], request)
    }

    /// Returns the fields of a form that comes from the page: a browser adds the key to forms of any page.
    private func deskForm(_ request: CompanionRequest, _ names: String...) async throws -> [String: String] {
        guard hasDesk else { throw Problem.notFound }
        let (authority, headers) = (request.http.head.authority, request.http.headers)
        guard CrossOriginCheck(isLoopback: false).refusal(ofFormAt: authority, headers: headers) == nil else {
            throw Problem(
                403, "foreignOrigin", "The form was sent from a page of another site",
                "nothing was changed; send it from the page /desk")
        }
        return try await request.form(names)
    }

    private func desk(
        about asked: String, why: String? = nil, _ form: [String: String], _ request: CompanionRequest
    ) async throws -> Response {
        var content = DeskContent(
            asked: asked, app: bundleID,
            lastNotification: state.lastNotification.map { RelativeTime.text($0, at: request.now) })
        content.isReadOnly = !(request.caller?.scope.includes(.grant) ?? false)
        if !asked.isEmpty { try await fill(&content, CustomerID(rawValue: asked), why: why, form, request) }
        return Self.deskResponse(try content.page(), "text/html; charset=utf-8")
    }

    private func fill(
        _ content: inout DeskContent, _ customer: CustomerID, why: String?, _ form: [String: String],
        _ request: CompanionRequest
    ) async throws {
        let record = try await pool.vault.load(customer)
        guard !record.facts.isEmpty || record.lastEntry.number > 0 else {
            content.notice = "The vault has no data about '\(customer)'."
            return
        }
        let why = why.map { Product.ID($0) }
        let (snapshot, now, diagnostics, explanation, offers) = try await pool.withStore(customer) { store in
            let (snapshot, now, diagnostics) = try await store.diagnosed(at: nil, now: request.now)
            let exists = why.map { snapshot.resolution.product($0) != nil } ?? false
            return (
                snapshot, now, diagnostics, exists ? try await store.explain(why ?? "", at: now) : nil,
                try await store.offers(at: now)
            )
        }
        let entries = try await pool.vault.account(of: customer, through: record.lastEntry.number)
        let address = "/desk?customer=\(customer.rawValue.percentEncoded)"
        content.answers = AnswersContent(
            customer, snapshot.resolution, at: now, diagnostics: diagnostics,
            balances: snapshot.balances.map { balance in
                let moved = entries.filter { $0.balance == balance.id }
                // Amounts taken back are shown without their sign.
                func sum(_ kinds: [LedgerEntry.Kind]) -> String {
                    String(moved.filter { kinds.contains($0.kind) }.reduce(0 as Int64) { $0 &+ $1.change }.magnitude)
                }
                return AnswersContent.BalanceRow(
                    id: balance.id.rawValue, units: String(balance.amount), bought: sum([.credit, .restore]),
                    takenBack: sum([.clawBack]), granted: sum([.grant]), spent: sum([.spend]))
            }, hasAccount: true, explanation: explanation,
            links: AnswersContent.Links(
                why: { "\(address)&why=\($0.rawValue.percentEncoded)#why" }, transaction: { _ in nil }, close: address,
                picture: "/desk/timeline.svg?customer=\(customer.rawValue.percentEncoded)"))
        content.show(offers)
        content.grants = DeskGrants(
            record.grants, of: customer, snapshot.resolution, at: now, caller: request.caller, form: form,
            key: "desk-\(request.id)")
        content.movements = DeskContent.movements(entries)
        let moves = entries.count(where: \.kind.movesBalance)
        if moves > content.movements.count {
            content.movementsNote = "The newest \(content.movements.count) of \(moves) changes."
        }
    }

    /// Responds with the timeline of the desk.
    func deskTimeline(_ request: CompanionRequest) async throws -> Response {
        guard hasDesk else { throw Problem.notFound }
        let customer = CustomerID(rawValue: try request.parameter("customer") ?? "")
        let snapshot = try await pool.snapshot(of: customer)
        let chart = TimelineChart(ofAll: snapshot.resolution, marking: snapshot.now(byClock: request.now))
        return Self.deskResponse(chart.svg(title: customer.rawValue), "image/svg+xml")
    }

    /// Responds with the style or icon of the desk; the same for all callers.
    func deskAsset(_ text: String, _ type: String) throws(Problem) -> Response {
        guard hasDesk else { throw .notFound }
        return Self.deskResponse(text, type)
    }

    private static func deskResponse(_ text: String, _ type: String) -> Response {
        var fields: HTTPFields = [.contentType: type]
        fields.append(contentsOf: SecurityHeaders.fields(of: type))
        return Response(status: .ok, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
