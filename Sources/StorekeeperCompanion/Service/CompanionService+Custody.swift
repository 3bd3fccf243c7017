import Hummingbird
import NIOCore
import Storekeeper

/// The routes that export and erase a customer's data.
extension CompanionService {
    /// Responds with the output of `storekeeper vault export --customer ID`: lines of JSON that `vault import` can
    /// read.
    func export(_ request: CompanionRequest) async throws -> Response {
        try request.allowOnly()
        let customer = try request.customer()
        try await checkKnown(customer)
        let lines = try await pool.vault.archive(of: customer).lines
        var buffer = ByteBuffer(string: ArchiveLine.header + "\n")
        for line in lines + [.end(lines: lines.count)] {
            buffer.writeBytes(line.json.bytes())
            buffer.writeString("\n")
        }
        return Response(
            status: .ok, headers: [.contentType: "application/jsonl", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: buffer))
    }

    /// Deletes all data of a customer, except for a proof of the erasure.
    func erase(_ request: CompanionRequest) async throws -> Response {
        try request.allowOnly("reason")
        guard let reason = try request.parameter("reason"), !reason.isEmpty else {
            throw Problem.badRequest("'reason' is empty", "give a reason without names: it stays in the vault")
        }
        let erasure = try await eraseCustomer(try request.customer(), because: reason, request)
        return Self.json(
            .object([
                "at": .time(erasure.at), "facts": .whole(erasure.facts), "entries": .whole(erasure.entries),
                "proof": .string(erasure.proof),
            ]))
    }

    /// Deletes all data of a customer, or throws a ``Problem`` if the vault has no data about the customer.
    func eraseCustomer(
        _ customer: CustomerID, because reason: String, _ request: CompanionRequest
    ) async throws -> Erasure {
        try await checkKnown(customer)
        let erasure = try await written {
            try await pool.vault.erase(customer, reason: reason, at: request.now)
        }
        // The customer's store in memory still contains the erased data, so its data is read from the vault again.
        _ = try await pool.withStore(customer) { try await $0.refresh() }
        return erasure
    }

    /// Throws a ``Problem`` if the vault has no data about the customer, so that a mistyped id is noticed.
    private func checkKnown(_ customer: CustomerID) async throws {
        guard try await pool.vault.containsCustomer(customer) else { throw Problem.unknownCustomer }
    }
}
