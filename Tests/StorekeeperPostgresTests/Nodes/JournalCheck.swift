import Storekeeper
import StorekeeperTesting
import Testing

@testable import FleetNode

/// Compares the answers in the nodes' journals with the contents of a vault.
struct JournalCheck {
    /// All differences; empty if no acknowledged call is lost or duplicated.
    private(set) var findings: [String] = []
    /// The findings that are faults of the vault itself, independent of the journals.
    private(set) var faults: [String] = []
    /// The number of acknowledged calls.
    private(set) var acknowledged = 0
    /// The number of acknowledged calls that are missing.
    private(set) var lost = 0
    /// The number of calls whose outcome was unknown for a while.
    private(set) var doubts = 0

    private enum Kind { case move, batch }
    private struct Call {
        var change: Int64 = 0
        var facts: [Int] = []
        var isAcknowledged = false
        var number: Int64?
        /// The reason why the call must not be in the vault; `nil` if it may be in the vault.
        var denial: String?
    }

    /// - Parameter journals: Journals of nodes that have ended.
    init(_ journals: [NodeJournal], _ vault: some TransactionalVault) async throws {
        let lines = try journals.flatMap { try $0.lines() }
        var (moves, batches) = ([String: Call](), [String: Call]())
        for line in lines { read(line, &moves, &batches) }
        let contents = try await Contents(vault)
        compareMoves(moves, with: contents)
        compareBatches(batches, with: contents)
        faults = contents.findings
        findings += faults
    }

    private mutating func read(_ line: Substring, _ moves: inout [String: Call], _ batches: inout [String: Call]) {
        let words = line.split(separator: " ", maxSplits: 4).map(String.init)
        guard words.count > 3, words[1] == "move" || words[1] == "batch" else {
            findings.append("a line that cannot be parsed: \(line)")
            return
        }
        let key = "\(words[2]) \(words[3])"
        var call = (words[1] == "move" ? moves[key] : batches[key]) ?? Call()
        switch words[0] {
        case "begin", "ack":
            let rest = words.count > 4 ? words[4].split(separator: " ").map(String.init) : []
            if words[1] == "move" {
                call.change = rest.first.flatMap { Int64($0) } ?? 0
                if words[0] == "ack" { call.number = rest.last.flatMap { Int64($0) } }
            } else {
                call.facts = rest.first?.split(separator: ",").compactMap { Int($0) } ?? []
            }
            if words[0] == "ack" {
                call.isAcknowledged = true
                acknowledged += 1
            }
        case "refused", "failed": call.denial = String(line)
        case "doubt": doubts += 1
        default: findings.append(String(line))
        }
        if words[1] == "move" { moves[key] = call } else { batches[key] = call }
    }

    private mutating func compareMoves(_ moves: [String: Call], with vault: Contents) {
        for (key, call) in moves {
            let found = vault.moves[key] ?? []
            if call.isAcknowledged, found.isEmpty { lost += 1 }
            if call.isAcknowledged, found.map(\.change) != [call.change] || found.first?.number != call.number {
                findings.append("\(key), acknowledged, is there as \(found.map { ($0.number, $0.change) })")
            } else if let denial = call.denial, !found.isEmpty {
                findings.append("is there although it was refused: \(denial)")
            } else if found.count > 1 || found.contains(where: { $0.change != call.change }) {
                findings.append("\(key) is not there exactly once and whole: \(found.map(\.change))")
            }
        }
        for key in vault.moves.keys where moves[key] == nil { findings.append("\(key) was never asked for") }
    }

    private mutating func compareBatches(_ batches: [String: Call], with vault: Contents) {
        for (key, call) in batches {
            let count = vault.events[key] ?? 0
            if call.isAcknowledged, count == 0 { lost += 1 }
            if call.isAcknowledged, count != 1 {
                findings.append("\(key), acknowledged, is there \(count) times")
            } else if let denial = call.denial, count > 0 {
                findings.append("is there although it was refused: \(denial)")
            } else if count > 1 {
                findings.append("\(key) is there \(count) times")
            }
            guard count > 0, let customer = key.split(separator: " ").first else { continue }
            for number in call.facts where vault.facts["\(customer) \(number)"] != 1 {
                findings.append("fact \(number) of \(key) is not there once")
            }
        }
    }

    /// The contents of a vault, by the names that the journals use.
    private struct Contents {
        private(set) var moves: [String: [LedgerEntry]] = [:]
        private(set) var events: [String: Int] = [:]
        private(set) var facts: [String: Int] = [:]
        private(set) var findings: [String] = []

        init(_ vault: some TransactionalVault) async throws {
            var numbers: [String: (customer: CustomerID, number: Int)] = [:]
            for customer in Evidence.customers {
                for (number, draft) in Evidence.drafts(of: customer).enumerated() {
                    numbers[try draft.verifiedFact().jws.compact] = (customer, number)
                }
            }
            for stored in try await vault.facts(after: .start, of: nil, limit: .max) {
                if let known = numbers[stored.fact.jws.compact] {
                    facts["\(known.customer) \(known.number)", default: 0] += 1
                }
            }
            for event in try await vault.events(after: .start, of: nil, limit: .max) {
                if case .product(let name) = event.change.subject {
                    events["\(event.customer) \(name)", default: 0] += 1
                }
            }
            for customer in Evidence.customers {
                let entries = try await vault.entries(after: .start, of: customer, limit: .max)
                if entries.map(\.number) != entries.indices.map({ Int64($0 + 1) }) {
                    findings.append("the account of \(customer) has gaps: \(entries.map(\.number))")
                }
                for entry in entries {
                    if case .request(let key, _) = entry.cause {
                        moves["\(customer) \(key)", default: []].append(entry)
                    }
                }
            }
            let report = try await VaultAudit(vault: vault, verifier: DraftVerifier()).run()
            for fault in report.faults { findings.append("\(fault.kind) \(fault.subject): \(fault.message)") }
        }
    }
}
