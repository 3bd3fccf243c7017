import Storekeeper
import StorekeeperPages

/// The section of a customer's page about access without a purchase: the grants, and the forms to grant and to revoke,
/// each with a confirmation.
struct DeskGrants {
    /// A row of the table of grants.
    struct Row {
        let subject: String
        let state: String
        let from: String
        let until: String
        let reason: String
        let by: String
        /// The URL of the form that revokes the grant; `nil` if the caller may not revoke, or the grant has ended.
        let revokeAddress: String?
    }

    /// An option of the form: a product or feature, or a length of time.
    struct Choice {
        let value: String
        let label: String
        let isChosen: Bool
    }

    /// A grant that the caller is asked to confirm.
    struct Confirmation {
        let question: String
        let value: String
        /// The end of the grant.
        let until: String
        let reason: String
        let key: String
    }

    /// A grant that the caller wants to revoke; the form asks for a reason.
    struct Revocation {
        let question: String
        let key: String
    }

    /// The maximum number of grants shown.
    private static let maximumRows = 20

    let customer: String
    let grantAddress: String
    let revokeFormAddress: String
    let searchAddress: String
    /// The name under which changes are recorded.
    let recorded: String
    /// Whether the caller may grant and revoke.
    let mayGrant: Bool
    /// The grants, newest first.
    let rows: [Row]
    /// The products and features that can be granted.
    let choices: [Choice]
    /// The lengths of time for which access can be granted.
    let lengths: [Choice]
    /// The submitted end of a grant, which the form shows again so that a mistake can be corrected.
    let typedUntil: String
    let typedReason: String
    /// The reason why the submitted form was refused.
    let mistake: String?
    let confirmation: Confirmation?
    let revocation: Revocation?

    /// Makes the section about grants.
    ///
    /// - Parameters:
    ///   - grants: All grants of the customer, including ended and revoked grants.
    ///   - resolution: The customer's answers.
    ///   - form: The submitted values by the names of the form's fields.
    ///   - key: A new idempotency key for a grant.
    init(
        _ grants: [AccessGrant], _ resolution: Resolution, at now: Instant, caller: Caller?, form: [String: String],
        key: String, _ place: DeskPlace, _ format: DeskFormat
    ) {
        let texts = format.texts
        customer = place.customer
        grantAddress = DeskPlace.posting(to: "/desk/grants", place)
        revokeFormAddress = DeskPlace.posting(to: "/desk/revocations", place)
        searchAddress = "/desk#grants"
        recorded = texts(.recordedAs, ["name": caller?.name ?? ""])
        let mayGrant = caller?.has(.grant) ?? false
        self.mayGrant = mayGrant
        rows = grants.reversed().prefix(Self.maximumRows).map { grant in
            Row(
                subject: texts.subject(grant.subject), state: texts.word("grant", grant.state(at: now)),
                from: format.time(grant.grantedAt), until: format.time(grant.endsAt),
                reason: [grant.reason, grant.revocation.map { texts(.grantRevoked, ["reason": $0.reason]) }]
                    .compactMap(\.self).joined(separator: "; "),
                by: [grant.recordedBy, grant.revocation?.recordedBy].compactMap(\.self).joined(separator: ", "),
                revokeAddress: mayGrant && grant.isActive(at: now)
                    ? place.ofCustomer(place.customer).address(
                        "/desk", [("revoke", grant.id.rawValue)], fragment: "grants") : nil)
        }
        let subjects =
            resolution.catalog.features.map { AccessGrant.Subject.feature($0.id) }
            + resolution.products.map { .product($0.id) }
        choices = subjects.map {
            Choice(value: $0.formValue, label: texts.subject($0), isChosen: $0.formValue == form["subject"])
        }
        let presets = Self.presets(resolution, at: now)
        lengths = presets.map { preset in
            Choice(
                value: preset.value, label: texts(preset.name, ["time": format.time(preset.end)]),
                isChosen: preset.value == form["length"])
        }
        typedUntil = form["until"] ?? ""
        typedReason = form["reason"] ?? ""
        (confirmation, mistake) =
            mayGrant && form["subject"] != nil
            ? Self.confirmation(
                of: form, among: subjects, presets, besides: grants.filter { $0.isActive(at: now) }, at: now, key,
                place.customer, format) : (nil, nil)
        let revoked = grants.first { $0.id.rawValue.hasSameBytes(as: form["revoke"] ?? "") }
        revocation =
            mayGrant
            ? revoked.map { grant in
                Revocation(
                    question: texts(
                        .revokeQuestion,
                        [
                            "subject": texts.subject(grant.subject), "customer": place.customer,
                            "time": format.time(grant.until),
                        ]), key: grant.id.rawValue)
            } : nil
    }

