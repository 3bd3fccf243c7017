import Storekeeper
import StorekeeperPages

/// The part of the desk about access without a purchase: what was granted, and the forms to grant and to revoke, each
/// with a confirmation.
struct DeskGrants {
    /// A grant.
    struct Row {
        let subject: String
        let state: String
        let from: String
        let until: String
        let reason: String
        let by: String
        /// The address of the form that revokes it; `nil` if the caller may not, or it has ended.
        let revokeAddress: String?
    }

    /// A product or feature that can be granted.
    struct Choice {
        let value: String
        let label: String
        let isChosen: Bool
    }

    /// A grant to confirm.
    struct Confirmation {
        let value: String
        let label: String
        /// The end as it was typed.
        let typedUntil: String
        let until: String
        let reason: String
        let key: String
    }

    /// A grant to revoke, which needs a reason.
    struct Revocation {
        let key: String
        let label: String
        let until: String
    }

    let customer: String
    /// The name under which changes are recorded.
    let caller: String
    /// Whether the caller may grant and revoke.
    let mayGrant: Bool
    /// The grants, newest first.
    let rows: [Row]
    let choices: [Choice]
    /// The submitted end and reason, so that a mistake can be corrected.
    let typedUntil: String
    let typedReason: String
    /// What is wrong with the submitted form.
    let mistake: String?
    let confirmation: Confirmation?
    let revocation: Revocation?

    /// Whether there is anything to show.
    let isShown: Bool

    /// Makes the part of a customer's page.
    ///
    /// - Parameters:
    ///   - grants: Everything that was granted to the customer.
    ///   - resolution: The customer's answers.
    ///   - form: The submitted form; its names are those of the page's fields.
    ///   - key: A new key for a grant.
    init(
        _ grants: [AccessGrant], of customer: CustomerID, _ resolution: Resolution, at now: Instant, caller: Caller?,
        form: [String: String], key: String
    ) {
        self.customer = customer.rawValue
        self.caller = caller?.name ?? ""
        let mayGrant = caller?.scope.includes(.grant) ?? false
        self.mayGrant = mayGrant
        rows = grants.reversed().map { grant in
            let address =
                "/desk?customer=\(customer.rawValue.percentEncoded)&revoke=\(grant.id.rawValue.percentEncoded)"
            return Row(
                subject: "\(grant.subject)", state: grant.state(at: now), from: grant.grantedAt.brief,
                until: grant.endsAt.brief,
                reason: [grant.reason, grant.revocation.map { "revoked: \($0.reason)" }].compactMap(\.self)
                    .joined(separator: "; "),
                by: [grant.recordedBy, grant.revocation?.recordedBy].compactMap(\.self).joined(separator: ", "),
                revokeAddress: mayGrant && grant.isActive(at: now) ? address + "#grants" : nil)
        }
        isShown = mayGrant || !grants.isEmpty
        let subjects =
            resolution.catalog.features.map { AccessGrant.Subject.feature($0.id) }
            + resolution.products.map { .product($0.id) }
        choices = subjects.map {
            Choice(value: $0.formValue, label: "\($0)", isChosen: $0.formValue == form["subject"])
        }
        typedUntil = form["until"] ?? ""
        typedReason = form["reason"] ?? ""
        (confirmation, mistake) =
            mayGrant && form["subject"] != nil ? Self.confirmation(of: form, among: subjects, at: now, key) : (nil, nil)
        let revoked = grants.first { $0.id.rawValue.hasSameBytes(as: form["revoke"] ?? "") }
        revocation =
            mayGrant
            ? revoked.map { Revocation(key: $0.id.rawValue, label: "\($0.subject)", until: $0.until.brief) } : nil
    }

