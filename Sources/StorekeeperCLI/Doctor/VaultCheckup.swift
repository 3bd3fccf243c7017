import Storekeeper
import StorekeeperSQLite

/// Checks that a vault exists, is intact, is private and has free space, and that the catalog contains the products
/// that customers bought.
struct VaultCheckup {
    let place: VaultLocation
    let tokens: AccountTokenRule
    /// The catalog; `nil` if it could not be read.
    ///
    /// Another finding reports the reason.
    let catalog: Catalog?
    let bundleID: String?

    /// The maximum number of facts that are checked.
    ///
    /// If the vault has more facts, only this number is checked, and the report names a command that checks all facts.
    static let patience = 200_000

    /// Makes the checks in order, and reports each finding immediately.
    func run(_ note: (Finding) -> Void) async {
        if case .file(let path) = place {
            for finding in library() { note(finding) }
            guard !place.isMissingFile else {
                note(
                    .warning(
                        "vault", "there is no vault at \(path)",
                        "create one with 'storekeeper vault init --vault \(path)'"))
                reportCatalog(note)
                return
            }
            for finding in Self.file(path) { note(finding) }
        }
        do throws(CommandError) {
            try await place.with(for: .reading, tokens: tokens) { vault in
                let count = try await vault.factCount()
                note(.ok("vault", "\(place.name) opens: schema \(place.schemaVersion), \(count.of("fact"))"))
                note(try await integrity(of: vault, count: count))
                if let catalog {
                    for finding in try await products(in: vault, catalog) { note(finding) }
                }
            }
        } catch {
            note(.failure("vault", error))
            reportCatalog(note)
        }
    }

    /// Reports the size of the catalog, if no vault exists to compare it with.
    private func reportCatalog(_ note: (Finding) -> Void) {
        guard let count = catalog?.products.count else { return }
        note(
            count > 0
                ? .ok("catalog", count.of("product"))
                : Self.products(missing: [:], known: 0, catalogCount: 0))
    }

    // MARK: Files

    private func library() -> [Finding] {
        let library = SQLiteVault.library
        guard library.canLoseCommits else { return [.ok("sqlite", "version \(library.version)")] }
        return [
            .warning(
                "sqlite",
                "version \(library.version) can lose commits if programs other than Storekeeper write to the vault's file",
                "open the file with Storekeeper only, from any number of processes, or use SQLite 3.51.3, 3.50.7 or 3.44.6"
            )
        ]
    }

    private static func file(_ path: String) -> [Finding] {
        guard let status = SystemFile.status(of: path) else {
            return [.failure("vault file", "\(path) cannot be examined", "check the permissions of its folder")]
        }
        let secret = TrustCheckup.secret("vault file", path, mode: status.mode, isFile: !status.isDirectory)
        guard !status.isDirectory else { return [secret] }
        do throws(SystemFile.Failure) {
            return [secret, freeSpaceFinding(try SystemFile.freeSpace(at: path), for: status.size)]
        } catch {
            return [secret, .warning("disk", "its free space is unknown: \(error.message)", "see 'df'")]
        }
    }

    /// Returns the finding about the free space for a vault.
    static func freeSpaceFinding(_ free: UInt64, for size: Int64) -> Finding {
        let megabytes = free / 1_000_000
        let wanted = max(UInt64(clamping: size), 1_000_000_000)
        guard free >= 50_000_000 else {
            return .failure("disk", "\(megabytes) MB are free", "free some space: a full vault cannot store evidence")
        }
        guard free >= wanted else {
            return .warning(
                "disk", "\(megabytes) MB are free", "free enough space for a copy of the vault, and at least 1000 MB")
        }
        return .ok("disk", "\(megabytes) MB are free")
    }

    // MARK: The contents of the vault

    private func integrity(of vault: any DurableVault, count: Int) async throws -> Finding {
        guard count <= Self.patience else {
            return .ok("integrity", "not checked, because there are too many facts: run 'storekeeper vault verify'")
        }
        let report = try await vault.checkIntegrity()
        guard let fault = report.faults.first else {
            return .ok("integrity", "\(report.links) links are intact" + (report.head.map { "; head \($0)" } ?? ""))
        }
        return .failure(
            "integrity", "\(report.faults.count.of("fault")), such as: \(fault.message)",
            "run 'storekeeper vault verify', and restore a backup")
    }

    private func products(in vault: any TransactionalVault, _ catalog: Catalog) async throws -> [Finding] {
        var missing: [Product.ID: Int] = [:]
        var known = 0
        var ungranted = Set(catalog.products.filter { $0.type == .consumable && $0.grants.isEmpty }.map(\.id))
        var (seen, place) = (0, FeedPlace.start)
        while seen < Self.patience {
            let page = try await vault.facts(after: place, of: nil, limit: 1000)
            guard let last = page.last else { break }
            place = last.place
            seen += page.count
            for transaction in page.lazy.compactMap(\.fact.transaction)
            where bundleID == nil || transaction.appBundleID == bundleID {
                if transaction.productType == .consumable, catalog.hasNoGrants(transaction.productID),
                    !catalog.contradicts(transaction.productType, of: transaction.productID)
                {
                    ungranted.insert(transaction.productID)
                }
                if catalog.product(transaction.productID) == nil {
                    missing[transaction.productID, default: 0] += 1
                } else {
                    known += 1
                }
            }
        }
        return [Self.products(missing: missing, known: known, catalogCount: catalog.products.count)]
            + (catalog.products.isEmpty ? [] : Self.grants(ungranted))
    }

    /// Returns the findings about consumables without `grants` in any catalog.
    static func grants(_ ids: Set<Product.ID>) -> [Finding] {
        guard !ids.isEmpty else { return [] }
        let names = ids.sorted().prefix(4).map(\.rawValue).joined(separator: ", ")
        return [
            .warning(
                "noGrants", "no catalog defines what \(names) grant\(ids.count == 1 ? "s" : "")",
                "add 'grants' to a list of products, such as Products.json, name it under 'catalogs', and run "
                    + "'storekeeper vault recredit' for what was bought before")
        ]
    }

    /// Returns the finding about products that customers bought, but that the catalog does not contain.
    ///
    /// - Parameters:
    ///   - missing: The number of transactions of each product that the catalog does not contain.
    ///   - known: The number of transactions of products in the catalog.
    ///   - catalogCount: The number of products in the catalog.
    static func products(missing: [Product.ID: Int], known: Int, catalogCount: Int) -> Finding {
        guard catalogCount > 0 else {
            return .warning(
                "catalog", "it is empty: levels, features and balances are unknown", "name one with --catalog FILE")
        }
        guard !missing.isEmpty else {
            return .ok(
                "catalog", "\(catalogCount.of("product")); it contains all products that customers bought")
        }
        let names = missing.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(4)
            .map { "\($0.key) (\($0.value))" }.joined(separator: ", ")
        return .warning(
            "catalog", "customers bought \(missing.count.of("product")) that it does not contain: \(names)",
            "add them; keep old products in the catalog as long as a customer owns them")
    }
}
