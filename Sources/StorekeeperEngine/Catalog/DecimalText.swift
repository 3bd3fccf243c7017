import FoundationEssentials

/// A decimal number as text, such as `9.99` or `1e3`, parsed exactly and independently of the locale.
struct DecimalText: Sendable {
    private var isNegative = false
    /// The significant digits, without zeros at either end; empty for zero.
    private var digits: [UInt8] = []
    /// The power of ten by which the last digit is multiplied.
    private var exponent = 0

    /// Reads digits with an optional minus sign, fraction and exponent; returns `nil` for any other text.
    init?(_ text: String) {
        guard text.utf8.count <= 128 else { return nil }
        var rest = Array(text.utf8)[...]
        if rest.first == UInt8(ascii: "-") {
            isNegative = true
            rest = rest.dropFirst()
        }
        let whole = Self.consumeDigits(&rest)
        guard !whole.isEmpty else { return nil }
        var fraction: [UInt8] = []
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            fraction = Self.consumeDigits(&rest)
            guard !fraction.isEmpty else { return nil }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            let sign = rest.first
            if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest = rest.dropFirst() }
            let power = Self.consumeDigits(&rest)
            guard (1...4).contains(power.count) else { return nil }
            let value = power.reduce(0) { $0 * 10 + Int($1) }
            exponent = sign == UInt8(ascii: "-") ? -value : value
        }
        guard rest.isEmpty else { return nil }
        exponent -= fraction.count
        digits = Array((whole + fraction).drop { $0 == 0 })
        while digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty { exponent = 0 }
    }

    /// The exact value as an amount of money; `nil` if it is negative or has more than 18 digits.
    var amount: Decimal? {
        guard !isNegative || digits.isEmpty, digits.count <= 18, (-18...18).contains(exponent) else { return nil }
        let significand = digits.reduce(Int64(0)) { $0 * 10 + Int64($1) }
        return Decimal(sign: .plus, exponent: exponent, significand: Decimal(significand))
    }

    /// The value as a whole number; `nil` if it has a fraction or more than 18 digits.
    var wholeNumber: Int64? {
        guard exponent >= 0, digits.count + exponent <= 18 else { return nil }
        let value = (digits + Array(repeating: 0, count: exponent)).reduce(Int64(0)) { $0 * 10 + Int64($1) }
        return isNegative ? -value : value
    }

    private static func consumeDigits(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        let digits = rest.prefix { (48...57).contains($0) }
        rest = rest.dropFirst(digits.count)
        return digits.map { $0 - 48 }
    }
}
