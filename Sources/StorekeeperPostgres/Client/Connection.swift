import CPostgres

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A connection to a server, for one thread at a time, which it blocks.
///
/// All that is asked goes in pipelines: any number of statements in one round trip. Each call has a limit of time; after
/// it, as after every loss, the connection is closed for good, because nobody knows what would be answered next.
final class Connection {
    private var raw: OpaquePointer?
    private let namesStatements: Bool
    /// The names of the statements that the server has prepared for this connection.
    private var prepared: Set<String> = []
    private let notices = NoticeLog()
    /// How often this side has waited for the other since it was connected.
    private(set) var roundTrips = 0

    /// Connects to a server that fits the settings.
    ///
    /// - Throws: ``PostgresFailure`` with `unreachable` or `refused`.
    init(_ settings: ConnectionSettings) throws(PostgresFailure) {
        namesStatements = settings.namesStatements
        let names = CStrings(settings.parameters.map(\.name)), values = CStrings(settings.parameters.map(\.value))
        // A name of a database is taken as such, not as another connection string.
        let made = withExtendedLifetime((names, values)) { PQconnectdbParams(names.pointers, values.pointers, 0) }
        guard let raw = made else {
            throw PostgresFailure(.exhausted, "no memory for a connection")
        }
        guard PQstatus(raw) == CONNECTION_OK, PQsetnonblocking(raw, 1) == 0, PQenterPipelineMode(raw) == 1 else {
            let message = settings.withoutSecrets(Self.message(of: raw))
            PQfinish(raw)
            // libpq mostly says itself where it was.
            let place = message.hasPrefix("connection to server") ? "" : "\(settings.place): "
            throw PostgresFailure(Self.kind(ofRefusal: message), place + message)
        }
        self.raw = raw
        PQsetNoticeReceiver(raw, receiveNotice, Unmanaged.passUnretained(notices).toOpaque())
    }

    deinit { close() }

    /// Closes the connection; the server undoes what was not committed.
    func close() {
        guard let raw else { return }
        self.raw = nil
        PQfinish(raw)
    }

    var isOpen: Bool { raw != nil }
    private var isListening = false

    /// Whether something may begin: it is open, in no transaction, and the server has not ended it meanwhile.
    var isReady: Bool {
        guard let raw, PQtransactionStatus(raw) == PQTRANS_IDLE else { return false }
        var descriptor = pollfd(fd: PQsocket(raw), events: Int16(POLLIN), revents: 0)
        // Mostly there is nothing. A server that ends says so first, or says something that concerns nobody.
        for _ in 0..<8 where !notices.hasEnd {
            guard poll(&descriptor, 1, 0) > 0 else { return true }
            guard PQconsumeInput(raw) == 1, PQisBusy(raw) == 0 else { return false }
        }
        return false
    }

    /// The version of the server, as 150018 for 15.18.
    var serverVersion: Int { raw.map { Int(PQserverVersion($0)) } ?? 0 }

    /// Runs statements in one round trip.
    ///
    /// Where one fails, none after it runs, and the connection goes on; a transaction that the pipeline has not begun
    /// itself stays open and failed.
    ///
    /// - Parameter limit: How long it may take.
    /// - Returns: What each has answered.
    func run(_ calls: [Call], within limit: Duration) throws(PostgresFailure) -> [ResultTable] {
        guard let raw else { throw PostgresFailure(.lost, "the connection is closed") }
        let deadline = ContinuousClock.now + limit
        notices.removeAll()
        var run = PipelineRun(calls)
        do throws(PostgresFailure) {
            for call in calls { try send(call, on: raw, &run) }
            guard PQpipelineSync(raw) == 1 else { throw PostgresFailure(.lost, Self.message(of: raw)) }
            roundTrips += 1
            try receive(&run, on: raw, until: deadline)
        } catch {
            close()
            // What was answered is answered, also where the connection does not outlive it.
            if !run.isAnswered { throw Self.failure(error, of: run) }
        }
        if let failure = run.failure {
            // What the server could not prepare is not prepared.
            prepared.subtract(run.unprepared)
            if failure.kind == .lost { close() }
            throw Self.failure(failure, of: run)
        }
        if case .done = run.commit, let warning = notices.warnings.first {
            throw PostgresFailure(.inDoubt, sqlState: warning.sqlState, warning.message)
        }
        return run.tables
    }

    /// Why a pipeline has failed; with a commit of which nothing is known, that is in doubt.
    private static func failure(_ failure: PostgresFailure, of run: PipelineRun) -> PostgresFailure {
        switch run.commit {
        case .none, .refused: failure
        case .undecided, .done: PostgresFailure(.inDoubt, sqlState: failure.sqlState, failure.message)
        }
    }

