// swift-tools-version: 6.2
import PackageDescription

// Tests of an app that have StoreKitTest and nothing else of the store: `scripts/storekit-test` runs them with a store.
let package = Package(
    name: "StoreKitTestPackage",
    dependencies: [.package(path: "../../Client")],
    targets: [
        .testTarget(
            name: "StoreKitTestTests",
            dependencies: [
                .product(name: "StoreKitTest", package: "Client"),
                .product(name: "StoreKitTesting", package: "Client"),
            ],
            resources: [.copy("Resources")], swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
