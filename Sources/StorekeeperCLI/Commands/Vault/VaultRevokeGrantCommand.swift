import ArgumentParser
import Storekeeper

/// `storekeeper vault revoke-grant --customer ID KEY --reason TEXT`.
struct VaultRevokeGrantCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke-grant",
        abstract: "Ends access that 'vault grant' has given.",
        usage: "storekeeper vault revoke-grant --customer ID KEY --reason TEXT [options]",
        discussion: """
            KEY is the key with which the access was granted; 'vault history' shows it. The access ends now. The \
            grant stays in the account, with the revocation after it, and answers about earlier times stay. \
            Repeating it changes nothing.

            In JSON the answer is that of 'vault grant', with "revokedAt", "revocationReason" and "revokedBy" in the \
            grant.

            EXIT STATUS
              0   revoked, now or before
              1   there is no such grant
              64  wrong usage
              65  the file or database is not a vault
              66  there is no vault
              69  it is locked, or the database cannot be reached or refuses
              73  it cannot be written

            EXAMPLES
              storekeeper vault revoke-grant --customer anna ticket-4712 \\
                --reason "granted to the wrong person"
            """)

    @Argument(help: ArgumentHelp("The key with which the access was granted.", valueName: "key"))
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
        let receipt = try await AccessMove(customer: customer, settings: settings).run(on: console) { store in
            try await store.revokeAccess(
                grantedBy: AccessGrant.ID(key), because: record.reason, recordedBy: record.by)
        }
        let grant = receipt.grant
        let when = receipt.isReplay ? "before, at \(grant.revocation?.at ?? grant.until)" : "now"
        console.print(
            output.format, json: receipt.json,
            lines: ["Revoked \(when): \(grant.subject), granted until \(grant.until).".onOneLine])
        return .success
    }
}
