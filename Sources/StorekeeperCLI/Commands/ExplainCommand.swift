import ArgumentParser
import Storekeeper

/// `storekeeper explain PRODUCT EVIDENCE…`.
struct ExplainCommand: ConsoleCommand, EvidenceOptionGroups {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explains why a customer has, or does not have, access to a product.",
        discussion: """
            Lists every considered fact in chronological order, with its effect on the answer and the rule, and \
            then the next change of the answer and its time. Every change of the answer up to the given instant \
            has a step: purchases and renewals, the ends of periods, of grace and of passes, refunds, older copies \
            that a newer copy contradicts, and why one of several purchases decides.

            EXIT STATUS
              0   done
              64  wrong usage
              65  nothing in the evidence could be read, or it is about two apps
              66  a file cannot be read
              69  the vault is locked, or the database cannot be reached or refuses
              77  no evidence could be verified

            EXAMPLES
              Why can this customer not play?
                storekeeper explain gold.monthly customer.jws --root AppleRootCA-G3.cer

              Why was it refused on Tuesday?
                storekeeper explain gold.monthly customer.jws --at 2026-03-03T18:20:00Z
            """)

    @Argument(help: ArgumentHelp("The product.", valueName: "product"))
    var product: String

    @Argument(help: ArgumentHelp("Evidence files; '-' is standard input.", valueName: "evidence"), completion: .file())
    var evidence: [String] = []

    @OptionGroup(title: "Vault options") var vault: VaultSourceOptions
    @OptionGroup(title: "Evidence options") var trust: TrustOptions
    @OptionGroup(title: "Evidence options") var list: CatalogOptions
    @OptionGroup(title: "Evidence options") var question: QuestionOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let inquiry = try await AnswersQuery(evidenceOptions, evidence: evidence, vault: vault, on: console)
        var diagnostics = inquiry.diagnostics
        let id = Product.ID(product)
        let timeline = try inquiry.timeline(of: id) { diagnostic in
            diagnostics.append(diagnostic)
            console.report(diagnostic)
        }
        let report = ExplanationReport(
            explanation: inquiry.resolver.explain(
                id, in: inquiry.history, at: inquiry.at, pending: inquiry.pending, grants: inquiry.resolution.grants,
                doubt: inquiry.doubt),
            run: timeline.run(at: inquiry.at), isVerified: inquiry.isVerified,
            diagnostics: Diagnostic.sorted(diagnostics), absence: inquiry.absence)
        let width = min(console.width, ExplanationReport.widest)
        console.print(
            output.format, json: report.json,
            lines: inquiry.proofLines(console.style, width: width) + report.lines(console.style, width: width))
        return inquiry.ended(on: console)
    }
}
