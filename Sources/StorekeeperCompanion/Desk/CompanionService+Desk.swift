import FoundationEssentials
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Storekeeper
import StorekeeperAppStore
import StorekeeperPages

/// The support desk: web pages that show the service's answers, with actions for callers whose keys permit them.
extension CompanionService {
    /// The `WWW-Authenticate` challenge that makes a browser prompt for an access key.
    static let deskChallenge = "Basic realm=\"any name, and a desk or admin key as the password\", charset=\"UTF-8\""

    /// Returns the customer and the times that a request selects, and the formats of the page's language.
    ///
    /// - Parameter showsMistake: Whether the page shows a notice about an invalid time. If `false`, an invalid time
    ///   throws a ``Problem``.
    private func deskChoice(
        _ request: CompanionRequest, showsMistake: Bool = false
    ) async throws(Problem) -> (place: DeskPlace, format: DeskFormat) {
        guard configuration.hasDesk else { throw .notFound }
        let place = try DeskPlace(request)
        if let text = place.misreadTime, !showsMistake {
            throw .badRequest("'\(text.prefix(64))' is not a valid time", "write it like 2026-03-01T09:30:00Z")
        }
        let language = place.chosen ?? .preferred(by: request.http.headers[.acceptLanguage])
        return (place, DeskFormat(DeskTexts(language), groups: await pool.catalog.groups))
    }

    /// Responds with the page about a customer, or with the result of a search.
    func desk(_ request: CompanionRequest) async throws -> Response {
        let (place, format) = try await deskChoice(request, showsMistake: true)
        if let typed = try request.parameter("search"), place.customer.isEmpty {
            return try await deskSearch(typed, request, place, format)
        }
        var form: [String: String] = [:]
        let names = ["why", "subject", "length", "until", "reason", "revoke", "claim", "only", "before", "after"]
        for name in names + DeskConfirmation.Change.allCases.map(\.rawValue) {
            form[name] = try request.parameter(name)
        }
        let notice = place.misreadTime.map { format.texts(.mistakeMoment, ["text": String($0.prefix(64))]) }
        var response = try await deskPage(request, place, format, form, notice: notice)
        if notice != nil { response.status = .badRequest }
        return response
    }

    private func deskSearch(
        _ typed: String, _ request: CompanionRequest, _ place: DeskPlace, _ format: DeskFormat
    ) async throws -> Response {
        let site = request.http.headers[.secFetchSite]
        let search = try await DeskSearch(
            typed, in: pool.vault, app: (bundleID, configuration.environments), appStore: configuration.appStore,
            isForeign: site != nil && site != "same-origin" && site != "none")
        if let only = search.only {
            // The redirect makes the browser show the URL of the customer's page, so that a person can copy it.
            return Self.deskRedirect(to: place.ofCustomer(only.rawValue).address())
        }
        var content = DeskContent(of: self, request, place, format)
        content.asked = typed
        if search.text.isEmpty {
            await showStart(&content, request, place, format)
        } else {
            content.show(search, to: request.caller, place, format)
        }
        return Self.deskResponse(try content.html())
    }

    /// Responds with a page.
    ///
    /// - Parameters:
    ///   - form: The submitted form fields.
    ///   - done: The message after a form has changed something.
    ///   - notice: The message that tells why a form has changed nothing.
    private func deskPage(
        _ request: CompanionRequest, _ place: DeskPlace, _ format: DeskFormat, _ form: [String: String] = [:],
        done: String? = nil, notice: String? = nil
    ) async throws -> Response {
        var content = DeskContent(of: self, request, place, format)
        content.asked = place.customer
        content.done = done.map { DeskConfirmation(message: $0) }
        content.notice = notice
        // A key with only the scope `claim` may assign purchases, but may not read a customer's page.
        if place.customer.isEmpty || request.caller?.has(.desk) != true {
            if done == nil, notice == nil { await showStart(&content, request, place, format) }
        } else {
            try await fill(&content, request, place, format, form)
        }
        return Self.deskResponse(try content.html())
    }

