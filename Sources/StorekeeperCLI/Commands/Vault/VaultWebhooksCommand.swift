import ArgumentParser
import Storekeeper
import StorekeeperCompanion

/// `storekeeper vault webhooks …`: the parent of the commands for webhooks.
struct VaultWebhooksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks",
        abstract: "Shows what 'serve' has posted to webhooks, and lets it post events again.",
        discussion: """
            'storekeeper serve' posts each change of an answer to the addresses of 'serve.webhooks' in \
            storekeeper.yaml. These commands read the vault, and change what the running service does next, within \
            seconds.

            EXAMPLES
              What waits, fails, or was given up?
                storekeeper vault webhooks list
                storekeeper vault webhooks attempts billing --customer anna
                storekeeper vault webhooks parked billing

              Post what has failed without waiting, after the receiver was repaired:
                storekeeper vault webhooks retry billing

              Post again what was given up, or everything since an event:
                storekeeper vault webhooks replay billing --parked
                storekeeper vault webhooks replay billing --after 17-0123456789abcdef
            """,
        subcommands: [
            VaultWebhooksListCommand.self, VaultWebhooksAttemptsCommand.self, VaultWebhooksParkedCommand.self,
            VaultWebhooksRetryCommand.self, VaultWebhooksReplayCommand.self, VaultWebhooksResumeCommand.self,
        ])

    /// The help text about the exit statuses of commands that only read.
    fileprivate static let readingStatus = """
        EXIT STATUS
          0   done
          64  wrong usage; the webhook is unknown
          65  the file or database is not a vault
          66  there is no vault
          69  it is locked, or the database cannot be reached or refuses
        """
    /// The help text about the exit statuses of commands that write.
    fileprivate static let writingStatus = readingStatus + "\n  73  it cannot be written"
}

/// The name of a webhook.
struct WebhookArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The name of the webhook in storekeeper.yaml.", valueName: "name"))
    var name: String
}

extension VaultOptions {
    /// Runs a command about webhooks.
    ///
    /// - Throws: ``CommandError`` with status 64 for an unknown webhook or cursor; also the errors that opening a vault
    ///   throws.
    fileprivate func withWebhooks<Outcome>(
        for purpose: VaultPurpose, on console: Console, _ name: String? = nil,
        _ work: (WebhookCommands, VaultSettings) async throws -> Outcome
    ) async throws(CommandError) -> Outcome {
        let settings = try VaultSettings(self, on: console)
        return try await settings.place.with(for: purpose) { vault in
            do {
                return try await work(WebhookCommands(vault), settings)
            } catch let refusal as WebhookCommands.Refusal {
                switch refusal {
                case .unknownWebhook(let known):
                    throw CommandError.unknownName(
                        "webhook", name ?? "", at: "NAME", known: known,
                        "check the name; 'serve' adds a webhook when it starts")
                case .cursorGone(let newest):
                    throw CommandError.usage(
                        "the vault does not have this event; the newest one is \(newest)", at: "--after",
                        "use the id of an event, or 0 for all events")
                }
            }
        }
    }
}

/// `storekeeper vault webhooks list`.
struct VaultWebhooksListCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists webhooks with the numbers of waiting and failing customers and of parked messages.",
        usage: "storekeeper vault webhooks list [options]",
        discussion: """
            WAITING is the number of customers with events that were not delivered yet, FAILING the number of those \
            whose next event has failed, PARKED the number of messages that were given up. From 10,000 on they are \
            not counted further.

            In JSON a webhook has 'webhook', 'url' if storekeeper.yaml or a variable names it, 'queuedThrough' (the \
            number of the last event that was queued), 'waiting', 'failing', 'failingSince', 'parked', and, if the \
            receiver wants no messages any more, 'stoppedAt' and 'reason'.

            \(VaultWebhooksCommand.readingStatus)

            EXAMPLES
              storekeeper vault webhooks list
            """)

    @OptionGroup(title: "Vault options") var options: VaultOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let (rows, urls) = try await options.withWebhooks(for: .reading, on: console) { commands, settings in
            let texts = try WebhookSettings.texts(
                environment: console.environment, file: settings.configuration.webhooks)
            return (try await commands.summaries(), texts.settings.compactMapValues { $0["url"] })
        }
        var table = TextTable("WEBHOOK", "WAITING", "FAILING", "SINCE", "PARKED", "ADDRESS")
        for row in rows {
            let address = row.state.pause.map { "stopped: \($0.reason)" } ?? urls[row.name]
            table.add([
                .text(row.name), .text("\(row.waiting)"), .text("\(row.failing)"), .time(row.failingSince),
                .text("\(row.parked)"), .text(address),
            ])
        }
        table.widthReductions = [.shorten("SINCE"), .shorten("SINCE"), .drop("ADDRESS"), .shorten("SINCE")]
        console.print(
            output.format, json: .object(["webhooks": .array(rows.map { $0.json(url: urls[$0.name]) })]),
            lines: rows.isEmpty
                ? ["There are no webhooks; 'serve' adds those of storekeeper.yaml when it starts."]
                    .flatMap { $0.wrapped(to: console.columns) }
                : table.lines(console.style, width: console.columns))
        return .success
    }
}

