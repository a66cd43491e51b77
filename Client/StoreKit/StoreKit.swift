// Linux has no StoreKit. With this module an app's sources can keep `import StoreKit`.
@_exported import StoreKitClient
