import Foundation
import Storekeeper
import StorekeeperTesting

@testable import FleetNode
@testable import StorekeeperPostgres

/// Replays the commands of a fleet in a model, in the order of the commits, and compares the answers.
///
/// The feed orders each customer's rows; rows without a customer are ordered by checkpoints, which are numbered under a
/// lock. A command that wrote nothing has no place in that order: its answer must have been right at some moment while
/// it was under way.
struct FleetReplay {
    /// The differences from what one vault would have done.
    private(set) var findings: [String] = []
    /// The number of commands compared.
    private(set) var count = 0

    private let model: FleetVault<InMemoryVault>
    /// The states of each customer, in order.
    private var states: [String: [State]] = [:]
    /// The entries written, by place.
    private var entries: [Int64: FleetAnswer.Moved] = [:]

    /// The chains' binding subjects: each chain itself, and the token that it carries.
    private let keys: [Int: Set<BindingSubject>]

    private struct State {
        let amount: Int64
        /// Whether the vault knows the customer.
        let isKnown: Bool
        /// When the command that caused it began and ended.
        let begin: UInt64
        let end: UInt64
    }

    init(_ journals: [NodeJournal], _ vault: PostgresVault) async throws {
        model = try FleetVault(InMemoryVault())
        keys = Dictionary(
            uniqueKeysWithValues: try FleetWorld.chains.map { number in
                let transaction = try FleetWorld.draft(.init(chain: number, version: 0)).transaction()
                let token = transaction.appAccountToken.map { [BindingSubject.token($0)] } ?? []
                return (number, Set([.chain(ChainID(transaction))] + token))
            })
        let records = try journals.flatMap { try $0.lines() }.map { line in
            try JSONDecoder().decode(FleetRecord.self, from: Data(line.utf8))
        }
        count = records.count
        for command in FleetWorld.beginnings { _ = try await model.carryOut(command) }
        for name in FleetWorld.customers { states[name] = [try await state(of: name, begin: 0, end: 0)] }
        try await replay(records, in: Commits(vault))
        for name in FleetWorld.customers {
            let erasures = records.count { record in
                if case .erase(name) = record.command { record.answer.place != nil } else { false }
            }
            let found = try await vault.erasures(of: CustomerID(rawValue: name)).count
            if found != erasures {
                findings.append("\(name) was erased \(erasures) times, of which \(found) are known")
            }
        }
        for record in records where record.answer.place == nil { check(record, among: records) }
        // Each of these is about another transaction, so its answer does not depend on the order.
        for record in records { if case .finish = record.command { _ = try await model.carryOut(record.command) } }
        let (expected, found) = (try await model.picture(), try await FleetVault(vault).picture())
        for change in found.difference(from: expected) {
            switch change {
            case .remove(_, let line, _): findings.append("is missing: \(line)")
            case .insert(_, let line, _): findings.append("is there: \(line)")
            }
        }
    }

    /// The numbers of the commits that wrote the rows.
    private struct Commits {
        /// Sorted by the first places of the commits.
        let numbers: [(place: Int64, number: Int64)]

        init(_ vault: PostgresVault) async throws {
            let checkpoints = Statement("SELECT place, number FROM storekeeper.checkpoint ORDER BY place")
            numbers = try await vault.storage.list(checkpoints, []) { row throws(PostgresFailure) in
                (try row.int(), try row.int())
            }
        }

        func number(of place: Int64) -> Int64 {
            numbers.last { $0.place <= place }?.number ?? 0
        }
    }

    private mutating func replay(_ records: [FleetRecord], in commits: Commits) async throws {
        let written = records.compactMap { record in
            record.answer.place.map { (record: record, order: (commits.number(of: $0), $0)) }
        }.sorted { $0.order < $1.order }.map(\.record)
        for record in written {
            let known = try await holdings(of: record.command.customers)
            let answer = try await model.carryOut(record.command)
            for moved in record.answer.moves { if case .done(_, _, let place) = moved { entries[place] = moved } }
            let moves = (answer.moves.map(\.withoutPlace), record.answer.moves.map(\.withoutPlace))
            let isAsideRight = answer.aside == record.answer.aside || hasCompany(record, among: written)
            if moves.0 != moves.1 || answer.words != record.answer.words || !isAsideRight {
                findings.append("\(record.command): \(record.answer) where the model says \(answer)")
            }
            // Evidence parked at the same time for a customer who already owns its chain is reported in that commit's
            // own receipt.
            let news = [answer.adoptable, record.answer.adoptable].map { $0.filter { !known.contains($0.chain) } }
            if news[0] != news[1] {
                findings.append("\(record.command): \(news[1]) is adoptable instead of \(news[0])")
            }
            // Evidence is parked for its owner, regardless of who presented it, so that any customer's state may have
            // changed.
            for name in FleetWorld.customers {
                let state = try await state(of: name, begin: record.begin, end: record.end)
                guard let last = states[name]?.last else { continue }
                if (state.amount, state.isKnown) != (last.amount, last.isKnown) { states[name]?.append(state) }
            }
        }
    }