/// `storekeeper vault webhooks attempts`.
struct VaultWebhooksAttemptsCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "attempts",
        abstract: "Lists attempts to deliver messages, the newest first.",
        usage: "storekeeper vault webhooks attempts [NAME] [options]",
        discussion: """
            Attempts are kept for thirty days. In JSON an attempt has 'webhook', 'at', 'message' (the id of the \
            event and of the message), 'customer', 'attempt' (1 for the first), 'outcome' (delivered, failed, \
            parked or gone), 'status', 'problem' and 'milliseconds'; 'next' continues with --before.

            \(VaultWebhooksCommand.readingStatus)

            EXAMPLES
              storekeeper vault webhooks attempts
              storekeeper vault webhooks attempts billing --customer anna
            """)

    @Argument(help: ArgumentHelp("The webhook. Default: all.", valueName: "name"))
    var name: String?

    @Option(name: .long, help: ArgumentHelp("Only messages about this customer.", valueName: "id"))
    var customer: String?

    @Option(name: .long, help: ArgumentHelp("Continue after a page: the 'next' of its JSON.", valueName: "place"))
    var before: String?

    @Option(name: .long, help: ArgumentHelp("How many at most. Default: 100.", valueName: "n"))
    var limit: Int = 100

    @OptionGroup(title: "Vault options") var options: VaultOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        guard 1...10_000 ~= limit else { throw ValidationError("--limit takes 1 to 10000") }
    }

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let (name, limit) = (name, limit)
        let customer = try customer.map { id throws(CommandError) in try CustomerID(argument: id) }
        let place = try before.map { text throws(CommandError) in
            guard let place = WebhookAttempt.Place(text) else {
                throw .usage("'\(text)' is not a place in the log", at: "--before", "use 'next' of a page in JSON")
            }
            return place
        }
        let page = try await options.withWebhooks(for: .reading, on: console, name) { commands, _ in
            try await commands.attempts(of: name, about: customer, before: place, limit: limit)
        }
        var table = TextTable("AT", "WEBHOOK", "CUSTOMER", "MESSAGE", "ATTEMPT", "OUTCOME", "WHY")
        for row in page.rows {
            table.add([
                .time(row.place.at), .text(row.webhook), .text(row.customer.rawValue), .text(row.messageID),
                .text("\(row.number)"), .text(row.outcome.rawValue), .text(row.problem),
            ])
        }
        table.widthReductions = [
            .shorten("AT"), .drop("MESSAGE"), .shorten("AT"), .drop("WHY"), .shorten("AT"),
        ]
        console.print(
            output.format,
            json: .object([
                "attempts": .array(page.rows.map(\.json)), "next": .text(page.next?.description),
            ]),
            lines: page.rows.isEmpty
                ? ["There are no attempts."] : table.lines(console.style, width: console.columns))
        return .success
    }
}

/// `storekeeper vault webhooks parked`.
struct VaultWebhooksParkedCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "parked",
        abstract: "Lists messages that were given up, oldest event first.",
        usage: "storekeeper vault webhooks parked NAME [options]",
        discussion: """
            A message that has failed for longer than 'giveUpAfter' is parked, and the later events of its customer \
            follow. 'storekeeper vault webhooks replay NAME --parked' posts it again.

            In JSON a message has 'webhook', 'message' (the id of the event and of the message), 'customer', \
            'since', 'attempts' and 'problem'.

            \(VaultWebhooksCommand.readingStatus)

            EXAMPLES
              storekeeper vault webhooks parked billing
            """)

    @OptionGroup var webhook: WebhookArgument
    @OptionGroup(title: "Vault options") var options: VaultOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let name = webhook.name
        let rows = try await options.withWebhooks(for: .reading, on: console, name) { commands, _ in
            var (rows, place) = ([ParkedWebhook](), Optional(FeedPlace.start))
            while let start = place {
                let page = try await commands.parked(of: name, after: start, limit: 1_000)
                rows += page.rows
                place = page.next
            }
            return rows
        }
        var table = TextTable("MESSAGE", "CUSTOMER", "SINCE", "ATTEMPTS", "WHY")
        for row in rows {
            table.add([
                .text(row.messageID), .text(row.customer.rawValue), .time(row.since), .text("\(row.attempts)"),
                .text(row.problem),
            ])
        }
        table.widthReductions = [
            .shorten("SINCE"), .shorten("SINCE"), .drop("ATTEMPTS"), .drop("WHY"), .shorten("SINCE"),
        ]
        console.print(
            output.format, json: .object(["parked": .array(rows.map(\.json))]),
            lines: rows.isEmpty ? ["Nothing is parked."] : table.lines(console.style, width: console.columns))
        return .success
    }
}