    /// A length of time for which access can be granted.
    private typealias Preset = (value: String, name: DeskText, end: Instant)

    /// Returns the lengths of time, with their ends if the access begins now; the end of a subscription's period only if
    /// one is running.
    private static func presets(_ resolution: Resolution, at now: Instant) -> [Preset] {
        let periodEnd = resolution.groups.flatMap { $0.statuses(at: now) }.compactMap(\.transaction.expiresAt)
            .filter { $0 > now }.min()
        let ends: [(value: String, name: DeskText, end: Instant?)] = [
            ("day", .lengthDay, now.adding(days: 1)), ("week", .lengthWeek, now.adding(days: 7)),
            ("month", .lengthMonth, SubscriptionPeriod("P1M").end(from: now)), ("period", .lengthPeriod, periodEnd),
        ]
        return ends.compactMap { preset in preset.end.map { (value: preset.value, name: preset.name, end: $0) } }
    }

    /// Returns the question whether to grant access, or the mistake in the form.
    ///
    /// A typed end takes precedence over a length.
    private static func confirmation(
        of form: [String: String], among subjects: [AccessGrant.Subject], _ presets: [Preset],
        besides active: [AccessGrant], at now: Instant, _ key: String, _ customer: String, _ format: DeskFormat
    ) -> (Confirmation?, mistake: String?) {
        let (texts, typed, reason) = (format.texts, form["until"] ?? "", form["reason"] ?? "")
        guard let subject = subjects.first(where: { $0.formValue == form["subject"] }) else {
            return (nil, texts(.mistakeSubject))
        }
        let preset = typed.isEmpty ? presets.first { $0.value == form["length"] }?.end : nil
        guard let until = preset ?? PageTime.instant(typed) else { return (nil, texts(.mistakeTime)) }
        guard until > now else { return (nil, texts(.mistakePast)) }
        guard !reason.isEmpty else { return (nil, texts(.mistakeReason)) }
        // An agent who does not know of the first grant would grant twice.
        let already = active.last { $0.subject == subject }.map {
            texts(.grantAlready, ["subject": texts.subject(subject), "time": format.time($0.endsAt)])
        }
        let question = texts(
            .grantQuestion,
            [
                "customer": customer, "subject": texts.subject(subject), "time": format.time(until),
                "reason": reason,
            ])
        return (
            Confirmation(
                question: [already, question].compactMap(\.self).joined(separator: " "), value: subject.formValue,
                until: until.description, reason: reason, key: key), nil
        )
    }
}

extension AccessGrant {
    /// The state of the grant at an instant, for support staff.
    fileprivate func state(at now: Instant) -> String {
        if let revocation, revocation.at < until { return "revoked" }
        return isActive(at: now) ? "active" : "ended"
    }
}

extension AccessGrant.Subject {
    /// The text that identifies the product or feature in a form, such as `product:pro`.
    var formValue: String {
        switch self {
        case .product(let id): "product:\(id)"
        case .feature(let id): "feature:\(id)"
        }
    }

    /// Parses a ``formValue``.
    init?(formValue: String) {
        let parts = formValue.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[1].isEmpty else { return nil }
        switch parts[0] {
        case "product": self = .product(Product.ID(parts[1]))
        case "feature": self = .feature(Feature.ID(parts[1]))
        default: return nil
        }
    }
}

