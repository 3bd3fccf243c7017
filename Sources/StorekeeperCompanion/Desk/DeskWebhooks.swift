import Storekeeper

/// The page of the desk about webhooks: their states, and forms that resume them and replay their messages.
struct DeskWebhooks {
    /// A row of the table of webhooks.
    struct Row {
        let name: String
        let address: String
        let state: String
        let isBad: Bool
        let isStopped: Bool
        let waiting: String
        let failing: String
        let parked: String
    }

    /// The parked messages of a webhook.
    struct Parked {
        let heading: String
        let rows: [Message]
    }

    /// A parked message, which the service no longer tries to deliver.
    struct Message {
        let time: String
        let id: String
        let customer: String
        let customerAddress: String
        let attempts: String
        let problem: String
    }

    /// A form that changes a webhook.
    struct Form {
        let id: String
        let label: String
        let button: String
        let question: String
        let address: String
        let webhook: String
    }

    /// The maximum number of messages that are shown for each webhook.
    static let maximumRows = 25
    private static let maximumWebhooks = 10

    let rows: [Row]
    let parked: [Parked]
    let forms: [Form]
    let refusal: String?
    let note: String?

    /// Makes the page about the webhooks of a vault.
    init(
        _ vault: any TransactionalVault, addresses: [String: String], caller: Caller?, _ place: DeskPlace,
        _ format: DeskFormat
    ) async throws {
        let texts = format.texts
        let commands = WebhookCommands(vault)
        let summaries = try await commands.summaries().prefix(Self.maximumWebhooks)
        note = summaries.isEmpty ? texts(.webhooksNone) : nil
        refusal = summaries.isEmpty ? nil : DeskActions.Action.webhooks.refusal(of: caller, texts)
        rows = summaries.map { Self.row($0, address: addresses[$0.name], format) }
        var (parked, forms) = ([Parked](), [Form]())
        for summary in summaries {
            if summary.parked > 0 {
                let page = try await commands.parked(of: summary.name, after: .start, limit: Self.maximumRows)
                parked.append(
                    Parked(
                        heading: texts(.parkedHeading, ["webhook": summary.name]),
                        rows: page.rows.map { Self.row($0, place, format) }))
            }
            guard refusal == nil else { continue }
            let values: KeyValuePairs = ["webhook": summary.name, "name": caller?.name ?? ""]
            func add(_ action: String, _ button: DeskText, _ question: DeskText) {
                forms.append(
                    Form(
                        id: "\(action)-\(summary.name)", label: "\(texts(button)) \(summary.name)",
                        button: texts(button), question: texts(question, values),
                        address: DeskPlace.posting(to: "/desk/webhooks/\(action)", place), webhook: summary.name))
            }
            if summary.state.pause != nil { add("resume", .resumeButton, .resumeQuestion) }
            if summary.parked > 0 { add("replay", .replayButton, .replayQuestion) }
        }
        (self.parked, self.forms) = (parked, forms)
    }

    private static func row(_ summary: WebhookSummary, address: String?, _ format: DeskFormat) -> Row {
        let texts = format.texts
        var state = texts(.stateRunning)
        if let since = summary.failingSince { state = texts(.stateFailing, ["time": format.time(since)]) }
        if let pause = summary.state.pause {
            state = texts(.stateStopped, ["time": format.time(pause.at), "reason": pause.reason])
        }
        // The vault counts only up to a limit. A plus sign marks a number that has reached the limit.
        func count(_ number: Int) -> String {
            format.number(Int64(number)) + (number >= WebhookSummary.countLimit ? "+" : "")
        }
        return Row(
            name: summary.name, address: address ?? "–", state: state,
            isBad: summary.state.pause != nil || summary.failingSince != nil,
            isStopped: summary.state.pause != nil,
            waiting: count(summary.waiting), failing: count(summary.failing), parked: count(summary.parked))
    }

    private static func row(_ message: ParkedWebhook, _ place: DeskPlace, _ format: DeskFormat) -> Message {
        Message(
            time: format.time(message.since), id: message.messageID, customer: message.customer.rawValue,
            customerAddress: place.ofCustomer(message.customer.rawValue).address(),
            attempts: format.number(Int64(message.attempts)), problem: message.problem ?? "–")
    }
}

/// The template of the page about webhooks.
enum DeskWebhooksTemplate {
    static let text = """
        <h2 id="webhooks-heading">{{text.webhooks}}</h2>
        <p class="soft">{{text.webhooksHint}}</p>
        {{#note}}<p>{{note}}</p>{{/note}}
        {{^empty(rows)}}<div class="scroll" tabindex="0" role="group" aria-labelledby="webhooks-heading"><table class="list"><caption class="unseen">{{text.webhooks}}</caption>
        <thead><tr><th scope="col">{{text.columnWebhook}}</th><th scope="col">{{text.columnState}}</th><th scope="col">{{text.columnWaiting}}</th><th scope="col">{{text.columnFailing}}</th><th scope="col">{{text.columnParked}}</th><th scope="col">{{text.columnAddress}}</th></tr></thead>
        <tbody>{{#rows}}<tr><th scope="row">{{name}}</th><td class="sentence"><span class="attempt {{#isBad}}bad{{/isBad}}{{^isBad}}good{{/isBad}}">{{state}}</span></td><td>{{waiting}}</td><td>{{failing}}</td><td>{{parked}}</td><td class="sentence">{{address}}</td></tr>
        {{/rows}}</tbody></table></div>{{/empty(rows)}}
        {{#refusal}}<p class="soft">{{refusal}}</p>{{/refusal}}
        {{^empty(forms)}}<div class="acts screen">{{#forms}}<details id="{{id}}"><summary>{{label}}</summary>
        <form method="post" action="{{address}}" aria-label="{{label}}"><p>{{question}}</p><input type="hidden" name="webhook" value="{{webhook}}"><button class="primary">{{button}}</button></form></details>{{/forms}}</div>{{/empty(forms)}}
        {{#parked}}<h3>{{heading}}</h3>
        <div class="scroll"><table class="list"><caption class="unseen">{{heading}}</caption>
        <thead><tr><th scope="col">{{text.columnTime}}</th><th scope="col">{{text.columnCustomer}}</th><th scope="col">{{text.columnMessage}}</th><th scope="col">{{text.columnAttempts}}</th><th scope="col">{{text.columnProblem}}</th></tr></thead>
        <tbody>{{#rows}}<tr><th scope="row">{{time}}</th><td><a href="{{customerAddress}}">{{customer}}</a></td><td class="number">{{id}}</td><td>{{attempts}}</td><td class="sentence">{{problem}}</td></tr>
        {{/rows}}</tbody></table></div>{{/parked}}
        """
}
