import ArgumentParser
import Storekeeper

/// `storekeeper vault grant --customer ID (BALANCE QUANTITY | --feature|--product ID --until TIME)`.
struct VaultGrantCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant",
        abstract: "Adds to a balance, or gives access, without a purchase: a gift, a compensation.",
        usage: """
            storekeeper vault grant --customer ID BALANCE QUANTITY
              --key KEY --reason TEXT [options]
            storekeeper vault grant --customer ID (--feature ID | --product ID)
              --until TIME --key KEY --reason TEXT [options]
            """,
        discussion: """
            The account shows the reason. The key works as in 'vault spend': repeating the same request with the \
            same key adds nothing.

            With --feature or --product the customer has access from now on until --until, or until \
            'vault revoke-grant'. The answer is then 'entitled', with the reason 'granted', unless a purchase gives \
            access, which comes first. A granted product also gives its features. A grant is not a purchase: it \
            changes no subscription status and no balance, and the App Store does not learn of it. A consumable is \
            refused: grant units of its balance instead.

            In JSON the answer about access is {"customer":"anna","grant":{"key":"ticket-4711","feature":"pro",
            "grantedAt":"…","until":"…","reason":"…","recordedBy":"…"},"replayed":false}.

            EXIT STATUS
              0   granted, now or before
              64  wrong usage, or the key was used for another request
              65  the file or database is not a vault
              66  there is no vault
              69  it is locked, or the database cannot be reached or refuses
              73  it cannot be written

            EXAMPLES
              storekeeper vault grant --customer anna coins 100 \\
                --key ticket-4711 --reason "lost match"
              storekeeper vault grant --customer anna --feature pro \\
                --until 2026-04-01 --key ticket-4712 --reason "outage" --by maria
            """)

    @Argument(help: ArgumentHelp("The name of the balance.", valueName: "balance"))
    var balance: String?

    @Argument(
        help: ArgumentHelp("The number of units: a whole number of at least 1.", valueName: "quantity"),
        transform: BalanceRequestOptions.quantity)
    var quantity: Int64?

    @Option(name: .long, help: ArgumentHelp("Give access to a feature of the catalog.", valueName: "id"))
    var feature: String?

    @Option(name: .long, help: ArgumentHelp("Give access to a product, and to its features.", valueName: "id"))
    var product: String?

    @Option(name: .long, help: ArgumentHelp("The end of the access, in the future.", valueName: "time"))
    var until: String?

    @Option(name: .long, help: ArgumentHelp("A unique key for this request.", valueName: "key"))
    var key: String

    @OptionGroup var record: RecordOptions
    @OptionGroup var customerOption: CustomerOption
    @OptionGroup(title: "Vault options") var options: VaultOptions
    @OptionGroup(title: "Vault options") var list: CatalogOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let customer = try customerOption.id()
        try record.check()
        let settings = try VaultSettings(options, list: list, on: console)
        guard let access = try access(on: console) else {
            guard let balance, let quantity else {
                throw .usage(
                    "it is not named what is granted", at: "vault grant",
                    "give BALANCE and QUANTITY, or --feature or --product with --until")
            }
            return try await BalanceMove(
                request: .grant(
                    quantity, of: Balance.ID(balance), to: customer, because: record.reason,
                    key: LedgerRequest.Key(key),
                    at: console.now, recordedBy: record.by),
                settings: settings, format: output.format
            ).run(on: console)
        }
        guard !key.isEmpty else { throw .emptyKey }
        let receipt = try await AccessMove(customer: customer, settings: settings).run(on: console) { store in
            try await store.grantAccess(
                to: access.subject, until: access.until, because: record.reason, key: AccessGrant.ID(key),
                recordedBy: record.by)
        }
        let grant = receipt.grant
        let end = grant.revocation.map { "it was revoked at \($0.at)" } ?? "until \(grant.until)"
        let text =
            receipt.isReplay
            ? "Granted before: \(grant.subject), \(end)." : "Granted \(grant.subject) until \(grant.until)."
        console.print(output.format, json: receipt.json, lines: [text.onOneLine])
        return .success
    }

    /// Returns the access to grant; `nil` if units of a balance are granted instead.
    private func access(
        on console: Console
    ) throws(CommandError) -> (subject: AccessGrant.Subject, until: Instant)? {
        let subject: AccessGrant.Subject
        switch (feature, product) {
        case (nil, nil):
            guard until == nil else {
                throw .usage("units have no end", at: "--until", "name --feature ID or --product ID, or leave it out")
            }
            return nil
        case (.some, .some): throw .usage("both a feature and a product are given", at: "--product", "give one of them")
        case (let id?, nil): subject = .feature(Feature.ID(id))
        case (nil, let id?): subject = .product(Product.ID(id))
        }
        guard balance == nil else {
            throw .usage("both a balance and access are given", at: "BALANCE", "give one of them")
        }
        guard !subject.name.isEmpty else {
            throw .usage(
                "the id is empty", at: feature == nil ? "--product" : "--feature", "give the id of the catalog")
        }
        guard let end = try Instant(option: until, at: "--until") else {
            throw .usage("no end of the access is given", at: "--until", "give a time, such as 2026-04-01")
        }
        return (subject, end)
    }
}
