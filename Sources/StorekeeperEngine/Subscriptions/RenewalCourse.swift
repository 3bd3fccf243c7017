/// The renewal infos of one period, and the App Store's own states of it, as a state machine: what holds at each instant.
///
/// An info holds from its signing until the next info is signed, and the first info also holds before its signing.
/// Therefore an info that was signed later never changes an answer about an earlier instant.
///
/// An info reports the failure of the renewal that follows the period only if it was signed at or after the App Store's
/// first attempt to bill, 24 hours before the expiry. The first of these infos holds from the expiry.
///
/// The App Store's own state decides only if it says that a grace period is running and no info names the end of a grace
/// period. The grace period then lasts until a later state or info says otherwise or the period is revoked, at most 28
/// days.
struct RenewalCourse: Equatable, Sendable {
    /// The data that holds from one instant to the next.
    struct Step: Equatable, Sendable {
        /// The first instant of the step; the first step has no beginning.
        var from: Instant
        /// The info that holds; `nil` if no info applies to the period.
        var info: RenewalInfoFact?
        /// The info whose statements about a failed renewal hold; `nil` before the expiry.
        var failure: RenewalInfoFact?
        /// The end of the grace period; `nil` if no grace period is running or promised.
        var graceEnd: Instant?
    }

    /// The steps in order of time; one step begins at the expiry.
    private(set) var steps: [Step]
    /// The end of the last grace period, exclusive; `nil` if the period is followed by no grace period.
    private(set) var graceEnd: Instant?

    /// The days for which the App Store's state alone extends access, which is the longest grace period that it offers.
    private static let maximumDaysByStatus = 28

    /// Applies infos and states to a period.
    ///
    /// - Parameters:
    ///   - infos: The infos that apply to the period, in order of signing.
    ///   - statuses: The App Store's states that apply to the period, in order of signing.
    ///   - period: The period.
    init(_ infos: [RenewalInfoFact], _ statuses: [ReportedStatus] = [], of period: BilledPeriod) {
        let (fact, expiry) = (period.first, period.end)
        let signed = infos.prefix { $0.renewalInfo.signedAt <= expiry }
        let later = infos.dropFirst(signed.count)
        steps = [Step(from: .distantPast, info: infos.first)]
        for info in signed.dropFirst() { apply(info, from: info.renewalInfo.signedAt) }
        let isFailureKnown = signed.last?.renewalInfo.ofFailedRenewal(after: fact.transaction) != nil
        apply(signed.last ?? infos.first, from: expiry, failure: isFailureKnown ? signed.last : later.first)
        for info in later { apply(info, from: info.renewalInfo.signedAt, failure: info) }
        if !statuses.isEmpty { apply(statuses, infos, of: period) }
        graceEnd = endOfGrace
    }

    /// Adds a step, which replaces a step that begins at the same instant.
    private mutating func apply(_ info: RenewalInfoFact?, from instant: Instant, failure: RenewalInfoFact? = nil) {
        if steps[steps.count - 1].from == instant { steps.removeLast() }
        steps.append(
            Step(from: instant, info: info, failure: failure, graceEnd: failure?.renewalInfo.gracePeriodEnd))
    }

    /// Applies the App Store's states to the steps after the expiry.
    private mutating func apply(_ statuses: [ReportedStatus], _ infos: [RenewalInfoFact], of period: BilledPeriod) {
        let (fact, expiry) = (period.first, period.end)
        guard let start = steps.firstIndex(where: { $0.from == expiry }) else { return }
        let limit = min(expiry.adding(days: Self.maximumDaysByStatus), period.revokedAt ?? .distantFuture)
        // The infos that are applied so far. The first info of the failed renewal holds from the expiry.
        var failures = infos.map(\.renewalInfo).filter { $0.ofFailedRenewal(after: fact.transaction) != nil }[...]
        var applied: [RenewalInfo] = []
        var status = statuses.last { $0.signedAt <= expiry } ?? statuses.first
        var further = statuses.drop { $0.signedAt <= expiry }
        var later: [Step] = []
        for (index, step) in steps.enumerated() where index >= start {
            let next = index + 1 < steps.count ? steps[index + 1].from : .distantFuture
            var step = step
            while true {
                while let info = failures.first, info.signedAt <= step.from || applied.isEmpty {
                    applied.append(info)
                    failures.removeFirst()
                }
                while let report = further.first, report.signedAt <= step.from {
                    status = report
                    further.removeFirst()
                }
                let isGrace =
                    status.map { status in
                        status.isInGracePeriod
                            && !applied.contains { info in
                                info.namesGracePeriod(after: fact)
                                    || info.indicatesGivenUp && status.signedAt < info.signedAt
                                        && info.signedAt <= step.from
                            }
                    } ?? false
                step.graceEnd = isGrace ? limit : step.failure?.renewalInfo.gracePeriodEnd
                later.append(step)
                guard let report = further.first, report.signedAt < next else { break }
                step.from = report.signedAt
            }
        }
        steps.replaceSubrange(start..., with: later)
    }

    /// The end of the last grace period of the steps.
    private var endOfGrace: Instant? {
        var end: Instant?
        for (index, step) in steps.enumerated() {
            guard let date = step.graceEnd, date > step.from else { continue }
            end = index + 1 < steps.count ? min(date, steps[index + 1].from) : date
        }
        return end
    }
}
