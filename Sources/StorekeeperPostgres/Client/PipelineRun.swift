import CPostgres

/// The state of a pipeline, to which libpq's results are added one by one.
struct PipelineRun {
    /// The state of the commit in a pipeline.
    enum Commit: Sendable {
        /// The pipeline has no commit, or the commit was not sent.
        case none
        /// The commit was sent, and its result is unknown.
        case undecided
        /// The server has confirmed the commit.
        case done
        /// The server has refused the commit.
        case refused
    }

    private enum Expected {
        case preparation(String)
        case answer(Statement)
    }

    private var expected: [Expected] = []
    private var next = 0
    private let count: Int
    /// The results of the statements.
    private(set) var tables: [ResultTable] = []
    /// The first failure; the statements after the failed statement did not run.
    private(set) var failure: PostgresFailure?
    /// The names of the statements that the server failed to prepare.
    private(set) var unprepared: Set<String> = []
    private(set) var commit = Commit.none
    private(set) var isComplete = false
    /// The number of consecutive empty results.
    var skippedSeparators = 0

    init(_ calls: [Call]) { count = calls.count }

    /// Whether each statement has succeeded, so that a later loss of the connection does not matter.
    var isAnswered: Bool { failure == nil && tables.count == count }

    mutating func expectPreparation(of name: String) { expected.append(.preparation(name)) }

    /// Registers a statement before it is sent, because the server may run it from this moment on.
    mutating func expectAnswer(to statement: Statement) {
        expected.append(.answer(statement))
        if case .commits = statement.effect { commit = .undecided }
    }

    /// Skips an empty result.
    ///
    /// Returns `false` if the previous result was empty as well, which means that no result has arrived.
    mutating func skipSeparator() -> Bool {
        skippedSeparators += 1
        return skippedSeparators == 1
    }

    /// Adds the next result to the state of the pipeline, and frees the result.
    ///
    /// - Returns: Whether this result ends the pipeline.
    /// - Throws: The error of libpq itself, if libpq reports a lost connection instead of a result of the server.
    mutating func consume(_ result: OpaquePointer) throws(PostgresFailure) -> Bool {
        let table = ResultTable(owning: result)
        let status = table.status
        if status == PGRES_PIPELINE_SYNC {
            isComplete = true
            if failure == nil, tables.count != count {
                failure = PostgresFailure(.unexpectedAnswer, "\(count) statements have \(tables.count) results")
            }
            return true
        }
        let subject = next < expected.count ? expected[next] : nil
        next += 1
        switch (status, subject) {
        case (PGRES_COMMAND_OK, .preparation): break
        case (PGRES_COMMAND_OK, .answer(let statement)), (PGRES_TUPLES_OK, .answer(let statement)):
            if case .commits = statement.effect {
                // In a failed transaction, COMMIT succeeds, but rolls the transaction back.
                guard table.command == "COMMIT" else {
                    commit = .refused
                    fail(PostgresFailure(.conflict, "the transaction was rolled back instead of committed"))
                    break
                }
                commit = .done
            }
            tables.append(table)
        case (PGRES_PIPELINE_ABORTED, _):
            if case .preparation(let name) = subject { unprepared.insert(name) }
        default:
            guard let failure = table.failure else {
                throw PostgresFailure(.lost, table.message ?? "the connection was lost")
            }
            if case .preparation(let name) = subject { unprepared.insert(name) }
            // An error that arrives after the last result is ignored, because such an error states only why the server
            // ends the connection.
            if !isAnswered { fail(failure) }
        }
        return false
    }

    private mutating func fail(_ failure: PostgresFailure) {
        guard self.failure == nil else { return }
        self.failure = failure
        // If the server itself reports an error, the commit did not happen. An error of a pooler that has lost the
        // server leaves the result unknown.
        if case .undecided = commit, failure.isServerError { commit = .refused }
    }
}

extension ResultTable {
    /// The error that the server reported; `nil` if libpq has lost the connection to the server.
    fileprivate var failure: PostgresFailure? {
        guard let state = field("C") else { return nil }
        return PostgresFailure(sqlState: state, message: message ?? "no reason given", constraint: field("n"))
    }

    fileprivate var message: String? { field("M") }
}
