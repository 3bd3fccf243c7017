// The comments of the functions are in storekeeper.h.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CStorekeeper
import Storekeeper

@c @implementation
public func sk_queue_new(_ queue: UnsafeMutablePointer<OpaquePointer?>?) -> sk_status {
    queue?.pointee = nil
    return status { () throws(Failure) in
        let result = try Results.pointer(queue, "queue")
        result.pointee = try handles.add(try QueueObject())
    }
}

@c @implementation
public func sk_queue_free(_ queue: OpaquePointer?) {
    if queue != nil { _ = status { () throws(Failure) in try handles.free(queue, as: QueueObject.self) } }
}

@c @implementation
public func sk_queue_fd(_ queue: OpaquePointer?, _ fd: UnsafeMutablePointer<CInt>?) -> sk_status {
    fd?.pointee = -1
    return status { () throws(Failure) in
        let result = try Results.pointer(fd, "fd")
        result.pointee = try handles.with(queue) { (queue: QueueObject) throws(Failure) in queue.descriptor }
    }
}

@c @implementation
public func sk_queue_next(_ queue: OpaquePointer?, _ item: UnsafeMutablePointer<sk_item>?) -> sk_status {
    status { () throws(Failure) in
        let result = try Results.prepare(item, smallest: MemoryLayout<sk_item>.size, "item")
        let next = try handles.with(queue) { (queue: QueueObject) throws(Failure) in try queue.next() }
        var value = sk_item()
        (value.kind, value.status, value.tag, value.place) = (next.kind, next.status, next.tag, next.place)
        if let customer = next.customer { value.customer = try handles.add(customer) }
        value.json = try Results.copy(next.json)
        Results.give(value, to: result)
    }
}

@c @implementation
public func sk_pool_subscribe(
    _ pool: OpaquePointer?, _ queue: OpaquePointer?, _ tag: UInt64, _ after: Int64
) -> sk_status {
    status { () throws(Failure) in
        let object = try handles.object(of: pool, as: PoolObject.self)
        let queue = try handles.object(of: queue, as: QueueObject.self)
        guard after >= 0 else { throw Failure(.invalid, "badPlace", "'after' is not the place of an event, or 0") }
        try object.subscribe(queue, tag, after: after == 0 ? .start : FeedPlace(after))
    }
}

@c @implementation
public func sk_pool_report(_ pool: OpaquePointer?, _ queue: OpaquePointer?, _ tag: UInt64) -> sk_status {
    status { () throws(Failure) in
        let object = try handles.object(of: pool, as: PoolObject.self)
        let target = queue == nil ? nil : try handles.object(of: queue, as: QueueObject.self)
        try object.report(to: target, tag)
    }
}

@c @implementation
public func sk_reply_send(
    _ reply: OpaquePointer?, _ status: sk_status, _ text: UnsafePointer<CChar>?, _ length: Int
) -> sk_status {
    StorekeeperC.status { () throws(Failure) in
        let bytes = Array(try Arguments.bytes(text, length, "text"))
        let object = try handles.free(reply, as: ReplyObject.self)
        if status == 0 {
            object.send(.success(bytes))
        } else {
            object.send(
                .failure(Failure(.io, "backendFailed", String(decoding: bytes, as: UTF8.self))))
        }
    }
}
