import ArgumentParser
import Storekeeper

/// `storekeeper verify EVIDENCE…`.
struct VerifyCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verifies signed App Store evidence, a line of JSON per item.",
        usage: "storekeeper verify [<options>] <evidence> ...",
        discussion: """
            Checks, item by item: form, algorithm, the three certificates against the trusted root, the App \
            Store's marks in them, their validity when the item was signed, the signature, and that the item is \
            about this app and environment. Makes no network call. Needs --root FILE, STOREKEEPER_ROOT or a \
            root in storekeeper.yaml; for the App Store that is "Apple Root CA - G3" from Apple's PKI page.

            EVIDENCE is any mix of compact JWS, one a line, and JSON, on one line or many: answers of the App \
            Store Server API, notifications and their history, arrays of JWS strings. Limits: a JWS header 64 \
            KiB, a payload 1 MiB, a JSON document 64 MiB; JSON at most 64 levels deep.

            The lines of output stand in the order of the input:
              {"index":0,"kind":"transaction","payload":{…},"verified":true}
              {"error":{"code":"invalidSignature","message":"…"},"index":1,
               "kind":"transaction","verified":false}
            Each is one line. What a notification holds is verified too and stands under "contains".

            CODES, IN THE ORDER IN WHICH FAULTS ARE LOOKED FOR
              malformed                     no compact JWS, no payload that we know
              unsupportedAlgorithm          another algorithm than ES256
              forbiddenHeader               crit, b64, zip, jku, jwk or x5u
              chainLength                   not three certificates
              untrustedChain                they do not lead to a trusted root
              missingMarker                 a certificate is not for App Store data
              certificateNotValidAtSigning  expired, or not yet valid, when signed
              certificateRevoked            (only where revocation is asked for)
              revocationUnknown             (only where revocation is asked for)
              invalidSignature              the content was changed
              bundleMismatch                about another app, by bundle id
              appMismatch                   about another app, by Apple id
              environmentRefused            see --environment
              unsignedEvidence              a decoded payload without signature

            EXIT STATUS
              0   all items are verified         65  the root is no certificate
              1   at least one is not            66  a file cannot be read
              64  wrong usage

            EXAMPLES
              A customer sent a purchase. Is it genuine, and for this app?
                storekeeper verify purchase.jws --root AppleRootCA-G3.cer \\
                    --bundle-id com.example.game

              Only what failed:
                storekeeper verify history.json | grep '"verified":false'

              From the clipboard, with sandbox purchases allowed:
                pbpaste | storekeeper verify - \\
                    --environment Production --environment Sandbox

              How many of a million, and how fast:
                storekeeper verify --summary archive.jws
            """)

    @Argument(help: ArgumentHelp("Evidence files; '-' is standard input.", valueName: "evidence"), completion: .file())
    var evidence: [String]

    @Flag(name: .long, help: "Print one object at the end with the counts and the speed, in place of the items.")
    var summary = false

    @OptionGroup(title: "Evidence options") var trust: TrustOptions
    // What every command of evidence takes and what is of no use here, so that one line of options fits all.
    @OptionGroup(visibility: .hidden) var list: CatalogOptions
    @OptionGroup(visibility: .hidden) var question: QuestionOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let settings = try Settings(
            EvidenceOptions(trust: trust, list: list, question: question), source: .items, on: console)
        let reader = try EvidenceReader(evidence)
        let checker = EvidenceChecker(settings.verifierConfiguration)
        let clock = ContinuousClock()
        let start = clock.now
        var report = VerifyReport(console: console)

        // Lines of results on the same terminal say enough of how far it is.
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
