import CLibsqlite3
import Storekeeper
import StorekeeperDurable

/// The file of a vault, which also creates the errors that name the file.
struct VaultFile: Hashable, Sendable {
    let path: String
    let busyTimeout: Int64
    /// Whether SQLite reads the file as immutable, without a lock and without files next to it.
    var isImmutable = false

    /// The path that is passed to SQLite.
    ///
    /// `./` precedes a relative path, because a path that begins with `file:` or `:` would have another meaning.
    var location: String {
        let path = path.utf8.first == UInt8(ascii: "/") ? path : "./" + path
        guard isImmutable else { return path }
        let digits = Array("0123456789ABCDEF".utf8)
        var uri = Array((path.utf8.first == UInt8(ascii: "/") ? "file://" : "file:").utf8)
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                uri.append(byte)
            default: uri += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: uri + Array("?immutable=1".utf8), as: UTF8.self)
    }

    /// Returns the vault error for an error of SQLite.
    func error(code: CInt, message: String) -> VaultError {
        let cause = SQLiteFailure(code: code, message: message)
        func makeError(_ code: VaultError.Code, _ words: String) -> VaultError { VaultError(code, words, cause: cause) }
        if code == SQLITE_READONLY | (4 << 8) { return moved }
        // The code means that the shared-memory index of the log could not grow.
        if code == SQLITE_IOERR | (19 << 8) { return diskFullError(cause) }
        return switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED:
            makeError(
                .locked,
                "another process kept \(path) locked for longer than \(busyTimeout) ms; try again, or wait longer")
        case SQLITE_FULL: diskFullError(cause)
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: readOnlyError(cause)
        case SQLITE_CORRUPT:
            makeError(.corrupt, "\(path) is damaged (\(message)); stop writing to it and restore a backup")
        case SQLITE_NOTADB: makeError(.notAVault, "\(path) is not a vault; name the file of a vault, or another place")
        case SQLITE_CANTOPEN: openError(cause)
        case SQLITE_TOOBIG:
            makeError(.invalidRequest, "a value is too large for \(path); the limit of SQLite is a gigabyte")
        case SQLITE_CONSTRAINT:
            makeError(.corrupt, "a row violates a constraint of \(path) (\(message)); verify the vault")
        case SQLITE_MISUSE: makeError(.closed, "\(path) was closed; open the vault again")
        case SQLITE_NOMEM: makeError(.io, "there is not enough memory to use \(path)")
        default: makeError(.io, "\(path) could not be read or written (\(message)); check the disk")
        }
    }

    // Errors that both SQLite and the system may report.

    func diskFullError(_ cause: any Error) -> VaultError {
        VaultError(.full, "the disk is full (\(path)); free some space and try again", cause: cause)
    }

    func readOnlyError(_ cause: any Error) -> VaultError {
        VaultError(.readOnly, "\(path) is read-only; allow writing to the file and its folder", cause: cause)
    }

    func openError(_ cause: any Error) -> VaultError {
        VaultError(
            .io, "\(path) cannot be opened; check the permissions of the file and its folder", cause: cause)
    }

    /// The error for a file that was removed or replaced while it was open.
    var moved: VaultError {
        VaultError(.notFound, "\(path) was removed or replaced while it was open; nothing more is written to it")
    }

    /// The error for a file that another process wrote to while SQLite read it as immutable.
    var changed: VaultError {
        VaultError(.locked, "another process wrote to \(path) while it was read; open it and read again")
    }

    var closed: VaultError { VaultError(.closed, "\(path) was closed; open the vault again") }

    /// Returns the error for stored data that was not written by this program.
    func corrupt(_ what: String) -> VaultError {
        VaultError(.corrupt, "\(path) holds \(what); verify the vault, and restore a backup")
    }
}

/// An error of SQLite.
struct SQLiteFailure: Error, CustomStringConvertible {
    let code: CInt
    let message: String

    var description: String { "SQLite error \(code): \(message)" }

    /// Whether every other step would fail with the same error.
    ///
    /// In this case, the steps of a failed transaction are not run again one by one.
    var stopsAll: Bool {
        switch code & 0xFF {
        case SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_RANGE, SQLITE_MISMATCH, SQLITE_ERROR: false
        default: true
        }
    }
}