    /// Runs one statement.
    func run(_ statement: Statement, _ arguments: [Argument] = [], within limit: Duration) throws(PostgresFailure)
        -> ResultTable
    {
        let tables = try run([Call(statement, arguments)], within: limit)
        guard let table = tables.first else { throw PostgresFailure(.unexpectedAnswer, "no answer") }
        return table
    }

    private func send(_ call: Call, on raw: OpaquePointer, _ run: inout PipelineRun) throws(PostgresFailure) {
        let (statement, arguments) = (call.statement, call.arguments)
        let types = arguments.map(\.type.oid)
        let count = CInt(clamping: arguments.count)
        if namesStatements, !prepared.contains(statement.name) {
            guard PQsendPrepare(raw, statement.name, statement.sql, count, types) == 1 else {
                throw PostgresFailure(.lost, Self.message(of: raw))
            }
            prepared.insert(statement.name)
            run.expectPreparation(of: statement.name)
        }
        run.expectAnswer(to: statement)
        let parameters = BinaryParameters(arguments)
        let isSent = withExtendedLifetime(parameters) {
            namesStatements
                ? PQsendQueryPrepared(
                    raw, statement.name, count, parameters.pointers, parameters.lengths, parameters.formats, 1)
                : PQsendQueryParams(
                    raw, statement.sql, count, types, parameters.pointers, parameters.lengths, parameters.formats, 1)
        }
        guard isSent == 1 else { throw PostgresFailure(.lost, Self.message(of: raw)) }
    }

    /// Sends what is still to be sent and reads answers until the one that ends the pipeline.
    private func receive(
        _ run: inout PipelineRun, on raw: OpaquePointer, until deadline: ContinuousClock.Instant
    ) throws(PostgresFailure) {
        while true {
            let flushed = PQflush(raw)
            guard flushed >= 0 else { throw PostgresFailure(.lost, Self.message(of: raw)) }
            while PQisBusy(raw) == 0 {
                // Between the answers of two statements there is a place without one.
                guard let result = PQgetResult(raw) else {
                    if run.isComplete { return }
                    if !run.skipSeparator() { break }
                    continue
                }
                run.skippedSeparators = 0
                if try run.take(result) { return }
            }
            try wait(for: raw, toWrite: flushed == 1, until: deadline)
            guard PQconsumeInput(raw) == 1, PQstatus(raw) == CONNECTION_OK else {
                throw PostgresFailure(.lost, Self.message(of: raw))
            }
        }
    }

    private func wait(
        for raw: OpaquePointer, toWrite: Bool, until deadline: ContinuousClock.Instant
    ) throws(PostgresFailure) {
        var descriptor = pollfd(fd: PQsocket(raw), events: Int16(POLLIN) | (toWrite ? Int16(POLLOUT) : 0), revents: 0)
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else {
                throw PostgresFailure(.tooSlow, "the server has not answered within the time allowed")
            }
            let milliseconds = min(left / .milliseconds(1), 60_000).rounded(.up)
            let ready = poll(&descriptor, 1, CInt(milliseconds))
            if ready > 0 { return }
            if ready < 0, errno != EINTR { throw PostgresFailure(.lost, "the socket cannot be waited for") }
        }
    }

    // MARK: Notifications

    /// Asks to be told of what is said to a channel.
    ///
    /// - Parameter statement: `LISTEN` with the channel.
    func listen(_ statement: Statement, within limit: Duration) throws(PostgresFailure) {
        _ = try run(statement, within: limit)
        isListening = true
    }

    /// Waits for notifications of channels that this connection listens to.
    ///
    /// - Returns: The channels' names and payloads; empty where none came in time.
    /// - Throws: ``PostgresFailure`` with `lost`, also for a connection that does not listen because it was made anew.
    func notifications(within limit: Duration) throws(PostgresFailure) -> [(channel: String, payload: String)] {
        guard let raw, isListening else { throw PostgresFailure(.lost, "the connection that listened was lost") }
        let deadline = ContinuousClock.now + limit
        while true {
            guard PQconsumeInput(raw) == 1 else {
                let message = Self.message(of: raw)
                close()
                throw PostgresFailure(.lost, message)
            }
            var found: [(channel: String, payload: String)] = []
            while let notification = PQnotifies(raw) {
                found.append(
                    (String(cString: notification.pointee.relname), String(cString: notification.pointee.extra)))
                PQfreemem(notification)
            }
            if !found.isEmpty { return found }
            do {
                try wait(for: raw, toWrite: false, until: deadline)
            } catch {
                if error.kind == .tooSlow { return [] }
                close()
                throw error
            }
        }
    }

    // MARK: Words

    /// What libpq says last, in one line.
    private static func message(of raw: OpaquePointer) -> String {
        let text = String(cString: PQerrorMessage(raw))
        let lines = text.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " || $0 == "\t" } }
        return lines.isEmpty ? "the connection was lost" : lines.joined(separator: "; ")
    }

    /// libpq gives no code for a connection that was not made, but words: its own, a line for each server it has tried, and
    /// behind `FATAL:` the server's.
    static func kind(ofRefusal message: String) -> PostgresFailure.Kind {
        let lines = message.split(separator: "; ")
        if lines.allSatisfy({ line in readOnlyWords.contains { line.contains($0) } }) { return .readOnly }
        return refusingWords.contains { message.contains($0) } ? .refused : .unreachable
    }

    /// What is said of a server that only reads.
    private static let readOnlyWords = ["read-only", "hot standby", "writable connection"]
    /// What servers say to a user, a password or a database that they do not take: SQLSTATE class 28, and 3D000.
    ///
    /// libpq does not tell the code of a connection that was not made. All else that a server says then, it says because it
    /// starts, stops, recovers or has no room: it is to be tried again.
    private static let refusingWords = [
        "authentication failed", "no password supplied", "pg_hba.conf", "is not permitted to log in",
        "permission denied for database", "certificate", "does not exist", "invalid authorization specification",
        "role name", "must specify a user",
    ]
}