/// The template of the section about grants.
enum DeskGrantsTemplate {
    static let text = """
        <section id="grants" aria-labelledby="grants-heading">
        <h3 id="grants-heading">{{text.grantsHeading}}</h3>
        {{#empty(rows)}}<p class="soft">{{text.grantsNone}}</p>{{/empty(rows)}}
        {{^empty(rows)}}<div class="scroll" tabindex="0" role="group" aria-labelledby="grants-heading"><table class="list"><caption class="unseen">{{text.grantsHeading}}</caption>
        <thead><tr><th scope="col">{{text.grantSubject}}</th><th scope="col">{{text.columnState}}</th><th scope="col">{{text.columnFrom}}</th><th scope="col">{{text.columnUntil}}</th><th scope="col">{{text.columnReason}}</th><th scope="col">{{text.columnBy}}</th><th scope="col" class="screen"><span class="unseen">{{text.columnRevoke}}</span></th></tr></thead>
        <tbody>{{#rows}}<tr><th scope="row">{{subject}}</th><td>{{state}}</td><td>{{from}}</td><td>{{until}}</td><td class="sentence">{{reason}}</td><td>{{by}}</td><td class="screen">{{#revokeAddress}}<a class="button" href="{{revokeAddress}}">{{text.revoke}}<span class="unseen"> {{subject}}</span></a>{{/revokeAddress}}</td></tr>
        {{/rows}}</tbody></table></div>{{/empty(rows)}}
        {{#revocation}}<form class="panel screen" method="post" action="{{revokeFormAddress}}" aria-label="{{text.revokeForm}}">
        <p>{{question}} {{recorded}}</p>
        <input type="hidden" name="customer" value="{{customer}}"><input type="hidden" name="key" value="{{key}}">
        <div class="act"><span class="field"><label for="revocation-reason">{{text.reason}}</label><input id="revocation-reason" name="reason" required maxlength="1024" size="38"></span>
        <button class="primary">{{text.revokeButton}}</button></div>
        </form>{{/revocation}}
        {{#confirmation}}<form class="panel screen" method="post" action="{{grantAddress}}" aria-label="{{text.grantConfirmForm}}">
        <p>{{question}} {{recorded}}</p>
        <input type="hidden" name="customer" value="{{customer}}"><input type="hidden" name="subject" value="{{value}}"><input type="hidden" name="until" value="{{until}}"><input type="hidden" name="reason" value="{{reason}}"><input type="hidden" name="key" value="{{key}}">
        <button class="primary">{{text.grantConfirm}}</button>
        </form>{{/confirmation}}
        {{#mistake}}<p class="complaint" role="alert">{{mistake}}</p>{{/mistake}}
        {{#mayGrant}}{{^confirmation}}<form class="act screen" method="get" action="{{searchAddress}}" aria-label="{{text.grantForm}}">
        <input type="hidden" name="customer" value="{{customer}}">{{#chosenLanguage}}<input type="hidden" name="lang" value="{{chosenLanguage}}">{{/chosenLanguage}}
        <span class="field"><label for="grant-subject">{{text.grantSubject}}</label><select id="grant-subject" name="subject" required>{{#choices}}<option value="{{value}}"{{#isChosen}} selected{{/isChosen}}>{{label}}</option>{{/choices}}</select></span>
        <span class="field"><label for="grant-length">{{text.grantLength}}</label><select id="grant-length" name="length">{{#lengths}}<option value="{{value}}"{{#isChosen}} selected{{/isChosen}}>{{label}}</option>{{/lengths}}</select></span>
        <span class="field"><label for="grant-until">{{text.grantUntil}}</label><input id="grant-until" name="until" value="{{typedUntil}}" placeholder="2026-04-01" size="20"></span>
        <span class="field"><label for="grant-reason">{{text.reason}}</label><input id="grant-reason" name="reason" value="{{typedReason}}" required maxlength="1024" size="38"></span>
        <button>{{text.grantButton}}</button>
        </form>{{/confirmation}}{{/mayGrant}}
        </section>
        """
}
