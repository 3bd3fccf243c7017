import CPostgres

/// The rows of a statement's result, in binary form.
final class ResultTable {
    private let raw: OpaquePointer
    let count: Int
    let columns: Int

    /// Takes ownership of a result of libpq, which is freed by `deinit`.
    init(owning raw: OpaquePointer) {
        self.raw = raw
        count = Int(PQntuples(raw))
        columns = Int(PQnfields(raw))
    }

    deinit { PQclear(raw) }

    /// The kind of the result, as libpq reports it.
    var status: ExecStatusType { PQresultStatus(raw) }

    /// Returns a field of an error report; libpq identifies each field by a letter.
    func field(_ code: Unicode.Scalar) -> String? {
        PQresultErrorField(raw, CInt(code.value)).map { String(cString: $0) }
    }

    /// The command tag of the result, such as `COMMIT` or `DELETE 2`.
    var command: String { String(cString: PQcmdStatus(raw)) }

    /// The number of rows that the statement has changed.
    var changed: Int { Int(String(cString: PQcmdTuples(raw))) ?? 0 }

    /// Returns the values that a closure reads from each row.
    func map<Value>(
        _ read: (inout RowReader) throws(PostgresFailure) -> Value
    ) throws(PostgresFailure) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(count)
        for row in 0..<count {
            var reader = RowReader(table: self, row: row)
            values.append(try read(&reader))
        }
        return values
    }

    /// Returns the value that a closure reads from the first row; `nil` if there are no rows.
    func first<Value>(
        _ read: (inout RowReader) throws(PostgresFailure) -> Value
    ) throws(PostgresFailure) -> Value? {
        guard count > 0 else { return nil }
        var reader = RowReader(table: self, row: 0)
        return try read(&reader)
    }

    /// Calls a function with the bytes of a value, or with `nil` for `NULL`; the bytes are valid only during the call.
    fileprivate func withBytes<Value>(
        row: Int, column: Int, _ body: (UnsafeRawBufferPointer?) -> Value
    ) -> Value {
        let (row, column) = (CInt(clamping: row), CInt(clamping: column))
        guard PQgetisnull(raw, row, column) == 0, let start = PQgetvalue(raw, row, column) else { return body(nil) }
        return body(UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(raw, row, column))))
    }

    fileprivate func type(of column: Int) -> UInt32 { PQftype(raw, CInt(clamping: column)) }
    fileprivate func name(of column: Int) -> String {
        PQfname(raw, CInt(clamping: column)).map { String(cString: $0) } ?? "\(column + 1)"
    }
}

/// Reads the values of a row one after the other, from the first column to the last.
struct RowReader {
    fileprivate let table: ResultTable
    fileprivate let row: Int
    private var column = 0

    fileprivate init(table: ResultTable, row: Int) {
        self.table = table
        self.row = row
    }

    mutating func int() throws(PostgresFailure) -> Int64 { try present(try optionalInt()) }
    mutating func bool() throws(PostgresFailure) -> Bool { try present(try optionalBool()) }
    mutating func bytes() throws(PostgresFailure) -> [UInt8] { try present(try optionalBytes()) }
    mutating func text() throws(PostgresFailure) -> String { try present(try optionalText()) }

    mutating func optionalInt() throws(PostgresFailure) -> Int64? {
        try next { bytes, type in
            switch (type, bytes.count) {
            case (PostgresType.int8.oid, 8): Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
            case (PostgresType.int4.oid, 4): Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
            default: nil
            }
        }
    }

    mutating func optionalBool() throws(PostgresFailure) -> Bool? {
        try next { bytes, type in
            type == PostgresType.bool.oid && bytes.count == 1 ? bytes.first.map { $0 != 0 } : nil
        }
    }

    mutating func optionalBytes() throws(PostgresFailure) -> [UInt8]? {
        try next { bytes, type in type == PostgresType.bytes.oid ? Array(bytes) : nil }
    }

    mutating func optionalText() throws(PostgresFailure) -> String? {
        try next { bytes, type in
            type == PostgresType.text.oid ? String(validating: bytes, as: UTF8.self) : nil
        }
    }

    /// Reads the next value of the row; `nil` for `NULL`.
    ///
    /// - Parameter decode: Decodes the value; returns `nil` if the value is not of the requested type.
    private mutating func next<Value>(
        _ decode: (UnsafeRawBufferPointer, UInt32) -> Value?
    ) throws(PostgresFailure) -> Value? {
        guard column < table.columns else {
            throw PostgresFailure(.unexpectedAnswer, "a result has only \(table.columns) columns")
        }
        defer { column += 1 }
        let type = table.type(of: column)
        let value: Value?? = table.withBytes(row: row, column: column) { bytes in
            bytes.map { decode($0, type) }
        }
        switch value {
        case .none: return nil
        case .some(.some(let value)): return value
        case .some(.none):
            throw PostgresFailure(
                .unexpectedAnswer, "the column \(table.name(of: column)) of a result has another type (\(type))")
        }
    }

    private func present<Value>(_ value: Value?) throws(PostgresFailure) -> Value {
        guard let value else {
            throw PostgresFailure(.unexpectedAnswer, "the column \(table.name(of: column - 1)) of a result is null")
        }
        return value
    }
}
