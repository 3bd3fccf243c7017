// The comments of the functions are in storekeeper.h.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CStorekeeper
import Storekeeper

@c @implementation
public func sk_customer_open(
    _ pool: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ length: Int,
    _ customer: UnsafeMutablePointer<OpaquePointer?>?
) -> sk_status {
    customer?.pointee = nil
    return status { () throws(Failure) in
        let result = try Results.pointer(customer, "customer")
        let object = try handles.object(of: pool, as: PoolObject.self)
        let id = CustomerID(rawValue: try Arguments.id(id, length, "id"))
        result.pointee = try handles.add(
            try object.wait { CustomerObject(try await object.pool.lease(id), in: object) })
    }
}

@c @implementation
public func sk_begin_open(
    _ pool: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ length: Int, _ queue: OpaquePointer?, _ tag: UInt64
) -> sk_status {
    status { () throws(Failure) in
        let object = try handles.object(of: pool, as: PoolObject.self)
        let id = CustomerID(rawValue: try Arguments.id(id, length, "id"))
        try object.begin(for: try handles.object(of: queue, as: QueueObject.self), tag) { item in
            item.customer = CustomerObject(try await object.pool.lease(id), in: object)
            item.json = JSONText.object(["customer": .string(id.rawValue)]).bytes()
        }
    }
}

@c @implementation
public func sk_customer_free(_ customer: OpaquePointer?) {
    if customer != nil { _ = status { () throws(Failure) in try handles.free(customer, as: CustomerObject.self) } }
}

// MARK: Evidence

/// The evidence of one call.
private struct Ingestion: Sendable {
    // The bytes are a copy of the caller's, because they are read after the call if it only begins.
    private let bytes: [UInt8]
    private let isComplete: Bool

    init(_ evidence: Bytes, isComplete: Bool) {
        bytes = Array(evidence)
        self.isComplete = isComplete
    }

    /// Verifies and stores the evidence.
    ///
    /// - Returns: The members of the report, and the failure if an item is not verified evidence.
    func run(for store: Store) async throws -> (members: [String: JSONText], failure: Failure?) {
        let evidence = EvidenceFile(bytes)
        let report = try await store.ingest(
            evidence.signed, isComplete: isComplete && evidence.rejected.isEmpty)
        var failure = report.failures.first.map { Failure(.unverified, $0) }
        if let rejected = evidence.rejected.first { failure = failure ?? Failure(.unverified, "malformed", rejected) }
        return (report.members(rejected: evidence.rejected), failure)
    }
}

extension IngestReport {
    /// The report as `storekeeper.h` describes it.
    ///
    /// - Parameter rejected: The problems of the items that are no evidence.
    fileprivate func members(rejected: [String] = []) -> [String: JSONText] {
        let malformed = rejected.map { JSONText.object(["code": .string("malformed"), "message": .string($0)]) }
        let unverified = failures.map { failure in
            JSONText.object(["code": .string(failure.code.rawValue), "message": .string(failure.message)])
        }
        return [
            "new": .whole(new), "known": .whole(known), "parked": .whole(parked),
            "conflicts": .array(conflicts.map(\.json)),
            "failures": .array(malformed + unverified), "diagnostics": .array(diagnostics.map(\.json)),
        ]
    }
}

@c @implementation
public func sk_customer_ingest(
    _ customer: OpaquePointer?, _ evidence: UnsafePointer<CChar>?, _ length: Int, _ is_complete: Bool,
    _ json: UnsafeMutablePointer<sk_text>?
) -> sk_status {
    json?.pointee = sk_text()
    return status { () throws(Failure) in
        let object = try handles.object(of: customer, as: CustomerObject.self)
        let ingestion = Ingestion(try Arguments.bytes(evidence, length, "evidence"), isComplete: is_complete)
        let (members, failure) = try object.pool.wait { try await ingestion.run(for: object.store) }
        try Results.give(JSONText.object(members).bytes(), to: json)
        if let failure { throw failure }
    }
}

