// On Linux there is no StoreKit. With this module an app's sources keep `import StoreKit`.
@_exported import StoreKitClient
