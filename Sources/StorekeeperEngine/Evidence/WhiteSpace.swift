extension UInt8 {
    /// Whether the byte is white space in JSON and between the lines of base64: a space, a tab or a line break.
    package var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
