// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "storekeeper",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "StorekeeperEngine", targets: ["StorekeeperEngine"]),
        .library(name: "Storekeeper", targets: ["Storekeeper"]),
        .library(name: "StorekeeperJWS", targets: ["StorekeeperJWS"]),
        .library(name: "StorekeeperSQLite", targets: ["StorekeeperSQLite"]),
        .library(name: "StorekeeperPostgres", targets: ["StorekeeperPostgres"]),
        .library(name: "StorekeeperSimulator", targets: ["StorekeeperSimulator"]),
        .library(name: "StorekeeperTesting", targets: ["StorekeeperTesting"]),
        .executable(name: "storekeeper", targets: ["StorekeeperCLI"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
    ],
    targets: [
        .target(name: "StorekeeperEngine"),
        .target(name: "Storekeeper", dependencies: ["StorekeeperEngine"]),
        .target(
            name: "StorekeeperJWS",
            dependencies: [
                "StorekeeperEngine",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ]
        ),
        .target(
            name: "StorekeeperSQLite",
            dependencies: [
                "Storekeeper",
                "StorekeeperDurable",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]
        ),
        // libpq, loaded when a database is named.
        .target(name: "CPostgres", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        .target(
            name: "StorekeeperPostgres",
            dependencies: ["CPostgres", "Storekeeper", "StorekeeperDurable"]
        ),
        // What durable vaults have in common.
        .target(
            name: "StorekeeperDurable",
            dependencies: ["Storekeeper", .product(name: "Crypto", package: "swift-crypto")]
        ),
        .target(
            name: "StorekeeperSimulator",
            dependencies: ["Storekeeper", "StorekeeperJWS", .product(name: "Yams", package: "Yams")]
        ),
        .target(name: "StorekeeperTesting", dependencies: ["Storekeeper"]),
        .executableTarget(
            name: "StorekeeperCLI",
            dependencies: [
                "Storekeeper",
                "StorekeeperJWS",
                "StorekeeperSQLite",
                "StorekeeperPostgres",
                "StorekeeperSimulator",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Yams", package: "Yams"),
            ]
        ),
        .testTarget(
            name: "StorekeeperTests", dependencies: ["StorekeeperEngine", "Storekeeper", "StorekeeperTesting"]),
        .testTarget(
            name: "StorekeeperJWSTests",
            dependencies: [
                "Storekeeper", "StorekeeperJWS", "StorekeeperTesting",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "StorekeeperSimulatorTests",
            dependencies: [
                "Storekeeper", "StorekeeperJWS", "StorekeeperSimulator", "StorekeeperTesting",
                .product(name: "Yams", package: "Yams"),
            ]
        ),
        // Made to be killed: the tests of vaults run it.
        .executableTarget(
            name: "VaultCrasher",
            dependencies: ["Storekeeper", "StorekeeperJWS", "StorekeeperSQLite", "StorekeeperTesting"],
            path: "Tests/VaultCrasher"
        ),
        .testTarget(
            name: "StorekeeperSQLiteTests",
            dependencies: [
                "Storekeeper", "StorekeeperDurable", "StorekeeperJWS", "StorekeeperSQLite", "StorekeeperTesting",
                "VaultCrasher",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            resources: [.copy("Schemas")]
        ),
        // A node of a fleet, made to be killed, too.
        .executableTarget(
            name: "FleetNode",
            dependencies: ["Storekeeper", "StorekeeperPostgres", "StorekeeperTesting"],
            path: "Tests/FleetNode"
        ),
        .testTarget(
            name: "StorekeeperPostgresTests",
            dependencies: ["Storekeeper", "StorekeeperPostgres", "StorekeeperTesting", "FleetNode"]),
        .testTarget(
            name: "StorekeeperCLITests",
            dependencies: [
                "Storekeeper", "StorekeeperJWS", "StorekeeperPostgres", "StorekeeperSimulator", "StorekeeperTesting",
                "StorekeeperCLI",
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
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
/// With `STOREKEEPER_STRICT=1` a warning in our own code fails the build; code we depend on keeps its warnings.
let strictSettings: [SwiftSetting] =
    Context.environment["STOREKEEPER_STRICT"] == "1" ? [.treatAllWarnings(as: .error)] : []
for target in package.targets where [.regular, .executable, .test].contains(target.type) {
    target.swiftSettings = (target.swiftSettings ?? []) + strictSettings + houseSettings
}