    /// Shows the start page, with the customers whose answers have changed last.
    private func showStart(
        _ content: inout DeskContent, _ request: CompanionRequest, _ place: DeskPlace, _ format: DeskFormat
    ) async {
        content.isEmpty = true
        guard request.caller?.has(.desk) == true else { return }
        // The search is offered even if the vault cannot be read now.
        let events = (try? await pool.vault.recentChanges(limit: 10)) ?? []
        content.recent = events.map { DeskContent.Recent($0, at: request.now, place, format) }
    }

    private func fill(
        _ content: inout DeskContent, _ request: CompanionRequest, _ place: DeskPlace, _ format: DeskFormat,
        _ form: [String: String]
    ) async throws {
        let customer = CustomerID(rawValue: place.customer)
        try CompanionRequest.check(place.customer, "customer")
        var claim: DeskClaim?
        if let typed = form["claim"], request.caller?.has(.claim) == true {
            claim = try await DeskClaim(typed, in: pool.vault, bundleID: bundleID)
        }
        guard let view = try await deskView(customer, request, place, format, form) else {
            content.acts = DeskActions(
                for: request.caller, claiming: claim, isKnown: false, canFetch: configuration.appStore != nil,
                hasPurchase: false,
                place, format
            )
            if let erasure = try await pool.vault.erasures(of: customer).last {
                content.done = DeskConfirmation(erasure, format)
            } else if claim?.subject == nil {
                content.notice = content.notice ?? format.texts(.unknownCustomer, ["customer": place.customer])
            }
            return
        }
        // A request's id may be the caller's, and a proxy may give several requests the same.
        let key = "desk-\(UUID().uuidString.lowercased())"
        content.done = DeskConfirmation(
            form, view.record, at: view.now, caller: request.caller, key: key, place, format)
        content.subject = place.customer
        content.page = view.page
        content.grants = DeskGrants(
            view.record.grants, view.state.resolution, at: place.isNow ? view.state.at : view.now,
            caller: request.caller, form: form, key: key, place, format)
        content.acts = DeskActions(
            for: request.caller, claiming: claim, canFetch: configuration.appStore != nil,
            hasPurchase: view.record.facts.contains { $0.fact.transaction?.appBundleID == bundleID }, place, format)
    }

    /// The data of a customer's page.
    private struct DeskView {
        let record: DeskRecord
        /// The present.
        let now: Instant
        let state: DeskCustomer.State
        var page: DeskCustomer
    }

    /// Reads the data of a customer's page; `nil` if the vault has no data about the customer.
    private func deskView(
        _ customer: CustomerID, _ request: CompanionRequest, _ place: DeskPlace, _ format: DeskFormat,
        _ form: [String: String]
    ) async throws -> DeskView? {
        let choice = DeskCustomer.Choice(
            kind: form["only"].flatMap(DeskHistory.Kind.init(rawValue:)),
            moments: form["before"].flatMap(DeskHistory.Cursor.init), transactions: form["after"], why: form["why"])
        guard
            let record = try await DeskRecord(
                of: customer, in: pool.vault, asKnownAt: place.asKnownAt, before: choice.moments)
        else { return nil }
        // Another node may have written the last entry by a clock that is ahead of this node's clock. The page must not
        // show the time before a change that was just made.
        let now = PresentInstant.now(clock: request.now, newestSignature: record.entries.last?.at)
        let state = try await deskState(customer, place, at: now, why: form["why"])
        var page = DeskCustomer(record, state, choice, at: now, place, format)
        page.ticket = DeskTicket.text(
            of: page,
            DeskTicket.Head(
                app: bundleID, link: Self.origin(of: request) + page.pageAddress, author: request.caller?.name ?? "",
                time: now), format)
        return DeskView(record: record, now: now, state: state, page: page)
    }

