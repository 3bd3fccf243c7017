import ArgumentParser
import FoundationEssentials
import Storekeeper

/// `storekeeper vault claim --customer ID (--token UUID | --original-transaction ID)`.
struct VaultClaimCommand: ConsoleCommand, EvidenceOptionGroups {
    static let configuration = CommandConfiguration(
        commandName: "claim",
        abstract: "Assigns a token or a purchase to a customer, and imports parked facts.",
        usage: """
            storekeeper vault claim --customer ID --token UUID [options]
            storekeeper vault claim --customer ID --original-transaction ID [options]
            storekeeper vault claim --customer ID … --transfer --reason TEXT
            """,
        discussion: """
            The first claim is permanent, whatever 'accountTokens' in storekeeper.yaml says; repeating it gives \
            the same answer. A token or purchase of another customer is not moved: the answer is no. With \
            --transfer it moves: both histories record it with the --reason, and what it added to balances is \
            taken back there, as --refunds says, and credited here. A token takes its purchases along. A token that is \
            another customer's id is theirs, even if the vault does not know them; only for a customer whose id is \
            no UUID, check that the token is not such an id. A token may be claimed before its first purchase. A \
            purchase of which the vault has no evidence is claimed only with --force, --bundle-id and --environment.

            The app itself is claimed as the purchase 'app:' and its appTransactionId, such as \
            app:700000000000000001; 'vault parked' lists it by this id.

            In JSON the answer is {"bound":true}; otherwise "bound" is false and "conflict" contains the customer \
            and the "originalTransactionID" or the "token".

            EXIT STATUS
              0   it belongs to the customer
              1   it belongs to another customer
              64  wrong usage
              65  the file or database is not a vault
              66  there is no vault
              69  it is locked, or the database cannot be reached or refuses
              73  it cannot be written

            EXAMPLES
              The app gave anna this token for her purchases:
                storekeeper vault claim --customer anna \\
                  --token 7e3fb204-94ac-4c5c-ae9b-1f0c2bd2a7d4

              A purchase by offer code, which has no token:
                storekeeper vault claim --customer anna \\
                  --original-transaction 2000000012345678
            """)

    @Option(name: .long, help: ArgumentHelp("The token that purchases carry as appAccountToken.", valueName: "uuid"))
    var token: String?

    @Option(
        name: .customLong("original-transaction"),
        help: ArgumentHelp("The original transaction of the purchase, or app:ID.", valueName: "id"))
    var originalTransaction: String?

    @Flag(name: .long, help: "Claims a purchase of which the vault has no evidence.")
    var force = false

    @Flag(name: .long, help: "Moves the token or purchase from the customer who has it.")
    var transfer = false

    @Option(name: .long, help: ArgumentHelp("Why it moves; both histories show it.", valueName: "text"))
    var reason: String?

