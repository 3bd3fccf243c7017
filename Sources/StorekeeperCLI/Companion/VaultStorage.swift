import Storekeeper

/// The file of a vault that is being served, to see whether it is still the one that was opened, and has room.
struct VaultStorage: Sendable {
    /// With less there is no room for what comes next.
    static let leastSpace: UInt64 = 16 << 20

    private let path: String
    private let device: Int64
    private let file: Int64

    /// Takes the file that is open now; `nil` of a database, and where there is none.
    init?(_ place: VaultPlace) {
        guard case .file(let path) = place, let identity = SystemFile.identity(of: path) else { return nil }
        self.path = path
        (device, file) = identity
    }

    /// Why it cannot be used; `nil` if it can.
    ///
    /// It names no path, because anyone may ask for it.
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
