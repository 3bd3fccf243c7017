import CPostgres

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A connection to a server.
///
/// Only one thread may use a connection at a time, and each call blocks the thread.
///
/// All requests use libpq's pipeline mode, which sends any number of statements in one round trip. Each call has a time
/// limit. After a timeout or a connection failure, the connection is closed permanently, because the client cannot know
/// which response the server would send next.
final class Connection {
    private var raw: OpaquePointer?
    private let namesStatements: Bool
    /// The names of the statements that the server has prepared for this connection.
    private var prepared: Set<String> = []
    private let notices = NoticeLog()
    /// The number of round trips since the connection was opened.
    private(set) var roundTrips = 0

    /// Connects to one of the servers that the settings name.
    ///
    /// - Parameter setupLimit: The time limit for the first statement of the connection.
    /// - Throws: ``PostgresFailure`` with `unreachable` or `refused`.
    init(_ settings: ConnectionSettings, setupLimit: Duration = .seconds(10)) throws(PostgresFailure) {
        namesStatements = settings.namesStatements
        let names = CStrings(settings.parameters.map(\.name)), values = CStrings(settings.parameters.map(\.value))
        // With the argument 0, libpq uses a database name literally and does not parse it as another connection string.
        let made = withExtendedLifetime((names, values)) { PQconnectdbParams(names.pointers, values.pointers, 0) }
        guard let raw = made else {
            throw PostgresFailure(.exhausted, "out of memory")
        }
        guard PQstatus(raw) == CONNECTION_OK, PQsetnonblocking(raw, 1) == 0, PQenterPipelineMode(raw) == 1 else {
            let message = settings.withoutSecrets(Self.message(of: raw))
            PQfinish(raw)
            // libpq's message usually names the server already.
            let place = message.hasPrefix("connection to server") ? "" : "\(settings.place): "
            let advice =
                settings.demandsTLS && message.contains("SSL")
                ? "; TLS is required for other machines, unless the connection string states sslmode" : ""
            throw PostgresFailure(Self.kind(ofRefusal: message), place + message + advice)
        }
        self.raw = raw
        PQsetNoticeReceiver(raw, receiveNotice, Unmanaged.passUnretained(notices).toOpaque())
        guard !settings.session.isEmpty else { return }
        _ = try run(
            Self.setSession, [.texts(settings.session.map(\.name)), .texts(settings.session.map(\.value))],
            within: setupLimit)
    }

    /// Settings of the connection string have the source 'client'.
    private static let setSession = Statement(
        """
        SELECT set_config(s.name, k.value, false) FROM unnest($1::text[], $2::text[]) AS k(name, value)
          JOIN pg_settings s ON s.name = k.name WHERE s.source <> 'client'
        """)

    deinit { close() }

    /// Closes the connection; the server rolls back an open transaction.
    func close() {
        guard let raw else { return }
        self.raw = nil
        PQfinish(raw)
    }

    var isOpen: Bool { raw != nil }
    private var isListening = false

    /// Whether a transaction may begin, because the connection is open, has no open transaction, and was not ended by
    /// the server.
    var isReady: Bool {
        guard let raw, PQtransactionStatus(raw) == PQTRANS_IDLE else { return false }
        var descriptor = pollfd(fd: PQsocket(raw), events: Int16(POLLIN), revents: 0)
        // Usually the server has sent no data. A server that shuts down first sends a notice that it ends the
        // connection. Other notices are ignored.
        for _ in 0..<8 where !notices.hasEnd {
            guard poll(&descriptor, 1, 0) > 0 else { return true }
            guard PQconsumeInput(raw) == 1, PQisBusy(raw) == 0 else { return false }
        }
        return false
    }

