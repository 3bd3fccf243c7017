import ArgumentParser
import Storekeeper

/// `storekeeper identify FILE`.
struct IdentifyCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "identify",
        abstract: "Says what a file contains, and what to do with it.",
        usage: "storekeeper identify <file> [--format text|json]",
        discussion: """
            One line: what the file contains and what to do with it. '-' is standard input. Nothing is verified, and \
            no root, key or network is needed.

            Encodings and envelopes are removed first: a byte order mark, base64 (also twice, URL-safe, without \
            padding, or with '+' that became spaces), PEM without line breaks, and Unity's receipt. All commands that \
            read evidence, receipts, keys and catalogs do the same.

            JSON:
              {"kind":…,"items":n,"next":…}
            The kind is jws, receipt, transactionReceipt, verifyReceiptAnswer, serverAPIAnswer, notification, \
            notificationV1, catalog, privateKey, certificate, apiToken, unity or unknown.

            EXIT STATUS
              0   it is known                    65  it is unknown
              64  wrong usage                    66  the file cannot be read

            EXAMPLES
              What did the customer send?
                storekeeper identify pasted.txt
            """)

    /// The largest file that is read: the largest JSON document of evidence.
    private static let maximumSize = 64 << 20

    @Argument(help: ArgumentHelp("The file; '-' is standard input.", valueName: "file"), completion: .file())
    var file: String

    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let pasted = PastedContent(try InputFile.contents(of: file, limit: Self.maximumSize))
        let next = pasted.next(for: file)
        console.print(
            output.format,
            json: .object([
                "kind": .string(pasted.kind.rawValue), "items": .integer(Int64(pasted.items)), "next": .string(next),
            ]),
            lines: ["\(InputFile.name(of: file)): \(pasted.line(for: file))"])
        return pasted.kind == .unknown ? .malformedInput : .success
    }
}
