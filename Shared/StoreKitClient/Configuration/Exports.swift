// On Apple's platforms `import StoreKit` also imports Foundation and the enumerations; so does this module.
@_exported public import CStoreKit
@_exported public import Foundation

#if canImport(FoundationNetworking)
    @_exported public import FoundationNetworking
#endif
