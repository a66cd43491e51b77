// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6)]

// Apps that have the client library and nothing else of the store, and tests that have StoreKitTest and nothing else.
// `scripts/client-package` builds them and runs the first app and the tests, `scripts/chaos-apps` the second app.
let package = Package(
    name: "ClientApp",
    dependencies: [.package(path: "../../Client")],
    targets: [
        .executableTarget(
            name: "ClientApp", dependencies: [.product(name: "StoreKit", package: "Client")], swiftSettings: settings),
        .executableTarget(
            name: "PurchasingApp", dependencies: [.product(name: "StoreKit", package: "Client")],
            swiftSettings: settings),
        .testTarget(
            name: "StoreKitTestTests",
            dependencies: [
                .product(name: "StoreKitTest", package: "Client"),
                .product(name: "StoreKitTesting", package: "Client"),
            ],
            resources: [.copy("Resources")], swiftSettings: settings),
    ]
)
