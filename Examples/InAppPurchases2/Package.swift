// swift-tools-version: 6.2
import PackageDescription

// An app of StoreKit 2: its store, the terminal it is used at, and the store's tests with StoreKitTest.
let package = Package(
    name: "InAppPurchases2",
    dependencies: [.package(path: "../../Client")],
    targets: [
        .target(name: "Guides", dependencies: [.product(name: "StoreKit", package: "Client")]),
        .executableTarget(name: "GuidesApp", dependencies: ["Guides"]),
        .testTarget(
            name: "GuidesTests",
            dependencies: ["Guides", .product(name: "StoreKitTesting", package: "Client")]),
    ],
    swiftLanguageModes: [.v6]
)
