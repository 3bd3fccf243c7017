/// Reads binary property lists from untrusted sources.
///
/// A binary property list consists of objects that refer to one another by number. A small file can therefore describe
/// an endless or enormous value. The reader limits the depth and the size of the expanded value, and checks every
/// offset before it reads the bytes at this offset.
///
/// - SeeAlso: Apple, "CFBinaryPList.c" of the Core Foundation sources.
struct BinaryPropertyListReader {
    /// The maximum weight of an expanded list, in which each object weighs eight and each byte of text weighs one.
    ///
    /// An object is counted each time that another object refers to it.
    private static let maximumWeight = 4 * CatalogFile.maximumSize

    private let bytes: [UInt8]
    private let file: String
    private let referenceSize: Int
    private let offsetSize: Int
    private let offsetTable: Int
    private let objectCount: Int
    private let top: Int
    private var weight = 0
    private var strings: [Int: String] = [:]
    /// The numbers of the arrays and dictionaries around the current object, the outermost first.
    private var open: [Int] = []

    /// Returns the top-level object of a property list; the members of each dictionary are sorted by the bytes of their
    /// keys.
    static func read(_ bytes: [UInt8], file: String) throws(CatalogError) -> DocumentValue {
        var reader = try BinaryPropertyListReader(bytes, file: file)
        return try reader.object(reader.top)
    }

    private init(_ bytes: [UInt8], file: String) throws(CatalogError) {
        let fault = CatalogError(
            .damagedPropertyList, file: file, message: "the binary property list is damaged or truncated",
            remedy: "restore the file; plutil -lint checks it")
        guard bytes.count >= 41, bytes.starts(with: "bplist0".utf8) else { throw fault }
        let trailer = bytes.count - 32
        func number(_ offset: Int) -> Int? { Self.number(bytes[offset..<offset + 8]) }
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let objectCount = number(trailer + 8), let top = number(trailer + 16),
            let offsetTable = number(trailer + 24), top < objectCount, offsetTable >= 8, offsetTable < trailer,
            objectCount <= (trailer - offsetTable) / offsetSize
        else { throw fault }
        self.bytes = bytes
        self.file = file
        self.objectCount = objectCount
        self.top = top
        self.offsetTable = offsetTable
    }

    private mutating func object(_ index: Int) throws(CatalogError) -> DocumentValue {
        // A value weighs at least eight, because it occupies many bytes of memory even if the file stores it in a
        // single byte.
        try weigh(8)
        let offset = try offset(of: index)
        let low = Int(bytes[offset] & 0x0F)
        switch bytes[offset] >> 4 {
        case 0x0:
            switch low {
            case 0: return .null
            case 8: return .bool(false)
            case 9: return .bool(true)
            default: throw fault("an object is of an unknown kind")
            }
        case 0x1: return .number(try integer(at: offset))
        case 0x2: return .number(try real(at: offset))
        case 0x3: return .opaque
        case 0x4, 0x8:
            return .opaque
        case 0x5, 0x6, 0x7: return .string(try string(index, at: offset))
        case 0xA, 0xB, 0xC:
            return .array(
                try inside(index) { reader throws(CatalogError) in
                    let (count, start) = try reader.count(at: offset)
                    return try reader.elements(count: count, at: start)
                })
        case 0xD:
            return .dictionary(
                try inside(index) { reader throws(CatalogError) in
                    let (count, start) = try reader.count(at: offset)
                    return try reader.dictionary(count: count, at: start)
                })
        default: throw fault("an object is of an unknown kind")
        }
    }

    private mutating func inside<Value>(
        _ index: Int, _ read: (inout BinaryPropertyListReader) throws(CatalogError) -> Value
    ) throws(CatalogError) -> Value {
        guard !open.contains(index) else { throw fault("an array or dictionary contains itself") }
        guard open.count < CatalogFile.maximumDepth else {
            throw CatalogError(
                .tooDeep, file: file,
                message: "arrays and dictionaries are nested more than \(CatalogFile.maximumDepth) deep",
                remedy: "name a product list")
        }
        open.append(index)
        defer { open.removeLast() }
        return try read(&self)
    }

    private mutating func elements(count: Int, at start: Int) throws(CatalogError) -> [DocumentValue] {
        var elements: [DocumentValue] = []
        for position in 0..<(try checked(count, of: referenceSize, at: start)) {
            elements.append(try object(try reference(at: start + position * referenceSize)))
        }
        return elements
    }