@c @implementation
public func sk_begin_ingest(
    _ customer: OpaquePointer?, _ evidence: UnsafePointer<CChar>?, _ length: Int, _ is_complete: Bool,
    _ queue: OpaquePointer?, _ tag: UInt64
) -> sk_status {
    status { () throws(Failure) in
        let object = try handles.object(of: customer, as: CustomerObject.self)
        let ingestion = Ingestion(try Arguments.bytes(evidence, length, "evidence"), isComplete: is_complete)
        try object.pool.begin(for: try handles.object(of: queue, as: QueueObject.self), tag) { item in
            let (members, failure) = try await ingestion.run(for: object.store)
            item.set(members, failure)
        }
    }
}

@c @implementation
public func sk_customer_sync(_ customer: OpaquePointer?, _ json: UnsafeMutablePointer<sk_text>?) -> sk_status {
    json?.pointee = sk_text()
    return status { () throws(Failure) in
        let object = try handles.object(of: customer, as: CustomerObject.self)
        let report = try object.pool.wait { try await object.store.sync() }
        try Results.give(JSONText.object(report.members()).bytes(), to: json)
    }
}

@c @implementation
public func sk_begin_sync(_ customer: OpaquePointer?, _ queue: OpaquePointer?, _ tag: UInt64) -> sk_status {
    status { () throws(Failure) in
        let object = try handles.object(of: customer, as: CustomerObject.self)
        try object.pool.begin(for: try handles.object(of: queue, as: QueueObject.self), tag) { item in
            item.json = JSONText.object(try await object.store.sync().members()).bytes()
        }
    }
}

// MARK: Explanations

@c @implementation
public func sk_customer_explain_feature(
    _ customer: OpaquePointer?, _ feature: UnsafePointer<CChar>?, _ length: Int, _ at: sk_instant,
    _ json: UnsafeMutablePointer<sk_text>?
) -> sk_status {
    json?.pointee = sk_text()
    return status { () throws(Failure) in
        let result = try Results.pointer(json, "json")
        let object = try handles.object(of: customer, as: CustomerObject.self)
        let id = Feature.ID(try Arguments.id(feature, length, "feature"))
        let instant = try Arguments.instant(at)
        let text = try object.pool.wait {
            let (snapshot, at, diagnostics) = try await object.diagnosed(at: instant)
            guard let explanation = try await object.store.explain(id, at: at) else {
                throw Failure(
                    .unknown, "unknownFeature",
                    snapshot.diagnostic(aboutUnknownFeature: id)?.message ?? "the catalog has no feature '\(id)'")
            }
            return explanation.document(snapshot, diagnostics)
        }
        try Results.give(text, to: result)
    }
}

@c @implementation
public func sk_customer_explain_product(
    _ customer: OpaquePointer?, _ product: UnsafePointer<CChar>?, _ length: Int, _ at: sk_instant,
    _ json: UnsafeMutablePointer<sk_text>?
) -> sk_status {
    json?.pointee = sk_text()
    return status { () throws(Failure) in
        let result = try Results.pointer(json, "json")
        let object = try handles.object(of: customer, as: CustomerObject.self)
        let id = Product.ID(try Arguments.id(product, length, "product"))
        let instant = try Arguments.instant(at)
        let text = try object.pool.wait {
            let (snapshot, at, diagnostics) = try await object.diagnosed(at: instant)
            try snapshot.checkOwnable(id)
            return try await object.store.explain(id, at: at).document(snapshot, diagnostics)
        }
        try Results.give(text, to: result)
    }
}

extension CustomerObject {
    /// Returns the snapshot, the instant of its answers, and the diagnostics of the evidence.
    fileprivate func diagnosed(
        at instant: Instant?
    ) async throws(VaultError) -> (snapshot: StoreSnapshot, at: Instant, diagnostics: [Diagnostic]) {
        try await store.diagnosed(at: instant, now: pool.clock.now)
    }
}

extension Explanation {
    /// The explanation as `storekeeper explain --format json` prints it.
    fileprivate func document(_ snapshot: StoreSnapshot, _ diagnostics: [Diagnostic]) -> [UInt8] {
        var members = members
        members["verified"] = .bool(snapshot.resolution.isVerified)
        members["diagnostics"] = .array(diagnostics.map(\.json))
        return JSONText.object(members).bytes()
    }
}
