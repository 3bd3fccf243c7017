package import FoundationEssentials

extension Decimal {
    /// Creates a number from thousandths: a price from milliunits, or a percentage from thousandths of a percent.
    ///
    /// It changes only the exponent, because a division takes many times as long.
    package init(thousandths: Int64) { self.init(sign: .plus, exponent: -3, significand: Decimal(thousandths)) }
}
