// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "storekeeper-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "storekeeper", path: ".."),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
    ],
    targets: [
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CSQLite",
                .product(name: "Storekeeper", package: "storekeeper"),
                .product(name: "StorekeeperJWS", package: "storekeeper"),
                .product(name: "StorekeeperSQLite", package: "storekeeper"),
                .product(name: "StorekeeperPostgres", package: "storekeeper"),
                .product(name: "StorekeeperAppStore", package: "storekeeper"),
                .product(name: "StorekeeperTesting", package: "storekeeper"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        // The endpoint with which Scripts/service-load.sh compares the companion service.
        .executableTarget(
            name: "ServiceLoad",
            dependencies: [
                .product(name: "Storekeeper", package: "storekeeper"),
                .product(name: "StorekeeperSQLite", package: "storekeeper"),
                .product(name: "StorekeeperTesting", package: "storekeeper"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

let houseSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatWarning("ExplicitSendable", as: .error),
]
for target in package.targets where target.type == .executable { target.swiftSettings = houseSettings }
