import Storekeeper
import StorekeeperJWS

/// Reads an export customer by customer, and verifies its signatures.
final class ArchiveReader {
    private let file: InputFile
    private let verifier: JWSVerifier
    private var lines: FileLines
    /// The number of lines about customers that were read.
    private var count = 0
    private var isFinished = false
    /// The next customer, whose rows are still missing, because only the customer's first line has been read.
    private var head: CustomerArchive?

    /// - Parameters:
    ///   - file: An open file that begins like an export.
    ///   - verifier: Verifies signatures for any app and environment.
    init(_ file: InputFile, verifier: JWSVerifier) {
        self.file = file
        self.verifier = verifier
        lines = FileLines(of: file, limit: 64 << 20)
    }

    /// Returns the next customer; `nil` at the end.
    ///
    /// - Throws: ``CommandError`` with status 65 for an invalid line and for a truncated export, 77 for a signature
    ///   that cannot be verified. All customers that were returned before the error are complete.
    func next() async throws(CommandError) -> CustomerArchive? {
        if lines.count == 0 { _ = try readLine() }
        var current = head
        head = nil
        var rows: [Pending] = []
        while !isFinished {
            guard let bytes = try readLine() else {
                throw malformed("the export is cut off", "export again")
            }
            switch try parse(bytes) {
            case .customer(let customer, let syncedAt, let evaluatedThrough):
                count += 1
                let next = CustomerArchive(customer: customer, syncedAt: syncedAt, evaluatedThrough: evaluatedThrough)
                guard let archive = current else {
                    current = next
                    continue
                }
                head = next
                return try await checked(archive, rows)
            case .end(let lines):
                guard lines == count else { throw malformed("the export lacks lines", "export again") }
                isFinished = true
            case let row:
                guard current != nil else { throw malformed("a line comes before its customer", "export again") }
                count += 1
                rows.append(Pending(row: row, line: lines.count))
            }
        }
        guard let current else { return nil }
        return try await checked(current, rows)
    }

    private struct Pending {
        let row: UncheckedArchiveLine
        let line: Int
    }

    private func parse(_ bytes: [UInt8]) throws(CommandError) -> UncheckedArchiveLine {
        do { return try UncheckedArchiveLine(bytes) } catch { throw malformed(error.message, "export again") }
    }

    /// Verifies the facts of a customer in one batch.
    private func checked(_ archive: CustomerArchive, _ rows: [Pending]) async throws(CommandError) -> CustomerArchive {
        let items = rows.compactMap { pending -> CompactJWS? in
            switch pending.row {
            case .fact(let jws, _), .parked(let jws, _, _, _): CompactJWS(jws)
            default: nil
            }
        }
        var results = await verifier.verifyBatch(items)[...]
        var archive = archive
        for pending in rows {
            switch pending.row {
            case .binding(let subject, let at): archive.rows.append(.binding(subject, at: at))
            case .entry(let entry): archive.rows.append(.entry(entry))
            case .fact(let jws, let learnedAt):
                archive.rows.append(.fact(try fact(jws, &results, pending.line), learnedAt: learnedAt))
            case .parked(let jws, let since, let reason, let claimant):
                archive.parked.append(
                    ParkedFact(
                        since: since, reason: reason, fact: try fact(jws, &results, pending.line), claimant: claimant))
            case .customer, .end: break
            }
        }
        return archive
    }

    /// Verifies a compact JWS, and returns it as a fact.
    ///
    /// - Parameter results: The results of verifying the remaining texts. A text that cannot be split into the parts of
    ///   a JWS has no result.
    private func fact(
        _ jws: String, _ results: inout ArraySlice<CheckedEvidence>, _ line: Int
    ) throws(CommandError) -> VerifiedFact {
        // For a text that cannot be split, the verifier returns an error with the reason.
        let evidence = (CompactJWS(jws) == nil ? nil : results.popFirst()) ?? verifier.verify(jws)
        guard let fact = VerifiedFact(evidence) else {
            let reason = evidence.error.map { "\($0)" } ?? "it is no evidence that a vault stores"
            throw CommandError(
                .refused, "a fact of the export cannot be verified: \(reason)",
                at: "\(InputFile.name(of: file.path)):\(line)",
                "check --root; the facts before it were imported, and repeating is safe")
        }
        return fact
    }

    private func malformed(_ what: String, _ advice: String) -> CommandError {
        malformed(what, advice, at: lines.count)
    }

    private func malformed(_ what: String, _ advice: String, at line: Int) -> CommandError {
        CommandError(
            .malformedInput, what, at: "\(InputFile.name(of: file.path)):\(line)",
            "\(advice); customers before it were imported, and repeating is safe")
    }

    /// Returns the next line that is not blank; `nil` at the end of the file.
    private func readLine() throws(CommandError) -> [UInt8]? {
        while let line = try lines.next(orThrow: {
            malformed("the line is longer than 64 MiB", "export again", at: $0)
        }) {
            if line.contains(where: { $0 > 0x20 }) { return line }
        }
        return nil
    }
}