/// What the server warns of beside its answers.
///
/// One warning matters, and has no code of its own, only words in the server's language: that a commit is written there and
/// a standby may know nothing of it, because somebody has told the server not to wait any longer. So every warning beside a
/// commit is taken for that one. Our statements deserve no other, but for those that a server gives whoever writes when its
/// numbers of transactions run out: they are known by the place in the server that they come from.
///
/// - SeeAlso: The PostgreSQL documentation, "Synchronous Replication".
private final class NoticeLog {
    private(set) var warnings: [(sqlState: String, message: String)] = []
    /// Whether the server has said that it ends the connection.
    var hasEnd = false

    func removeAll() { warnings.removeAll() }
    func append(_ warning: (sqlState: String, message: String)) { warnings.append(warning) }
}

private func receiveNotice(_ place: UnsafeMutableRawPointer?, _ result: OpaquePointer?) {
    guard let place, let result else { return }
    // The word that is the same in every language.
    let severity = PQresultErrorField(result, CInt(UInt8(ascii: "V"))).map { String(cString: $0) }
    let log = Unmanaged<NoticeLog>.fromOpaque(place).takeUnretainedValue()
    if severity == "FATAL" || severity == "PANIC" { log.hasEnd = true }
    let routine = PQresultErrorField(result, CInt(UInt8(ascii: "R"))).map { String(cString: $0) }
    guard severity == "WARNING", routine != "GetNewTransactionId", routine != "GetNewMultiXactId" else { return }
    let state = PQresultErrorField(result, CInt(UInt8(ascii: "C"))).map { String(cString: $0) } ?? ""
    let message = PQresultErrorField(result, CInt(UInt8(ascii: "M"))).map { String(cString: $0) } ?? ""
    log.append((state, message))
}

/// Texts as C takes them, with the empty pointer at the end that ends the list.
private final class CStrings {
    private let texts: [UnsafeMutablePointer<CChar>?]
    let pointers: [UnsafePointer<CChar>?]

    init(_ texts: [String]) {
        self.texts = texts.map { strdup($0) }
        pointers = self.texts.map { $0.map { UnsafePointer($0) } } + [nil]
    }

    deinit { for text in texts { free(text) } }
}

/// The bytes of arguments as libpq takes them, in one piece of memory.
private final class BinaryParameters {
    private let memory: UnsafeMutableRawBufferPointer
    let pointers: [UnsafePointer<CChar>?]
    let lengths: [CInt]
    let formats: [CInt]

    init(_ arguments: [Argument]) {
        // One byte more for each, so that an empty value has a place, too: no place means `NULL`.
        let size = arguments.reduce(0) { $0 + ($1.bytes?.count ?? 0) + 1 }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size + 1, alignment: 8)
        var place = 0
        pointers = arguments.map { argument in
            guard let bytes = argument.bytes else { return nil }
            let target = UnsafeMutableRawBufferPointer(rebasing: memory[place..<(place + bytes.count + 1)])
            target.copyBytes(from: bytes)
            place += bytes.count + 1
            return target.baseAddress.map { UnsafePointer($0.assumingMemoryBound(to: CChar.self)) }
        }
        lengths = arguments.map { CInt(clamping: $0.bytes?.count ?? 0) }
        formats = arguments.map { _ in 1 }
        self.memory = memory
    }

    deinit { memory.deallocate() }
}
