import ArgumentParser
import Storekeeper

/// `storekeeper verify EVIDENCE…`.
struct VerifyCommand: ConsoleCommand, EvidenceOptionGroups {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verifies signed App Store evidence, and prints a JSON line per item.",
        usage: "storekeeper verify [<options>] <evidence> ...",
        discussion: """
            Checks of each item: the syntax, the algorithm, the three certificates against the trusted root, the \
            App Store's marker extensions in them, their validity at the time of signing, the signature, the app \
            and the environment. The command makes no network call. It needs --root FILE, STOREKEEPER_ROOT or a \
            root in storekeeper.yaml; for the App Store the root is "Apple Root CA - G3" from Apple's PKI page.

            Xcode signs with a single, self-signed certificate. If it is named by --root, with --environment Xcode \
            and without Production, an item counts whose header contains exactly this certificate.

            EVIDENCE is any mix of compact JWS, one per line, and JSON, on one line or many: responses of the App \
            Store Server API, notifications and their history, arrays of JWS strings; also receipts of the original \
            StoreKit as DER, base64 or JSON, see 'storekeeper help receipt'. Limits: a JWS header 64 KiB, a payload \
            1 MiB, a JSON document 64 MiB, a receipt 8 MiB; JSON at most 64 levels deep.

            The lines of output have the order of the input:
              {"index":0,"kind":"transaction","payload":{…},"verified":true}
              {"error":{"code":"invalidSignature","message":"…"},"index":1,
               "kind":"transaction","verified":false}
            Each is one line. The kind is transaction, renewalInfo, appTransaction, notification or receipt; the \
            payload of a receipt is as 'storekeeper receipt' prints it. The signed parts of a notification are verified, too, and printed under "contains".

            CODES, IN THE ORDER OF THE CHECKS
              malformed                     not a compact JWS, or an unknown payload
              unsupportedAlgorithm          an algorithm other than ES256
              forbiddenHeader               crit, b64, zip, jku, jwk or x5u
              chainLength                   not three certificates, nor Xcode's as named
              untrustedChain                they do not lead to a trusted root
              missingMarker                 a certificate is not for App Store data
              certificateNotValidAtSigning  expired, or not yet valid, when signed
              certificateRevoked            (only if revocation is checked)
              revocationUnknown             (only if revocation is checked)
              invalidSignature              the content was changed
              bundleMismatch                about another app, by bundle id
              appMismatch                   about another app, by Apple id
              environmentRefused            see --environment
              unsignedEvidence              a decoded payload without signature

            EXIT STATUS
              0   all items are verified         65  the root is not a certificate
              1   at least one is not verified   66  a file cannot be read
              64  wrong usage

            EXAMPLES
              Is a customer's purchase genuine, and for this app?
                storekeeper verify purchase.jws --root AppleRootCA-G3.cer \\
                    --bundle-id com.example.game

              Only failed items:
                storekeeper verify history.json | grep '"verified":false'

              From another program, with sandbox purchases allowed:
                curl -s https://example.com/purchase.jws | storekeeper verify - \\
                    --environment Production --environment Sandbox

              Only the counts and the speed:
                storekeeper verify --summary archive.jws
            """)

    @Argument(help: ArgumentHelp("Evidence files; '-' is standard input.", valueName: "evidence"), completion: .file())
    var evidence: [String]

    @Flag(name: .long, help: "Print one object at the end with the counts and the speed, instead of the items.")
    var summary = false

    @OptionGroup(title: "Evidence options") var trust: TrustOptions
    // This command accepts and ignores these options, so that all evidence commands accept the same options.
    @OptionGroup(visibility: .hidden) var list: CatalogOptions
    @OptionGroup(visibility: .hidden) var question: QuestionOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let settings = try Settings(
            evidenceOptions, source: .items, on: console)
        let reader = try EvidenceReader(evidence)
        let checker = EvidenceChecker(settings.verifierConfiguration)
        let clock = ContinuousClock()
        let start = clock.now
        var report = VerifyReport(console: console)

        // The bar is not shown if results are printed on the same terminal, because the results already show the
        // progress.
        let bar = ProgressBar(
            "Verifying", of: InputFile.size(of: evidence), unit: "bytes", on: console,
            isShown: summary || !console.isOutputTerminal)
        let printsItems = !summary
        try await reader.forEachBatch(bar) { batch in
            VerifiedBatch(checker.check(batch), from: batch.start, printsItems: printsItems)
        } _: {
            report.add($0)
        }
        if summary { report.printSummary(after: start.duration(to: clock.now)) }
        return report.isAllVerified ? .success : .no
    }
}
