// The comments of the functions are in storekeeper.h.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CStorekeeper
import Storekeeper
import StorekeeperCharts

@c @implementation
public func sk_customer_snapshot(
    _ customer: OpaquePointer?, _ snapshot: UnsafeMutablePointer<OpaquePointer?>?
) -> sk_status {
    snapshot?.pointee = nil
    return status { () throws(Failure) in
        let result = try Results.pointer(snapshot, "snapshot")
        let object = try handles.with(customer) { (customer: CustomerObject) throws(Failure) in
            try customer.pool.checkOpen()
            return SnapshotObject(
                customer.store.snapshot, names: customer.pool.names, clock: customer.pool.clock)
        }
        result.pointee = try handles.add(object)
    }
}

@c @implementation
public func sk_snapshot_free(_ snapshot: OpaquePointer?) {
    if snapshot != nil { _ = status { () throws(Failure) in try handles.free(snapshot, as: SnapshotObject.self) } }
}

@c @implementation
public func sk_snapshot_entitlements(
    _ snapshot: OpaquePointer?, _ at: sk_instant, _ json: UnsafeMutablePointer<sk_text>?
) -> sk_status {
    json?.pointee = sk_text()
    return status { () throws(Failure) in
        let result = try Results.pointer(json, "json")
        let object = try handles.object(of: snapshot, as: SnapshotObject.self)
        let instant = try object.instant(at)
        try Results.give(object.snapshot.answers(at: instant).json.bytes(), to: result)
    }
}

@c @implementation
public func sk_snapshot_timeline(
    _ snapshot: OpaquePointer?, _ at: sk_instant, _ svg: UnsafeMutablePointer<sk_text>?
) -> sk_status {
    svg?.pointee = sk_text()
    return status { () throws(Failure) in
        let result = try Results.pointer(svg, "svg")
        let object = try handles.object(of: snapshot, as: SnapshotObject.self)
        let instant = try object.instant(at)
        let resolution = object.snapshot.resolution(asCompleteAt: instant)
        let chart = TimelineChart(
            resolution.products, resolution.features, in: resolution, omitsEmpty: true, marking: instant)
        try Results.give(Array(chart.svg(title: "What the customer owns").utf8), to: result)
    }
}

extension SnapshotObject {
    /// Returns the instant of a question.
    fileprivate func instant(_ at: sk_instant) throws(Failure) -> Instant {
        try Arguments.instant(at) ?? snapshot.now(byClock: clock.now)
    }
}