    private func deskState(
        _ customer: CustomerID, _ place: DeskPlace, at clock: Instant, why: String?
    ) async throws -> DeskCustomer.State {
        let why = why.map { Product.ID($0) }
        return try await pool.withStore(customer) { store in
            guard let known = place.asKnownAt else {
                let (snapshot, at, diagnostics) = try await store.diagnosed(at: place.at, now: clock)
                let exists = why.map { snapshot.resolution.product($0) != nil } ?? false
                return DeskCustomer.State(
                    resolution: snapshot.resolution, answers: snapshot.resolution(asCompleteAt: at), at: at,
                    diagnostics: diagnostics,
                    explanation: exists ? try await store.explain(why ?? "", at: at) : nil,
                    offers: place.isNow ? try await store.offers(at: at) : nil,
                    transactions: try await store.allTransactions)
            }
            let past = try await store.state(asKnownAt: known)
            let at = place.at ?? known
            let exists = why.map { past.snapshot.resolution.product($0) != nil } ?? false
            return DeskCustomer.State(
                resolution: past.snapshot.resolution, answers: past.snapshot.resolution(asCompleteAt: at), at: at,
                diagnostics: [],
                explanation: exists ? past.explain(why ?? "", at: at) : nil, offers: nil,
                transactions: past.allTransactions)
        }
    }

    /// Responds with the summary of a customer as plain text, for a ticket.
    func deskTicket(_ request: CompanionRequest) async throws -> Response {
        let (place, format) = try await deskChoice(request)
        try CompanionRequest.check(place.customer, "customer")
        let customer = CustomerID(rawValue: place.customer)
        guard let view = try await deskView(customer, request, place, format, [:]) else {
            throw Problem.unknownCustomer
        }
        return Self.deskResponse(view.page.ticket, "text/plain; charset=utf-8")
    }

    /// Returns the URL's scheme and authority to which a browser sent a request, such as `https://example.com`.
    private static func origin(of request: CompanionRequest) -> String {
        guard let authority = request.http.head.authority, !authority.isEmpty else { return "" }
        let host = authority.prefix { $0 != ":" }
        let isPlain = ["localhost", "127.0.0.1", "["].contains { host.hasPrefix($0) }
        let forwarded = request.http.headers[.forwardedScheme]
        return (forwarded == "https" || forwarded == nil && !isPlain ? "https://" : "http://") + authority
    }

    /// Responds with the page about webhooks.
    func deskWebhooks(_ request: CompanionRequest) async throws -> Response {
        let (place, format) = try await deskChoice(request)
        return try await deskWebhooks(
            request, place, format, resumed: request.parameter("resumed"), replayed: request.parameter("replayed"))
    }

    /// - Parameters:
    ///   - resumed: The webhook that a form has resumed.
    ///   - replayed: The webhook whose parked messages a form has replayed.
    private func deskWebhooks(
        _ request: CompanionRequest, _ place: DeskPlace, _ format: DeskFormat, resumed: String? = nil,
        replayed: String? = nil, notice: String? = nil
    ) async throws -> Response {
        var content = DeskContent(of: self, request, place, format, path: "/desk/webhooks")
        content.subject = format.texts(.webhooks)
        content.notice = notice
        // The URL of a webhook may contain a secret. Therefore only admins see it, as in the API.
        let endpoints = request.caller?.has(.admin) == true ? configuration.webhooks?.endpoints ?? [] : []
        let addresses = Dictionary(endpoints.map { ($0.name, $0.url) }) { first, _ in first }
        let webhooks = try await DeskWebhooks(
            pool.vault, addresses: addresses, caller: request.caller, place, format)
        content.webhooks = webhooks
        if let row = webhooks.rows.first(where: { $0.name == resumed && !$0.isStopped }) {
            content.done = DeskConfirmation(message: format.texts(.resumeDone, ["webhook": row.name]))
        } else if let row = webhooks.rows.first(where: { $0.name == replayed }) {
            content.done = DeskConfirmation(message: format.texts(.replayDone, ["webhook": row.name]))
        }
        return Self.deskResponse(try content.html())
    }

    /// Responds with the style sheet, the script or the icon of the desk, which are the same for all callers.
    func deskAsset(_ text: String, _ type: String) throws(Problem) -> Response {
        guard configuration.hasDesk else { throw .notFound }
        return Self.deskResponse(text, type)
    }

