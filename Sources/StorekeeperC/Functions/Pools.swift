// The comments of the functions are in storekeeper.h.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CStorekeeper
import Storekeeper
import StorekeeperAppStore

@c @implementation
public func sk_pool_open(
    _ options: UnsafePointer<sk_pool_options>?, _ pool: UnsafeMutablePointer<OpaquePointer?>?
) -> sk_status {
    pool?.pointee = nil
    return status { () throws(Failure) in
        let result = try Results.pointer(pool, "pool")
        let opening = try PoolOpening(
            try Arguments.structure(
                options, sk_pool_options(), smallest: MemoryLayout<sk_pool_options>.size, "options"))
        if skc_is_forked() { throw Failure.forked }
        result.pointee = try handles.add(try BlockingCall.wait { try await opening.open() })
    }
}

@c @implementation
public func sk_pool_close(_ pool: OpaquePointer?) -> sk_status {
    guard pool != nil else { return 0 }
    return status { () throws(Failure) in
        guard try handles.object(of: pool, as: PoolObject.self).number != skc_calling_pool() else {
            throw Failure.misuse("ownBackend", "a function of the pool's own backend cannot close the pool")
        }
        try handles.free(pool, as: PoolObject.self).close()
    }
}

@c @implementation
public func sk_pool_load_catalog(
    _ pool: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ text: UnsafePointer<CChar>?, _ length: Int
) -> sk_status {
    status { () throws(Failure) in
        let object = try handles.object(of: pool, as: PoolObject.self)
        let name = try Arguments.optionalText(name, "name") ?? "catalog"
        try object.load(try CatalogArgument.catalog(named: name, try Arguments.bytes(text, length, "text")))
    }
}

@c @implementation
public func sk_pool_receive(
    _ pool: OpaquePointer?, _ body: UnsafePointer<CChar>?, _ length: Int, _ http_status: UnsafeMutablePointer<CInt>?
) -> sk_status {
    http_status?.pointee = 0
    return status { () throws(Failure) in
        let object = try handles.object(of: pool, as: PoolObject.self)
        let body = Array(try Arguments.bytes(body, length, "body"))
        let reply = try object.wait { await object.receiver.receive(body) }
        http_status?.pointee = CInt(reply.status)
        if let failure = reply.failure { throw failure }
    }
}

@c @implementation
public func sk_begin_receive(
    _ pool: OpaquePointer?, _ body: UnsafePointer<CChar>?, _ length: Int, _ queue: OpaquePointer?, _ tag: UInt64
) -> sk_status {
    status { () throws(Failure) in
        let object = try handles.object(of: pool, as: PoolObject.self)
        let body = Array(try Arguments.bytes(body, length, "body"))
        try object.begin(for: try handles.object(of: queue, as: QueueObject.self), tag) { item in
            let reply = await object.receiver.receive(body)
            item.set(["httpStatus": .integer(Int64(reply.status))], reply.failure)
        }
    }
}

extension NotificationReply {
    /// The failure of a notification that was not stored.
    fileprivate var failure: Failure? {
        switch outcome {
        case .accepted, .repeated: nil
        case .refused(let refusal): Failure(.unverified, refusal.code.rawValue, refusal.message)
        case .failed(let failure):
            failure.cause.map { Failure($0) } ?? Failure(.io, failure.code.rawValue, failure.message)
        }
    }
}

@c @implementation
public func sk_pool_audit(_ pool: OpaquePointer?, _ json: UnsafeMutablePointer<sk_text>?) -> sk_status {
    json?.pointee = sk_text()
    return status { () throws(Failure) in
        let result = try Results.pointer(json, "json")
        let object = try handles.object(of: pool, as: PoolObject.self)
        let report = try object.wait { try await VaultAudit(vault: object.vault, verifier: object.verifier).run() }
        try Results.give(report.json.bytes(), to: result)
        guard report.faults.isEmpty else {
            throw Failure(.corrupt, "faults", "the audit found \(report.faults.count) faults; 'json' lists them")
        }
    }
}

extension AuditReport {
    /// The report as `storekeeper vault verify` prints it.
    fileprivate var json: JSONText {
        .object([
            "signatures": .whole(signatures), "sums": .whole(sums), "bindings": .whole(bindings),
            "links": .whole(links), "head": .text(head),
            "faults": .array(
                faults.map { fault in
                    .object([
                        "kind": .string(fault.kind.rawValue), "subject": .string(fault.subject),
                        "message": .string(fault.message),
                    ])
                }),
        ])
    }
}
