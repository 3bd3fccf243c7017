/// The cells of a row or of a key, in one array of bytes.
///
/// Tables in memory store rows in this form, and find them by keys in this form. Keys whose other parts are equal are
/// in the order of their last parts, because numbers are stored in the order of their values, and the last text has no
/// length.
package struct PackedRow: Hashable, Comparable, Sendable {
    fileprivate let bytes: [UInt8]

    package static func < (left: PackedRow, right: PackedRow) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    /// Creates the cells of a row.
    package init(_ row: some RowKind) {
        let buffer = RowBuffer(capacity: 1_024)
        row.write(to: buffer)
        self = buffer.packed()
    }

    /// Creates the key of the row at a place in the feed.
    init(_ place: FeedPlace) {
        let buffer = RowBuffer(capacity: 0)
        buffer.place(place)
        self = buffer.packed()
    }

    fileprivate init(bytes: [UInt8]) { self.bytes = bytes }
}

extension RowBuffer {
    /// Returns all cells.
    package func packed() -> PackedRow { pack(0..<count) }

    /// Returns the cells of some columns; `nil` if one of the columns has no value.
    package func packed(_ columns: [Int]) -> PackedRow? {
        columns.contains { cells[$0].tag == .null } ? nil : pack(columns)
    }

    private func pack(_ columns: some BidirectionalCollection<Int>) -> PackedRow {
        var size = 1
        for column in columns {
            switch cells[column].tag {
            case .null: size += 1
            case .int: size += 1 + 8
            case .text, .owner: size += 1 + 8 + cells[column].count
            }
        }
        let last = columns.last
        return PackedRow(
            bytes: [UInt8](unsafeUninitializedCapacity: size) { memory, used in
                let memory = UnsafeMutableRawBufferPointer(memory)
                func add(_ code: UInt8) {
                    memory[used] = code
                    used += 1
                }
                func add(_ number: Int64) {
                    memory.storeBytes(of: (number ^ .min).bigEndian, toByteOffset: used, as: Int64.self)
                    used += 8
                }
                add(UInt8(truncatingIfNeeded: columns.count))
                for column in columns {
                    let cell = cells[column]
                    add(cell.tag.rawValue)
                    switch cell.tag {
                    case .null: break
                    case .int: add(cell.number)
                    case .text, .owner:
                        if column != last { add(Int64(cell.count)) }
                        let bytes = UnsafeRawBufferPointer(start: cell.start, count: cell.count)
                        UnsafeMutableRawBufferPointer(rebasing: memory[used...]).copyMemory(from: bytes)
                        used += cell.count
                    }
                }
            })
    }

    /// Replaces all cells by those of a row.
    package func unpack(_ row: PackedRow) {
        removeAll()
        row.bytes.withUnsafeBytes { bytes in
            guard var next = keep(bytes) else { return }
            let end = next + bytes.count
            func number() -> Int64 {
                defer { next += 8 }
                return Int64(bigEndian: next.loadUnaligned(as: Int64.self)) ^ .min
            }
            let count = Int(bytes[0])
            next += 1
            for column in 1...max(count, 1) where column <= count {
                let tag = Cell.Tag(rawValue: next.load(as: UInt8.self)) ?? .null
                next += 1
                switch tag {
                case .null: null()
                case .int: int(number())
                case .text, .owner:
                    let length = column == count ? end - next : Int(number())
                    lend(tag, UnsafeRawBufferPointer(start: length == 0 ? nil : next, count: length))
                    next += length
                }
            }
        }
    }
}
