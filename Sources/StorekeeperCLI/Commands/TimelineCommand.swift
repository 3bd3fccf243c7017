import ArgumentParser
import Storekeeper
import StorekeeperCharts

/// `storekeeper timeline EVIDENCE…`.
struct TimelineCommand: ConsoleCommand, EvidenceOptionGroups {
    static let configuration = CommandConfiguration(
        commandName: "timeline",
        abstract: "Draws a customer's entitlements over time, past and future.",
        discussion: """
            Draws one bar per product above a time axis, as text, image (SVG) or JSON. The given instant \
            (--at, or now) is marked.

            EXIT STATUS
              0   done
              64  wrong usage
              65  nothing in the evidence could be read, or it is about two apps
              66  a file cannot be read
              69  the vault is locked, or the database cannot be reached or refuses
              77  no evidence could be verified

            EXAMPLES
              When did this customer own each product?
                storekeeper timeline customer.jws --root AppleRootCA-G3.cer

              One product and one feature in the first quarter:
                storekeeper timeline customer.jws --product gold.monthly --feature pro \\
                  --from 2026-01-01 --to 2026-04-01

              An image for a support ticket:
                storekeeper timeline customer.jws --format svg > timeline.svg
            """)

    @Argument(help: ArgumentHelp("Evidence files; '-' is standard input.", valueName: "evidence"), completion: .file())
    var evidence: [String] = []

    @Option(
        name: .long, parsing: .singleValue, help: ArgumentHelp("Show this product; may be repeated.", valueName: "id"))
    var product: [String] = []

    @Option(
        name: .long, parsing: .singleValue, help: ArgumentHelp("Show this feature; may be repeated.", valueName: "id"))
    var feature: [String] = []

    @Option(name: .long, help: ArgumentHelp("Show only answers that end after this time.", valueName: "time"))
    var from: String?

    @Option(name: .long, help: ArgumentHelp("Show only answers that begin before this time.", valueName: "time"))
    var to: String?

    @OptionGroup(title: "Vault options") var vault: VaultSourceOptions
    @OptionGroup(title: "Evidence options") var trust: TrustOptions
    @OptionGroup(title: "Evidence options") var list: CatalogOptions
    @OptionGroup(title: "Evidence options") var question: QuestionOptions

    @Option(
        name: .long,
        help: ArgumentHelp("text for people, json for programs, svg for a picture.", valueName: "text|json|svg"))
    var format: Format = .text

    /// The formats of a timeline.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json, svg
    }

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let start = try Instant(option: from, at: "--from")
        let end = try Instant(option: to, at: "--to")
        if let start, let end, end < start {
            throw .usage("--to lies before --from", at: "--to", "give the earlier time with --from")
        }
        let inquiry = try await AnswersQuery(evidenceOptions, evidence: evidence, vault: vault, on: console)
        var diagnostics = inquiry.diagnostics
        let report = try TimelineReport(
            inquiry, products: product.map { Product.ID($0) }, features: feature.map { Feature.ID($0) }, from: start,
            to: end
        ) { diagnostic in
            diagnostics.append(diagnostic)
            console.report(diagnostic)
        }
        switch format {
        case .json: console.output.json(report.json(Diagnostic.sorted(diagnostics)), .pretty)
        case .svg: console.output.text(report.chart.svg(title: "Entitlements at \(inquiry.at)"))
        case .text: console.output.text(report.text(width: console.width, limit: console.columns, console.style))
        }
        return inquiry.ended(on: console)
    }
}
