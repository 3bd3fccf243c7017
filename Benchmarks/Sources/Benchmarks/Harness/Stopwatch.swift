#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The clocks for measurements.
enum Stopwatch {
    /// Processor time of the calling thread, which other processes hardly affect.
    case threadTime
    /// Processor time of all threads of this process.
    case processTime
    /// Wall-clock time, for work on several threads or in another process.
    case wallTime

    /// Seconds since a fixed point.
    var seconds: Double {
        var time = timespec()
        switch self {
        case .threadTime: clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        case .processTime: clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        case .wallTime: clock_gettime(CLOCK_MONOTONIC, &time)
        }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
