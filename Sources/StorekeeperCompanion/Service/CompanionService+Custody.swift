import Hummingbird
import NIOCore
import Storekeeper

/// The routes that export and erase a customer's data.
extension CompanionService {
    /// Responds with the output of `storekeeper vault export --customer ID`: lines of JSON that `vault import` can
    /// read.
    func export(_ request: CompanionRequest) async throws -> Response {
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
    func erase(_ request: CompanionRequest) async throws -> ErasureProof {
        guard let reason = try request.parameter("reason"), !reason.isEmpty else {
            throw Problem.badRequest("'reason' is empty", "give a reason without names: it stays in the vault")
        }
        return ErasureProof(erasure: try await eraseCustomer(try request.customer(), because: reason, request))
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
        guard try await pool.vault.features.vault.containsCustomer(customer) else { throw Problem.unknownCustomer }
    }
}

/// The proof of an erasure.
struct ErasureProof: JSONShaped {
    fileprivate let erasure: Erasure

    static let shape = JSONShape<Self>(
        "Erasure",
        [
            .member("at") { $0.erasure.at }, .member("facts") { $0.erasure.facts },
            .member("entries") { $0.erasure.entries }, .member("proof") { $0.erasure.proof },
        ])
}
