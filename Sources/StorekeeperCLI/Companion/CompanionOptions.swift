import ArgumentParser
import Storekeeper

/// The options of the companion service: one for each of its ``ServiceSettings``, which it overrides, and ``Own``.
///
/// The parser finds the options of a type in its mirror, and hands their values to its decoder, so the options of the
/// settings need no properties.
@dynamicMemberLookup
struct CompanionOptions: ParsableArguments, CustomReflectable, EvidenceOptionGroups {
    /// The options that are not settings.
    struct Own: ParsableArguments {
        @Option(
            name: .long,
            help: ArgumentHelp("Create an API key with this name, print it once, and exit.", valueName: "name"))
        var newKey: String?

        @Option(
            name: .long,
            help: ArgumentHelp(
                "The scope of the new key: ask questions (check); also view the page (desk), grant access there "
                    + "(grant), assign purchases (claim), sign offers (offer), or change balances and submit "
                    + "transactions (spend); everything (admin); several with commas between them.",
                valueName: "scope"))
        var scope: String?

        @Option(
            name: .long,
            help: ArgumentHelp(
                "The rate limit of the new key, in requests per second. Default: no limit.", valueName: "n"))
        var rate: Double?

        @Option(
            name: .long,
            help: ArgumentHelp("When the new key expires, a time in RFC 3339. Default: never.", valueName: "time")
        )
        var expires: String?

        @Option(
            name: .long,
            help: ArgumentHelp("Create a key for leases, write it to this file, and exit.", valueName: "file"))
        var newLeaseKey: String?

        @Option(
            name: .long,
            help: ArgumentHelp("Create a secret for webhooks, write it to this file, and exit.", valueName: "file"))
        var newWebhookSecret: String?

        @Flag(
            name: .long,
            help: "Check whether the service that runs with these settings is ready, then exit; for health checks."
        )
        var isReady = false

        @OptionGroup var vault: VaultPathOptions
        @OptionGroup var trust: TrustOptions
        @OptionGroup var list: CatalogOptions
        @OptionGroup(visibility: .hidden) var question: QuestionOptions
    }

    private var own = Own()

    /// The settings that are given as options, by name.
    private(set) var settings: [String: String] = [:]

    subscript<Value>(dynamicMember path: KeyPath<Own, Value>) -> Value { own[keyPath: path] }

    var trust: TrustOptions { own.trust }
    var list: CatalogOptions { own.list }
    var question: QuestionOptions { own.question }

    init() {}

    init(from decoder: any Decoder) throws {
        // The parser checks the names of the first container, which must permit all.
        let values = try decoder.container(keyedBy: Name.self)
        own = try Own(from: decoder)
        for setting in Self.declared {
            let option = try values.decode(Option<String?>.self, forKey: Name(stringValue: setting.name))
            settings[setting.name] = option.wrappedValue
        }
    }

    /// The name of an option, as the parser knows it.
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private static var declared: [Setting<ServiceSettings>] { ServiceSettings.settings.filter { $0.sentence != nil } }

    /// The first options in the help.
    ///
    /// The other settings follow, and then the other options.
    private static let first = [
        "keys", "_newKey", "_scope", "_rate", "_expires", "leaseKey", "leaseLife", "_newLeaseKey", "_newWebhookSecret",
        "offerKey", "offerKeyId", "offerIssuerId", "appStoreServer",
    ]

    var customMirror: Mirror {
        let initial = ServiceSettings()
        let options = Self.declared.map { setting -> Mirror.Child in
            (setting.name, Option<String?>(name: .long, help: setting.help(of: initial)))
        }
        let children = options + Mirror(reflecting: own).children
        let first = Self.first.compactMap { name in children.first { $0.label == name } }
        return Mirror(self, children: first + children.filter { !Self.first.contains($0.label ?? "") })
    }

    /// The name of the first given option of the companion service; `nil` if none is given.
    var named: String? {
        let others = [
            ("--new-key", own.newKey != nil), ("--scope", own.scope != nil), ("--rate", own.rate != nil),
            ("--expires", own.expires != nil), ("--new-lease-key", own.newLeaseKey != nil),
            ("--new-webhook-secret", own.newWebhookSecret != nil), ("--vault", own.vault.vault != nil),
            ("--is-ready", own.isReady),
        ]
        return Self.declared.first { settings[$0.name] != nil }?.sameOption ?? others.first { $0.1 }?.0
    }
}
