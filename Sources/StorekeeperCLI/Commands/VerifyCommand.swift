import ArgumentParser
import Storekeeper

/// `storekeeper verify EVIDENCE…`.
struct VerifyCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verifies signed App Store evidence, a line of JSON per item.",
        discussion: """
            Checks, item by item: form, algorithm, the three certificates against the trusted root, the App \
            Store's marks in them, their validity when the item was signed, the signature, and that the item is \
            about this app and environment. Makes no network call. Needs --root FILE, STOREKEEPER_ROOT or a \
            root in storekeeper.yaml; for the App Store that is "Apple Root CA - G3" from Apple's PKI page.

            EVIDENCE is any mix of compact JWS, one a line, and JSON, on one line or many: answers of the App \
            Store Server API, notifications and their history, arrays of JWS strings. Limits: a JWS header 64 \
            KiB, a payload 1 MiB, a JSON document 64 MiB; JSON at most 64 levels deep.

            Each line of output is {"index":0,"kind":"transaction","payload":{…},"verified":true} or \
            {"error":{"code":"invalidSignature","message":"…"},"index":1,"verified":false}, in the order of the \
            input. What a notification holds is verified too and stands under "contains".

            CODES
              malformed, unsupportedAlgorithm, forbiddenHeader, chainLength, untrustedChain, missingMarker,
              certificateNotValidAtSigning, certificateRevoked, revocationUnknown, invalidSignature,
              bundleMismatch, appMismatch, environmentRefused, unsignedEvidence

            EXIT STATUS
              0 all items are verified · 1 at least one is not · 64 wrong usage · 66 a file cannot be read

            EXAMPLES
              A customer sent a purchase. Is it genuine, and for this app?
                storekeeper verify purchase.jws --root AppleRootCA-G3.cer --bundle-id com.example.game

              Only what failed:
                storekeeper verify history.json | grep '"verified":false'

              From the clipboard, with sandbox purchases allowed:
                pbpaste | storekeeper verify - --environment Production --environment Sandbox

              How many of a million, and how fast:
                storekeeper verify --summary archive.jws
            """)

    @Argument(help: ArgumentHelp("Evidence files; '-' is standard input.", valueName: "evidence"), completion: .file())
    var evidence: [String]

    @Flag(name: .long, help: "Print one object at the end with the counts and the speed, in place of the items.")
    var summary = false

    @OptionGroup(title: "Evidence options") var options: EvidenceOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let settings = try Settings(options, on: console)
        let reader = try EvidenceReader(evidence)
        let checker = EvidenceChecker(settings.verifierConfiguration)
        let clock = ContinuousClock()
        let start = clock.now
        var report = VerifyReport(console: console, printsItems: !summary)

        // While one batch is verified on all cores, the next is read and the last one printed.
        var checked: [CheckedItem] = []
        var batch = try reader.next()
        while !batch.isEmpty {
            let items = batch.map(\.item)
            let files = batch.map(\.file)
            async let results = checker.check(items, of: files)
            report.add(checked)
            let following = Result { () throws(CommandError) in try reader.next() }
            checked = await results
            // What was read before the failure is printed before it is reported.
            if case .failure = following { report.add(checked) }
            batch = try following.get()
        }
        report.add(checked)

        if summary { report.printSummary(after: start.duration(to: clock.now)) }
        return report.isAllVerified ? .success : .no
    }
}
