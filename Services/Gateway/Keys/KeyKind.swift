import Persistence
import StoreHTTP

extension KeyKind: SQLValueConvertible {}
