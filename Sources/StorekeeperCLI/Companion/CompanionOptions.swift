import ArgumentParser
import Storekeeper

/// The options of the companion service, which override `serve` in storekeeper.yaml.
struct CompanionOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("The file with the keys of callers. Default: storekeeper.keys.", valueName: "file"))
    var keys: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Make a key with this name, print it once, and serve nothing.", valueName: "name"))
    var newKey: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The scope of the new key: ask (check); also view the page (desk), assign purchases to customers (claim), or "
                + "change balances and submit transactions (spend); all (admin).",
            valueName: "check|desk|claim|spend|admin"))
    var scope: String?

    @Option(
        name: .long,
        help: ArgumentHelp("How many requests a second the new key may make. Default: no limit.", valueName: "n"))
    var rate: Double?

    @Option(
        name: .long, help: ArgumentHelp("When the new key ends, a time in RFC 3339. Default: never.", valueName: "time")
    )
    var expires: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Sign leases with the P-256 key in this file; the first of several.", valueName: "file"))
    var leaseKey: String?

    @Option(
        name: .long,
        help: ArgumentHelp("How long a lease lasts at most, 1s to 1d. Default: 5m.", valueName: "time"))
    var leaseLife: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Make a key for leases, write it, and serve nothing.", valueName: "file"))
    var newLeaseKey: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Encrypt with the certificates in this file, PEM, the server's first.", valueName: "file"))
    var certificate: String?

    @Option(name: .long, help: ArgumentHelp("The key of the certificate, PEM.", valueName: "file"))
    var privateKey: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "From which level on to log what happens; info has a line a request. Default: notice.",
            valueName: "debug|info|notice|warning|error"))
    var log: String?

    @Option(
        name: .long,
        help: ArgumentHelp("What the log is: text, or a JSON object a line. Default: text.", valueName: "text|json"))
    var logFormat: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Where the log goes: to standard error, or to standard output, where the address is then a line of it. "
                + "Default: error.", valueName: "error|output"))
    var logTo: String?

    @Option(name: .long, help: ArgumentHelp("How many connections there may be. Default: 4096.", valueName: "n"))
    var connections: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "How many requests a second an address may make to what takes no key; of notifications only those that are "
                + "refused count; 0 without limit. Default: 100.", valueName: "n"))
    var openRate: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Whether to serve a page at /desk, on which holders of a desk or admin key look up customers. Default: true "
                + "if only this machine can ask.", valueName: "true|false"))
    var desk: String?

    @Option(name: .long, help: RevocationOptions.help)
    var revocation: String?

    @Flag(
        name: .long,
        help: "Ask the service that runs with these settings whether it is ready, and serve nothing; for health checks."
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
            .openRate: openRate,
            .revocation: revocation,
        ]
        return options.compactMapValues(\.self)
    }

    /// The first of these options that is given.
    var named: String? {
        let others = [
            ("--new-key", newKey != nil), ("--scope", scope != nil), ("--rate", rate != nil),
            ("--expires", expires != nil), ("--new-lease-key", newLeaseKey != nil), ("--vault", vault.vault != nil),
            ("--is-ready", isReady),
        ]
        return ServiceKey.allCases.first { settings[$0] != nil }?.option ?? others.first { $0.1 }?.0
    }
}