    @OptionGroup var customerOption: CustomerOption
    @OptionGroup(title: "Vault options") var options: VaultPathOptions
    @OptionGroup(title: "Policy options") var refunds: RefundOptions
    @OptionGroup(title: "Evidence options") var trust: TrustOptions
    @OptionGroup(title: "Evidence options") var list: CatalogOptions
    // This command accepts and ignores these options, so that all evidence commands accept the same options.
    @OptionGroup(visibility: .hidden) var question: QuestionOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let customer = try customerOption.id()
        let settings = try Settings(
            evidenceOptions, source: .vault, refunds: refunds.policy, on: console)
        let move = try self.move()
        let catalog = try Catalog(of: settings)
        let claim = try Claim(self)
        let place = try settings.vault(options.vault, patience: options.patienceSpan)
        let (namesEnvironment, isForced) = (!trust.environment.isEmpty, force)
        let outcome = try await place.with(for: .writing, tokens: settings.accountTokens) {
            vault -> ClaimOutcome in
            let store = try await Store.open(
                customer: customer,
                configuration: StoreConfiguration(catalog: catalog, policy: settings.entitlementPolicy), vault: vault,
                verifier: RefusingVerifier(environments: settings.environments), clock: VirtualClock(console.now))
            let subject: BindingSubject
            switch claim {
            case .token(let token): subject = .token(token)
            case .purchase(let id):
                let known = try await vault.chains(originalID: id)
                subject = .chain(
                    try Self.chain(
                        id, among: known, settings, namesEnvironment: namesEnvironment, isForced: isForced))
            }
            if let move { return .claimed(try await store.transfer(subject, because: move).adopted) }
            switch subject {
            case .token(let token): return try await store.claim(token: token)
            case .chain(let chain): return try await store.claim(chain)
            }
        }
        if case .claimed(let report) = outcome {
            for id in report.creditedProductIDs.sorted() where catalog.hasNoGrants(id) {
                console.report(.ungranted(id))
            }
        }
        return print(outcome, of: claim, on: console)
    }

    /// Returns the reason of a transfer; `nil` without `--transfer`.
    private func move() throws(CommandError) -> String? {
        guard transfer else {
            guard reason == nil else {
                throw .usage("a reason is given without --transfer", at: "--reason", "add --transfer, or leave it out")
            }
            return nil
        }
        guard let reason, !reason.isEmpty else {
            throw .usage("a transfer needs a reason", at: "--transfer", "add --reason TEXT")
        }
        return reason
    }

    /// Returns the chain of a purchase.
    ///
    /// If the vault does not contain the chain, the options must name its app and environment, and force the claim.
    private static func chain(
        _ id: Transaction.ID, among known: [ChainID], _ settings: Settings, namesEnvironment: Bool, isForced: Bool
    ) throws(CommandError) -> ChainID {
        let meant = known.filter { chain in
            (settings.bundleID.map { $0 == chain.bundleID } ?? true)
                && (!namesEnvironment || settings.environments.contains(chain.environment))
        }
        if let only = meant.first, meant.count == 1 { return only }
        guard meant.isEmpty else {
            throw .usage(
                "the vault knows \(meant.count) purchases with this id, of several apps or environments",
                at: "--original-transaction", "choose one with --bundle-id and --environment")
        }
        guard isForced else {
            throw .usage(
                "the vault has no evidence of this purchase", at: "--original-transaction",
                "check the id and import the purchase's evidence, or claim it all the same with --force")
        }
        guard let bundleID = settings.bundleID, let environment = settings.environments.first,
            settings.environments.count == 1
        else {
            throw .usage(
                "the vault does not know this purchase", at: "--original-transaction",
                "to claim it in advance, name the app with --bundle-id and one --environment")
        }
        return ChainID(bundleID: bundleID, environment: environment, originalID: id)
    }

    private func print(_ outcome: ClaimOutcome, of claim: Claim, on console: Console) -> ExitStatus {
        switch outcome {
        case .claimed(let report):
            let taken =
                report.new == 0 ? "" : " \(report.new) parked fact\(report.new == 1 ? " was" : "s were") imported."
            console.print(
                output.format, json: .object(["bound": .bool(true)]),
                lines: ["\(claim.words) belongs to \(customerOption.customer).\(taken)".onOneLine])
            return .success
        case .refused(let holder):
            var conflict: [String: JSONText] = ["customer": .string(holder.rawValue)]
            switch claim {
            case .token(let token): conflict["token"] = .string(token.uuidString.lowercased())
            case .purchase(let id): conflict["originalTransactionID"] = .string(id.rawValue)
            }
            console.print(
                output.format, json: .object(["bound": .bool(false), "conflict": .object(conflict)]),
                lines: ["\(claim.words) belongs to \(holder); nothing was changed.".onOneLine])
            return .no
        }
    }
}

/// The subject of a claim.
private enum Claim {
    case token(UUID)
    case purchase(Transaction.ID)

    init(_ command: VaultClaimCommand) throws(CommandError) {
        switch (command.token, command.originalTransaction) {
        case (let text?, nil):
            guard let token = UUID(uuidString: text) else {
                throw .usage("'\(text)' is not a UUID", at: "--token", "give the token as the app made it")
            }
            self = .token(token)
        case (nil, let id?):
            guard !id.isEmpty else {
                throw .usage("the id is empty", at: "--original-transaction", "give the id of the purchase")
            }
            self = .purchase(Transaction.ID(rawValue: id))
        case (nil, nil):
            throw .usage(
                "neither a token nor a purchase is given", at: "claim",
                "give --token UUID or --original-transaction ID")
        case (.some, .some):
            throw .usage("a token and a purchase are both given", at: "claim", "leave out one of them")
        }
    }

    /// The subject of the claim, as messages name it.
    var words: String {
        switch self {
        case .token(let token): "The token \(token.uuidString.lowercased())"
        case .purchase(let id): "The purchase \(id)"
        }
    }
}

extension IngestReport {
    /// The ids of the consumables that were credited.
    fileprivate var creditedProductIDs: Set<Product.ID> {
        Set(
            entries.compactMap { entry in
                guard entry.kind == .credit, case .transaction(_, let productID, _) = entry.cause else { return nil }
                return productID
            })
    }
}