/// `storekeeper vault webhooks replay`.
struct VaultWebhooksReplayCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Lets 'serve' post events again, in the order of each customer.",
        usage: """
            storekeeper vault webhooks replay NAME --after ID [options]
            storekeeper vault webhooks replay NAME --parked [options]
            """,
        discussion: """
            With --after all events after that event are posted again, of all customers or of one; 0 means all \
            events. With --parked each parked message is posted again, with the later events of its customer. A \
            message keeps its id, so that the receiver recognises what it has processed.

            In JSON the answer has 'webhook', and 'after' (the number of the event) or 'messages' (how many).

            \(VaultWebhooksCommand.writingStatus)

            EXAMPLES
              storekeeper vault webhooks replay billing --parked
              storekeeper vault webhooks replay billing --after 0 --customer anna
            """)

    @Option(name: .long, help: ArgumentHelp("The id of the event after which to begin; 0 for all.", valueName: "id"))
    var after: String?

    @Option(name: .long, help: ArgumentHelp("Only events about this customer.", valueName: "id"))
    var customer: String?

    @Flag(name: .long, help: "Post the parked messages and the later events of their customers again.")
    var parked = false

    @OptionGroup var webhook: WebhookArgument
    @OptionGroup(title: "Vault options") var options: VaultOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let (name, now) = (webhook.name, console.now)
        guard (after == nil) == parked else {
            throw .usage(
                after == nil ? "nothing to post again is named" : "--after and --parked are both given",
                at: "--after", "use either --after ID or --parked")
        }
        let customer = try customer.map { id throws(CommandError) in try CustomerID(argument: id) }
        guard let after else {
            guard customer == nil else {
                throw .usage("--parked concerns all customers", at: "--customer", "use --after ID for one customer")
            }
            let count = try await options.withWebhooks(for: .writing, on: console, name) { commands, _ in
                try await commands.replayParked(name, at: now)
            }
            console.print(
                output.format, json: .object(["webhook": .string(name), "messages": .whole(count)]),
                lines: count == 0 ? ["Nothing is parked."] : ["Parked messages that are posted again: \(count)."])
            return .success
        }
        guard let cursor = FeedCursor(after) else {
            throw .usage("'\(after)' is not the id of an event", at: "--after", "use an id, or 0 for all events")
        }
        let place = try await options.withWebhooks(for: .writing, on: console, name) { commands, _ in
            try await commands.replay(name, of: customer, after: cursor, at: now)
        }
        console.print(
            output.format, json: .object(["webhook": .string(name), "after": .integer(place.number)]),
            lines: ["The events after \(place) are posted again."])
        return .success
    }
}

/// `storekeeper vault webhooks retry`.
struct VaultWebhooksRetryCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Lets 'serve' post failed messages now, instead of after their waits.",
        usage: "storekeeper vault webhooks retry NAME [options]",
        discussion: """
            A failed message waits up to an hour before it is posted again. When a receiver accepts a message after \
            an outage, the others follow at once; this command does not wait for that. Parked messages need \
            'storekeeper vault webhooks replay NAME --parked'.

            In JSON the answer has 'webhook' and 'customers' (how many have a failed message).

            \(VaultWebhooksCommand.writingStatus)

            EXAMPLES
              storekeeper vault webhooks retry billing
            """)

    @OptionGroup var webhook: WebhookArgument
    @OptionGroup(title: "Vault options") var options: VaultOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let (name, now) = (webhook.name, console.now)
        let count = try await options.withWebhooks(for: .writing, on: console, name) { commands, _ in
            try await commands.retry(name, at: now)
        }
        console.print(
            output.format, json: .object(["webhook": .string(name), "customers": .whole(count)]),
            lines: [
                count == 0 ? "Nothing waits to be posted again." : "Customers whose messages are posted now: \(count)."
            ])
        return .success
    }
}

/// `storekeeper vault webhooks resume`.
struct VaultWebhooksResumeCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resumes posting to a receiver that answered with status 410.",
        usage: "storekeeper vault webhooks resume NAME [options]",
        discussion: """
            If a receiver answers with status 410, nothing is posted to it until it is resumed; nothing is lost. In \
            JSON the answer has 'webhook' and 'resumed', which is false if nothing was stopped.

            \(VaultWebhooksCommand.writingStatus)

            EXAMPLES
              storekeeper vault webhooks resume billing
            """)

    @OptionGroup var webhook: WebhookArgument
    @OptionGroup(title: "Vault options") var options: VaultOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let name = webhook.name
        let wasStopped = try await options.withWebhooks(for: .writing, on: console, name) { commands, _ in
            try await commands.resume(name)
        }
        console.print(
            output.format, json: .object(["webhook": .string(name), "resumed": .bool(wasStopped)]),
            lines: [wasStopped ? "The webhook is resumed." : "The webhook was not stopped."])
        return .success
    }
}
