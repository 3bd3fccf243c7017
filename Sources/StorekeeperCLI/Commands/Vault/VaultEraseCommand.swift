import ArgumentParser
import Storekeeper

/// `storekeeper vault erase --customer ID --reason TEXT`.
struct VaultEraseCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erases a customer permanently, and keeps a proof of the erasure.",
        usage: "storekeeper vault erase --customer ID --reason TEXT [options]",
        discussion: """
            Removes all evidence and the account. The reason stays in the vault, so it should contain no names. \
            Backups and exports are not changed. To undo an erasure, import the customer again. The erased bytes \
            are overwritten at once, unless another process is reading an older state of the vault: then a note on \
            standard error reports that they remain until that reader is done.

            The name is stored only as a hash, keyed with a secret in a separate file: the vault's path and \
            '-secret'. The vault alone does not permit guessing erased names; with both files, 'history' answers \
            for a given name. Move them together; a backup does not contain the secret.

            If a purchase was moved between the customer and another one, the other account records both ids, and \
            keeps them until the other customer is erased.

            Coins are credited once, also across an erasure: the vault keeps a keyed hash of each credited \
            transaction and of each used key. If such a transaction is imported again, it is known, not credited, \
            and reported as creditedBefore; such a key is refused. A separate secret in the vault keys these \
            hashes; exports do not contain it.

            In a database the secret of names is the table storekeeper.erasure_secret, which a dump can exclude. \
            Erased data is invisible at once; its bytes are removed when PostgreSQL vacuums, and stay in its log \
            and backups as long as these are kept.

            EXIT STATUS
              0   done
              1   there is no data about the customer; nothing was written
              64  wrong usage
              65  the file or database is not a vault
              66  there is no vault
              69  it is locked, or the database cannot be reached or refuses
              73  it cannot be written

            EXAMPLES
              storekeeper vault erase --customer anna --reason "request 2026-17"
            """)

    @Option(name: .long, help: ArgumentHelp("The reason; it should contain no names.", valueName: "text"))
    var reason: String

    @OptionGroup var customerOption: CustomerOption
    @OptionGroup(title: "Vault options") var options: VaultOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let customer = try customerOption.id()
        let (reason, now) = (reason, console.now)
        guard !reason.isEmpty else {
            throw .usage("the reason is empty", at: "--reason", "give a reason that contains no names")
        }
        let place = try VaultSettings(options, on: console).place
        // The vault is first opened only for reading, so that the file is not changed for an unknown customer.
        let isKnown = try await place.with(for: .reading) { vault in try await vault.containsCustomer(customer) }
        guard isKnown else {
            console.errors.line(CommandError.unknownCustomer(customer, "nothing was erased").description)
            return .no
        }
        let (erasure, isHeld) = try await place.with(for: .writing) { vault in
            (try await vault.erase(customer, reason: reason, at: now), vault.holdsErasedBytes)
        }
        if isHeld {
            let words =
                "another process is reading an older state of the vault (\(place.name)): until it ends and the vault is "
                + "closed, its files still contain the erased data"
            console.note(words)
        }
        console.print(
            output.format,
            json: .object([
                "facts": .whole(erasure.facts), "entries": .whole(erasure.entries), "proof": .string(erasure.proof),
            ]),
            lines: "Erased \(AccountStatement.amount(erasure.facts, erasure.entries)). Proof: \(erasure.proof)"
                .onOneLine.wrapped(to: console.columns))
        return .success
    }
}
