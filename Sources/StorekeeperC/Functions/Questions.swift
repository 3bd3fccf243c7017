// The comments of the functions are in storekeeper.h.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CStorekeeper
import Storekeeper

/// A customer's state, in which questions are answered.
private protocol QuestionSource: HandleObject {
    /// The clock for `SK_NOW`.
    var clock: any StoreClock { get }

    /// Returns the newest snapshot; throws if the state is not current any more.
    func currentSnapshot() throws(Failure) -> StoreSnapshot

    /// Returns a name, if the catalog has it.
    func entry(_ name: Bytes) -> (text: String, subjects: CatalogNames.Subjects)?
}

extension CustomerObject: QuestionSource {
    fileprivate var clock: any StoreClock { pool.clock }

    @inline(__always)
    fileprivate func currentSnapshot() throws(Failure) -> StoreSnapshot {
        try pool.checkOpen()
        return store.snapshot
    }

    @inline(__always)
    fileprivate func entry(_ name: Bytes) -> (text: String, subjects: CatalogNames.Subjects)? {
        pool.withNames { $0.entry(name) }
    }
}

extension SnapshotObject: QuestionSource {
    @inline(__always)
    fileprivate func currentSnapshot() throws(Failure) -> StoreSnapshot { snapshot }

    @inline(__always)
    fileprivate func entry(_ name: Bytes) -> (text: String, subjects: CatalogNames.Subjects)? { names.entry(name) }
}

/// A name that a question is about.
private struct QuestionName {
    let text: String
    /// The subjects that have the name in the catalog; empty if the catalog does not have the name.
    let subjects: CatalogNames.Subjects

    @inline(__always)
    init(
        _ text: UnsafePointer<CChar>?, _ length: Int, _ source: some QuestionSource, _ argument: StaticString
    ) throws(Failure) {
        let bytes = try Arguments.bytes(text, length, argument)
        if let entry = source.entry(bytes) {
            (self.text, subjects) = entry
        } else {
            guard !bytes.isEmpty else { throw Failure(.invalid, "invalidRequest", "'\(argument)' is empty") }
            (self.text, subjects) = (try Arguments.text(bytes, argument), [])
        }
    }
}

/// The questions of the header, for customers and for snapshots.
private struct Question<Source: QuestionSource> {
    let handle: OpaquePointer?

    /// Calls a function with the source and its newest snapshot.
    @inline(__always)
    func answer<Answer>(
        _ body: (Source, StoreSnapshot) throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        try handles.with(handle) { (source: Source) throws(Failure) in
            try body(source, try source.currentSnapshot())
        }
    }

    /// Calls a function with the source, its newest snapshot, and the instant of the question.
    @inline(__always)
    func answer<Answer>(
        _ at: Int64, _ body: (Source, StoreSnapshot, Instant) throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        try answer { source, snapshot throws(Failure) in
            try body(source, snapshot, try Arguments.instant(at) ?? snapshot.now(byClock: source.clock.now))
        }
    }

    @inline(__always)
    func hasFeature(_ feature: UnsafePointer<CChar>?, _ length: Int, _ at: Int64) throws(Failure) -> Bool {
        try answer(at) { source, snapshot, instant throws(Failure) in
            let name = try QuestionName(feature, length, source, "feature")
            let id = Feature.ID(name.text)
            if snapshot.hasFeature(id, at: instant) { return true }
            if !name.subjects.contains(.feature) { try snapshot.checkKnown(id) }
            return false
        }
    }

    @inline(__always)
    func isEntitled(_ product: UnsafePointer<CChar>?, _ length: Int, _ at: Int64) throws(Failure) -> Bool {
        try answer(at) { source, snapshot, instant throws(Failure) in
            let name = try QuestionName(product, length, source, "product")
            let id = Product.ID(name.text)
            if snapshot.isEntitled(id, at: instant) { return true }
            if !name.subjects.contains(.product) || name.subjects.contains(.consumable) {
                try snapshot.checkOwnable(id)
            }
            return false
        }
    }

    @inline(__always)
    func balance(_ balance: UnsafePointer<CChar>?, _ length: Int) throws(Failure) -> Int64 {
        try answer { source, snapshot throws(Failure) in
            let name = try QuestionName(balance, length, source, "balance")
            let id = Balance.ID(name.text)
            let amount = snapshot.balance(of: id).amount
            if amount == 0, !name.subjects.contains(.balance) { try snapshot.checkKnown(id) }
            return amount
        }
    }

