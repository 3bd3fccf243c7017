import ArgumentParser
import Storekeeper

/// `storekeeper entitlements EVIDENCE…`.
struct EntitlementsCommand: ConsoleCommand, EvidenceOptionGroups {
    static let configuration = CommandConfiguration(
        commandName: "entitlements",
        abstract: "Prints what a customer owns at an instant: products, subscriptions, features, balances.",
        discussion: """
            Reads the evidence of one customer, verifies it, and derives the customer's entitlements. Each product \
            has one of five answers: entitled, pending, lapsed, never, unknown, with its reason, the deciding \
            transaction, and the instant at which the answer ends as far as is known. The order of the evidence \
            and repeated items do not matter.

            EXIT STATUS
              0   done
              64  wrong usage
              65  nothing in the evidence could be read, or it is about two apps
              66  a file cannot be read
              69  the vault is locked, or the database cannot be reached or refuses
              77  no evidence could be verified

            EXAMPLES
              What does this customer own now?
                storekeeper entitlements customer.jws --root AppleRootCA-G3.cer \\
                  --bundle-id com.example.game --catalog Store.storekit

              What did they own last Tuesday at noon?
                storekeeper entitlements customer.jws --at 2026-03-03T12:00:00Z

              Only products with access, for another program:
                storekeeper entitlements customer.jws --only entitled --format json

              What would the answer be if these decoded payloads were true?
                storekeeper entitlements decoded.json --unsigned
            """)

    @Argument(help: ArgumentHelp("Evidence files; '-' is standard input.", valueName: "evidence"), completion: .file())
    var evidence: [String] = []

    @Option(
        name: .long, parsing: .singleValue,
        help: ArgumentHelp(
            "List only products with this answer: entitled, pending, lapsed, never or unknown; may be repeated.",
            valueName: "answer"), completion: .list(["entitled", "pending", "lapsed", "never", "unknown"]))
    var only: [AnswerWord] = []

    @OptionGroup(title: "Vault options") var vault: VaultSourceOptions
    @OptionGroup(title: "Evidence options") var trust: TrustOptions
    @OptionGroup(title: "Evidence options") var list: CatalogOptions
    @OptionGroup(title: "Evidence options") var question: QuestionOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let inquiry = try await AnswersQuery(evidenceOptions, evidence: evidence, vault: vault, on: console)
        let report = EntitlementsReport(inquiry: inquiry, only: only.isEmpty ? nil : Set(only.map(\.rawValue)))
        console.print(
            output.format, json: report.json, lines: report.lines(console.style, width: console.columns))
        return inquiry.ended(on: console)
    }
}

/// The five kinds of answers, as the values of an option.
enum AnswerWord: String, ExpressibleByArgument, CaseIterable {
    case entitled, pending, lapsed, never, unknown
}
