// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "companion-service",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "storekeeper", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
    ],
    targets: [
        .target(
            name: "GameBackend",
            dependencies: [
                .product(name: "Storekeeper", package: "storekeeper"),
                .product(name: "StorekeeperAppStore", package: "storekeeper"),
                .product(name: "StorekeeperJWS", package: "storekeeper"),
                .product(name: "StorekeeperCompanion", package: "storekeeper"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ]
        ),
        .testTarget(
            name: "GameBackendTests",
            dependencies: [
                "GameBackend",
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
