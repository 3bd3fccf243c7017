import Storekeeper

/// The file of a served vault, to check that it was not replaced and that its disk has space.
struct VaultStorage: Sendable {
    /// The minimum free space in bytes.
    static let leastSpace: UInt64 = 16 << 20

    private let path: String
    private let device: Int64
    private let file: Int64

    /// Records the open file; `nil` for a database, and if the file does not exist.
    init?(_ place: VaultLocation) {
        guard case .file(let path) = place, let identity = SystemFile.identity(of: path) else { return nil }
        self.path = path
        (device, file) = identity
    }

    /// Why the file cannot be used; `nil` if it can.
    ///
    /// It contains no path, because anyone may request it.
    var fault: String? {
        guard let now = SystemFile.identity(of: path) else {
            return "the file of the vault is gone; put it back, and start the service again"
        }
        guard now == (device, file) else {
            return "the file of the vault was replaced while it was served; start the service again"
        }
        do {
            let space = try SystemFile.freeSpace(at: path)
            return space < Self.leastSpace ? "the disk with the vault is full; make room there" : nil
        } catch {
            return nil
        }
    }
}
