// On Apple's platforms a test that imports StoreKitTest has StoreKit's names, too.
@_exported public import StoreKitClient
