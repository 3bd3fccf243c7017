import ArgumentParser

/// The options of all commands that read evidence.
struct EvidenceOptions: ParsableArguments {
    @OptionGroup(title: "Evidence options") var trust: TrustOptions
    @OptionGroup(title: "Evidence options") var list: CatalogOptions
    @OptionGroup(title: "Evidence options") var question: QuestionOptions

    init() {}

    init(trust: TrustOptions, list: CatalogOptions, question: QuestionOptions) {
        self.trust = trust
        self.list = list
        self.question = question
    }
}

/// Options whose parts about evidence are separate groups, because the parser handles a group within a group slowly.
protocol EvidenceOptionGroups {
    var trust: TrustOptions { get }
    var list: CatalogOptions { get }
    var question: QuestionOptions { get }
}

extension EvidenceOptionGroups {
    /// The options about evidence.
    var evidenceOptions: EvidenceOptions { EvidenceOptions(trust: trust, list: list, question: question) }
}

extension ArgumentHelp {
    /// The help of `--root`.
    static let root = ArgumentHelp(
        "A trusted root certificate, DER or PEM; may be repeated. Default: the file named by "
            + "STOREKEEPER_ROOT, else the root of storekeeper.yaml. Xcode's own certificate counts with "
            + "--environment Xcode.", valueName: "file")
}

/// The options that determine which evidence is trusted.
///
/// A group within a group costs the parser several times as long, in a debug build a tenth of a second.
struct TrustOptions: ParsableArguments {
    @Option(name: .long, parsing: .singleValue, help: .root, completion: .file())
    var root: [String] = []

    @Option(
        name: .customLong("bundle-id"),
        help: ArgumentHelp(
            "The bundle id that evidence must name; without it bundle ids are not compared.", valueName: "id"))
    var bundleID: String?

    @Option(
        name: .customLong("app-apple-id"),
        help: ArgumentHelp("The App Store's number for the app, compared in production.", valueName: "number"))
    var appAppleID: String?

    @Option(
        name: .long, parsing: .singleValue,
        help: ArgumentHelp(
            "An environment to accept: Production, Sandbox, Xcode or LocalTesting; may be repeated. "
                + "Default: STOREKEEPER_ENVIRONMENTS, else those of storekeeper.yaml, else Production.",
            valueName: "name"),
        completion: .list(["Production", "Sandbox", "Xcode", "LocalTesting"]))
    var environment: [String] = []

    @Option(name: .long, help: .config, completion: .file(extensions: ["yaml", "yml"]))
    var config: String?
}

/// The catalog files.
struct CatalogOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .singleValue,
        help: ArgumentHelp(
            "A file that describes the products: plist, JSON or .storekit; may be repeated.", valueName: "file"),
        completion: .file(extensions: ["plist", "json", "storekit"]))
    var catalog: [String] = []
}

/// The options that set the time for which the command answers, and the rules that decide access.
struct QuestionOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The instant to answer for, such as 2026-03-01T09:30:00Z, 2026-03-01 (midnight UTC) or "
                + "milliseconds since 1970. Default: now, by this machine's clock or the newest verified signature of the "
                + "evidence, if that is at most 60 seconds ahead.", valueName: "time"))
    var at: String?

    @Option(
        name: .customLong("as-known-at"),
        help: ArgumentHelp("Count only facts that the vault had learned by then; needs a vault.", valueName: "time"))
    var asKnownAt: String?

    @Flag(
        name: .long,
        help: "Also accept decoded payloads without a signature, and mark every answer as unverified.")
    var unsigned = false

    @Option(
        name: .customLong("renewal-leeway"),
        help: ArgumentHelp(
            "How late a renewal may be that a renewal info announces, such as PT1H, 30m, 90s; at most 24 hours; without an "
                + "info it changes nothing.",
            valueName: "duration"))
    var renewalLeeway: String?

    @Flag(name: .customLong("no-grace"), help: "The billing grace period gives no access.")
    var noGrace = false

    @Flag(name: .customLong("billing-retry-entitles"), help: "Billing retry gives access.")
    var billingRetryEntitles = false
}
