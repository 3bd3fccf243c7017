import Foundation
import Storekeeper
import StorekeeperTesting
import Synchronization
import Testing

@testable import FleetNode
@testable import StorekeeperPostgres

/// Tests with connections that are cut, slow or half-open at any message.
@Suite(
    "Connections that fail", .serialized, .proof,
    .enabled(if: ServerPrograms.areInstalled, "no PostgreSQL server is installed"))
struct CutConnectionTests {
    /// A step of a vault: a request, which has its own key, or evidence with an event, which has no key.
    enum Step: String, CaseIterable { case request, evidence }

    /// A vault that is reached through a proxy, and a second vault on the same database without a proxy.
    private struct World {
        let server: PostgresServer
        let database: String
        let proxy: WireProxy
        let vault: PostgresVault
        let direct: PostgresVault

        init(timeout: Duration, writers: Int = 1) async throws {
            server = try await PostgresServer.shared.value
            database = try await server.makeVault()
            proxy = try WireProxy(to: server)
            direct = try await PostgresVault(database, options: .init(connections: 2))
            vault = try await PostgresVault(
                proxy.address(of: database),
                options: .init(connections: writers + 3, writers: writers, timeout: timeout))
        }

        /// Runs a step, and returns the place of its entry or event, or the error.
        func take(
            _ step: Step, _ name: String, for customer: CustomerID = "anna"
        ) async -> Result<FeedPlace?, VaultError> {
            do throws(VaultError) {
                switch step {
                case .request:
                    let request = LedgerRequest.grant(
                        1, of: "coins", to: customer, because: "x", key: LedgerRequest.Key(name), at: .day(1))
                    guard case .success(let receipt)? = try await vault.move([request], policy: .debt).first else {
                        return .failure(VaultError(.corrupt, "a gift was refused"))
                    }
                    return .success(receipt.entry.place)
                case .evidence:
                    let batch = CommitBatch(customer: customer, at: .day(1), events: [Writer.event(name)])
                    guard case .committed(let receipt) = try await vault.commit(batch) else {
                        return .failure(VaultError(.corrupt, "a batch was refused"))
                    }
                    return .success(receipt.events.first?.place)
                }
            } catch {
                return .failure(error)
            }
        }

        /// Waits until no statement is running, and compares the answers with the database.
        func check(
            _ answers: [String: Result<FeedPlace?, VaultError>], of customers: [CustomerID] = ["anna"]
        ) async throws {
            vault.close()
            direct.close()
            try await server.quiesce(database)
            let direct = try await PostgresVault(database, options: .init(connections: 2))
            defer { direct.close() }
            var found: [String: [FeedPlace]] = [:]
            for customer in customers {
                let entries = try await direct.entries(after: .start, of: customer, limit: .max)
                #expect(entries.map(\.number) == entries.indices.map { Int64($0 + 1) })
                for entry in entries {
                    if case .request(let key, _) = entry.cause { found[key.rawValue, default: []].append(entry.place) }
                }
            }
            for event in try await direct.events(after: .start, of: nil, limit: .max) {
                if case .product(let name) = event.change.subject {
                    found[name.rawValue, default: []].append(event.place)
                }
            }
            for (name, answer) in answers {
                switch answer {
                case .success(let place):
                    #expect(found[name] ?? [] == [place].compactMap(\.self), "\(name) was acknowledged")
                case .failure(let error): #expect(found[name] == nil, "\(name): \(error)")
                }
            }
            #expect(try await direct.checkIntegrity().faults == [])
        }
    }

    enum Fault: String, CaseIterable { case cut, reset, lose }

    @Test(
        "A step that is cut off before any of its messages is written once or not at all, and the vault knows which",
        arguments: [(Fault.cut, Step.evidence, 1), (.reset, .request, 3), (.lose, .evidence, 3)])
    func cuts(_ fault: Fault, step: Step, stride: Int) async throws {
        let world = try await World(timeout: .seconds(20))
        var answers: [String: Result<FeedPlace?, VaultError>] = [:]
        for direction in [WireProxy.Message.Direction.toServer, .toClient] {
            // The last messages of a step are about its commit. In one run after another, the connection is cut at each
            // of these messages.
            var place = 0
            while true {
                let (gate, wasMet, left) = (Gate(), Flag(), Countdown(place))
                world.proxy.decide { message in
                    guard message.direction == direction, left.isDone(), wasMet.set() else { return .pass }
                    switch fault {
                    case .cut: return .cut
                    case .reset: return .reset
                    case .lose:
                        // The server notices five milliseconds later that the client has disconnected. The step may
                        // have been repeated before that.
                        gate.open(after: .milliseconds(5))
                        return .lose(gate)
                    }
                }
                let name = "\(fault) \(direction) \(place)"
                answers[name] = await world.take(step, name)
                world.proxy.decide { _ in .pass }
                if case .failure(let error)? = answers[name] {
                    #expect(error.code != .inDoubt, "\(name): the outcome can be looked up")
                }
                guard wasMet.isSet else { break }
                place += place < 40 ? stride : 1
            }
        }
        // A step has more than forty messages. With more than forty answers, every part of a step was cut at least
        // once.
        #expect(answers.count > 40)
        try await world.check(answers)
    }

