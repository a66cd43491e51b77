// `import StoreKit` brings Foundation and the enumerations along on Apple's platforms; this import does the same.
@_exported public import CStoreKit
@_exported public import Foundation

#if canImport(FoundationNetworking)
    @_exported public import FoundationNetworking
#endif
