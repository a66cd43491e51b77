// The name that tests import on Apple's platforms. As there, it re-exports StoreKit.
@_exported public import StoreKit
@_exported public import StoreKitTestClient
