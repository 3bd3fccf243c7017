import Storekeeper

/// Checks that the file of a served vault was not replaced, and that its disk has free space.
struct VaultStorage: Sendable {
    /// The minimum free space in bytes.
    static let leastSpace: UInt64 = 16 << 20

    private let path: String
    private let device: Int64
    private let file: Int64

    /// Stores the identity of the vault's file; returns `nil` if the vault is in a database, or if the file does not
    /// exist.
    init?(_ place: VaultLocation) {
        guard case .file(let path) = place, let identity = SystemFile.identity(of: path) else { return nil }
        self.path = path
        (device, file) = identity
    }

    /// The reason why the file cannot be used; `nil` if it can be used.
    ///
    /// The text contains no path, because the service returns it to callers without a key.
    var fault: String? {
        guard let now = SystemFile.identity(of: path) else {
            return "the file of the vault is missing; restore it, and restart the service"
        }
        guard now == (device, file) else {
            return "the file of the vault was replaced while in use; restart the service"
        }
        do {
            let space = try SystemFile.freeSpace(at: path)
            return space < Self.leastSpace ? "the disk with the vault is full; free some space" : nil
        } catch {
            return nil
        }
    }
}
