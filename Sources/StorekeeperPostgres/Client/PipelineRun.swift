import CPostgres

/// What came back of a pipeline so far, as a value that the results of libpq are given one by one.
struct PipelineRun {
    /// What is known of the commit in a pipeline.
    enum Commit: Sendable {
        /// There is none, or it was not sent.
        case none
        /// It was sent, and nobody has said what became of it.
        case undecided
        /// The server has said that it is done.
        case done
        /// The server has said that it will not be.
        case refused
    }

    private enum Expected {
        case preparation(String)
        case answer(Statement)
    }

    private var expected: [Expected] = []
    private var next = 0
    private let count: Int
    /// What each statement has answered.
    private(set) var tables: [ResultTable] = []
    /// The first that went wrong; what comes after it was not carried out.
    private(set) var failure: PostgresFailure?
    /// The names of statements that the server has not prepared.
    private(set) var unprepared: Set<String> = []
    private(set) var commit = Commit.none
    private(set) var isComplete = false
    /// How many places without a result came one after the other.
    var skippedSeparators = 0

    init(_ calls: [Call]) { count = calls.count }

    /// Whether each statement has its answer; what happens to the connection then changes nothing.
    var isAnswered: Bool { failure == nil && tables.count == count }

    mutating func expectPreparation(of name: String) { expected.append(.preparation(name)) }

    /// To be told before a statement is sent: from then on it may be carried out.
    mutating func expectAnswer(to statement: Statement) {
        expected.append(.answer(statement))
        if case .commits = statement.effect { commit = .undecided }
    }

    /// Passes over a place without a result; `false` where there was one just before, so that there is nothing to read.
    mutating func skipSeparator() -> Bool {
        skippedSeparators += 1
        return skippedSeparators == 1
    }

    /// Takes over the next result.
    ///
    /// - Returns: Whether it was the last.
    /// - Throws: What libpq says by itself, in place of an answer: then nothing more is known.
    mutating func take(_ result: OpaquePointer) throws(PostgresFailure) -> Bool {
        let table = ResultTable(owning: result)
        let status = table.status
        if status == PGRES_PIPELINE_SYNC {
            isComplete = true
            if failure == nil, tables.count != count {
                failure = PostgresFailure(.unexpectedAnswer, "\(count) statements have \(tables.count) answers")
            }
            return true
        }
        let subject = next < expected.count ? expected[next] : nil
        next += 1
        switch (status, subject) {
        case (PGRES_COMMAND_OK, .preparation): break
        case (PGRES_COMMAND_OK, .answer(let statement)), (PGRES_TUPLES_OK, .answer(let statement)):
            if case .commits = statement.effect {
                // In a transaction that has failed, COMMIT succeeds and undoes it.
                guard table.command == "COMMIT" else {
                    commit = .refused
                    fail(PostgresFailure(.conflict, "the transaction was undone in place of committed"))
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
            // After its last answer a server may say why it ends the connection.
            if !isAnswered { fail(failure) }
        }
        return false
    }

    private mutating func fail(_ failure: PostgresFailure) {
        guard self.failure == nil else { return }
        self.failure = failure
        // One who stands between, and has lost the server, does not know what the server has done.
        if case .undecided = commit, failure.isOfTheServer { commit = .refused }
    }
}

extension ResultTable {
    /// An error that the server has reported; `nil` where libpq has lost the server.
    fileprivate var failure: PostgresFailure? {
        guard let state = field("C") else { return nil }
        return PostgresFailure(sqlState: state, message: message ?? "no reason given", constraint: field("n"))
    }

    fileprivate var message: String? { field("M") }
}
