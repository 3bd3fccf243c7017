import Storekeeper

/// Decides whether requests are sent to a server that may be failing.
///
/// This type is the state machine of a circuit breaker. Each request asks for admission and later reports its outcome.
/// After a number of consecutive failures, no request is sent during a pause. After the pause, one trial request is
/// sent. If the trial succeeds, all requests are admitted again. If the trial fails, the next pause begins.
struct CircuitState: Hashable, Sendable {
    /// The number of failures before a pause, and the length of the pause.
    struct Rule: Hashable, Sendable {
        /// The number of consecutive failures after which requests pause.
        var failures: Int
        /// The length of the pause, in milliseconds.
        var pause: Int64
    }

    /// The decision about a request.
    enum Admission: Hashable, Sendable {
        /// The request may be sent; `phase` is the number of the current phase, with which the outcome is reported.
        ///
        /// The phase changes when a pause or a trial begins or ends. An outcome that is reported with the number of an
        /// earlier phase is ignored.
        case admitted(phase: Int)
        /// The request may not be sent before an instant.
        case refused(until: Instant)
    }

    private enum Phase: Hashable, Sendable {
        case closed(failures: Int)
        case open(until: Instant)
        /// One trial request was sent after a pause, and no other request is admitted until an instant.
        case trial(until: Instant)
    }

    let rule: Rule
    private var phase = Phase.closed(failures: 0)
    private var number = 0

    init(_ rule: Rule) { self.rule = rule }

    /// Whether all requests are admitted.
    var isClosed: Bool { if case .closed = phase { true } else { false } }

    /// Asks for permission to send a request.
    mutating func admit(at now: Instant) -> Admission {
        switch phase {
        case .closed: return .admitted(phase: number)
        case .open(let until), .trial(let until):
            // If the outcome of a trial is never reported, the trial expires, so that another trial request can be
            // sent.
            guard now >= until else { return .refused(until: until) }
            move(to: .trial(until: now.adding(milliseconds: rule.pause)))
            return .admitted(phase: number)
        }
    }

    /// Reports that the server responded, with success or a refusal.
    mutating func succeed(phase reported: Int) {
        guard reported == number else { return }
        move(to: .closed(failures: 0))
    }

    /// Reports that a request failed because the server failed or could not be reached.
    mutating func fail(phase reported: Int, at now: Instant) {
        guard reported == number else { return }
        switch phase {
        case .closed(let failures):
            if failures + 1 < rule.failures {
                phase = .closed(failures: failures + 1)
            } else {
                move(to: .open(until: now.adding(milliseconds: rule.pause)))
            }
        case .open: break
        case .trial: move(to: .open(until: now.adding(milliseconds: rule.pause)))
        }
    }

    /// Reports that a request was abandoned before it had an outcome.
    mutating func abandon(phase reported: Int, at now: Instant) {
        guard reported == number, case .trial = phase else { return }
        // The next request becomes the trial request.
        move(to: .open(until: now))
    }

    private mutating func move(to next: Phase) {
        if case .closed(0) = next, isClosed {
            phase = next
            return
        }
        phase = next
        number += 1
    }
}
