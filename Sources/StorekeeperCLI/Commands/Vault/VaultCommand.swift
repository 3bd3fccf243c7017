import ArgumentParser

/// `storekeeper vault …`: the parent of the commands that keep customers' purchases and balances.
struct VaultCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vault",
        abstract: "Keeps customers' purchases and balances in a file or a database, and proves them.",
        discussion: """
            A vault is one SQLite file, or the schema 'storekeeper' in a database of PostgreSQL, which any number of \
            servers share. It holds what the App Store signed about each customer, whose each purchase \
            is, and an account of everything that is counted: what was bought, spent, given and refunded. Nothing \
            is counted twice, however often a command is repeated.

            EXAMPLES
              From nothing to a balance:
                storekeeper vault init
                storekeeper vault import --customer anna anna.jws \\
                  --root AppleRootCA-G3.cer --catalog Products.json
                storekeeper vault balance --customer anna

              Spend, once, however often this is run:
                storekeeper vault spend --customer anna coins 50 --key order-17

              What does she own, and why are there 70 coins?
                storekeeper entitlements --customer anna
                storekeeper vault history --customer anna

              From a file to a database:
                storekeeper vault copy storekeeper.sqlite \\
                  postgres://game@db.example.com/game

            The vault is --vault FILE, else the vault of storekeeper.yaml, else storekeeper.sqlite. What begins with \
            postgres:// or postgresql:// is a connection string of libpq, all else a file's path. A password in it is \
            never printed, but others see it among the arguments of the process: ~/.pgpass and PGPASSFILE keep it \
            apart. Where the server can only be read, add target_session_attrs=any to ask it.
            """,
        subcommands: [
            VaultInitCommand.self, VaultImportCommand.self, VaultBalanceCommand.self, VaultSpendCommand.self,
            VaultGrantCommand.self, VaultHistoryCommand.self, VaultVerifyCommand.self, VaultClaimCommand.self,
            VaultParkedCommand.self, VaultExportCommand.self, VaultBackupCommand.self, VaultCopyCommand.self,
            VaultRecreditCommand.self, VaultEraseCommand.self,
        ])
}
