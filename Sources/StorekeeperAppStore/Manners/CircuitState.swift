import Storekeeper

/// Whether requests are sent to a server that may be out of order.
///
/// A value that steps: requests ask to be admitted and report what came of them. After so many failures in a row nothing
/// is sent for a while; then one request is, as a trial, and decides.
struct CircuitState: Hashable, Sendable {
    /// What is allowed.
    struct Rule: Hashable, Sendable {
        /// After how many failures in a row nothing is sent.
        var failures: Int
        /// For how long, in milliseconds.
        var pause: Int64
    }

    /// Whether a request may be sent.
    enum Admission: Hashable, Sendable {
        /// It may; the number says in which phase, so that a late answer of an earlier one counts for nothing.
        case admitted(phase: Int)
        /// It may not, before an instant.
        case refused(until: Instant)
    }

    private enum Phase: Hashable, Sendable {
        case closed(failures: Int)
        case open(until: Instant)
        /// One request is under way as a trial.
        case trial(until: Instant)
    }

    let rule: Rule
    private var phase = Phase.closed(failures: 0)
    private var number = 0

    init(_ rule: Rule) { self.rule = rule }

    /// Whether everything is sent.
    var isClosed: Bool { if case .closed = phase { true } else { false } }

    /// Asks to send a request.
    mutating func admit(at now: Instant) -> Admission {
        switch phase {
        case .closed: return .admitted(phase: number)
        case .open(let until), .trial(let until):
            // A trial that nobody reports of is forgotten, so that another can be made.
            guard now >= until else { return .refused(until: until) }
            move(to: .trial(until: now.adding(milliseconds: rule.pause)))
            return .admitted(phase: number)
        }
    }

    /// Reports that the server has answered, well or with a refusal.
    mutating func succeed(phase reported: Int) {
        guard reported == number else { return }
        move(to: .closed(failures: 0))
    }

    /// Reports that the server is out of order.
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

    /// Reports that a request was given up before anything came of it.
    mutating func abandon(phase reported: Int, at now: Instant) {
        guard reported == number, case .trial = phase else { return }
        // The next one is the trial.
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
