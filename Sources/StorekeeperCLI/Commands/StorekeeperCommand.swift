import ArgumentParser
import CBuild

/// The command line: the parent of all commands.
struct StorekeeperCommand: ParsableCommand {
    /// The number of the release, such as `0.1.0`.
    ///
    /// A build of `make release` adds its commit and the day of the commit: `0.1.0 (13479864a1b2, 2026-11-25)`.
    static let version = describe("0.1.0", build: String(cString: storekeeper_build()))

    /// Returns a version with its build.
    ///
    /// - Parameter build: The hash of the commit and its day, separated by a space; empty if they are unknown.
    static func describe(_ number: String, build: String) -> String {
        build.isEmpty ? number : "\(number) (\(build.replacing(" ", with: ", ")))"
    }

    static let configuration = CommandConfiguration(
        commandName: "storekeeper",
        abstract: "Answers what an App Store customer owns right now, and why.",
        discussion: """
            Storekeeper reads evidence signed by the App Store (transactions, renewal infos, notifications, \
            responses of the App Store Server API), verifies it, and derives the customer's entitlements.

            EXAMPLES
              Is this evidence real?
                storekeeper verify evidence.jws --root AppleRootCA-G3.cer

              What does the app sell?
                storekeeper products Products.plist Store.storekit

              What does a customer of a vault own?
                storekeeper entitlements --customer anna --vault customers.sqlite

              What is in this file?
                storekeeper identify pasted.txt

              Show the help of a command:
                storekeeper help verify

            Results go to standard output, everything else to standard error. '-' means standard input. With \
            --format json commands print one document with sorted keys; absent values are omitted. Colour and \
            progress are shown only on terminals; NO_COLOR disables colour. Money is a decimal with its ISO 4217 \
            code.

            Times are in UTC with milliseconds: 2026-03-01T09:30:00.000Z. Options accept RFC 3339 with a zone (Z, \
            +01:00, +0100, +01), with or without seconds; a date, meaning midnight UTC; or milliseconds since \
            1970.

            Permanent settings belong in storekeeper.yaml:

            \(Configuration.example)

            Each has a variable, which overrides the file, and which an option overrides: \
            \(Configuration.variables). \
            STOREKEEPER_CONFIG names the file itself, STOREKEEPER_VAULT_FILE a file with the vault, for a connection \
            string with a password.

            EXIT STATUS
              0   done, or the answer is yes     66  a file cannot be read
              1   the answer is no               69  a service cannot be reached
              3   the answer is unknown          70  a bug in storekeeper
              64  wrong usage                    73  a file cannot be written
              65  the input is malformed         77  verification or permission refused
            """,
        version: version,
        subcommands: [
            EntitlementsCommand.self, CheckCommand.self, ExplainCommand.self, TimelineCommand.self,
            OffersCommand.self,
            ProductsCommand.self, VerifyCommand.self, ReceiptCommand.self, IdentifyCommand.self, VaultCommand.self,
            FetchCommand.self,
            SimulateCommand.self,
            ReconcileCommand.self, DoctorCommand.self, ServeCommand.self,
            LocalAppStoreCommand.self, CompletionsCommand.self,
        ])
}
