import ArgumentParser
import Storekeeper

/// `storekeeper serve`: the companion service, or with `--local-app-store` a local App Store.
struct ServeCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serves customers' entitlements over HTTP, to your own servers.",
        usage: """
            storekeeper serve [--vault FILE] [--keys FILE] [options]
            storekeeper serve --new-key NAME --scope SCOPE [--keys FILE]
            storekeeper serve --is-ready [options]
            storekeeper serve --local-app-store [options] [<scenario>] ...
            """,
        discussion: """
            The companion service runs next to your server. It receives Apple's notifications at \
            /apple/notifications, stores them in the vault, and serves checks, explanations, timelines, balances, \
            spends, grants, offers and the product list under /v1; /openapi.yaml describes the API. The app, its roots, \
            catalogs and vault are settings in storekeeper.yaml or options.

            Each caller sends an API key with a scope: check; desk, grant, claim, offer and spend, which include check; or \
            admin, which includes all. Create one:

              storekeeper serve --new-key game-server --scope spend

            The file storekeeper.keys contains only its hash; the service reads the file again when it changes. Then:

              curl -H "Authorization: Bearer $KEY" \\
                http://127.0.0.1:8080/v1/customers/anna/entitlements

            The page at /desk is for people who answer tickets. The service asks Apple for it, and exchanges receipts \
            of the original StoreKit that are posted as transactions, with the key of APP_STORE_PRIVATE_KEY_FILE, or \
            else with that of --offer-key. With --app-store-server it asks a local App Store instead.

            A webhook posts each change of an answer to one of your servers. --new-webhook-secret makes its secret; \
            storekeeper.yaml describes it:

              serve:
                webhooks:
                  billing:
                    url: https://billing.example.com/storekeeper
                    secretFile: billing.secret

            Optional settings are 'timeout', the limit of an attempt (15s); 'giveUpAfter' (3d), after which a \
            message is parked; and 'allowHttp: true', which permits http for every host. Each is also a variable, such as \
            STOREKEEPER_SERVE_WEBHOOKS_BILLING_URL.

            With --local-app-store, this command serves a local App Store for tests, with the options of \
            'storekeeper local-app-store'; see its help.

            Every option except those of new keys is also a setting in storekeeper.yaml and a variable, such as \
            STOREKEEPER_SERVE_PORT; an option overrides a variable, which overrides the file.

            EXIT STATUS
              0   stopped by the user, or ready  66  a file cannot be read
              1   not ready                      69  the port cannot be used, or no
              64  wrong usage                        answer
              65  a file is malformed            73  a file cannot be written

            EXAMPLES
              The companion service:
                storekeeper serve --vault customers.sqlite --port 8080
            """)

    @OptionGroup(title: "Companion options") var companion: CompanionOptions

    @Flag(name: .long, help: "Serve a local App Store instead; see 'storekeeper help local-app-store'.")
    var localAppStore = false

    @OptionGroup(visibility: .hidden) var local: LocalAppStoreOptions
    @OptionGroup var listening: ListeningOptions
    @OptionGroup(title: "Connection options") var connection: ConnectionOptions

    @Option(name: .long, help: ArgumentHelp("text for people, json for programs.", valueName: "text|json"))
    var format: OutputFormat = .text

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        guard localAppStore else { return try await serveCompanion(on: console) }
        if let option = companion.named {
            throw .usage(
                "\(option) is an option of the companion service", at: "--local-app-store", "leave out one of them")
        }
        var command = LocalAppStoreCommand()
        command.options = local
        command.listening = listening
        command.connection = connection
        command.format = format
        return try await command.run(on: console)
    }
}
