extension Duration {
    /// The whole milliseconds, truncated; `nil` if they do not fit.
    package var wholeMilliseconds: Int64? {
        let (seconds, attoseconds) = components
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, sumOverflow) = milliseconds.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return overflow || sumOverflow ? nil : sum
    }

    /// The whole milliseconds, truncated, clamped to the range of `Int64`.
    package var milliseconds: Int64 { wholeMilliseconds ?? (self < .zero ? .min : .max) }
}
