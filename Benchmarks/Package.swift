// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "storekeeper-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "storekeeper", path: ".."),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
    ],
    targets: [
        .systemLibrary(name: "CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
        // What a program in C does that writes the rows of a vault in PostgreSQL, and nothing else.
        .target(name: "RawPostgres", dependencies: ["CLibpq"]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CSQLite", "RawPostgres",
                .product(name: "Storekeeper", package: "storekeeper"),
                .product(name: "StorekeeperJWS", package: "storekeeper"),
                .product(name: "StorekeeperSQLite", package: "storekeeper"),
                .product(name: "StorekeeperPostgres", package: "storekeeper"),
                .product(name: "StorekeeperAppStore", package: "storekeeper"),
                .product(name: "StorekeeperSimulator", package: "storekeeper"),
                .product(name: "StorekeeperTesting", package: "storekeeper"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]
        ),
        // What Scripts/fleet-size.sh lets a vault do to a database of very many customers.
        .executableTarget(
            name: "FleetLoad",
            dependencies: [
                .product(name: "Storekeeper", package: "storekeeper"),
                .product(name: "StorekeeperPostgres", package: "storekeeper"),
                .product(name: "StorekeeperTesting", package: "storekeeper"),
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
