extension Duration {
    /// The milliseconds of it, what is less cut off; `nil` beyond the bounds of the number.
    package var wholeMilliseconds: Int64? {
        let (seconds, attoseconds) = components
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, sumOverflow) = milliseconds.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return overflow || sumOverflow ? nil : sum
    }

    /// The milliseconds of it, what is less cut off, kept within the bounds of the number.
    package var milliseconds: Int64 { wholeMilliseconds ?? (self < .zero ? .min : .max) }
}
