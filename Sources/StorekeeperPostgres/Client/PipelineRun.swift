import CPostgres

/// What came back of a pipeline so far, as a value that the results of libpq are given one by one.
struct PipelineRun {
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
    private(set) var hasCommitted = false
    private(set) var isComplete = false
    private var commits = false
    /// How many places without a result came one after the other.
    var skippedSeparators = 0

    init(_ calls: [Call]) { count = calls.count }

    mutating func expectPreparation(of name: String) { expected.append(.preparation(name)) }

    mutating func expectAnswer(to statement: Statement) {
        expected.append(.answer(statement))
        if case .commits = statement.effect { commits = true }
    }

    /// Whether a commit was sent of which nobody has said what became of it.
    var isCommitUndecided: Bool { commits && !hasCommitted && failure == nil }

    /// Passes over a place without a result; `false` where there was one just before, so that there is nothing to read.
    mutating func skipSeparator() -> Bool {
        skippedSeparators += 1
        return skippedSeparators == 1
    }

    /// Takes over the next result.
    ///
    /// - Returns: Whether it was the last.
    mutating func take(_ result: OpaquePointer) -> Bool {
        let status = PQresultStatus(result)
        if status == PGRES_PIPELINE_SYNC {
            PQclear(result)
            isComplete = true
            if failure == nil, tables.count != count {
                failure = PostgresFailure(.unexpectedAnswer, "\(count) statements have \(tables.count) answers")
            }
            return true
        }
        let subject = next < expected.count ? expected[next] : nil
        next += 1
        let table = ResultTable(owning: result)
        switch (status, subject) {
        case (PGRES_COMMAND_OK, .preparation): break
        case (PGRES_COMMAND_OK, .answer(let statement)), (PGRES_TUPLES_OK, .answer(let statement)):
            if case .commits = statement.effect {
                // In a transaction that has failed, COMMIT succeeds and undoes it.
                guard table.command == "COMMIT" else {
                    fail(PostgresFailure(.conflict, "the transaction was undone in place of committed"))
                    break
                }
                hasCommitted = true
            }
            tables.append(table)
        case (PGRES_PIPELINE_ABORTED, _):
            if case .preparation(let name) = subject { unprepared.insert(name) }
        default:
            if case .preparation(let name) = subject { unprepared.insert(name) }
            fail(Self.failure(of: result))
        }
        return false
    }

    private mutating func fail(_ failure: PostgresFailure) {
        if self.failure == nil { self.failure = failure }
    }

    private static func failure(of result: OpaquePointer) -> PostgresFailure {
        func field(_ code: Unicode.Scalar) -> String? {
            PQresultErrorField(result, CInt(code.value)).map { String(cString: $0) }
        }
        guard let state = field("C") else {
            return PostgresFailure(.lost, field("M") ?? "the connection was lost")
        }
        return PostgresFailure(sqlState: state, message: field("M") ?? "no reason given", constraint: field("n"))
    }
}
