/// Exact arithmetic on the text of a JSON number.
enum JSONNumber {
    /// Returns the whole part of a number, and whether the number has no fraction; `nil` if the whole part does not fit
    /// in `Int64`.
    ///
    /// - Parameter text: A number by the grammar of RFC 8259.
    static func whole(_ text: Span<UInt8>) -> (value: Int64, isExact: Bool)? {
        let isNegative = !text.isEmpty && text[0] == UInt8(ascii: "-")
        // The common case is a number of at most 18 digits.
        if let plain = ByteScan.wholeNumber(in: text, from: isNegative ? 1 : 0) {
            return (isNegative ? -plain : plain, true)
        }
        return text.withUnsafeBufferPointer { whole($0[(isNegative ? 1 : 0)...], isNegative: isNegative) }
    }

    private static func whole(
        _ text: Slice<UnsafeBufferPointer<UInt8>>, isNegative: Bool
    ) -> (value: Int64, isExact: Bool)? {
        var digits: [UInt8] = []
        var pointPosition: Int?
        var exponent: Int64 = 0
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case 48...57: digits.append(byte - 48)
            case UInt8(ascii: "."): pointPosition = digits.count
            default:
                let exponentText = String(decoding: rest, as: UTF8.self)
                // With an exponent beyond this limit, a number other than zero is too large, or is so small that its
                // whole part is zero.
                let limit = Int64(text.count) + 20
                exponent = Int64(exponentText) ?? (exponentText.hasPrefix("-") ? -limit : limit)
                exponent = min(max(exponent, -limit), limit)
                rest = rest[rest.endIndex...]
            }
        }
        let wholeCount = Int64(pointPosition ?? digits.count) + exponent
        var value: Int64 = 0
        var isExact = true
        for (position, digit) in digits.enumerated() {
            guard Int64(position) < wholeCount else {
                if digit != 0 { isExact = false }
                continue
            }
            guard let next = shifted(value, adding: digit, isNegative: isNegative) else { return nil }
            value = next
        }
        if value != 0, wholeCount > Int64(digits.count) {
            for _ in Int64(digits.count)..<wholeCount {
                guard let next = shifted(value, adding: 0, isNegative: isNegative) else { return nil }
                value = next
            }
        }
        return (value, isExact)
    }

    private static func shifted(_ value: Int64, adding digit: UInt8, isNegative: Bool) -> Int64? {
        let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
        let (sum, stillTooLarge) = product.addingReportingOverflow(isNegative ? -Int64(digit) : Int64(digit))
        return tooLarge || stillTooLarge ? nil : sum
    }
}
