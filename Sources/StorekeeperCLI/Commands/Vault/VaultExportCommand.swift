import ArgumentParser
import Storekeeper

/// `storekeeper vault export`.
struct VaultExportCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes customers as lines of JSON that 'vault import' reads.",
        usage: "storekeeper vault export [--customer ID] [options]",
        discussion: """
            Writes every fact with its signature, every entry of every account, the owners of purchases, and \
            parked facts. Imported into an empty vault they give the same balances, histories and answers. Not \
            exported are events, pending deliveries, the proofs of erasures, and the hashes of erased \
            transactions, which prevent double credits ('storekeeper vault copy' copies these hashes). Each \
            customer is a consistent snapshot; for one snapshot of all customers use 'storekeeper vault backup'.

            EXIT STATUS
              0   done
              1   there is no data about the customer; nothing was written
              64  wrong usage
              65  the file or database is not a vault
              66  there is no vault
              69  it is locked, or the database cannot be reached or refuses
              73  standard output cannot be written

            EXAMPLES
              storekeeper vault export > customers.jsonl
              storekeeper vault export --customer anna > anna.jsonl
              storekeeper vault import customers.jsonl --vault other.sqlite
            """)

    @Option(name: .long, help: ArgumentHelp("Only this customer.", valueName: "id"))
    var customer: String?

    @OptionGroup(title: "Vault options") var options: VaultOptions

    @Option(
        name: .long, help: ArgumentHelp("Has no effect: the output is always JSON lines.", valueName: "text|json"))
    var format: OutputFormat = .json

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let only = try customer.map { id throws(CommandError) in try CustomerID(argument: id) }
        return try await VaultSettings(options, on: console).place.with(for: .reading) { vault in
            if let only, try await !vault.containsCustomer(only) {
                console.errors.line(CommandError.unknownCustomer(only, "nothing was exported").description)
                return .no
            }
            var lines = 0
            func write(_ archive: CustomerArchive) {
                let written = archive.lines
                for line in written { console.output.json(line.json) }
                lines += written.count
            }
            console.output.line(ArchiveLine.header)
            if let only {
                write(try await vault.archive(of: only))
            } else {
                var last: CustomerID?
                while true {
                    let page = try await vault.customers(after: last, limit: 500)
                    for next in page { write(try await vault.archive(of: next)) }
                    guard let end = page.last else { break }
                    last = end
                }
                try await vault.unownedArchives { write($0) }
            }
            console.output.json(ArchiveLine.end(lines: lines).json)
            return .success
        }
    }
}
