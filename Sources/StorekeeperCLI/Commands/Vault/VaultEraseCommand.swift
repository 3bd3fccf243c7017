import ArgumentParser
import Storekeeper

/// `storekeeper vault erase --customer ID --reason TEXT`.
struct VaultEraseCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Forgets a customer for good, and keeps the proof that it was done.",
        usage: "storekeeper vault erase --customer ID --reason TEXT [options]",
        discussion: """
            Takes out all evidence and empties the account. The reason stays in the vault: it should name nobody. \
            Backups and exports are not touched. There is no way back but importing the customer again. What was \
            erased is overwritten at once, unless another process reads the vault as it was before: then a note on \
            standard error says that its bytes wait for that reader.

            The name is kept as a hash only, made with a secret that stands in a file of its own, the vault's path \
            and '-secret'. With the vault alone nobody can find out by trying names who was erased; with both, \
            'history' answers whoever knows the name. Move them together; a backup has no secret.

            Coins are credited once, also across an erasure: the vault keeps a keyed hash of each transaction that was \
            credited, and of each key that was used. Imported again, such a transaction is known and not credited, and \
            is reported as creditedBefore; such a key is refused. The hashes are made with a secret of their own in the \
            vault, which no export carries.

            In a database the secret of names is the table storekeeper.erasure_secret, which a dump can leave out. What was \
            erased is invisible at once; its bytes go when PostgreSQL vacuums, and its log and backups keep them for \
            as long as they are kept.

            EXIT STATUS
              0   done
              1   there is nothing of the customer; nothing was written
              64  wrong usage
              65  the file or database is no vault
              66  there is no vault
              69  it is locked, or the database cannot be reached or refuses
              73  it cannot be written

            EXAMPLES
              storekeeper vault erase --customer anna --reason "request 2026-17"
            """)

    @Option(name: .long, help: ArgumentHelp("Why; it should name nobody.", valueName: "text"))
    var reason: String

    @OptionGroup var whose: CustomerOption
    @OptionGroup(title: "Vault options") var options: VaultOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let customer = try whose.id()
        let (reason, now) = (reason, console.now)
        guard !reason.isEmpty else { throw .usage("the reason is empty", at: "--reason", "say why, naming nobody") }
        let place = try VaultSettings(options).place
        // Read first: of somebody unknown not even the file is touched.
        let isKnown = try await place.with(for: .reading) { vault in try await vault.knows(customer) }
        guard isKnown else {
            console.errors.line(CommandError.nobody(customer, "nothing was erased").description)
            return .no
        }
        let (erasure, isHeld) = try await place.with(for: .writing) { vault in
            (try await vault.erase(customer, reason: reason, at: now), vault.holdsErasedBytes)
        }
        if isHeld {
            let words =
                "somebody is reading the vault as it was before (\(place.name)): until they are done and the vault was closed, "
                + "its files still hold what was erased"
            console.note(words)
        }
        console.print(
            output.format,
            json: .object([
                "facts": .whole(erasure.facts), "entries": .whole(erasure.entries), "proof": .string(erasure.proof),
            ]),
            lines: "Erased \(erasure.facts) facts and \(erasure.entries) entries. Proof: \(erasure.proof)".onOneLine
                .wrapped(to: console.columns))
        return .success
    }
}
