import ArgumentParser
import Storekeeper

/// The options of the companion service, which override the settings under `serve` in storekeeper.yaml.
struct CompanionOptions: ParsableArguments, EvidenceOptionGroups {
    @Option(
        name: .long,
        help: ArgumentHelp("The file with the API keys of callers. Default: storekeeper.keys.", valueName: "file"))
    var keys: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Create an API key with this name, print it once, and exit.", valueName: "name"))
    var newKey: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The scope of the new key: ask questions (check); also view the page (desk), grant access there (grant), "
                + "assign purchases (claim), sign offers (offer), or change balances and submit transactions (spend); "
                + "everything (admin); several with commas between them.",
            valueName: "scope"))
    var scope: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The rate limit of the new key, in requests per second. Default: no limit.", valueName: "n"))
    var rate: Double?

    @Option(
        name: .long,
        help: ArgumentHelp("When the new key expires, a time in RFC 3339. Default: never.", valueName: "time")
    )
    var expires: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Sign leases with the first P-256 key in this file.", valueName: "file"))
    var leaseKey: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The maximum life of a lease, 1s to 1d. Default: 5m.", valueName: "time"))
    var leaseLife: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Create a key for leases, write it to this file, and exit.", valueName: "file"))
    var newLeaseKey: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Create a secret for webhooks, write it to this file, and exit.", valueName: "file"))
    var newWebhookSecret: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Sign promotional offers with this In-App Purchase key, a .p8 file.", valueName: "file"))
    var offerKey: String?

    @Option(name: .long, help: ArgumentHelp("The id of the offer key.", valueName: "id"))
    var offerKeyId: String?

    @Option(name: .long, help: ArgumentHelp("The issuer id of the team of the offer key.", valueName: "id"))
    var offerIssuerId: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Ask this server instead of Apple's, such as a local App Store; for one environment that is "
                + "not Production.", valueName: "url"))
    var appStoreServer: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Use TLS with the certificates in this PEM file, the server's first.", valueName: "file"))
    var certificate: String?

    @Option(name: .long, help: ArgumentHelp("The private key of the certificate, in PEM.", valueName: "file"))
    var privateKey: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The log level; info logs one line per request. Default: notice.",
            valueName: "debug|info|notice|warning|error"))
    var log: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The log format: text, or one JSON object per line. Default: text.", valueName: "text|json"))
    var logFormat: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Where the log goes: to standard error, or to standard output, where the address is then a log line. "
                + "Default: error.", valueName: "error|output"))
    var logTo: String?

    @Option(name: .long, help: ArgumentHelp("The maximum number of connections. Default: 4096.", valueName: "n"))
    var connections: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Also serve /health and /metrics at this port, with connections of their own. Default: none.",
            valueName: "n"))
    var healthPort: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Requests per second and address to endpoints without a key; only refused notifications count; "
                + "0 turns off all limits by address, as is needed behind a proxy. Default: 100.", valueName: "n"))
    var openRate: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Whether to serve the customer support page at /desk, for holders of a desk or admin key. Default: true "
                + "if only this machine can connect.", valueName: "true|false"))
    var desk: String?

    @Option(name: .long, help: RevocationOptions.help)
    var revocation: String?

    @Flag(
        name: .long,
        help: "Check whether the service that runs with these settings is ready, then exit; for health checks."
    )
    var isReady = false

    @OptionGroup var vault: VaultPathOptions
    @OptionGroup var trust: TrustOptions
    @OptionGroup var list: CatalogOptions
    @OptionGroup(visibility: .hidden) var question: QuestionOptions

    /// The settings that are given as options.
    var settings: [ServiceKey: String] {
        let options: [ServiceKey: String?] = [
            .keys: keys, .leaseKey: leaseKey, .leaseLife: leaseLife, .certificate: certificate, .privateKey: privateKey,
            .log: log, .connections: connections, .desk: desk, .logFormat: logFormat, .logTo: logTo,
            .healthPort: healthPort, .openRate: openRate,
            .revocation: revocation, .offerKey: offerKey, .offerKeyId: offerKeyId, .offerIssuerId: offerIssuerId,
            .appStoreServer: appStoreServer,
        ]
        return options.compactMapValues(\.self)
    }

    /// The name of the first given option of the companion service; `nil` if none is given.
    var named: String? {
        let others = [
            ("--new-key", newKey != nil), ("--scope", scope != nil), ("--rate", rate != nil),
            ("--expires", expires != nil), ("--new-lease-key", newLeaseKey != nil),
            ("--new-webhook-secret", newWebhookSecret != nil), ("--vault", vault.vault != nil),
            ("--is-ready", isReady),
        ]
        return ServiceKey.allCases.first { settings[$0] != nil }?.option ?? others.first { $0.1 }?.0
    }
}