    @inline(__always)
    func nextChange(_ at: Int64) throws(Failure) -> Int64 {
        try answer(at) { _, snapshot, instant throws(Failure) in
            snapshot.nextChange(after: instant)?.millisecondsSince1970 ?? .max
        }
    }
}

extension StoreSnapshot {
    /// Throws if the catalog does not have a feature.
    fileprivate func checkKnown(_ id: Feature.ID) throws(Failure) {
        if let diagnostic = diagnostic(aboutUnknownFeature: id) {
            throw Failure(.unknown, "unknownFeature", diagnostic.message)
        }
    }

    /// Throws if neither the catalog nor the account has a balance.
    fileprivate func checkKnown(_ id: Balance.ID) throws(Failure) {
        if let diagnostic = diagnostic(aboutUnknownBalance: id) {
            throw Failure(.unknown, "unknownBalance", diagnostic.message)
        }
    }

    /// Throws if a product is unknown, or is a consumable, which is counted and not owned.
    func checkOwnable(_ id: Product.ID) throws(Failure) {
        if resolution.isConsumable(id) {
            throw Failure(
                .invalid, "consumable", "'\(id)' is a consumable, which is counted and not owned; ask sk_balance")
        }
        if let diagnostic = diagnostic(aboutUnknownProduct: id) {
            throw Failure(.unknown, "unknownProduct", diagnostic.message)
        }
    }

    /// Returns the instant until which an answer stays the same, if nothing but time passes.
    fileprivate func end(of answer: EntitlementAnswer, _ timelineEnd: Instant?) -> Int64 {
        let trusted = answer.isEntitled ? freshness.trustEndsAt : nil
        return [timelineEnd, trusted].compactMap { $0 }.min()?.millisecondsSince1970 ?? .max
    }
}

/// The words for reasons as texts of C.
// It is unchecked because it has pointers. The texts are made once, are never changed and never freed.
private struct ReasonTexts: @unchecked Sendable {
    static let all = ReasonTexts()
    private let texts: [EntitlementAnswer.Reason: UnsafePointer<CChar>]

    private init() {
        var texts: [EntitlementAnswer.Reason: UnsafePointer<CChar>] = [:]
        for reason in EntitlementAnswer.Reason.allCases {
            let bytes = Array(reason.rawValue.utf8)
            let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
            for (index, byte) in bytes.enumerated() { memory[index] = CChar(bitPattern: byte) }
            memory[bytes.count] = 0
            texts[reason] = UnsafePointer(memory)
        }
        self.texts = texts
    }

    subscript(reason: EntitlementAnswer.Reason) -> UnsafePointer<CChar>? { texts[reason] }
}

extension sk_answer {
    /// Creates the answer of the header, with the size still to be set.
    fileprivate init(_ answer: EntitlementAnswer, until: Int64) {
        let kind: CInt =
            switch answer.kind {
            case .unknown: 0
            case .never: 1
            case .lapsed: 2
            case .pending: 3
            case .entitled: 4
            }
        self.init(size: 0, kind: kind, reason: ReasonTexts.all[answer.reason], until: until)
    }
}

// MARK: Customers

@c @implementation
public func sk_has_feature(
    _ customer: OpaquePointer?, _ feature: UnsafePointer<CChar>?, _ length: Int, _ at: sk_instant,
    _ answer: UnsafeMutablePointer<Bool>?
) -> sk_status {
    answer?.pointee = false
    return status { () throws(Failure) in
        try Results.pointer(answer, "answer").pointee =
            try Question<CustomerObject>(handle: customer).hasFeature(feature, length, at)
    }
}

@c @implementation
public func sk_is_entitled(
    _ customer: OpaquePointer?, _ product: UnsafePointer<CChar>?, _ length: Int, _ at: sk_instant,
    _ answer: UnsafeMutablePointer<Bool>?
) -> sk_status {
    answer?.pointee = false
    return status { () throws(Failure) in
        try Results.pointer(answer, "answer").pointee =
            try Question<CustomerObject>(handle: customer).isEntitled(product, length, at)
    }
}

