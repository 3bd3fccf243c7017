import ArgumentParser
import Storekeeper

/// The options that name the vault of a command.
struct VaultPathOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The vault: a file, or postgres://… for a database of PostgreSQL. Default: the vault of storekeeper.yaml, "
                + "else storekeeper.sqlite.", valueName: "file"),
        completion: .file(extensions: ["sqlite"]))
    var vault: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "How long to query a database for the outcome of a write whose answer was lost; and how long 'serve' waits "
                + "for its database when it starts.",
            valueName: "seconds"))
    var patience: Int = 10

    /// The value of ``patience`` as a duration.
    var patienceSpan: Duration { .seconds(max(1, min(patience, 3_600))) }

    func validate() throws {
        guard 1...3_600 ~= patience else { throw ValidationError("--patience takes 1 to 3600 seconds") }
    }
}

/// The vault and the configuration, for commands that read no evidence.
struct VaultOptions: ParsableArguments {
    @OptionGroup var file: VaultPathOptions

    @OptionGroup var configuration: ConfigurationOption
}

/// The option that names the customer of a command.
struct CustomerOption: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("The customer's id in the app; a UUID is case-insensitive.", valueName: "id"))
    var customer: String

    /// Returns the customer's id.
    ///
    /// - Throws: ``CommandError`` with status 64 if the id is empty.
    func id() throws(CommandError) -> CustomerID { try CustomerID(argument: customer) }
}

/// The options that name a vault and a customer, for commands that read either a vault or evidence files.
struct VaultSourceOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "With --customer: the vault to read instead of evidence files: a file, or postgres://… for a database of "
                + "PostgreSQL. Default: the vault of storekeeper.yaml, else storekeeper.sqlite.", valueName: "file"),
        completion: .file(extensions: ["sqlite"]))
    var vault: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Read this customer, by the id in the app, from the vault instead of evidence files.", valueName: "id"))
    var customer: String?

    /// Returns the customer to read from a vault; `nil` if evidence files are read.
    ///
    /// - Throws: ``CommandError`` with status 64 if neither a customer nor evidence files are given, or if both are
    ///   given.
    func customerID(beside evidence: [String]) throws(CommandError) -> CustomerID? {
        guard let customer else {
            if vault != nil {
                throw .usage("no customer is named", at: "--vault", "name the customer with --customer ID")
            }
            guard !evidence.isEmpty else {
                throw .usage(
                    "no evidence is given", at: "EVIDENCE",
                    "name files, or - for standard input, or ask a vault with --customer ID")
            }
            return nil
        }
        guard evidence.isEmpty else {
            throw .usage(
                "evidence files and a customer of a vault are both given", at: "--customer",
                "leave out the files, or import them first with 'storekeeper vault import'")
        }
        return try CustomerID(argument: customer)
    }
}

/// The option for the effect of a refund of spent units, for commands that change balances.
struct RefundOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "When spent units are refunded: debt (below zero), floorAtZero (the rest is forgiven) or freeze "
                + "(below zero, and spends are refused meanwhile). Default: debt.",
            valueName: "debt|floorAtZero|freeze"))
    var refunds: Word?

    /// The refund policies as values of an option.
    enum Word: String, ExpressibleByArgument, CaseIterable {
        case debt, floorAtZero, freeze
    }

    /// The policy that the option names; `nil` if the option is not given.
    var policy: RefundPolicy? { refunds.flatMap { RefundPolicy(rawValue: $0.rawValue) } }
}

extension CustomerID {
    /// Creates the id from an option.
    init(argument: String) throws(CommandError) {
        guard !argument.isEmpty else {
            throw .usage("the customer's id is empty", at: "--customer", "name the customer with --customer ID")
        }
        do throws(VaultError) { try LengthLimit.id.check(argument, "the customer's id") } catch {
            throw .usage(error.message, at: "--customer", "use a shorter id")
        }
        self.init(rawValue: argument)
    }
}
