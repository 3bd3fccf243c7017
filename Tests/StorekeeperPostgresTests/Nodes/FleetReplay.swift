import Foundation
import Storekeeper
import StorekeeperTesting

@testable import FleetNode
@testable import StorekeeperPostgres

/// Replays the commands of a fleet in a model, in the order of the commits, and compares the answers.
///
/// The feed determines the order of each customer's rows. The order of rows without a customer follows from
/// checkpoints, which are numbered under a lock. A command that wrote no row has no place in this order. Its answer
/// must have been right at some instant between its beginning and its end.
struct FleetReplay {
    /// The differences between the answers of the fleet and the answers of the model.
    private(set) var findings: [String] = []
    /// The number of compared commands.
    private(set) var count = 0

    private let model: FleetVault<InMemoryVault>
    /// The states of each customer, in order.
    private var states: [String: [State]] = [:]
    /// The written entries, by their places.
    private var entries: [Int64: FleetAnswer.Moved] = [:]

    /// The chains' binding subjects: each chain itself, and the token that it carries.
    private let keys: [Int: Set<BindingSubject>]

    private struct State {
        let amount: Int64
        /// Whether the vault has a record of the customer.
        let isKnown: Bool
        /// The times at which the command that caused this state began and ended, in nanoseconds.
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
        // Each of the finishes is about a different transaction, so the answers do not depend on their order.
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
        /// The first place and the number of each commit, sorted by place.
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
            try await refuseAgain(record, among: records)
            let answer = try await model.carryOut(record.command)
            for moved in record.answer.moves { if case .done(_, _, let place) = moved { entries[place] = moved } }
            let moves = (answer.moves.map(\.withoutPlace), record.answer.moves.map(\.withoutPlace))
            var isAsideRight = hasCompany(record, among: written)
            if !isAsideRight, answer.aside == record.answer.aside {
                isAsideRight = try await isStored(
                    record.command, for: answer.owners.symmetricDifference(record.answer.owners))
            }
            if moves.0 != moves.1 || answer.words != record.answer.words || !isAsideRight {
                findings.append("\(record.command): \(record.answer) where the model says \(answer)")
            }
            // Another commit may park evidence at the same time for a customer who already owns the chain. The receipt
            // of that commit reports the evidence, so it is left out of this comparison.
            let news = [answer.adoptable, record.answer.adoptable].map { $0.filter { !known.contains($0.chain) } }
            if news[0] != news[1] {
                findings.append("\(record.command): \(news[1]) is adoptable instead of \(news[0])")
            }
            // Evidence is parked for its owner, regardless of the customer for whom it was presented. So the state of
            // any customer may have changed.
            for name in FleetWorld.customers {
                let state = try await state(of: name, begin: record.begin, end: record.end)
                guard let last = states[name]?.last else { continue }
                if (state.amount, state.isKnown) != (last.amount, last.isKnown) { states[name]?.append(state) }
            }
        }
    }

    /// Records in the model the requests that were refused because another command had been refused with the same request.
    ///
    /// A command that was only refused has no place in the feed, so the model does not carry it out.
    private mutating func refuseAgain(_ record: FleetRecord, among records: [FleetRecord]) async throws {
        guard case .move(let requests) = record.command else { return }
        for (request, moved) in zip(requests, record.answer.moves) {
            guard case .insufficient(let amount) = moved, amount >= request.quantity else { continue }
            guard wasRefused(request, before: record, among: records) else {
                findings.append("\(request): \(moved) was right at no time")
                continue
            }
            guard let id = request.ledgerRequest.refusalID else { continue }
            try await model.vault.write { (tables) throws(VaultError) in
                try tables.insert(step: id, at: .day(500), forgettingBefore: .day(0))
            }
        }
    }

    /// Returns whether the same request may have been refused, because of a small balance, before a command ended.
    private func wasRefused(
        _ request: FleetCommand.Request, before record: FleetRecord, among records: [FleetRecord]
    ) -> Bool {
        records.contains { other in
            guard other.begin <= record.end, case .move(let requests) = other.command else { return false }
            return zip(requests, other.answer.moves).contains { same, moved in
                guard same == request, case .insufficient(let amount) = moved else { return false }
                return amount < request.quantity
            }
        }
    }

    /// Returns the customer's current state in the model.
    private func state(of name: String, begin: UInt64, end: UInt64) async throws -> State {
        let customer = CustomerID(rawValue: name)
        return State(
            amount: try await model.vault.balances(of: customer).first?.amount ?? 0,
            isKnown: try await model.vault.containsCustomer(customer), begin: begin, end: end)
    }

    /// Returns whether a customer was in a matching state at some instant between the beginning and the end of a
    /// command.
    private func was(_ name: String, during record: FleetRecord, _ isSuch: (State) -> Bool) -> Bool {
        let states = states[name] ?? []
        return states.indices.contains { index in
            isSuch(states[index]) && states[index].begin <= record.end
                && (index + 1 == states.count || states[index + 1].end >= record.begin)
        }
    }

    /// Returns whether other commands were about the same chains at the same time.
    ///
    /// In this case the answer may differ from the model's answer, for two reasons: evidence that is already parked is
    /// not parked again, and the owner of the evidence was looked up slightly earlier than the order of the feed
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

    /// Returns whether each of some customers has evidence of a command as a fact.
    ///
    /// Evidence that was parked while its owner committed it stays parked, or does not. A later command then finds it
    /// parked, or parks it again. ``FleetVault/picture()`` leaves such evidence out for the same reason.
    private func isStored(_ command: FleetCommand, for names: Set<String>) async throws -> Bool {
        guard case .take(let pieces, _, _, _) = command else { return names.isEmpty }
        for name in names where try await model.stored(for: name).isDisjoint(with: pieces) { return false }
        return true
    }

    /// Returns the chains that belong to the customers, through a binding of the chain or of its account token.
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
            for (request, moved) in zip(requests, record.answer.moves)
            where !isRight(moved, request, record, among: records) {
                findings.append("\(request): \(moved) was right at no time")
            }
        case .claim(let chain, let name):
            // A claim that assigns a chain to an owner writes a row, and therefore has a place.
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
        _ moved: FleetAnswer.Moved, _ request: FleetCommand.Request, _ record: FleetRecord,
        among records: [FleetRecord]
    ) -> Bool {
        switch moved {
        case .done: return false
        case .repeated(let number, let after, let place):
            return entries[place] == .done(number: number, after: after, place: place)
        case .insufficient(let amount):
            guard !request.isGrant, amount < request.quantity || wasRefused(request, before: record, among: records)
            else { return false }
            return was(request.customer, during: record) { $0.amount == amount }
        case .keyReused: return true
        }
    }
}

extension FleetCommand {
    /// The customers whose balances the command may change.
    var customers: Set<String> {
        switch self {
        case .move(let requests): Set(requests.map(\.customer))
        case .take(_, let name, _, _): [name]
        case .claim(_, let name), .erase(let name): [name]
        case .finish: []
        }
    }
}