@c @implementation
public func sk_balance(
    _ customer: OpaquePointer?, _ balance: UnsafePointer<CChar>?, _ length: Int, _ units: UnsafeMutablePointer<Int64>?
) -> sk_status {
    units?.pointee = 0
    return status { () throws(Failure) in
        try Results.pointer(units, "units").pointee =
            try Question<CustomerObject>(handle: customer).balance(balance, length)
    }
}

@c @implementation
public func sk_next_change(
    _ customer: OpaquePointer?, _ at: sk_instant, _ change: UnsafeMutablePointer<sk_instant>?
) -> sk_status {
    change?.pointee = 0
    return status { () throws(Failure) in
        try Results.pointer(change, "change").pointee = try Question<CustomerObject>(handle: customer).nextChange(at)
    }
}

@c @implementation
public func sk_feature_answer(
    _ customer: OpaquePointer?, _ feature: UnsafePointer<CChar>?, _ length: Int, _ at: sk_instant,
    _ answer: UnsafeMutablePointer<sk_answer>?
) -> sk_status {
    status { () throws(Failure) in
        let result = try Results.prepare(answer, smallest: MemoryLayout<sk_answer>.size, "answer")
        let value = try Question<CustomerObject>(handle: customer).answer(at) { source, snapshot, at throws(Failure) in
            let id = Feature.ID(try QuestionName(feature, length, source, "feature").text)
            try snapshot.checkKnown(id)
            let answer = snapshot.feature(id, at: at)
            return sk_answer(
                answer,
                until: snapshot.end(of: answer, snapshot.resolution.feature(id)?.timeline.nextChange(after: at)))
        }
        Results.give(value, to: result)
    }
}

@c @implementation
public func sk_product_answer(
    _ customer: OpaquePointer?, _ product: UnsafePointer<CChar>?, _ length: Int, _ at: sk_instant,
    _ answer: UnsafeMutablePointer<sk_answer>?
) -> sk_status {
    status { () throws(Failure) in
        let result = try Results.prepare(answer, smallest: MemoryLayout<sk_answer>.size, "answer")
        let value = try Question<CustomerObject>(handle: customer).answer(at) { source, snapshot, at throws(Failure) in
            let id = Product.ID(try QuestionName(product, length, source, "product").text)
            try snapshot.checkOwnable(id)
            let answer = snapshot.entitlement(for: id, at: at)
            return sk_answer(
                answer,
                until: snapshot.end(of: answer, snapshot.resolution.product(id)?.timeline.nextChange(after: at)))
        }
        Results.give(value, to: result)
    }
}

// MARK: Snapshots

@c @implementation
public func sk_snapshot_has_feature(
    _ snapshot: OpaquePointer?, _ feature: UnsafePointer<CChar>?, _ length: Int, _ at: sk_instant,
    _ answer: UnsafeMutablePointer<Bool>?
) -> sk_status {
    answer?.pointee = false
    return status { () throws(Failure) in
        try Results.pointer(answer, "answer").pointee =
            try Question<SnapshotObject>(handle: snapshot).hasFeature(feature, length, at)
    }
}

@c @implementation
public func sk_snapshot_is_entitled(
    _ snapshot: OpaquePointer?, _ product: UnsafePointer<CChar>?, _ length: Int, _ at: sk_instant,
    _ answer: UnsafeMutablePointer<Bool>?
) -> sk_status {
    answer?.pointee = false
    return status { () throws(Failure) in
        try Results.pointer(answer, "answer").pointee =
            try Question<SnapshotObject>(handle: snapshot).isEntitled(product, length, at)
    }
}

@c @implementation
public func sk_snapshot_balance(
    _ snapshot: OpaquePointer?, _ balance: UnsafePointer<CChar>?, _ length: Int, _ units: UnsafeMutablePointer<Int64>?
) -> sk_status {
    units?.pointee = 0
    return status { () throws(Failure) in
        try Results.pointer(units, "units").pointee =
            try Question<SnapshotObject>(handle: snapshot).balance(balance, length)
    }
}

@c @implementation
public func sk_snapshot_next_change(
    _ snapshot: OpaquePointer?, _ at: sk_instant, _ change: UnsafeMutablePointer<sk_instant>?
) -> sk_status {
    change?.pointee = 0
    return status { () throws(Failure) in
        try Results.pointer(change, "change").pointee = try Question<SnapshotObject>(handle: snapshot).nextChange(at)
    }
}