    /// Returns the page for a browser whose request to the desk was refused; `nil` for other clients, which get problem
    /// details.
    ///
    /// The page has the header fields of the problem. If the request had no valid key, its challenge makes the browser
    /// prompt for a key, and a person sees the page after cancelling the prompt.
    ///
    /// - Parameter caller: The caller; `nil` without a valid key.
    func deskRefusal(
        _ problem: Problem, to request: Request, of route: CompanionRoute, caller: Caller?
    ) -> Response? {
        guard configuration.hasDesk, route.isForPeople, request.headers[.accept]?.contains("text/html") == true,
            // A template that cannot be read is a bug; the problem details still tell the reason.
            let html = try? DeskRefusal(
                problem, caller: caller, needing: route.scope,
                DeskTexts(.preferred(by: request.headers[.acceptLanguage]))
            ).html()
        else { return nil }
        var response = Self.deskResponse(html)
        response.status = HTTPResponse.Status(code: problem.status)
        response.headers.append(contentsOf: problem.headers)
        return response
    }

    /// Responds with a redirect to another page of the desk.
    private static func deskRedirect(to address: String) -> Response {
        Response(status: .seeOther, headers: [.location: address, .cacheControl: "no-store"])
    }

    private static func deskResponse(_ text: String, _ type: String = "text/html; charset=utf-8") -> Response {
        var fields: HTTPFields = [.contentType: type]
        fields.append(contentsOf: SecurityHeaders.fields(of: type))
        return Response(status: .ok, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

// MARK: - Actions

extension CompanionService {
    /// Returns the fields of a form, after checking that the form was sent from a page of the desk.
    ///
    /// The check is necessary because a browser sends the caller's key even with a form from another site.
    private func deskForm(_ request: CompanionRequest) async throws -> [String: String] {
        guard configuration.hasDesk else { throw Problem.notFound }
        let (authority, headers) = (request.http.head.authority, request.http.headers)
        guard CrossOriginCheck(isLoopback: false).refusal(ofFormAt: authority, headers: headers) == nil else {
            throw Problem(.foreignOrigin, "nothing was changed; send it from the page /desk")
        }
        return try await request.form()
    }

    /// Returns the customer that a form names.
    private static func customer(in form: [String: String]) throws(Problem) -> String {
        let name = form["customer"] ?? ""
        guard !name.isEmpty else { throw .badRequest("'customer' is empty", "send the form of the page") }
        try CompanionRequest.check(name, "customer")
        return name
    }

    /// Logs an action with the caller's name, but without the customer's id.
    private func logAction(_ action: String, _ request: CompanionRequest) {
        request.logger.notice(
            "done at the desk", metadata: ["action": "\(action)", "caller": "\(request.caller?.name ?? "-")"])
    }

    /// Responds with a redirect to the customer's page, which confirms a change.
    ///
    /// The page is a new request, so that its answers are computed after the change, and a reload does not send the form
    /// again.
    private static func deskChanged(
        _ change: DeskConfirmation.Change, _ value: String, _ place: DeskPlace
    ) -> Response {
        deskRedirect(to: place.ofCustomer(place.customer).address("/desk", [(change.rawValue, value)]))
    }

    /// Grants access as the fields of a form state, and redirects to the customer's page.
    func deskGrant(_ request: CompanionRequest) async throws -> Response {
        var place = try await deskChoice(request).place
        let form = try await deskForm(request)
        guard let subject = AccessGrant.Subject(formValue: form["subject"] ?? "") else {
            throw Problem.badRequest("'subject' is not a product or feature", "send the form of the page")
        }
        guard let until = CompanionRequest.typedInstant(form["until"] ?? "") else {
            throw Problem.badRequest("'until' is not a valid time", "write it like 2026-04-01")
        }
        place.customer = form["customer"] ?? ""
        let receipt = try await grant(
            subject, to: CustomerID(rawValue: place.customer), until: until, because: form["reason"] ?? "",
            key: AccessGrant.ID(form["key"] ?? ""), request)
        return Self.deskChanged(.granted, receipt.grant.id.rawValue, place)
    }

    /// Revokes access as the fields of a form state, and redirects to the customer's page.
    func deskRevocation(_ request: CompanionRequest) async throws -> Response {
        var place = try await deskChoice(request).place
        let form = try await deskForm(request)
        place.customer = form["customer"] ?? ""
        let receipt = try await revoke(
            AccessGrant.ID(form["key"] ?? ""), of: CustomerID(rawValue: place.customer),
            because: form["reason"] ?? "", request)
        return Self.deskChanged(.revoked, receipt.grant.id.rawValue, place)
    }

    /// Asks Apple for all evidence about a customer, stores the evidence, and redirects to the customer's page.
    func deskFetch(_ request: CompanionRequest) async throws -> Response {
        let (told, format) = try await deskChoice(request)
        var place = told
        let form = try await deskForm(request)
        place.customer = try Self.customer(in: form)
        let customer = CustomerID(rawValue: place.customer)
        guard let appStore = configuration.appStore else {
            return try await deskPage(request, place, format, notice: format.texts(.fetchNoKey))
        }
        let anchors = try await VaultAnchors(pool.vault, bundleID: bundleID).anchors(of: customer)
            .filter { appStore.environments.contains($0.environment) }
        guard !anchors.isEmpty else {
            return try await deskPage(request, place, format, notice: format.texts(.fetchNoPurchase))
        }
        var items: [String] = []
        do {
            for anchor in anchors { items += try await appStore.evidence(of: anchor.id, in: anchor.environment).items }
        } catch let error as AppStoreServerError {
            request.logger.warning("Apple could not be asked: \(error)")
            return try await deskPage(
                request, place, format, notice: format.texts(.fetchFailed, ["problem": error.message]))
        }
        let texts = items
        _ = try await written {
            try await pool.withStore(customer) { try await $0.ingest(texts, isComplete: true, isClaimed: false) }
        }
        logAction("fetch", request)
        return Self.deskChanged(.fetched, "", place)
    }

    /// Assigns a purchase or an app account token to a customer permanently, and redirects to the customer's page.
    func deskClaim(_ request: CompanionRequest) async throws -> Response {
        let (told, format) = try await deskChoice(request)
        var place = told
        let form = try await deskForm(request)
        place.customer = try Self.customer(in: form)
        let customer = CustomerID(rawValue: place.customer)
        let typed = form["purchase"] ?? ""
        var found = try await DeskClaim(typed, in: pool.vault, bundleID: bundleID)
        if let missing = found, case .unknown = missing.state, let appStore = configuration.appStore {
            do {
                let items = try await appStore.evidence(of: missing.name).items
                // Apple answers with all purchases of an Apple Account. They are parked, and only the named one is
                // assigned.
                _ = try await written {
                    try await pool.withStore(customer) {
                        try await $0.ingest(items, isComplete: false, isClaimed: false)
                    }
                }
            } catch let error as AppStoreServerError {
                return try await deskPage(
                    request, place, format, notice: format.texts(.fetchFailed, ["problem": error.message]))
            }
            found = try await DeskClaim(typed, in: pool.vault, bundleID: bundleID)
        }
        guard let claim = found, let subject = claim.subject else {
            return try await deskPage(request, place, format, ["claim": typed])
        }
        let outcome = try await written {
            try await pool.withStore(customer) { store in
                switch subject {
                case .chain(let chain): try await store.claim(chain)
                case .token(let token): try await store.claim(token: token)
                }
            }
        }
        guard case .claimed = outcome else {
            return try await deskPage(request, place, format, ["claim": claim.name])
        }
        logAction("claim", request)
        // A caller who may not read the customer's page gets only the message.
        guard request.caller?.has(.desk) == true else {
            let values: KeyValuePairs = ["purchase": claim.name, "customer": place.customer]
            return try await deskPage(request, place, format, done: format.texts(.claimDone, values))
        }
        return Self.deskChanged(.assigned, subject.name, place)
    }

    /// Moves another customer's purchase or token to a customer, and redirects to the customer's page.
    func deskTransfer(_ request: CompanionRequest) async throws -> Response {
        let (told, format) = try await deskChoice(request)
        var place = told
        let form = try await deskForm(request)
        place.customer = try Self.customer(in: form)
        let reason = DeskSearch.trimmed(form["reason"] ?? "")
        guard let claim = try await DeskClaim(form["purchase"] ?? "", in: pool.vault, bundleID: bundleID),
            let subject = claim.movable
        else { return try await deskPage(request, place, format, ["claim": form["purchase"] ?? ""]) }
        guard !reason.isEmpty else {
            return try await deskPage(
                request, place, format, ["claim": claim.name], notice: format.texts(.mistakeReason))
        }
        try CompanionRequest.check(reason, "reason")
        _ = try await move(subject, to: CustomerID(rawValue: place.customer), because: reason, request)
        logAction("transfer", request)
        return Self.deskChanged(.moved, subject.name, place)
    }

    /// Erases a customer if the operator has typed the customer's id to confirm it, and redirects to a page with the
    /// proof of the erasure.
    func deskErasure(_ request: CompanionRequest) async throws -> Response {
        let (told, format) = try await deskChoice(request)
        var place = told
        let form = try await deskForm(request)
        place.customer = form["customer"] ?? ""
        guard DeskSearch.trimmed(form["typed"] ?? "").hasSameBytes(as: place.customer) else {
            return try await deskPage(
                request, place, format, notice: format.texts(.eraseMismatch, ["customer": place.customer]))
        }
        let typed = DeskSearch.trimmed(form["reason"] ?? "")
        guard !typed.isEmpty else {
            return try await deskPage(request, place, format, notice: format.texts(.mistakeReason))
        }
        let reason = "\(typed) (\(request.caller?.name ?? ""))"
        _ = try await eraseCustomer(CustomerID(rawValue: place.customer), because: reason, request)
        logAction("erase", request)
        return Self.deskRedirect(to: place.address())
    }

    /// Resumes the deliveries of a webhook, and redirects to the page about webhooks.
    func deskResume(_ request: CompanionRequest) async throws -> Response {
        try await deskChange(request, "resume", done: "resumed") { _ = try await $0.resume($1) }
    }

    /// Posts the parked messages of a webhook again, and redirects to the page about webhooks.
    func deskReplay(_ request: CompanionRequest) async throws -> Response {
        let now = request.now
        return try await deskChange(request, "replay", done: "replayed") { _ = try await $0.replayParked($1, at: now) }
    }

    private func deskChange(
        _ request: CompanionRequest, _ action: String, done: String,
        _ work: (WebhookCommands, String) async throws -> Void
    ) async throws -> Response {
        let (place, format) = try await deskChoice(request)
        let name = try await deskForm(request)["webhook"] ?? ""
        do {
            try await written { try await work(WebhookCommands(pool.vault), name) }
            configuration.webhooks?.wake()
            logAction(action, request)
            return Self.deskRedirect(to: place.address("/desk/webhooks", [(done, name)]))
        } catch is WebhookCommands.Refusal {
            return try await deskWebhooks(
                request, place, format, notice: format.texts(.unknownWebhook, ["webhook": name]))
        }
    }
}

extension DeskPlace {
    /// Reads the query parameters of a page.
    init(_ request: CompanionRequest) throws(Problem) {
        self.init()
        customer = try request.parameter("customer") ?? ""
        at = time(try request.parameter("at"))
        // A time in the future is treated as the present, because no evidence from the future is known yet.
        asKnownAt = time(try request.parameter("asKnownAt")).flatMap { $0 > request.now ? nil : $0 }
        // If the time cannot be read, the page shows the present and a notice about the invalid time.
        if misreadTime != nil { (at, asKnownAt) = (nil, nil) }
        span = try request.parameter("span").flatMap { TimelineSpan($0) }
        chosen = try request.parameter("lang").flatMap(DeskLanguage.init(rawValue:))
    }

    /// Returns the time in the value of a field; `nil` for the present, and for a text that is not a time.
    ///
    /// A text that is not a time is stored in ``misreadTime``.
    private mutating func time(_ text: String?) -> Instant? {
        guard let text, !text.isEmpty else { return nil }
        let instant = CompanionRequest.typedInstant(text)
        if instant == nil { misreadTime = text }
        return instant
    }
}
