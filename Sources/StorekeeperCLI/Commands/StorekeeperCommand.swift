import ArgumentParser

/// The command line: the parent of all commands.
struct StorekeeperCommand: ParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "storekeeper",
        abstract: "Says what an App Store customer owns right now, and why.",
        discussion: """
            Storekeeper reads what the App Store signed (transactions, renewal infos, notifications, answers of \
            the App Store Server API), verifies it, and works out what the customer is entitled to.

            EXAMPLES
              Is this evidence real?
                storekeeper verify evidence.jws --root AppleRootCA-G3.cer

              What does the app sell?
                storekeeper products Products.plist Store.storekit

              What does a customer own whose purchases are kept in a vault?
                storekeeper entitlements --customer anna --vault customers.sqlite

              What can this command do?
                storekeeper help verify

            Results go to standard output, everything else to standard error. '-' means standard input. \
            Programs read --format json: one document, keys sorted, and what is absent has no key. Colour and \
            progress are for terminals, colour not with NO_COLOR. Money is a decimal with its ISO 4217 code.

            Times are in UTC with milliseconds: 2026-03-01T09:30:00.000Z. Options take RFC 3339 with a zone \
            (Z, +01:00, +0100, +01), seconds or none; a date alone is midnight UTC; or milliseconds since 1970.

            Settings that stay the same may stand in storekeeper.yaml:

              root: AppleRootCA-G3.cer           # or STOREKEEPER_ROOT in the environment
              bundleID: com.example.game
              appAppleID: 123456789
              environments: [Production, Sandbox]
              catalogs: [Products.plist, Store.storekit]
              vault: customers.sqlite
              accountTokens: asIDs               # or opaque: see 'vault import --help'
              policy: { renewalLeeway: PT1H, grace: true, billingRetryEntitles: false,
                        refunds: debt }

            EXIT STATUS
              0   done, or the answer is yes     66  a file cannot be read
              1   the answer is no               69  a service cannot be reached
              3   it cannot be told              70  a bug in storekeeper
              64  wrong usage                    73  a file cannot be written
              65  the input is malformed         77  verification or permission refused
            """,
        version: version,
        subcommands: [
            EntitlementsCommand.self, CheckCommand.self, ExplainCommand.self, TimelineCommand.self,
            ProductsCommand.self, VerifyCommand.self, VaultCommand.self, FetchCommand.self, SimulateCommand.self,
            ReconcileCommand.self, DoctorCommand.self, ServeCommand.self,
            CompletionsCommand.self,
        ])
}
