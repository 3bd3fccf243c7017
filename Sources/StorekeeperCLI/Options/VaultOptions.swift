import ArgumentParser
import Storekeeper

/// Which vault a command works on.
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
            "How long to ask a database what became of something written when its answer was lost. Default: 10.",
            valueName: "seconds"))
    var patience: Int = 10

    /// The same as a span of time.
    var patienceSpan: Duration { .seconds(max(1, min(patience, 3_600))) }

    func validate() throws {
        guard 1...3_600 ~= patience else { throw ValidationError("--patience takes 1 to 3600 seconds") }
    }
}

/// Which vault and which configuration, for commands that read no evidence.
struct VaultOptions: ParsableArguments {
    @OptionGroup var file: VaultPathOptions

    @OptionGroup var configuration: ConfigurationOption
}

/// Whose account a command works on.
struct CustomerOption: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("The customer, by the app's own id; of a UUID the case does not matter.", valueName: "id"))
    var customer: String

    /// The customer.
    ///
    /// - Throws: ``CommandError`` with 64 where the id is empty.
    func id() throws(CommandError) -> CustomerID { try CustomerID(argument: customer) }
}

/// A vault in the place of evidence, for commands that answer from either.
struct VaultSourceOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "With --customer: the vault to ask in place of evidence, a file, or postgres://… for a database of "
                + "PostgreSQL. Default: the vault of storekeeper.yaml, else storekeeper.sqlite.", valueName: "file"),
        completion: .file(extensions: ["sqlite"]))
    var vault: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Ask the vault about this customer, by the app's own id, in place of evidence.", valueName: "id"))
    var customer: String?

    /// The customer to ask a vault about; `nil` where evidence is asked.
    ///
    /// - Throws: ``CommandError`` with 64 where neither is named, or both.
    func customerID(beside evidence: [String]) throws(CommandError) -> CustomerID? {
        guard let customer else {
            if vault != nil {
                throw .usage("the vault is asked about nobody", at: "--vault", "name the customer with --customer ID")
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
                "evidence and a vault are asked at once", at: "--customer",
                "leave out the files, or take them in with 'storekeeper vault import' first")
        }
        return try CustomerID(argument: customer)
    }
}

/// What a refund of spent goods does, for commands that move balances.
struct RefundOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "When goods are refunded that were spent: debt (below zero), floorAtZero (the rest is forgiven) or freeze "
                + "(below zero, and nothing can be spent meanwhile). Default: debt.",
            valueName: "debt|floorAtZero|freeze"))
    var refunds: Word?

    /// The policies, as an option.
    enum Word: String, ExpressibleByArgument, CaseIterable {
        case debt, floorAtZero, freeze
    }

    /// The policy, if one is named.
    var policy: RefundPolicy? { refunds.flatMap { RefundPolicy(rawValue: $0.rawValue) } }
}

extension CustomerID {
    /// The customer that an option names.
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