    /// The customer's current state in the model.
    private func state(of name: String, begin: UInt64, end: UInt64) async throws -> State {
        let customer = CustomerID(rawValue: name)
        return State(
            amount: try await model.vault.balances(of: customer).first?.amount ?? 0,
            isKnown: try await model.vault.containsCustomer(customer), begin: begin, end: end)
    }

    /// Whether a customer was in a matching state at some moment while a command was under way.
    private func was(_ name: String, during record: FleetRecord, _ isSuch: (State) -> Bool) -> Bool {
        let states = states[name] ?? []
        return states.indices.contains { index in
            isSuch(states[index]) && states[index].begin <= record.end
                && (index + 1 == states.count || states[index + 1].end >= record.begin)
        }
    }

    /// Whether other commands were, at the same time, about the chains that this command parks.
    ///
    /// Evidence that is already parked is not parked again, and its owner was looked up slightly earlier than the feed
    /// suggests.
    private func hasCompany(_ record: FleetRecord, among records: [FleetRecord]) -> Bool {
        guard case .take(let pieces, _, _, _) = record.command else { return false }
        let chains = Set(pieces.map(\.chain))
        return records.contains { other in
            guard other.begin < record.end, record.begin < other.end, other.begin != record.begin else { return false }
            switch other.command {
            case .take(let others, _, _, _): return others.contains { chains.contains($0.chain) }
            case .claim(let chain, _): return chains.contains(chain)
            case .erase: return true
            case .move, .finish: return false
            }
        }
    }

    /// The chains that belong to the customers, through a binding of the chain or of its token.
    private func holdings(of names: Set<String>) async throws -> Set<Int> {
        var subjects: Set<BindingSubject> = []
        for name in names {
            for binding in try await model.vault.bindings(of: CustomerID(rawValue: name)) {
                subjects.insert(binding.subject)
            }
        }
        return Set(keys.filter { !subjects.isDisjoint(with: $0.value) }.map(\.key))
    }

    /// Checks the answer of a command that wrote nothing.
    private mutating func check(_ record: FleetRecord, among records: [FleetRecord]) {
        switch record.command {
        case .move(let requests):
            for (request, moved) in zip(requests, record.answer.moves) where !isRight(moved, request, record) {
                findings.append("\(request): \(moved) was right at no time")
            }
        case .claim(let chain, let name):
            // A claim that gives a chain an owner writes, and so has a place.
            if record.answer.words == ["\(name)'s"] {
                findings.append("the claim of \(chain) for \(name) was answered \(record.answer.words)")
            }
        case .erase(let name):
            let isRight =
                record.answer.words == FleetAnswer.unknownCustomer && was(name, during: record) { !$0.isKnown }
            if !isRight { findings.append("\(record.command): \(record.answer) was right at no time") }
        case .take: findings.append("\(record.command) has no place")
        case .finish: break
        }
    }

    private func isRight(
        _ moved: FleetAnswer.Moved, _ request: FleetCommand.Request, _ record: FleetRecord
    ) -> Bool {
        switch moved {
        case .done: return false
        case .repeated(let number, let after, let place):
            return entries[place] == .done(number: number, after: after, place: place)
        case .insufficient(let amount):
            guard !request.isGrant, amount < request.quantity else { return false }
            return was(request.customer, during: record) { $0.amount == amount }
        case .keyReused: return true
        }
    }
}

extension FleetCommand {
    /// The customers whose balances it may change.
    var customers: Set<String> {
        switch self {
        case .move(let requests): Set(requests.map(\.customer))
        case .take(_, let name, _, _): [name]
        case .claim(_, let name), .erase(let name): [name]
        case .finish: []
        }
    }
}