    private mutating func dictionary(count: Int, at start: Int) throws(CatalogError) -> DocumentDictionary {
        var members: [DocumentDictionary.Member] = []
        var names: Set<DocumentDictionary.Name> = []
        let count = try checked(count, of: 2 * referenceSize, at: start)
        for position in 0..<count {
            let key = try object(try reference(at: start + position * referenceSize))
            guard let name = key.string else { throw fault("a key is not a string") }
            guard names.insert(DocumentDictionary.Name(name)).inserted else {
                throw CatalogError(
                    .duplicateKey, file: file, message: "the key \"\(name.prefix(64))\" occurs twice",
                    remedy: "remove or rename one of the two")
            }
            let value = try object(try reference(at: start + (count + position) * referenceSize))
            members.append(.init(name: name, value: value))
        }
        members.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return DocumentDictionary(members: members, isOrdered: false)
    }

    private mutating func string(_ index: Int, at offset: Int) throws(CatalogError) -> String {
        if let known = strings[index] {
            try weigh(known.utf8.count)
            return known
        }
        let (count, start) = try count(at: offset)
        let isWide = bytes[offset] >> 4 == 0x6
        let end = start + (try checked(count, of: isWide ? 2 : 1, at: start)) * (isWide ? 2 : 1)
        let text: String?
        if isWide {
            let units = stride(from: start, to: end, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
            text = String(validating: units, as: UTF16.self)
        } else {
            text = String(validating: bytes[start..<end], as: UTF8.self)
        }
        guard let text else { throw fault("a string has invalid characters") }
        try weigh(text.utf8.count)
        strings[index] = text
        return text
    }

    private func integer(at offset: Int) throws(CatalogError) -> String {
        let size = 1 << Int(bytes[offset] & 0x0F)
        guard size <= 16 else { throw fault("a number is of an unknown size") }
        _ = try checked(1, of: size, at: offset + 1)
        let body = bytes[offset + 1..<offset + 1 + size]
        // Numbers of one, two and four bytes are unsigned, and numbers of eight bytes are signed. Sixteen bytes store
        // an unsigned number that is too large for eight signed bytes.
        let value = body.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard body.dropLast(8).allSatisfy({ $0 == 0 }) else { throw fault("a number has more than 64 bits") }
        return size == 8 ? String(Int64(bitPattern: value)) : String(value)
    }

    /// Returns the shortest decimal text of a floating-point number.
    private func real(at offset: Int) throws(CatalogError) -> String {
        let size = 1 << Int(bytes[offset] & 0x0F)
        guard size == 4 || size == 8 else { throw fault("a number is of an unknown size") }
        _ = try checked(1, of: size, at: offset + 1)
        let bits = bytes[offset + 1..<offset + 1 + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return size == 8 ? "\(Double(bitPattern: bits))" : "\(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))"
    }

    /// Returns an object's number of bytes or elements, and the offset of the first byte or element.
    private func count(at offset: Int) throws(CatalogError) -> (count: Int, start: Int) {
        let low = Int(bytes[offset] & 0x0F)
        guard low == 0x0F else { return (low, offset + 1) }
        _ = try checked(1, of: 1, at: offset + 1)
        let marker = bytes[offset + 1]
        let size = 1 << Int(marker & 0x0F)
        guard marker >> 4 == 0x1, size <= 8 else { throw fault("a count is not a number") }
        _ = try checked(1, of: size, at: offset + 2)
        guard let count = Self.number(bytes[offset + 2..<offset + 2 + size]) else {
            throw fault("a count is too large")
        }
        return (count, offset + 2 + size)
    }

    private func reference(at offset: Int) throws(CatalogError) -> Int {
        guard let index = Self.number(bytes[offset..<offset + referenceSize]) else {
            throw fault("a reference is out of range")
        }
        return index
    }

    private func offset(of index: Int) throws(CatalogError) -> Int {
        guard index < objectCount else { throw fault("a reference is out of range") }
        let entry = offsetTable + index * offsetSize
        guard let offset = Self.number(bytes[entry..<entry + offsetSize]), (8..<offsetTable).contains(offset) else {
            throw fault("an offset is out of range")
        }
        return offset
    }

    /// Returns a count unchanged; throws if that many items do not fit between an offset and the table of offsets.
    private func checked(_ count: Int, of size: Int, at offset: Int) throws(CatalogError) -> Int {
        guard offset <= offsetTable, count <= (offsetTable - offset) / size else {
            throw fault("an object reaches beyond the end")
        }
        return count
    }

    private mutating func weigh(_ amount: Int) throws(CatalogError) {
        weight += amount
        guard weight <= Self.maximumWeight else {
            throw CatalogError(
                .tooLarge, file: file, message: "the binary property list expands to more than 20 MiB",
                remedy: "name a product list")
        }
    }

    private func fault(_ message: String) -> CatalogError {
        CatalogError(
            .damagedPropertyList, file: file, message: "the binary property list is damaged: \(message)",
            remedy: "restore the file; plutil -lint checks it")
    }

    /// Returns an unsigned big-endian number; `nil` if it does not fit in `Int`.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        Int(exactly: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
