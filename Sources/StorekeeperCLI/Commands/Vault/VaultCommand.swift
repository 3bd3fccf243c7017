import ArgumentParser

/// `storekeeper vault …`: the parent of the commands for stored purchases and balances.
struct VaultCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vault",
        abstract: "Stores customers' purchases and balances in a file or a database, and verifies them.",
        discussion: """
            A vault is one SQLite file, or the schema 'storekeeper' in a PostgreSQL database, which any number of \
            servers share. It contains the signed evidence of each customer, the owner of each purchase, and an \
            account of all balances: purchases, spends, grants and refunds. Repeating a command counts nothing \
            twice.

            EXAMPLES
              From nothing to a balance:
                storekeeper vault init
                storekeeper vault import --customer anna anna.jws \\
                  --root AppleRootCA-G3.cer --catalog Products.json
                storekeeper vault balance --customer anna

              Spend once, even if the command is repeated:
                storekeeper vault spend --customer anna coins 50 --key order-17

              What does she own, and why are there 70 coins?
                storekeeper entitlements --customer anna
                storekeeper vault history --customer anna

              From a file to a database:
                storekeeper vault copy storekeeper.sqlite \\
                  postgres://game@db.example.com/game

            The vault is --vault FILE, else the vault of storekeeper.yaml, else storekeeper.sqlite. A value that \
            begins with postgres:// or postgresql:// is a connection string of libpq, any other value is a path. A \
            password in it is never printed, but other users see it among the arguments of the process: use \
            ~/.pgpass or PGPASSFILE instead. To read from a read-only server, add target_session_attrs=any.
            """,
        subcommands: [
            VaultInitCommand.self, VaultImportCommand.self, VaultBalanceCommand.self, VaultSpendCommand.self,
            VaultGrantCommand.self, VaultRevokeGrantCommand.self, VaultHistoryCommand.self, VaultVerifyCommand.self,
            VaultClaimCommand.self, VaultParkedCommand.self, VaultExportCommand.self, VaultBackupCommand.self,
            VaultCopyCommand.self, VaultRecreditCommand.self, VaultEraseCommand.self, VaultWebhooksCommand.self,
        ])
}