    private static func confirmation(
        of form: [String: String], among subjects: [AccessGrant.Subject], at now: Instant, _ key: String
    ) -> (Confirmation?, mistake: String?) {
        let (typed, reason) = (form["until"] ?? "", form["reason"] ?? "")
        guard let subject = subjects.first(where: { $0.formValue == form["subject"] }) else {
            return (nil, "Choose a product or feature.")
        }
        guard let until = Instant(typed) else {
            return (nil, "The end is not a time: write it like 2026-04-01 or 2026-04-01T09:30:00Z.")
        }
        guard until > now else { return (nil, "The end is not in the future.") }
        guard !reason.isEmpty else { return (nil, "Give a reason.") }
        return (
            Confirmation(
                value: subject.formValue, label: "\(subject)", typedUntil: typed, until: "\(until)", reason: reason,
                key: key), nil
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
    /// The value of the subject in a form.
    var formValue: String {
        switch self {
        case .product(let id): "product:\(id)"
        case .feature(let id): "feature:\(id)"
        }
    }

    /// Reads the value of a form.
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

/// The template of the part.
enum DeskGrantsTemplate {
    static let text = """
        {{#isShown}}<section id="grants" aria-labelledby="grants-heading">
        <h3 id="grants-heading">Access without a purchase</h3>
        {{^empty(rows)}}<div class="scroll"><table class="list"><caption class="unseen">Access without a purchase</caption>
        <thead><tr><th scope="col">Product or feature</th><th scope="col">State</th><th scope="col">From</th><th scope="col">Until</th><th scope="col">Reason</th><th scope="col">By</th><th scope="col"><span class="unseen">Revoke</span></th></tr></thead>
        <tbody>{{#rows}}<tr><th scope="row">{{subject}}</th><td>{{state}}</td><td>{{from}}</td><td>{{until}}</td><td>{{reason}}</td><td>{{by}}</td><td>{{#revokeAddress}}<a class="button" href="{{revokeAddress}}">Revoke…</a>{{/revokeAddress}}</td></tr>
        {{/rows}}</tbody></table></div>{{/empty(rows)}}
        {{#revocation}}<form class="panel" method="post" action="/desk/revocations" aria-label="Confirm the revocation">
        <p>Revoke <strong>{{label}}</strong>, granted to {{customer}} until {{until}}? It is recorded as done by {{caller}}.</p>
        <input type="hidden" name="customer" value="{{customer}}"><input type="hidden" name="key" value="{{key}}">
        <span class="field"><label for="revocation-reason">reason</label><input id="revocation-reason" name="reason" required maxlength="1024" size="38"></span>
        <button class="primary">Revoke access</button>
        </form>{{/revocation}}
        {{#confirmation}}<form class="panel" method="post" action="/desk/grants" aria-label="Confirm the grant">
        <p>Give {{customer}} access to <strong>{{label}}</strong> until {{until}}, because “{{reason}}”? It is recorded as done by {{caller}}.</p>
        <input type="hidden" name="customer" value="{{customer}}"><input type="hidden" name="subject" value="{{value}}"><input type="hidden" name="until" value="{{typedUntil}}"><input type="hidden" name="reason" value="{{reason}}"><input type="hidden" name="key" value="{{key}}">
        <button class="primary">Grant access</button>
        </form>{{/confirmation}}
        {{#mistake}}<p class="complaint">{{mistake}}</p>{{/mistake}}
        {{#mayGrant}}{{^confirmation}}<form class="act" method="get" action="/desk#grants" aria-label="Grant access">
        <input type="hidden" name="customer" value="{{customer}}">
        <span class="field"><label for="grant-subject">product or feature</label><select id="grant-subject" name="subject" required>{{#choices}}<option value="{{value}}"{{#isChosen}} selected{{/isChosen}}>{{label}}</option>{{/choices}}</select></span>
        <span class="field"><label for="grant-until">until (UTC)</label><input id="grant-until" name="until" value="{{typedUntil}}" required placeholder="2026-04-01" size="20"></span>
        <span class="field"><label for="grant-reason">reason</label><input id="grant-reason" name="reason" value="{{typedReason}}" required maxlength="1024" size="38"></span>
        <button>Grant access…</button>
        </form>{{/confirmation}}{{/mayGrant}}
        </section>{{/isShown}}
        """
}
