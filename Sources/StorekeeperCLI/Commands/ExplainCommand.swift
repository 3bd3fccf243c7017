import ArgumentParser
import Storekeeper

/// `storekeeper explain PRODUCT EVIDENCE…`.
struct ExplainCommand: ConsoleCommand, EvidenceOptionGroups {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explains why a customer has, or does not have, access to a product, feature or group.",
        usage: """
            storekeeper explain PRODUCT EVIDENCE… [options]
            storekeeper explain --feature ID EVIDENCE… [options]
            storekeeper explain --group ID EVIDENCE… [options]
            storekeeper explain --storekit EVIDENCE… [options]
            """,
        discussion: """
            Lists every considered fact in chronological order, with its effect on the answer and the rule, and \
            then what is due next, such as a renewal with its price, and its time. Every change of the answer up to the given instant \
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

              What gives access to a feature, and why?
                storekeeper explain --feature pro customer.jws --catalog Products.json

              Why does the app see something else than the server?
                storekeeper explain --storekit customer.jws
            """)

    @Argument(
        help: ArgumentHelp(
            "The product, unless --feature, --group or --storekit is given, followed by evidence files; '-' is standard "
                + "input.", valueName: "product | evidence"), completion: .file())
    var words: [String] = []

    @Option(name: .long, help: ArgumentHelp("Explain the answer about a feature of the catalog.", valueName: "id"))
    var feature: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Explain the answer about a subscription group, by its id or name.", valueName: "id"))
    var group: String?

    @Flag(
        name: .long, help: "Show what StoreKit 2 would contain on a device, and why the other transactions are absent.")
    var storekit = false

    @OptionGroup(title: "Vault options") var vault: VaultSourceOptions
    @OptionGroup(title: "Evidence options") var trust: TrustOptions
    @OptionGroup(title: "Evidence options") var list: CatalogOptions
    @OptionGroup(title: "Evidence options") var question: QuestionOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let named = [feature, group].compactMap(\.self).count + (storekit ? 1 : 0)
        guard named <= 1 else {
            throw .usage(
                "several questions are given", at: "explain", "give one of --feature, --group and --storekit")
        }
        let product = named == 0 ? words.first : nil
        guard named == 1 || product != nil else {
            throw .usage(
                "no product, feature or group is given", at: "explain",
                "name a product, --feature ID, --group ID or --storekit")
        }
        if product != nil { try ProductArgument.checkOrder(words, of: "explain") }
        let inquiry = try await AnswersQuery(
            evidenceOptions, evidence: product == nil ? words : Array(words.dropFirst()), vault: vault, on: console)
        var diagnostics = inquiry.diagnostics
        let width = min(console.width, ExplanationReport.widest)
        if storekit {
            let report = DeviceReport(
                contents: inquiry.resolver.deviceContents(of: inquiry.history, at: inquiry.at),
                isVerified: inquiry.isVerified, diagnostics: diagnostics, absence: inquiry.absence)
            console.print(
                output.format, json: report.json,
                lines: inquiry.proofLines(console.style, width: width) + report.lines(console.style, width: width))
            return inquiry.ended(on: console)
        }
        let explanation = try explanation(of: product, inquiry) { diagnostic in
            diagnostics.append(diagnostic)
            console.report(diagnostic)
        }
        let report = ExplanationReport(
            explanation: explanation, isVerified: inquiry.isVerified, diagnostics: Diagnostic.sorted(diagnostics),
            absence: inquiry.absence)
        console.print(
            output.format, json: report.json,
            lines: inquiry.proofLines(console.style, width: width) + report.lines(console.style, width: width))
        return inquiry.ended(on: console)
    }

    private func explanation(
        of product: String?, _ inquiry: AnswersQuery, note: (Diagnostic) -> Void
    ) throws(CommandError) -> Explanation {
        let (resolver, history, at) = (inquiry.resolver, inquiry.history, inquiry.at)
        let (pending, grants, doubt) = (inquiry.pending, inquiry.resolution.grants, inquiry.doubt)
        if let feature {
            let id = try inquiry.feature(Feature.ID(feature)).id
            if let explanation = resolver.explain(
                feature: id, in: history, at: at, pending: pending, grants: grants, doubt: doubt)
            {
                return explanation
            }
        }
        if let group {
            _ = try inquiry.group(group)
            if let explanation = resolver.explain(
                group: group, in: history, at: at, pending: pending, grants: grants, doubt: doubt)
            {
                return explanation
            }
        }
        let id = Product.ID(product ?? "")
        _ = try inquiry.timeline(of: id, note: note)
        return resolver.explain(id, in: history, at: at, pending: pending, grants: grants, doubt: doubt)
    }
}