    @Test("A commit whose server is gone is in doubt after `patience`, long before a round trip times out")
    func patience() async throws {
        let world = try await World(timeout: .seconds(20))
        let vault = try await PostgresVault(
            world.proxy.address(of: world.database),
            options: .init(connections: 4, writers: 1, timeout: .seconds(300), patience: .milliseconds(500)))
        let isGone = Flag()
        world.proxy.decide { message in
            if message.executes("COMMIT") { isGone.set() }
            return isGone.isSet ? .cut : .pass
        }
        let request = LedgerRequest.grant(1, of: "coins", to: "anna", because: "x", key: "once", at: .day(1))
        let error = await #expect(throws: VaultError.self) { try await vault.move([request], policy: .debt) }
        #expect(isGone.isSet && error?.code == .inDoubt)
        // The request is repeated with the same key. It is carried out once, whether or not the first commit succeeded.
        world.proxy.decide { _ in .pass }
        _ = try await vault.move([request], policy: .debt).first?.get()
        #expect(try await world.direct.balances(of: "anna").map(\.amount) == [1])
        vault.close()
        world.vault.close()
        world.direct.close()
    }

    /// Simulates the answer of a proxy, such as PgBouncer, that has lost its connection to the server.
    @Test("An answer to a commit that does not come from the server itself does not settle the outcome")
    func foreignWord() async throws {
        let world = try await World(timeout: .seconds(20))
        let wasMet = Flag()
        let isCommitting = Flag()
        world.proxy.decide { message in
            // A step begins with a transaction of its own. The rule below does not apply to the COMMIT of this
            // transaction.
            if message.executes("COMMIT") { isCommitting.set() }
            guard message.completes("COMMIT"), isCommitting.isSet, wasMet.set() else { return .pass }
            return .answer(Self.report("E", "FATAL", "08P01", "server conn crashed?"))
        }
        let answer = await world.take(.evidence, "once")
        #expect(wasMet.isSet)
        #expect(throws: Never.self) { try answer.get() }
        try await world.check(["once": answer])
    }

    @Test("A warning of the server about a commit is recognised in any language")
    func foreignLanguage() async throws {
        let world = try await World(timeout: .seconds(20))
        world.proxy.decide { message in
            guard message.completes("COMMIT") else { return .pass }
            return .prepend(Self.report("N", "WARNING", "01000", "storniere Warten auf synchrone Replikation"))
        }
        let settings = try ConnectionSettings(world.proxy.address(of: world.database))
        let kind = try await offThread { () -> PostgresFailure.Kind? in
            let connection = try Connection(settings)
            do throws(PostgresFailure) {
                _ = try connection.run([Call(.begin), Call(.commit)], within: .seconds(20))
                return nil
            } catch {
                return error.kind
            }
        }
        #expect(kind == .inDoubt)
        world.proxy.decide { _ in .pass }
        try await world.check([:])
    }

    /// Returns an error or notice in the server's format.
    private static func report(_ kind: Character, _ severity: String, _ code: String, _ message: String) -> [UInt8] {
        var body: [UInt8] = []
        for field in ["S" + severity, "V" + severity, "C" + code, "M" + message] { body += Array(field.utf8) + [0] }
        body.append(0)
        let length = withUnsafeBytes(of: Int32(body.count + 4).bigEndian) { Array($0) }
        return Array(String(kind).utf8) + length + body
    }

    /// The message before which the proxy stops passing messages on.
    enum Silence: String, CaseIterable {
        case begin, locks, places, group, commit, sync, begun, placed, committed, ready

