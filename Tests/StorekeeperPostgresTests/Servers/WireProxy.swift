import Foundation
import Synchronization

/// A proxy between clients and a server that reads each message and applies a network fault to it.
final class WireProxy: Sendable {
    /// A message between a client and the server.
    struct Message: Sendable {
        enum Direction: Sendable { case toServer, toClient }

        let direction: Direction
        /// The letter of the message's kind; `nil` for the first message of a connection.
        let kind: Character?
        /// The statement that a client's message prepares, binds or executes.
        let sql: String?
        let body: [UInt8]

        /// Returns whether the message executes a statement.
        func executes(_ sql: String) -> Bool { kind == "E" && self.sql == sql }

        /// Returns whether the message is the server's report that a command is complete.
        func completes(_ command: String) -> Bool {
            direction == .toClient && kind == "C" && body.starts(with: Array(command.utf8))
        }
    }

    /// The proxy's treatment of a message.
    enum Verdict: Sendable {
        case pass
        /// The message is sent in small pieces.
        case crumble
        /// The message and all later messages are delayed by a number of milliseconds.
        case delay(UInt32)
        /// The message and all later messages in its direction wait until the gate opens.
        case wait(Gate)
        /// The message is not sent, and the connection ends for both sides.
        case cut
        /// The message is not sent, and both sides receive a reset of the connection instead of its end.
        case reset
        /// The client receives other bytes instead of the message, and loses the connection.
        case answer([UInt8])
        /// The client receives other bytes before the message, and keeps the connection.
        case prepend([UInt8])
        /// The client loses the connection before the message.
        ///
        /// The server notices this only after the gate opens.
        case lose(Gate)
    }

    typealias Rule = @Sendable (Message) -> Verdict

    private let listener: LoopbackSocket
    private let target: Int
    /// The rule is in a structure, because Swift would wrap a function in another function at each change of the
    /// `Mutex`.
    private struct Decision: Sendable { let rule: Rule }
    private let decision = Mutex(Decision { _ in .pass })

    init(to server: PostgresServer) throws {
        listener = try LoopbackSocket(listeningOn: 0)
        target = server.port
        let thread = Thread { [listener, target, weak self] in
            while let client = listener.accepted() {
                guard let proxy = self, let server = try? LoopbackSocket(connectingTo: target) else {
                    client.end()
                    client.close()
                    continue
                }
                proxy.connect(client, server)
            }
            listener.close()
        }
        thread.start()
    }

    deinit { listener.end() }

    /// Returns the connection string of the proxy.
    ///
    /// - Parameter database: The connection string of the server.
    func address(of database: String) -> String {
        database.replacingOccurrences(of: ":\(target)/", with: ":\(listener.port)/")
    }

    /// Sets the rule for all further messages.
    ///
    /// The rule is called for one message at a time.
    func decide(_ rule: @escaping Rule) { decision.withLock { $0 = Decision(rule: rule) } }

    private func verdict(on message: Message) -> Verdict { decision.withLock { $0.rule(message) } }

    // MARK: A connection

    private func connect(_ client: LoopbackSocket, _ server: LoopbackSocket) {
        let pair = Pair(client, server)
        for direction in [Message.Direction.toServer, .toClient] {
            let thread = Thread { [weak self] in
                var statements = Statements()
                while let message = pair.next(direction, &statements) {
                    guard let proxy = self, pair.carryOut(proxy.verdict(on: message.read), on: message) else { break }
                }
                pair.leave()
            }
            thread.stackSize = 1 << 19
            thread.start()
        }
    }

    /// The texts of a connection's statements, by the names of their prepared statements.
    private struct Statements {
        private var texts: [String: String] = [:]
        private var current: String?

        /// Returns the statement that a client's message prepares, binds or executes.
        mutating func text(_ kind: Character, _ body: [UInt8]) -> String? {
            let words = body.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
                .prefix(2).map { String(decoding: $0, as: UTF8.self) }
            switch kind {
            case "P" where words.count == 2:
                texts[words[0]] = words[1]
                return words[1]
            case "B" where words.count == 2:
                current = texts[words[1]]
                return current
            case "D", "E": return current
            default: return nil
            }
        }
    }

    /// The two sockets of a connection, which are closed when both directions have ended.
    private final class Pair: Sendable {
        let client: LoopbackSocket
        let server: LoopbackSocket
        private let users = Mutex(2)

        init(_ client: LoopbackSocket, _ server: LoopbackSocket) { (self.client, self.server) = (client, server) }

        typealias Raw = (read: Message, bytes: [UInt8])

        func next(_ direction: Message.Direction, _ statements: inout Statements) -> Raw? {
            let source = direction == .toServer ? client : server
            guard var head = source.read(1) else { return nil }
            // A client's first message has no letter. It begins with its length, and the first byte of the length is
            // zero.
            let kind = head[0] == 0 ? nil : Character(Unicode.Scalar(head[0]))
            guard let length = source.read(kind == nil ? 3 : 4) else { return nil }
            head += length
            let size = (kind == nil ? head[...] : head.dropFirst()).reduce(0) { $0 << 8 | Int($1) }
            guard size >= 4, size < 1 << 28, let body = source.read(size - 4) else { return nil }
            let sql = direction == .toServer ? kind.flatMap { statements.text($0, body) } : nil
            return (Message(direction: direction, kind: kind, sql: sql, body: body), head + body)
        }

        /// - Returns: Whether the connection continues in this direction.
        func carryOut(_ verdict: Verdict, on message: Raw) -> Bool {
            let target = message.read.direction == .toServer ? server : client
            switch verdict {
            case .pass: return target.write(message.bytes[...])
            case .crumble:
                for start in stride(from: 0, to: message.bytes.count, by: 7) {
                    guard target.write(message.bytes[start..<min(start + 7, message.bytes.count)]) else { return false }
                }
                return true
            case .delay(let milliseconds):
                usleep(milliseconds * 1_000)
                return target.write(message.bytes[...])
            case .wait(let gate):
                gate.pass()
                return target.write(message.bytes[...])
            case .cut, .reset:
                if case .reset = verdict { client.end(resets: true) } else { client.end() }
                server.end()
                return false
            case .answer(let bytes):
                _ = client.write(bytes[...])
                client.end()
                server.end()
                return false
            case .prepend(let bytes): return target.write(bytes[...]) && target.write(message.bytes[...])
            case .lose(let gate):
                client.end()
                gate.pass()
                server.end()
                return false
            }
        }

        /// Ends the connection when one direction has ended, and closes the sockets when both directions have ended.
        func leave() {
            client.end()
            server.end()
            let isLast = users.withLock { users in
                users -= 1
                return users == 0
            }
            guard isLast else { return }
            client.close()
            server.close()
        }
    }
}
