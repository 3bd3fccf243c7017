import Foundation
import Storekeeper

/// One customer's state in one subscription group, derived from Apple's rules as simply as possible.
///
/// It shares no code with the simulator's world: it uses Foundation's calendar and stores a list of periods.
struct CustomerModel {
    enum Phase: Equatable { case none, active, grace(until: Instant), retry(until: Instant), expired, revoked }

    /// An action of the customer or the App Store, or the passing of time.
    enum Move: Hashable, Sendable {
        case buy(Product.ID), change(Product.ID), cancel, resume, fail, fix, refund, reverse
        case wait(Int64)
        /// Advances exactly to the next instant at which an event is due.
        case waitForEvent
    }

    struct Period {
        var product: Product.ID
        var from: Instant
        var to: Instant
        var supersededAt: Instant?
        var refundedAt: Instant?

        /// The instant from which the period no longer counts.
        var end: Instant { [to, supersededAt, refundedAt].compactMap(\.self).min() ?? to }
    }

    private static let levels: [Product.ID: Int] = [
        "pro.monthly": 1, "pro.yearly": 1, "basic.monthly": 2, "basic.weekly": 2,
    ]
    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
        return calendar
    }()

    private(set) var now: Instant
    private let graceDays: Int?
    private(set) var phase = Phase.none
    private(set) var periods: [Period] = []
    private(set) var renews = false
    private(set) var next: Product.ID = ""
    private(set) var isFailing = false
    private var anchor: Instant
    private var count = 0

    init(at now: Instant, graceDays: Int?) {
        self.now = now
        self.graceDays = graceDays
        anchor = now
    }

    /// The product that the customer has access to now.
    var entitledProduct: Product.ID? {
        switch phase {
        case .active, .grace: periods.last?.product
        case .none, .retry, .expired, .revoked: nil
        }
    }

    /// The end of the access to ``entitledProduct``, if nothing else happens.
    var until: Instant? {
        switch phase {
        case .active: periods.last?.to
        case .grace(let until): until
        case .none, .retry, .expired, .revoked: nil
        }
    }

    /// Apple's number of the state.
    var status: Int? {
        switch phase {
        case .none: nil
        case .active: 1
        case .expired: 2
        case .retry: 3
        case .grace: 4
        case .revoked: 5
        }
    }

    /// The next instant at which time changes the state.
    var due: Instant? {
        switch phase {
        case .active: periods.last?.to
        case .grace(let until), .retry(let until): until
        case .none, .expired, .revoked: nil
        }
    }

    // MARK: Moves

    /// Makes a move.
    ///
    /// An impossible move changes nothing.
    mutating func make(_ move: Move) {
        switch move {
        case .wait(let time): advance(to: now.adding(milliseconds: time))
        case .waitForEvent: if let due { advance(to: due) }
        case .buy(let product): buy(product)
        case .change(let product): if entitledProduct != nil { change(to: product) }
        case .cancel: cancel()
        case .resume: if case .active = phase { renews = true }
        case .fail: isFailing = true
        case .fix: fix()
        case .refund:
            // If a purchase, its refund and the next purchase had the same millisecond, their dates would not show
            // their order.
            advance(to: now.adding(milliseconds: 1))
            guard let last = periods.indices.last, periods[last].refundedAt == nil else { return }
            periods[last].refundedAt = now
            phase = .revoked
            renews = false
        case .reverse:
            guard let last = periods.indices.last, periods[last].refundedAt != nil else { return }
            periods[last].refundedAt = nil
            phase = periods[last].to > now ? .active : .expired
        }
    }

    private mutating func buy(_ product: Product.ID) {
        if isFailing { return }
        guard let current = entitledProduct else { return begin(product, at: now) }
        if product == current { renews = true }
        change(to: product)
    }

    private mutating func change(to product: Product.ID) {
        guard let current = entitledProduct, let last = periods.indices.last else { return }
        let (old, new) = (Self.levels[current] ?? 0, Self.levels[product] ?? 0)
        if product == current {
            next = product
        } else if new < old || new == old && Self.months(product) == Self.months(current) {
            // The change is immediate, and has no effect if the payment fails.
            if isFailing { return }
            periods[last].supersededAt = now
            begin(product, at: now)
        } else {
            next = product
            renews = true
        }
    }

    private mutating func cancel() {
        switch phase {
        case .active: renews = false
        case .grace, .retry:
            renews = false
            phase = .expired
        case .none, .expired, .revoked: break
        }
    }

    private mutating func fix() {
        isFailing = false
        switch phase {
        case .grace: renew()
        case .retry: begin(next, at: now)
        case .none, .active, .expired, .revoked: break
        }
    }

    // MARK: Periods

    /// Starts a new billing anchor.
    private mutating func begin(_ product: Product.ID, at instant: Instant) {
        (anchor, count) = (instant, 1)
        (next, renews, phase) = (product, true, .active)
        periods.append(Period(product: product, from: instant, to: end(of: product)))
    }

    /// Appends the next period after the last one.
    private mutating func renew() {
        guard let last = periods.last else { return }
        if next == last.product { count += 1 } else { (anchor, count) = (last.to, 1) }
        phase = .active
        periods.append(Period(product: next, from: last.to, to: end(of: next)))
    }

    private mutating func advance(to instant: Instant) {
        while let due, due <= instant {
            now = due
            switch phase {
            case .active where !renews: phase = .expired
            case .active where isFailing: phase = graceDays.map { .grace(until: graceEnd($0)) } ?? retry
            case .active: renew()
            case .grace: phase = retry
            case .retry, .none, .expired, .revoked:
                phase = .expired
                renews = false
            }
        }
        now = instant
    }

    private var retry: Phase { .retry(until: periods.last?.to.adding(days: 60) ?? now) }

    private func graceEnd(_ days: Int) -> Instant {
        let last = periods.last
        return last?.to.adding(days: last?.product == "basic.weekly" ? min(days, 6) : days) ?? now
    }

    // MARK: The calendar

    /// Returns the number of months that a product lasts; 0 for a week.
    private static func months(_ product: Product.ID) -> Int {
        product == "pro.yearly" ? 12 : product == "basic.weekly" ? 0 : 1
    }

    private func end(of product: Product.ID) -> Instant {
        let months = Self.months(product)
        if months == 0 { return anchor.adding(days: 7 * count) }
        // Foundation counts in seconds; the milliseconds are added separately.
        let milliseconds = anchor.millisecondsSince1970 % 1000
        let whole = Date(timeIntervalSince1970: Double((anchor.millisecondsSince1970 - milliseconds) / 1000))
        let end = Self.calendar.date(byAdding: .month, value: months * count, to: whole) ?? whole
        return Instant(clamped: Int64(end.timeIntervalSince1970) * 1000 + milliseconds)
    }
}
