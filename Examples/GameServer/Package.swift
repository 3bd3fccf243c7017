// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "game-server",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "storekeeper", path: "../..")],
    targets: [
        .executableTarget(
            name: "GameServer",
            dependencies: [
                .product(name: "Storekeeper", package: "storekeeper"),
                .product(name: "StorekeeperJWS", package: "storekeeper"),
                .product(name: "StorekeeperSQLite", package: "storekeeper"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
