import ArgumentParser
import Storekeeper
import StorekeeperPages

/// The options of a local App Store.
struct LocalAppStoreOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("A scenario file, or catalogs.", valueName: "scenario"),
        completion: .file(extensions: ["yaml", "yml", "storekit", "json", "plist"]))
    var scenarios: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("Write everything that the scenario signed, one compact JWS per line.", valueName: "file"))
    var evidence: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Write the root certificate: DER if the name ends in .cer or .der, otherwise PEM.", valueName: "file"))
    var rootOut: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Start the story at this time instead of the file's; 'now' means this machine's clock.",
            valueName: "time"))
    var start: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Accept only tokens signed with this key: a .p8 file, or its public key.", valueName: "file")
    )
    var apiKey: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Create such a key, write it to this file, and accept only its tokens.", valueName: "file"))
    var newApiKey: String?

    @Option(name: .long, help: ArgumentHelp("The id of the key.", valueName: "id"))
    var keyID: String?

    @Option(name: .long, help: ArgumentHelp("The issuer id of the tokens.", valueName: "id"))
    var issuerID: String?

    @Option(name: .long, help: ArgumentHelp("Send notifications to this URL.", valueName: "url"))
    var webhook: String?

    @Flag(name: .long, help: "Retry failed notifications after 1, 12, 24, 48 and 72 hours, also in the sandbox.")
    var webhookRetries = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Limit requests to this fraction of the App Store's limits: 1 for production, 0.1 for the sandbox.",
            valueName: "factor"))
    var rateLimit: Double?

    @Flag(
        name: .long,
        help: "Name this store in certificates as their OCSP responder, at /ocsp; requires a --port other than 0.")
    var ocsp = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Record everything in this file, a scenario, and the authority's keys next to it; if the file exists, "
                + "resume from it.", valueName: "file"))
    var state: String?

    @Option(name: .long, help: ArgumentHelp("Random seed; overrides the scenario's.", valueName: "n"))
    var seed: UInt64?

    /// Checks the options that can be checked without files.
    ///
    /// - Parameter address: The address to listen at.
    func check(at address: ListenAddress) throws(CommandError) {
        if let rateLimit, !(rateLimit > 0 && rateLimit.isFinite) {
            throw .usage(
                "\(rateLimit) is not a fraction of a limit", at: "--rate-limit", "use a number above 0, such as 1")
        }
        guard !ocsp || address.port != 0 else {
            throw .usage("certificates name the port", at: "--ocsp", "add --port N")
        }
        guard !webhookRetries || webhook != nil else {
            throw .usage("--webhook-retries needs an address", at: "storekeeper local-app-store", "add --webhook URL")
        }
        if let webhook, !webhook.hasPrefix("http://"), !webhook.hasPrefix("https://") {
            throw .usage("'\(webhook)' is not a web address", at: "--webhook", "begin it with http:// or https://")
        }
    }
}
