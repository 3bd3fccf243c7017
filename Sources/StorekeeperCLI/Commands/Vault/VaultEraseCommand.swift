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
            Backups and exports are not touched. There is no way back but importing the customer again.

            EXIT STATUS
              0   done
              1   there is nothing of the customer; nothing was written
              64  wrong usage
              65  the file is no vault
              66  there is no vault
              69  it is locked
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
        let erasure = try await VaultFile.with(try VaultSettings(options).path, for: .writing) { vault in
            try await vault.knows(customer) ? try await vault.erase(customer, reason: reason, at: now) : nil
        }
        guard let erasure else {
            console.errors.line(CommandError.nobody(customer, "nothing was erased").description)
            return .no
        }
        switch output.format {
        case .json:
            console.output.json(
                .object([
                    "facts": .whole(erasure.facts), "entries": .whole(erasure.entries),
                    "proof": .string(erasure.proof),
                ]), .pretty)
        case .text:
            console.output.line(
                "Erased \(erasure.facts) facts and \(erasure.entries) entries. Proof: \(erasure.proof)".onOneLine)
        }
        return .success
    }
}
