extension Duration {
    /// The number of whole milliseconds, rounded towards zero; `nil` if the number does not fit into `Int64`.
    package var wholeMilliseconds: Int64? {
        let (seconds, attoseconds) = components
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, sumOverflow) = milliseconds.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return overflow || sumOverflow ? nil : sum
    }

    /// The number of whole milliseconds, rounded towards zero and clamped to the range of `Int64`.
    package var milliseconds: Int64 { wholeMilliseconds ?? (self < .zero ? .min : .max) }
}