    /// Runs statements in one round trip.
    ///
    /// If a statement fails, the following statements do not run, and the connection stays usable. A transaction that
    /// began before this call stays open in a failed state.
    ///
    /// - Parameter limit: The time limit.
    /// - Returns: The result of each statement.
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
            // If all responses have arrived, the call succeeds, even if the connection was lost afterwards.
            if !run.isAnswered { throw Self.failure(error, of: run) }
        }
        if let failure = run.failure {
            // Statements that the server could not prepare must be prepared again.
            prepared.subtract(run.unprepared)
            if failure.kind == .lost { close() }
            throw Self.failure(failure, of: run)
        }
        if case .done = run.commit, let warning = notices.warnings.first {
            throw PostgresFailure(.inDoubt, sqlState: warning.sqlState, warning.message)
        }
        return run.tables
    }

    /// Returns the error of a pipeline.
    ///
    /// The error is `inDoubt` if the commit in the pipeline succeeded, or if its result is unknown.
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

    /// Sends the remaining data, and reads results up to the result that ends the pipeline.
    private func receive(
        _ run: inout PipelineRun, on raw: OpaquePointer, until deadline: ContinuousClock.Instant
    ) throws(PostgresFailure) {
        while true {
            let flushed = PQflush(raw)
            guard flushed >= 0 else { throw PostgresFailure(.lost, Self.message(of: raw)) }
            while PQisBusy(raw) == 0 {
                // Between the results of two statements libpq returns an empty result.
                guard let result = PQgetResult(raw) else {
                    if run.isComplete { return }
                    if !run.skipSeparator() { break }
                    continue
                }
                run.skippedSeparators = 0
                if try run.consume(result) { return }
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
            if ready < 0, errno != EINTR { throw PostgresFailure(.lost, "waiting for the socket failed") }
        }
    }

    // MARK: Notifications

    /// Subscribes to a notification channel.
    ///
    /// - Parameter statement: `LISTEN` with the channel.
    func listen(_ statement: Statement, within limit: Duration) throws(PostgresFailure) {
        _ = try run(statement, within: limit)
        isListening = true
    }

    /// Waits for notifications of subscribed channels.
    ///
    /// - Returns: The notifications, each with its channel and payload; empty if no notification arrived within the
    ///   limit.
    /// - Throws: ``PostgresFailure`` with `lost` if the connection is lost or has no subscription.
    func notifications(within limit: Duration) throws(PostgresFailure) -> [(channel: String, payload: String)] {
        guard let raw, isListening else { throw PostgresFailure(.lost, "the listening connection was lost") }
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

    // MARK: Messages

    /// Returns libpq's last message in one line.
    private static func message(of raw: OpaquePointer) -> String {
        let text = String(cString: PQerrorMessage(raw))
        let lines = text.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " || $0 == "\t" } }
        return lines.isEmpty ? "the connection was lost" : lines.joined(separator: "; ")
    }

    /// Returns the kind of a failure to connect, from the text of libpq's message, because libpq reports no code.
    ///
    /// The message has one line for each server that libpq has tried, with libpq's own text, or the server's text after
    /// `FATAL:`.
    static func kind(ofRefusal message: String) -> PostgresFailure.Kind {
        let lines = message.split(separator: "; ").map(withoutNames)
        if lines.allSatisfy({ line in readOnlyWords.contains { line.contains($0) } }) { return .readOnly }
        func containsAny(_ words: [String]) -> Bool {
            lines.contains { line in words.contains { line.contains($0) } }
        }
        if containsAny(refusingWords) { return .refused }
        if containsAny(tlsWords) { return .insecure }
        return containsAny(["does not exist"]) ? .refused : .unreachable
    }

    /// Returns a line without the names of hosts, roles and databases, which are quoted and may contain any phrase.
    private static func withoutNames(_ line: Substring) -> String {
        var isName = false
        let bytes = line.utf8.filter { byte in
            if byte == UInt8(ascii: "\"") { isName.toggle() }
            return !isName
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Phrases that occur in libpq's messages about a read-only server.
    private static let readOnlyWords = ["read-only", "hot standby", "writable connection"]
    /// Phrases that occur in messages about a refused user, password or database (SQLSTATE class 28, and 3D000).
    ///
    /// libpq does not report the code of a failed connection. Any other message means that the server is starting,
    /// stopping or recovering, or has no resources left. In these cases, the connection is retried.
    private static let refusingWords = [
        "authentication failed", "no password supplied", "pg_hba.conf", "is not permitted to log in",
        "permission denied for database", "invalid authorization specification", "role name", "must specify a user",
    ]
    /// Phrases that occur in messages about a TLS connection that was refused by the client or by the server, such as
    /// `root certificate file "root.crt" does not exist`.
    private static let tlsWords = [
        "certificate", "private key", "does not support SSL", "tlsv1 alert", "tlsv13 alert", "sslv3 alert",
        "ssl/tls alert", "wrong version number", "unsupported protocol", "no protocols available",
    ]
}

/// The notices that the server sends in addition to results.
///
/// One warning matters, which means that a commit is written on the server, but perhaps not on a standby, because an
/// administrator cancelled the wait for the standby. This warning has no code of its own, and its text is in the
/// server's language. Therefore every warning during a commit is treated as this warning. The only exceptions are
/// warnings about transaction ids that run out, which are recognized by the name of the server's routine that issues
/// them.
///
/// - SeeAlso: The PostgreSQL documentation, "Synchronous Replication".
private final class NoticeLog {
    private(set) var warnings: [(sqlState: String, message: String)] = []
    /// Whether the server has announced that it ends the connection.
    var hasEnd = false

    func removeAll() { warnings.removeAll() }
    func append(_ warning: (sqlState: String, message: String)) { warnings.append(warning) }
}

private func receiveNotice(_ place: UnsafeMutableRawPointer?, _ result: OpaquePointer?) {
    guard let place, let result else { return }
    // The field `V` contains the severity in English, whatever the server's language is.
    let severity = PQresultErrorField(result, CInt(UInt8(ascii: "V"))).map { String(cString: $0) }
    let log = Unmanaged<NoticeLog>.fromOpaque(place).takeUnretainedValue()
    if severity == "FATAL" || severity == "PANIC" { log.hasEnd = true }
    let routine = PQresultErrorField(result, CInt(UInt8(ascii: "R"))).map { String(cString: $0) }
    guard severity == "WARNING", routine != "GetNewTransactionId", routine != "GetNewMultiXactId" else { return }
    let state = PQresultErrorField(result, CInt(UInt8(ascii: "C"))).map { String(cString: $0) } ?? ""
    let message = PQresultErrorField(result, CInt(UInt8(ascii: "M"))).map { String(cString: $0) } ?? ""
    log.append((state, message))
}

/// An array of C strings that ends with a null pointer.
private final class CStrings {
    private let texts: [UnsafeMutablePointer<CChar>?]
    let pointers: [UnsafePointer<CChar>?]

    init(_ texts: [String]) {
        self.texts = texts.map { strdup($0) }
        pointers = self.texts.map { $0.map { UnsafePointer($0) } } + [nil]
    }

    deinit { for text in texts { free(text) } }
}

/// The bytes of all arguments in one block of memory, with the pointers that libpq expects.
private final class BinaryParameters {
    private let memory: UnsafeMutableRawBufferPointer
    let pointers: [UnsafePointer<CChar>?]
    let lengths: [CInt]
    let formats: [CInt]

    init(_ arguments: [Argument]) {
        // One additional byte is reserved for each value, so that an empty value also has an address. A null pointer
        // would mean `NULL`.
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