        func isBefore(_ message: WireProxy.Message) -> Bool {
            switch self {
            case .begin: message.kind == "E" && message.sql?.hasPrefix("BEGIN") == true
            case .locks: message.kind == "E" && message.sql?.contains("FOR UPDATE OF c") == true
            case .places: message.kind == "E" && message.sql?.contains("SET next = next +") == true
            case .group: message.kind == "E" && message.sql?.contains("INTO storekeeper.step(id, at, first)") == true
            case .commit: message.executes("COMMIT")
            case .sync: message.kind == "S" && message.direction == .toServer
            case .begun: message.completes("BEGIN")
            case .placed: message.completes("INSERT 0 1")
            case .committed: message.completes("COMMIT")
            case .ready: message.direction == .toClient && message.kind == "Z"
            }
        }
    }

    @Test(
        "A step on a half-open connection ends in time, and messages that arrive late are not written in addition",
        .timeLimit(.minutes(20)), arguments: Silence.allCases)
    func silences(_ silence: Silence) async throws {
        let world = try await World(timeout: .milliseconds(400))
        var answers = ["before": await world.take(.request, "before")]
        // The server receives the remaining messages before the vault's timeout in the first case, and after it in the
        // second case.
        for (number, length) in [200, 900].enumerated() {
            let (gate, wasMet) = (Gate(), Flag())
            world.proxy.decide { message in
                guard silence.isBefore(message), wasMet.set() else { return .pass }
                return .wait(gate)
            }
            let opening = Task {
                try? await Task.sleep(for: .milliseconds(length))
                gate.open()
            }
            let key = "silence \(number)"
            let begin = ContinuousClock.now
            var answer = await world.take(.request, key)
            let took = begin.duration(to: .now)
            #expect(took < .seconds(60), "\(silence): a step took \(took)")
            await opening.value
            world.proxy.decide { _ in .pass }
            #expect(wasMet.isSet)
            // If the server cannot report the outcome yet, the outcome is unknown until the request is repeated.
            if case .failure(let error) = answer, error.code == .inDoubt { answer = await world.take(.request, key) }
            answers[key] = answer
            // After the interruption, the vault accepts the next request.
            let next = "after \(number)"
            answers[next] = await world.take(.request, next)
        }
        try await world.check(answers)
    }

    @Test("Messages that arrive in pieces or late do not change the outcome", .timeLimit(.minutes(20)))
    func crumbs() async throws {
        let world = try await World(timeout: .seconds(60))
        var answers: [String: Result<FeedPlace?, VaultError>] = [:]
        for verdict in [WireProxy.Verdict.crumble, .delay(1)] {
            world.proxy.decide { _ in verdict }
            for number in 0..<2 {
                let key = "\(verdict) \(number)"
                answers[key] = await world.take(.evidence, key)
                if case .failure(let error)? = answers[key] { Issue.record(error, "\(key)") }
            }
        }
        world.proxy.decide { _ in .pass }
        try await world.check(answers)
    }

    @Test("A network that fails at random neither loses nor duplicates acknowledged steps", .timeLimit(.minutes(20)))
    func weather() async throws {
        let seed = TestCounts.seed ?? .random(in: .min ... .max)
        let world = try await World(timeout: .seconds(3), writers: 2)
        let chance = Mutex(SplitMix64(seed: seed))
        world.proxy.decide { _ in
            chance.withLock { random in
                guard random.number(in: 1...400) == 1 else { return .pass }
                switch random.number(in: 0...3) {
                case 0: return .cut
                case 1: return .reset
                case 2:
                    let gate = Gate()
                    gate.open(after: .milliseconds(random.number(in: 1...50)))
                    return .lose(gate)
                default: return .delay(UInt32(random.number(in: 1...20)))
                }
            }
        }
        let customers = (0..<8).map { CustomerID(rawValue: "customer \($0)") }
        let answers = await withTaskGroup(of: [String: Result<FeedPlace?, VaultError>].self) { group in
            for lane in 0..<16 {
                group.addTask {
                    var answers: [String: Result<FeedPlace?, VaultError>] = [:]
                    for number in 0..<20 {
                        let key = "\(lane)-\(number)"
                        answers[key] = await world.take(
                            number % 2 == 0 ? .evidence : .request, key, for: customers[lane % 8])
                    }
                    return answers
                }
            }
            return await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
        }
        world.proxy.decide { _ in .pass }
        // A step whose outcome is unknown may or may not have been written.
        let told = answers.filter { if case .failure(let error) = $0.value { error.code != .inDoubt } else { true } }
        let done = answers.values.count { if case .success = $0 { true } else { false } }
        #expect(done > 100, "seed \(seed)")
        #expect(told.count > 250, "seed \(seed)")
        try await world.check(told, of: customers)
    }
}
