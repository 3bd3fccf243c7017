/// Figures as people read them: three digits, with a unit.
enum FigureFormat {
    /// A duration in seconds, as `71.2 µs`.
    static func duration(_ seconds: Double) -> String {
        for (scale, unit) in [(1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms")] where seconds < 999.5 * scale {
            return "\(digits(seconds / scale)) \(unit)"
        }
        return "\(digits(seconds)) s"
    }

    /// An amount of memory, as `12.3 KiB`.
    static func memory(_ bytes: Double) -> String {
        for (scale, unit) in [(1.0, "B"), (1024.0, "KiB")] where abs(bytes) < 999.5 * scale {
            return "\(fixed(bytes / scale, decimals: scale == 1 ? 0 : 1)) \(unit)"
        }
        return "\(fixed(bytes / 1_048_576, decimals: 1)) MiB"
    }

    /// A count, as `12,300`: rounded to three digits.
    static func count(_ value: Double) -> String {
        guard value.isFinite else { return "-" }
        var step = 1.0
        while value / step >= 1000 { step *= 10 }
        let whole = Int64((value / step).rounded() * step)
        var text = ""
        for (position, digit) in String(whole).reversed().enumerated() {
            if position > 0, position.isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }

    /// A ratio, as `0.81`.
    static func ratio(_ value: Double) -> String { fixed(value, decimals: 2) }

    private static func digits(_ value: Double) -> String {
        fixed(value, decimals: value < 9.995 ? 2 : value < 99.95 ? 1 : 0)
    }

    private static func fixed(_ value: Double, decimals: Int) -> String {
        guard value.isFinite, value < 1e15 else { return "-" }
        let scale = (0..<decimals).reduce(Int64(1)) { scale, _ in scale * 10 }
        let scaled = Int64((value * Double(scale)).rounded())
        guard decimals > 0 else { return String(scaled) }
        let fraction = String(scaled % scale)
        return "\(scaled / scale).\(String(repeating: "0", count: decimals - fraction.count))\(fraction)"
    }
}
