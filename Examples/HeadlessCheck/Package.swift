// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "headless-check",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "storekeeper", path: "../..")],
    targets: [
        .executableTarget(
            name: "HeadlessCheck",
            dependencies: [
                .product(name: "StorekeeperEngine", package: "storekeeper"),
                .product(name: "StorekeeperJWS", package: "storekeeper"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
